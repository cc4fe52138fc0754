// The services of the hosted portal.

import type { Approval } from '#core/billing/approval.ts'
import { discountedOf, discountedPriceOf, pricesAfter, totalOf } from '#core/billing/discount.ts'
import { paymentsLeft } from '#core/billing/entitlement.ts'
import type { Decision } from '#core/billing/machine/change.ts'
import type { BillingFacts } from '#core/billing/machine/facts.ts'
import { decideCancel, decidePause, decideResume } from '#core/billing/machine/manage.ts'
import { judgeRevocation } from '#core/billing/machine/revoking.ts'
import type { PortalSession } from '#core/billing/portal-session.ts'
import type { BillingSubscription } from '#core/billing/subscription.ts'
import { judgeNewTier } from '#core/billing/term-change.ts'
import type { Tier } from '#core/billing/tier.ts'
import { ZERO } from '#core/money/amounts.ts'
import { offerLive } from '#services/billing/approvals/live.ts'
import { offerApprove } from '#services/billing/approvals/offer.ts'
import { refreshReading } from '#services/billing/charging/check-delegations.ts'
import { readAccount } from '#services/billing/checkout/basis.ts'
import { contextOf, decideSubscription, delegateOf, periodContextOf, requireFacts } from '#services/billing/decide.ts'
import { requireBilling } from '#services/billing/terms.ts'
import { refuse } from '#services/requests.ts'
import { retryWhenChanged } from '#services/retry-when-changed.ts'
import { activateApproval } from './activate.ts'
import { changeTerms, requireRoomToChange } from './change-terms.ts'
import { ownedSince, type PortalDeps, recoveryUrlOf, requireOwned, sessionOf } from './deps.ts'
import type { OfferedRevocation, PortalOffer, PortalServices, PortalView } from './portal-services.ts'
import { challengeForLinks, recoverLinks } from './recover.ts'

// Shows a subscription to its subscriber.

const MOST_OPTIONS = 100
/** Two years of months. */
const MOST_CHARGES = 24

/** Implements `PortalServices.readPortal`. */
async function readPortal(deps: PortalDeps, token: string): Promise<PortalView> {
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
  const { subscription } = facts
  const tiers = await deps.portalPages.activeTiers(product.id, MOST_OPTIONS)
  const options = tiers.filter((other) => judgeNewTier(tier, other) === null)
  const charges = await deps.portalPages.charges(subscriptionId, MOST_CHARGES)
  return {
    ...details,
    session,
    charges,
    paymentsLeft: paymentsLeft(subscription),
    options,
    offers: [
      offerOf(subscription, tier, tier.authorizationPeriods),
      ...options.map((other) => offerOf(subscription, other, paymentsLeft(subscription))),
    ],
    totalAuthorization: totalOf(tier, pricesAfter(subscription, tier), tier.authorizationPeriods),
    recoveryUrl: recoveryUrlOf(deps),
    revocable: judgeRevocation(facts, delegateOf(deps, facts.delegation.network).address) === null,
  }
}

/** Another tier keeps the number of payments; a renewal allows all of them again. */
function offerOf(subscription: BillingSubscription, tier: Tier, payments: number): PortalOffer {
  const prices = pricesAfter(subscription, tier)
  return {
    tierId: tier.id,
    payments,
    discountedPayments: discountedOf(prices, payments),
    discountedPriceUsdCents: discountedPriceOf(tier, prices),
    totalUsdCents: totalOf(tier, prices, payments).usdCents,
  }
}

// Offers a subscriber the end of the allowance, once nothing is charged by it any more. docs/billing.md, "Revoking the allowance".

/**
 * Implements `PortalServices.revokeInPortal`. While the revocation may still land, no other subscription of the wallet begins,
 * so what was judged here holds until its end.
 */
async function revokeAllowance(deps: PortalDeps, token: string): Promise<OfferedRevocation> {
  return await retryWhenChanged(async () => {
    const session = await sessionOf(deps, token)
    const { subscriptionId } = session
    const facts = await requireFacts(deps, subscriptionId)
    const { delegation, terms } = facts
    const again = await offerLive(deps, delegation, (live) => isFor(live, facts))
    if (again !== null) return again
    const read = await readAccount(deps, delegation)
    refuse(judgeRevocation({ ...facts, delegation: read }, terms.delegate.address))
    return await offerApprove(deps, {
      purpose: { kind: 'revoke' },
      subscriptionId,
      businessId: facts.subscription.receiverAccountId,
      total: ZERO,
      delegation,
      decided: { delegation: read, version: delegation.version, checkout: null },
      provenAt: ownedSince(session),
    })
  })
}

const isFor = ({ purpose, subscriptionId }: Approval, { subscription }: BillingFacts): boolean =>
  purpose.kind === 'revoke' && subscriptionId === subscription.id

/** `deps` is null while recurring billing is disabled. */
export function createPortalServices(deps: PortalDeps | null): PortalServices {
  const enabled = (): PortalDeps => requireBilling(deps)
  return {
    readPortal: async (token) => await readPortal(enabled(), token),
    cancelInPortal: async (token, atPeriodEnd) =>
      await manage(enabled(), token, (facts, own) => decideCancel(facts, atPeriodEnd, 'subscriber', contextOf(own))),
    pauseInPortal: async (token) =>
      await manage(enabled(), token, (facts, own) => decidePause(facts, 'subscriber', contextOf(own))),
    resumeInPortal: async (token) => await manage(enabled(), token, resume),
    changeTierInPortal: async (token, tierId, answer) =>
      await changeTerms(enabled(), token, { kind: 'change', tierId }, answer),
    renewInPortal: async (token, answer) => await changeTerms(enabled(), token, { kind: 'renew' }, answer),
    revokeInPortal: async (token) => await revokeAllowance(enabled(), token),
    activateInPortal: async (token, given) => await activateApproval(enabled(), token, given),
    recovery() {
      const url = recoveryUrlOf(enabled())
      return { challengeUrl: `${url}/challenge`, verifyUrl: `${url}/verify` }
    },
    challengeForLinks: async (wallet) => await challengeForLinks(enabled(), wallet),
    recoverLinks: async (wallet, answer) => await recoverLinks(enabled(), wallet, answer),
  }
}

/**
 * A pause and a cancel have no limit: before the next one of them comes a resume. A business can make and open links as well, so
 * what the subscriber has stopped goes on by a link that the wallet has asked for.
 */
async function resume(facts: BillingFacts, deps: PortalDeps, session: PortalSession): Promise<Decision> {
  const { id, network, stoppedBy } = facts.subscription
  const decision = decideResume(facts, 'subscriber', await periodContextOf(deps, network))
  if (decision.kind !== 'moved') return decision
  if (stoppedBy === 'subscriber') requireOwned(session)
  await requireRoomToChange(deps, id)
  return decision
}

/** Applies a decision to the subscription of the token. */
async function manage(
  deps: PortalDeps,
  token: string,
  decide: (facts: BillingFacts, deps: PortalDeps, session: PortalSession) => Decision | Promise<Decision>,
): Promise<BillingSubscription> {
  const session = await sessionOf(deps, token)
  const { subscriptionId } = session
  const after = await decideSubscription(deps, subscriptionId, (facts) => decide(facts, deps, session))
  if (after === null) throw new Error(`no subscription ${subscriptionId}`)
  return after
}
