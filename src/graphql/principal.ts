// Who asks. A bearer token is a business's API key or the operator's token; without one the caller is anonymous and
// reaches only what is public, and checkouts whose client secret it holds.
import { createHash, timingSafeEqual } from 'node:crypto'
import type { KeyScope, Tenant } from '#core/accounts/account.ts'
import { ServiceError } from '#core/errors.ts'
import type { Limits } from '#graphql/limits.ts'
import type { AccountServices } from '#services/services.ts'

export type Principal =
  | {
      readonly kind: 'business'
      readonly tenant: Tenant
      readonly keyId: string
      readonly scopes: readonly KeyScope[]
    }
  | { readonly kind: 'operator' }
  | { readonly kind: 'anonymous' }

/**
 * Takes an Authorization header and the address that it came from. Anonymous is no header at all; throws
 * `unauthenticated` on one that proves nothing, or `rate_limited` when too many from there proved nothing before it.
 */
export type Identify = (authorization: string | null, address: string) => Promise<Principal>

const ANONYMOUS: Principal = { kind: 'anonymous' }
const OPERATOR: Principal = { kind: 'operator' }
const BEARER = /^Bearer +(\S+) *$/i
const API_KEY = /^sk_/

const digest = (token: string): Buffer => createHash('sha256').update(token).digest()

export function createIdentify(
  accounts: Pick<AccountServices, 'authenticate'>,
  operatorToken: string,
  limits: Pick<Limits, 'proof'>,
): Identify {
  const operatorDigest = digest(operatorToken)
  const prove = async (token: string): Promise<Principal> => {
    if (!API_KEY.test(token)) {
      // Digests have one length, so the comparison takes as long for a wrong token as for a nearly right one.
      if (timingSafeEqual(digest(token), operatorDigest)) return OPERATOR
      throw new ServiceError('unauthenticated')
    }
    const { tenant, key } = await accounts.authenticate(token)
    return { kind: 'business', tenant, keyId: key.id, scopes: key.scopes }
  }
  return async (authorization, address) => {
    if (authorization === null) return ANONYMOUS
    const token = BEARER.exec(authorization)?.[1]
    if (token === undefined) throw new ServiceError('unauthenticated')
    return await limits.proof(address, () => prove(token))
  }
}
