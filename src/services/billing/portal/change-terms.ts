// Changes the terms of a subscription for its subscriber: another tier, or a renewal. docs/billing.md, "Changes of terms".

import type { Approval } from '#core/billing/approval.ts'
import { judgeDelegation } from '#core/billing/delegation-state.ts'
import { pricesAfter } from '#core/billing/discount.ts'
import { type BillingChange, latestCharge, withDelegation } from '#core/billing/machine/change.ts'
import type { BillingContext, BillingFacts } from '#core/billing/machine/facts.ts'
import { decideTermChange, isSameTerms } from '#core/billing/machine/terms.ts'
import type { PortalSession } from '#core/billing/portal-session.ts'
import type { WalletProof } from '#core/billing/proof/challenge.ts'
import { type ChargeConsent, consentToCharges } from '#core/billing/proof/consent.ts'
import { sliceOf } from '#core/billing/room.ts'
import { judgeTermChange, type NewTerms, type TermChange, type TermOrder } from '#core/billing/term-change.ts'
import type { Tier } from '#core/billing/tier.ts'
import { ServiceError } from '#core/errors.ts'
import { MAX_CHANGES, waitToChange } from '#core/events/change-limit.ts'
import type { BaseUnits } from '#core/money/amounts.ts'
import { offerLive } from '#services/billing/approvals/live.ts'
import { type OfferedApprove, offerApprove } from '#services/billing/approvals/offer.ts'
import { stopUncovered } from '#services/billing/charging/check-delegations.ts'
import { readAccount } from '#services/billing/checkout/basis.ts'
import { periodContextOf, requireFacts, termsOf } from '#services/billing/decide.ts'
import {
  answerOf,
  type GivenAnswer,
  issueChallenge,
  type ProofAnswer,
  verifyAnswer,
} from '#services/billing/wallet-proof.ts'
import { requireTierId } from '#services/requests.ts'
import { CHANGED_MEANWHILE, retryWhenChanged } from '#services/retry-when-changed.ts'
import { ownedSince, type PortalDeps, requireOwned, sessionOf } from './deps.ts'
import type { TermOutcome } from './portal-services.ts'

// The limit of the changes that a subscriber makes, whatever links they are made with.

/**
 * Throws `rate_limited` when the subscription has been changed too often. Called after its facts were read: when another change
 * comes in between, the one that is decided by them is not applied.
 */
export async function requireRoomToChange(
  { billing, clock }: Pick<PortalDeps, 'billing' | 'clock'>,
  subscriptionId: string,
): Promise<void> {
  const wait = waitToChange(await billing.changeTimes(subscriptionId, MAX_CHANGES), clock.now())
  if (wait > 0) throw new ServiceError('rate_limited', { retry_after_seconds: Math.ceil(wait / 1_000) })
}

/** What the subscriber asks for. */
type Wish = { readonly kind: 'change'; readonly tierId: string } | { readonly kind: 'renew' }

type Request = {
  readonly token: string
  readonly session: PortalSession
  readonly order: TermOrder
  readonly answer: ProofAnswer | null
  readonly context: BillingContext
}

type Attempt = TermOutcome | typeof CHANGED_MEANWHILE

/** Implements `PortalServices.changeTierInPortal` and `renewInPortal`. Every try judges everything again. */
export async function changeTerms(
  deps: PortalDeps,
  token: string,
  wish: Wish,
  given: GivenAnswer,
): Promise<TermOutcome> {
  return await retryWhenChanged(async () => {
    const session = await sessionOf(deps, token)
    if (wish.kind === 'renew') requireOwned(session)
    const answer = answerOf(given)
    const facts = await requireFacts(deps, session.subscriptionId)
    const order: TermOrder =
      wish.kind === 'renew' ? { kind: 'renew' } : { kind: 'change', tier: await otherTier(deps, facts, wish.tierId) }
    const context = await periodContextOf(deps, facts.subscription.network)
    const request = { token, session, order, answer, context }
    const judged = judge(facts, request)
    await requireRoomToChange(deps, session.subscriptionId)
    if (judged.kind === 'changed') return await apply(deps, facts, request, judged.terms, null)
    requireOwned(session)
    return await increase(deps, facts, request, judged.terms)
  })
}

/** Throws `invalid_tier_id`, and `tier_not_found` for a tier of another business too. */
async function otherTier(deps: PortalDeps, { subscription }: BillingFacts, tierId: string): Promise<Tier> {
  requireTierId(tierId)
  const tier = await deps.billing.tier(tierId)
  if (tier === null || tier.accountId !== subscription.accountId) throw new ServiceError('tier_not_found')
  return tier
}

function judge(facts: BillingFacts, { order }: Request): Exclude<TermChange, { kind: 'refused' }> {
  const judged = judgeTermChange(facts, order)
  if (judged.kind === 'refused') throw new ServiceError(judged.code, judged.context)
  return judged
}

/**
 * Decides by the token account as it is now, after it has stopped what the allowance no longer covers. An approve that may still
 * land comes first: it replaces the allowance.
 */
