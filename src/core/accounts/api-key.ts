// API keys of a business, and what its audit log says of them. Spec: "Authentication".
import type { Actor, NewAuditEntry } from '#core/accounts/audit.ts'
import type { KeyPermission } from '#core/accounts/permissions.ts'

export type ApiKey = {
  readonly id: string
  readonly accountId: string
  /** For people: what the key is for. */
  readonly name: string
  /** Its last four characters, by which people recognize a key. */
  readonly hint: string
  readonly scopes: readonly KeyPermission[]
  readonly createdBy: Pick<Actor, 'kind' | 'credential'>
  readonly createdAt: Date
  /** At most a minute old while the key is in use. */
  readonly lastUsedAt: Date | null
  /** When it stops. In the future for a key that was rolled and still works. */
  readonly revokedAt: Date | null
}

/** The most keys of a business that work. */
export const MAX_LIVE_KEYS = 100

/** The longest that a key still works after it was rolled. */
export const MAX_OVERLAP_SECONDS = 7 * 24 * 60 * 60

export const isLive = ({ revokedAt }: Pick<ApiKey, 'revokedAt'>, now: Date): boolean =>
  revokedAt === null || revokedAt > now

type Named = Pick<ApiKey, 'id' | 'name' | 'hint'>

const entryOf = (action: NewAuditEntry['action'], changes: NewAuditEntry['changes']): NewAuditEntry => ({
  action,
  sellerId: null,
  changes,
})

export const keyCreated = ({ id, name, hint, scopes }: Named & Pick<ApiKey, 'scopes'>): NewAuditEntry =>
  entryOf('key.created', { id: [null, id], name: [null, name], hint: [null, hint], scopes: [null, scopes] })

/** Returns the entry of a key that another one replaces. */
export const keyRolled = (old: Named, successor: Named, revokedAt: Date): NewAuditEntry =>
  entryOf('key.rolled', {
    id: [old.id, successor.id],
    name: [old.name, successor.name],
    hint: [old.hint, successor.hint],
    old_revoked_at: [null, revokedAt.toISOString()],
  })

export const keyRevoked = ({ id, name, hint, revokedAt }: Named & Pick<ApiKey, 'revokedAt'>, at: Date): NewAuditEntry =>
  entryOf('key.revoked', {
    id: [id, id],
    name: [name, name],
    hint: [hint, hint],
    revoked_at: [revokedAt?.toISOString() ?? null, at.toISOString()],
  })
