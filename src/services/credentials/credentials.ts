// Tells wrong credentials of every kind from those that the service has issued, before anything is read for them.
import { ServiceError } from '#core/errors.ts'
import type { CredentialStore, Secrets } from '#ports/secrets.ts'
import { type PortalDeps, portalNotFound } from '#services/billing/portal/deps.ts'
import { requireBilling } from '#services/billing/terms.ts'

export type CredentialKind = 'key' | 'clientSecret' | 'checkoutToken' | 'portalToken'

export type CredentialServices = {
  /** Throws the refusal of its kind for a credential that the service has not issued. */
  requireIssued(kind: CredentialKind, credential: string): Promise<void>
}

/** `billing` is null while recurring billing is disabled. */
export function createCredentialServices(deps: {
  credentials: CredentialStore
  secrets: Pick<Secrets, 'hash'>
  billing: Pick<PortalDeps, 'payUrl'> | null
}): CredentialServices {
  const refusalOf = (kind: CredentialKind): ServiceError => {
    switch (kind) {
      case 'key':
        return new ServiceError('unauthenticated')
      case 'clientSecret':
        return new ServiceError('invalid_client_secret')
      case 'checkoutToken':
        requireBilling(deps.billing)
        return new ServiceError('checkout_not_found')
      case 'portalToken':
        return portalNotFound(requireBilling(deps.billing))
    }
  }
  return {
    async requireIssued(kind, credential) {
      if (!(await deps.credentials.isIssued(deps.secrets.hash(credential)))) throw refusalOf(kind)
    },
  }
}