async function increase(deps: PortalDeps, facts: BillingFacts, request: Request, expected: NewTerms): Promise<Attempt> {
  const { delegation } = facts
  const again = await offerLive(deps, delegation, (live) => isFor(live, facts, request.order, expected))
  if (again !== null) return asRequired(again)
  const read: BillingFacts = { ...facts, delegation: await readAccount(deps, delegation) }
  const slices = [...facts.others, sliceOf(facts.subscription, facts.charge?.charge ?? null)]
  if (await stopUncovered(deps, read.delegation, slices)) return CHANGED_MEANWHILE
  const judged = judge(read, request)
  return judged.kind === 'approval_required'
    ? await requireApproval(deps, { facts, read }, request, judged)
    : await byProof(deps, { facts, read }, request, judged.terms)
}

/** Returns whether an approve is for these terms, judged by the subscription as it is. */
const isFor = (
  { purpose, subscriptionId }: Approval,
  { subscription }: BillingFacts,
  { kind }: TermOrder,
  terms: NewTerms,
): boolean =>
  purpose.kind === kind &&
  subscriptionId === subscription.id &&
  purpose.subscriptionVersion === subscription.version &&
  isSameTerms(purpose.agreed, terms)

/** The facts as they are stored, and with a reading of the token account of this moment. */
type Known = { readonly facts: BillingFacts; readonly read: BillingFacts }

async function requireApproval(
  deps: PortalDeps,
  { facts, read }: Known,
  { order: { kind }, session }: Request,
  { terms, total }: { readonly terms: NewTerms; readonly total: BaseUnits },
): Promise<Attempt> {
  const { subscription, delegation } = facts
  const approve = await offerApprove(deps, {
    purpose: { kind, subscriptionVersion: subscription.version, agreed: terms },
    subscriptionId: subscription.id,
    businessId: subscription.receiverAccountId,
    total,
    delegation,
    decided: { delegation: read.delegation, version: delegation.version, checkout: null },
    provenAt: ownedSince(session),
  })
  return asRequired(approve)
}

const asRequired = (approve: OfferedApprove | typeof CHANGED_MEANWHILE): Attempt =>
  approve === CHANGED_MEANWHILE ? approve : { outcome: 'approval_required', approve }

/** Asks for a signed text, or applies the terms with it. The proof is used up in the transaction of the change. */
async function byProof(deps: PortalDeps, known: Known, request: Request, terms: NewTerms): Promise<Attempt> {
  const { token, session, order, answer } = request
  const page = { token, subjectId: session.subscriptionId }
  const consent = await consentOf(deps, known.facts, order, terms)
  if (answer === null) return { outcome: 'proof_required', challenge: await issueChallenge(deps, page, consent) }
  const proof = await verifyAnswer(deps, page, consent, answer)
  if ('refused' in proof) throw new ServiceError('invalid_signature', { rule: proof.refused })
  return await apply(deps, known.facts, request, terms, { proof, read: known.read })
}

async function consentOf(
  deps: PortalDeps,
  { subscription, terms }: BillingFacts,
  order: TermOrder,
  { periods, slice }: NewTerms,
): Promise<ChargeConsent> {
  const details = await deps.portalPages.details(subscription.id)
  if (details === null) throw new Error(`no subscription ${subscription.id}`)
  const tier = order.kind === 'change' ? order.tier : terms.tier
  return consentToCharges(
    {
      purpose: order.kind,
      network: subscription.network,
      wallet: subscription.subscriberWallet,
      subscriptionId: subscription.id,
      merchant: details.merchantName,
      tier,
      prices: pricesAfter(subscription, tier),
      periods,
      // A trial goes on as it is.
      trialDays: 0,
    },
    slice,
  )
}

/** Writes the new terms over what they were decided by. `given`: null when the change needs no agreement. */
async function apply(
  deps: PortalDeps,
  facts: BillingFacts,
  { order, context }: Request,
  agreed: NewTerms,
  given: { readonly proof: WalletProof; readonly read: BillingFacts } | null,
): Promise<Attempt> {
  const { subscription, delegation, terms } = facts
  const { kind } = order
  const next = kind === 'change' ? await termsOf(deps, subscription.network, order.tier) : terms
  const by = given === null ? 'nothing' : 'proof'
  const decision = decideTermChange(given?.read ?? facts, { kind, agreed, next }, { by }, context)
  if (decision.kind === 'refused') throw new ServiceError(decision.code, decision.context)
  if (decision.kind === 'unchanged') throw new Error('new terms always change a subscription')
  const change = given === null ? decision.change : withReading(decision.change, facts, given.read, context.now)
  const consent = given === null ? null : ({ by: 'proof', proof: given.proof } as const)
  if (!(await deps.billing.apply(change, delegation, consent))) return CHANGED_MEANWHILE
  return { outcome: kind === 'change' ? 'changed' : 'renewed', subscription: change.after }
}

/** Adds the delegation, judged by the reading and the new slice. */
function withReading(
  change: BillingChange,
  { delegation: before, others, terms }: BillingFacts,
  read: BillingFacts,
  now: Date,
): BillingChange {
  const slices = [...others, sliceOf(change.after, latestCharge(change, read))]
  const judged = judgeDelegation({ delegation: read.delegation, slices, delegate: terms.delegate.address }, now)
  return withDelegation(change, before, judged.delegation)
}
