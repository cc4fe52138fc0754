// Who asks. A bearer token is a business's API key; without one the caller is anonymous and reaches only what is public,
// and checkouts whose client secret it holds. The operator's token proves nothing here.
import type { Marketplace, Tenant } from '#core/accounts/account.ts'
import { type Permission, withParts } from '#core/accounts/permissions.ts'
import { ServiceError } from '#core/errors.ts'
import type { Limits } from '#graphql/limits.ts'
import type { Lookups, Proofs } from '#graphql/proofs.ts'
import type { AccountServices } from '#services/accounts/account-services.ts'

const BEARER = /^Bearer +(\S+) *$/i

/** Returns the token of a `Bearer` header; null for no header and for any other. */
export const bearerOf = (authorization: string | null): string | null =>
  authorization === null ? null : (BEARER.exec(authorization)?.[1] ?? null)

export type Principal =
  | {
      readonly kind: 'business'
      readonly tenant: Tenant
      readonly keyId: string
      /** The last characters of the key, by which people recognize it. */
      readonly keyHint: string
      /** The state of the capability as a marketplace; null for an ordinary business. */
      readonly marketplace: Marketplace['status'] | null
      readonly permissions: ReadonlySet<Permission>
    }
  | { readonly kind: 'anonymous' }

export type OperatorPrincipal = { readonly kind: 'operator' }

/** Who may ask an endpoint of either schema. */
export type AnyPrincipal = Principal | OperatorPrincipal

/** Returns whether a caller may send an image, and so a larger body: the operator, and a marketplace. */
export const maySendImage = (principal: AnyPrincipal): boolean =>
  principal.kind === 'operator' || (principal.kind === 'business' && principal.marketplace !== null)

/**
 * Takes an Authorization header and the address that it came from. Throws `unauthenticated` on a header that proves
 * nothing, or `rate_limited` when too many from there proved nothing before it.
 */
export type Identify<P extends AnyPrincipal> = (authorization: string | null, address: string) => Promise<P>

const ANONYMOUS: Principal = { kind: 'anonymous' }
const API_KEY = /^sk_/
/** A request has one key. */
const atOnce: Lookups = (look) => look(null)

/** Returns an `Identify` that takes no header at all for anonymous. */
export function createIdentify(
  accounts: Pick<AccountServices, 'authenticate'>,
  proofs: Pick<Proofs, 'prove'>,
  limits: Pick<Limits, 'wrongCredential'>,
): Identify<Principal> {
  const prove = async (token: string): Promise<Principal> => {
    const { tenant, key, marketplace } = await accounts.authenticate(token)
    return {
      kind: 'business',
      tenant,
      keyId: key.id,
      keyHint: key.hint,
      marketplace,
      permissions: withParts(key.scopes),
    }
  }
  return async (authorization, address) => {
    if (authorization === null) return ANONYMOUS
    const token = bearerOf(authorization)
    if (token === null) throw new ServiceError('unauthenticated')
    if (API_KEY.test(token)) return await proofs.prove('key', token, { address, lookups: atOnce }, () => prove(token))
    await limits.wrongCredential(address)
    throw new ServiceError('unauthenticated')
  }
}
