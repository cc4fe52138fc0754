// Shows a subscription to its subscriber.
import { paymentsLeft } from '#core/billing/entitlement.ts'
import { totalBaseUnits, totalUsdCents } from '#core/billing/new-tier.ts'
import { judgeRevocation } from '#core/billing/revocation.ts'
import { judgeNewTier } from '#core/billing/term-change.ts'
import { delegateOf } from '#services/billing/decide.ts'
import { refreshReading } from '#services/billing/refresh-reading.ts'
import { type PortalDeps, recoveryUrlOf, sessionOf } from './deps.ts'
import type { PortalView } from './portal-services.ts'

const MOST_OPTIONS = 100
/** Two years of months. */
const MOST_CHARGES = 24

/** Implements `PortalServices.readPortal`. */
export async function readPortal(deps: PortalDeps, token: string): Promise<PortalView> {
  const session = await sessionOf(deps, token)
  const { subscriptionId } = session
  const stored = await deps.billing.facts(subscriptionId)
  if (stored !== null) await refreshReading(deps, stored.delegation)
  const [details, facts] = await Promise.all([
    deps.portalPages.details(subscriptionId),
    deps.billing.facts(subscriptionId),
  ])
  if (details === null || facts === null) throw new Error(`no subscription ${subscriptionId}`)
  const { tier, product } = details
  const tiers = await deps.portalPages.activeTiers(product.id, MOST_OPTIONS)
  const charges = await deps.portalPages.charges(subscriptionId, MOST_CHARGES)
  return {
    ...details,
    session,
    charges,
    paymentsLeft: paymentsLeft(facts.subscription),
    options: tiers.filter((other) => judgeNewTier(tier, other) === null),
    totalAuthorization: { usdCents: totalUsdCents(tier), baseUnits: totalBaseUnits(tier) },
    recoveryUrl: recoveryUrlOf(deps),
    revocable: judgeRevocation(facts, delegateOf(deps, facts.delegation.network).address) === null,
  }
}
