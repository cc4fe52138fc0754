// What the portal needs, and the session of a token.
import type { PortalSession } from '#core/billing/portal-session.ts'
import { ServiceError } from '#core/errors.ts'
import type { DelegationStore } from '#ports/billing.ts'
import type { PortalPages, PortalSessionStore } from '#ports/portal.ts'
import type { Secrets } from '#ports/secrets.ts'
import type { CheckoutDeps } from '#services/billing/checkout/deps.ts'

export type PortalDeps = CheckoutDeps & {
  readonly delegations: DelegationStore
  readonly portalSessions: PortalSessionStore
  readonly portalPages: PortalPages
  readonly secrets: Pick<Secrets, 'issuePortalToken' | 'equal'>
  /** Marks the texts by which wallets recover their links. Every instance has the same. */
  readonly recoveryKey: Uint8Array
}

/** Returns the page at which a wallet gets new links. */
export const recoveryUrlOf = ({ payUrl }: Pick<PortalDeps, 'payUrl'>): string => `${payUrl}/manage`

export const portalNotFound = (deps: Pick<PortalDeps, 'payUrl'>): ServiceError =>
  new ServiceError('portal_not_found', { recovery_url: recoveryUrlOf(deps) })

/** Throws `portal_not_found` and `portal_session_expired`, each with the page that gives new links. */
export async function sessionOf(
  deps: Pick<PortalDeps, 'portalSessions' | 'secrets' | 'payUrl' | 'clock'>,
  token: string,
): Promise<PortalSession> {
  const session = await deps.portalSessions.find(deps.secrets.hash(token))
  if (session === null) throw portalNotFound(deps)
  if (session.expiresAt <= deps.clock.now())
    throw new ServiceError('portal_session_expired', { recovery_url: recoveryUrlOf(deps) })
  return session
}

/** Returns when the wallet got the link, for which it has signed a text; null for a link of the business. */
export const ownedSince = ({ mayIncrease, createdAt }: PortalSession): Date | null => (mayIncrease ? createdAt : null)

/**
 * Throws `wallet_proof_required` for a link of the business. Only a link that the wallet has asked for can raise what is charged,
 * authorize more, or start again what the subscriber has stopped.
 */
export function requireOwned({ mayIncrease }: PortalSession): void {
  if (!mayIncrease) throw new ServiceError('wallet_proof_required')
}
