// Members of a business, how they log in, and what its audit log says of them. docs/dashboard.md.
import type { NewAuditEntry } from '#core/accounts/audit.ts'
import type { Role } from '#core/accounts/permissions.ts'
import type { Address } from '#core/chain/types.ts'
import type { Json } from '#core/json.ts'

export type Member = {
  readonly id: string
  readonly accountId: string
  readonly name: string
  /** For people: the service sends no mail. */
  readonly email: string | null
  readonly role: Role
  readonly createdAt: Date
  readonly removedAt: Date | null
}

/** How a member logs in. */
export type Login = {
  readonly id: string
  /** For people: which device or wallet it is. */
  readonly name: string
  /** null for a passkey. */
  readonly wallet: Address | null
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
}

/** A member, and how the member can log in; without a login, only by a link. */
export type ListedMember = Member & { readonly logins: readonly Login[] }

/** A passkey as it is stored. `id` is what browsers name it, and `publicKey` is in COSE. */
export type Passkey = {
  readonly id: string
  readonly publicKey: Uint8Array
  readonly counter: number
  readonly transports: readonly string[]
}

/** A login before it is stored. */
export type NewLogin = { readonly id: string; readonly name: string } & (
  | { readonly wallet: Address; readonly passkey: null }
  | { readonly wallet: null; readonly passkey: Passkey }
)

/** The most members of a business, and the most logins of a member. */
export const MAX_MEMBERS = 100
export const MAX_LOGINS = 20

/** How long a link works. */
export const LINK_MS = 24 * 60 * 60_000

export type LoginLink = {
  readonly memberId: string
  readonly expiresAt: Date
  readonly usedAt: Date | null
}

export const isUsable = ({ expiresAt, usedAt }: LoginLink, now: Date): boolean => usedAt === null && expiresAt > now

type Named = Pick<Member, 'id' | 'name'>
type Before<T> = readonly [before: T, after: T]

const entryOf = (action: NewAuditEntry['action'], changes: NewAuditEntry['changes']): NewAuditEntry => ({
  action,
  sellerId: null,
  changes,
})

const same = (value: Json): Before<Json> => [value, value]

export const memberInvited = ({ id, name, email, role }: Member): NewAuditEntry =>
  entryOf('member.invited', { id: [null, id], name: [null, name], email: [null, email], role: [null, role] })

/** Returns the entry of a changed member; null when nothing has changed. */
export function memberUpdated(before: Member, after: Member): NewAuditEntry | null {
  const fields = (['name', 'email', 'role'] as const).filter((field) => before[field] !== after[field])
  if (fields.length === 0) return null
  return entryOf('member.updated', {
    id: same(before.id),
    name: same(before.name),
    ...Object.fromEntries(fields.map((field) => [field, [before[field], after[field]] as const])),
  })
}

export const memberRemoved = ({ id, name, role }: Member): NewAuditEntry =>
  entryOf('member.removed', { id: [id, null], name: [name, null], role: [role, null] })

export const linkCreated = ({ id, name }: Named, expiresAt: Date): NewAuditEntry =>
  entryOf('member.link_created', { id: same(id), name: same(name), link_expires_at: [null, expiresAt.toISOString()] })

const shown = ({ name, wallet }: Pick<Login, 'name' | 'wallet'>): Json => wallet ?? `passkey ${name}`

export const loginAdded = ({ id, name }: Named, login: Pick<Login, 'name' | 'wallet'>): NewAuditEntry =>
  entryOf('member.login_added', { id: same(id), name: same(name), login: [null, shown(login)] })

export const loginRemoved = ({ id, name }: Named, login: Pick<Login, 'name' | 'wallet'>): NewAuditEntry =>
  entryOf('member.login_removed', { id: same(id), name: same(name), login: [shown(login), null] })

export const sessionStarted = ({ id, name }: Named, sessionId: string): NewAuditEntry =>
  entryOf('member.session_started', { id: same(id), name: same(name), session: [null, sessionId] })

export const sessionEnded = ({ id, name }: Named, sessionId: string): NewAuditEntry =>
  entryOf('member.session_ended', { id: same(id), name: same(name), session: [sessionId, null] })
