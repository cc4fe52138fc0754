// Who asks. A bearer token is a business's API key, and the cookie of our own pages is the session of a member; without either
// the caller is anonymous and reaches only what is public, and checkouts whose client secret it holds. The operator's token
// proves nothing here.
import type { Marketplace, Tenant } from '#core/accounts/account.ts'
import { type Permission, permissionsOf, withParts } from '#core/accounts/permissions.ts'
import { hasCode, ServiceError } from '#core/errors.ts'
import type { Limits } from '#graphql/limits.ts'
import type { Lookups, Proofs } from '#graphql/proofs.ts'
import type { AccountServices } from '#services/accounts/account-services.ts'
import type { SessionServices } from '#services/accounts/sessions.ts'

const BEARER = /^Bearer +(\S+) *$/i

/** Returns the token of a `Bearer` header; null for no header and for any other. */
export const bearerOf = (sent: Sent): string | null =>
  typeof sent === 'string' ? (BEARER.exec(sent)?.[1] ?? null) : null

/** An API key, by its last characters, or the session of a member. */
export type BusinessCredential =
  | { readonly kind: 'key'; readonly id: string; readonly hint: string }
  | {
      readonly kind: 'session'
      readonly id: string
      readonly memberId: string
      readonly name: string
      /** When the member last proved to be there, by a passkey or a wallet. */
      readonly provedAt: Date
    }

export type Principal =
  | {
      readonly kind: 'business'
      readonly tenant: Tenant
      readonly credential: BusinessCredential
      /** The state of the capability as a marketplace; null for an ordinary business. */
      readonly marketplace: Marketplace['status'] | null
      readonly permissions: ReadonlySet<Permission>
    }
  | { readonly kind: 'anonymous' }

export type OperatorPrincipal = { readonly kind: 'operator' }

type Business = Extract<Principal, { kind: 'business' }>

/** Returns the id by which the calls of a business are counted: that of its key, or of its member in any session. */
export const countedBy = ({ credential }: Pick<Business, 'credential'>): string =>
  credential.kind === 'key' ? credential.id : credential.memberId

/** Who may ask an endpoint of either schema. */
export type AnyPrincipal = Principal | OperatorPrincipal

/** Returns whether a caller may send an image, and so a larger body: the operator, a marketplace, and who may change settings. */
export const maySendImage = (principal: AnyPrincipal): boolean =>
  principal.kind === 'operator' ||
  (principal.kind === 'business' && (principal.marketplace !== null || principal.permissions.has('settings-manage')))

/** The secret of a session. A class of its own, so that no text that a client sends in a header can be taken for it. */
export class SessionSecret {
  readonly secret: string

  constructor(secret: string) {
    this.secret = secret
  }
}

/** What a request was sent with: an Authorization header, or the cookie of our own pages; null for neither. */
export type Sent = string | SessionSecret | null

/**
 * Takes what a request was sent with and the address that it came from. Throws `unauthenticated` on a header that proves
 * nothing, or `rate_limited` when too many from there proved nothing before it. The cookie of a session that is over proves
 * nothing either, and is anonymous: its sender can log in again.
 */
export type Identify<P extends AnyPrincipal> = (sent: Sent, address: string) => Promise<P>

const ANONYMOUS: Principal = { kind: 'anonymous' }
const API_KEY = /^sk_/
/** A request has one key. */
const atOnce: Lookups = (look) => look(null)

/** Returns an `Identify` that takes no header at all for anonymous. */
export function createIdentify(
  accounts: Pick<AccountServices, 'authenticate'>,
  sessions: Pick<SessionServices, 'authenticate'>,
  proofs: Pick<Proofs, 'prove'>,
  limits: Pick<Limits, 'wrongCredential'>,
): Identify<Principal> {
  const prove = async (token: string): Promise<Principal> => {
    const { tenant, key, marketplace } = await accounts.authenticate(token)
    return {
      kind: 'business',
      tenant,
      credential: { kind: 'key', id: key.id, hint: key.hint },
      marketplace,
      permissions: withParts(key.scopes),
    }
  }
  const resume = async (secret: string): Promise<Principal> => {
    const { tenant, session, member, marketplace } = await sessions.authenticate(secret)
    const { id, memberId, provedAt } = session
    return {
      kind: 'business',
      tenant,
      credential: { kind: 'session', id, memberId, name: member.name, provedAt },
      marketplace,
      permissions: permissionsOf(member.role),
    }
  }
  return async (sent, address) => {
    if (sent === null) return ANONYMOUS
    if (sent instanceof SessionSecret) {
      const { secret } = sent
      return await proofs
        .prove('session', secret, { address, lookups: atOnce }, () => resume(secret))
        .catch((error: unknown) => {
          if (hasCode(error, 'unauthenticated')) return ANONYMOUS
          throw error
        })
    }
    const token = bearerOf(sent)
    if (token === null) throw new ServiceError('unauthenticated')
    if (API_KEY.test(token)) return await proofs.prove('key', token, { address, lookups: atOnce }, () => prove(token))
    await limits.wrongCredential(address)
    throw new ServiceError('unauthenticated')
  }
}
