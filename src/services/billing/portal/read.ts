// Shows a subscription to its subscriber.
import { judgeNewTier } from '#core/billing/term-change.ts'
import { refreshReading } from '#services/billing/refresh-reading.ts'
import { type PortalDeps, recoveryUrlOf, sessionOf } from './deps.ts'
import type { PortalView } from './portal-services.ts'

const MOST_OPTIONS = 100
/** Two years of months. */
const MOST_CHARGES = 24

/** Implements `PortalServices.readPortal`. */
export async function readPortal(deps: PortalDeps, token: string): Promise<PortalView> {
  const session = await sessionOf(deps, token)
  const facts = await deps.billing.facts(session.subscriptionId)
  if (facts !== null) await refreshReading(deps, facts.delegation)
  const details = await deps.portalPages.details(session.subscriptionId)
  if (details === null) throw new Error(`no subscription ${session.subscriptionId}`)
  const { tier, product } = details
  const tiers = await deps.portalPages.activeTiers(product.id, MOST_OPTIONS)
  const charges = await deps.portalPages.charges(session.subscriptionId, MOST_CHARGES)
  const periods = BigInt(tier.authorizationPeriods)
  return {
    ...details,
    session,
    charges,
    options: tiers.filter((other) => judgeNewTier(tier, other) === null),
    totalAuthorization: { usdCents: tier.priceUsdCents * periods, baseUnits: tier.unitBaseUnits * periods },
    recoveryUrl: recoveryUrlOf(deps),
  }
}
