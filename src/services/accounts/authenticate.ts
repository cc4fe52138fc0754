// Authenticates a business by its key. Every request passes here, so an answer is cached for a few seconds by the hash of
// the key; the key itself is never kept.
import { tenantOf } from '#core/accounts/account.ts'
import { isLive } from '#core/accounts/api-key.ts'
import { ServiceError } from '#core/errors.ts'
import { createCache } from '#lib/cache.ts'
import type { KeyStore } from '#ports/accounts.ts'
import type { Clock } from '#ports/clock.ts'
import type { CredentialStore, Secrets } from '#ports/secrets.ts'
import { type PortalDeps, portalNotFound } from '#services/billing/portal/deps.ts'
import { requireBilling } from '#services/billing/terms.ts'
import type { AccountServices, Credential } from './account-services.ts'

/** A text that does not look like a key is refused without a database query. */
const API_KEY = /^sk_(live|test)_[\w-]{32,128}$/

export type Authenticator = {
  readonly authenticate: AccountServices['authenticate']
  /** Forgets all proofs. To be called when keys or accounts change here, and when another instance reports a change. */
  clear(): void
}

export function createAuthenticator(deps: {
  clock: Clock
  secrets: Pick<Secrets, 'hash' | 'equal'>
  keys: Pick<KeyStore, 'findByHash' | 'markUsed'>
}): Authenticator {
  const credentials = createCache(deps.clock, async (encodedHash: string): Promise<Credential> => {
    const hash = Buffer.from(encodedHash, 'base64')
    const found = await deps.keys.findByHash(hash)
    // Thrown, because failures are not cached: a key works from the moment it is made.
    if (found === null || !deps.secrets.equal(found.hash, hash) || found.account.archivedAt !== null)
      throw new ServiceError('unauthenticated')
    const { key, account, marketplace } = found
    // A request does not wait for the mark, nor fail with it.
    if (isLive(key, deps.clock.now())) void deps.keys.markUsed(key.id, deps.clock.now()).catch(() => {})
    return { key, account, tenant: tenantOf(account), marketplace }
  })

  return {
    async authenticate(apiKey) {
      const mode = API_KEY.exec(apiKey)?.[1]
      if (mode === undefined) throw new ServiceError('unauthenticated')
      const credential = await credentials.get(Buffer.from(deps.secrets.hash(apiKey)).toString('base64'))
      if (credential.account.network !== mode || !isLive(credential.key, deps.clock.now()))
        throw new ServiceError('unauthenticated')
      return credential
    },
    clear: credentials.clear,
  }
}

// Tells wrong credentials of every kind from those that the service has issued, before anything is read for them.

export type CredentialKind = 'key' | 'session' | 'loginLink' | 'clientSecret' | 'checkoutToken' | 'portalToken'

export type CredentialServices = {
  /** Throws the refusal of its kind for a credential that the service has not issued. */
  requireIssued(kind: CredentialKind, credential: string): Promise<void>
}

export type CredentialDeps = {
  readonly credentials: CredentialStore
  readonly secrets: Pick<Secrets, 'hash'>
  /** null while recurring billing is disabled. */
  readonly hosted: Pick<PortalDeps, 'payUrl'> | null
}

export function createCredentialServices(deps: CredentialDeps): CredentialServices {
  const refusalOf = (kind: CredentialKind): ServiceError => {
    switch (kind) {
      case 'key':
      case 'session':
        return new ServiceError('unauthenticated')
      case 'loginLink':
        return new ServiceError('login_link_not_found')
      case 'clientSecret':
        return new ServiceError('invalid_client_secret')
      case 'checkoutToken':
        requireBilling(deps.hosted)
        return new ServiceError('checkout_not_found')
      case 'portalToken':
        return portalNotFound(requireBilling(deps.hosted))
    }
  }
  return {
    async requireIssued(kind, credential) {
      if (!(await deps.credentials.isIssued(deps.secrets.hash(credential)))) throw refusalOf(kind)
    },
  }
}
