// Makes links to the portal of subscriptions.
import { newPortalSession, type PortalOrigin } from '#core/billing/portal-session.ts'
import type { Clock } from '#ports/clock.ts'
import type { PortalSessionStore } from '#ports/portal-sessions.ts'
import type { Secrets } from '#ports/secrets.ts'

export type LinkDeps = {
  readonly portalSessions: Pick<PortalSessionStore, 'create'>
  readonly secrets: Pick<Secrets, 'issuePortalToken'>
  /** {pay_url}, without a slash at the end. */
  readonly payUrl: string
  readonly clock: Clock
}

export type PortalLink = {
  readonly subscriptionId: string
  /** With the token, which is shown here and never again. */
  readonly portalUrl: string
  readonly expiresAt: Date
  readonly origin: PortalOrigin
  readonly mayIncrease: boolean
}

/** Returns a new link for each subscription, in the order given. */
export async function issueLinks(
  { portalSessions, secrets, payUrl, clock }: LinkDeps,
  origin: PortalOrigin,
  subscriptionIds: readonly string[],
): Promise<readonly PortalLink[]> {
  const now = clock.now()
  const issued = subscriptionIds.map((subscriptionId) => {
    const { secret, hash } = secrets.issuePortalToken()
    return { secret, session: newPortalSession(origin, { tokenHash: hash, subscriptionId }, now) }
  })
  await portalSessions.create(issued.map(({ session }) => session))
  return issued.map(({ secret, session: { subscriptionId, expiresAt, mayIncrease } }) => ({
    subscriptionId,
    portalUrl: `${payUrl}/m/${secret}`,
    expiresAt,
    origin,
    mayIncrease,
  }))
}
