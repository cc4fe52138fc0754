// Makes links to the portal of subscriptions.
import { newPortalSession, type PortalOrigin, type PortalSession } from '#core/billing/portal-session.ts'
import type { Clock } from '#ports/clock.ts'
import type { PortalSessionStore } from '#ports/portal.ts'
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
  deps: LinkDeps,
  origin: PortalOrigin,
  subscriptionIds: readonly string[],
): Promise<readonly PortalLink[]> {
  const made = newLinks(deps, origin, subscriptionIds)
  await deps.portalSessions.create(made.map(({ session }) => session))
  return made.map(({ link }) => link)
}

/** A link, and the session that must be stored before the link is shown. */
export type NewLink = { readonly session: PortalSession; readonly link: PortalLink }

export function newLinks(
  { secrets, payUrl, clock }: Pick<LinkDeps, 'secrets' | 'payUrl' | 'clock'>,
  origin: PortalOrigin,
  subscriptionIds: readonly string[],
): readonly NewLink[] {
  const now = clock.now()
  return subscriptionIds.map((subscriptionId) => {
    const { secret, hash } = secrets.issuePortalToken()
    const session = newPortalSession(origin, { tokenHash: hash, subscriptionId }, now)
    const { expiresAt, mayIncrease } = session
    return { session, link: { subscriptionId, portalUrl: `${payUrl}/m/${secret}`, expiresAt, origin, mayIncrease } }
  })
}
