// One step of an approve that may still land: send it again, carry out what it is for when it is final, or prove that it
// cannot land. docs/billing.md, "Sponsored transactions".

import {
  type Approval,
  type CheckoutPurpose,
  endOfTransaction,
  isLiveApproval,
  isSponsored,
  ledgerOfApproval,
  type SponsoredApproval,
  type TermChangePurpose,
} from '#core/billing/approval.ts'
import type { Delegation } from '#core/billing/delegation.ts'
import {
  afterRevocation,
  beginEpoch,
  hasPulledAfter,
  judgeDelegation,
  type Pull,
  pulledBy,
} from '#core/billing/delegation-state.ts'
import { type Decision, refused, UNCHANGED } from '#core/billing/machine/change.ts'
import { decideCompletion } from '#core/billing/machine/completion.ts'
import type { BillingContext, BillingFacts } from '#core/billing/machine/facts.ts'
import { decideReapproved } from '#core/billing/machine/manage.ts'
import { decideTermChange } from '#core/billing/machine/terms.ts'
import { blockHeightOf } from '#core/chain/block-height.ts'
import type { Network, ObservedTransaction } from '#core/chain/types.ts'
import { forEachParallel } from '#lib/parallel.ts'
import type { DelegatedApproval, StoredCheckout } from '#ports/checkouts.ts'
import { trialDaysOf } from '#services/billing/checkout/basis.ts'
import type { SettleDeps } from '#services/billing/checkout/deps.ts'
import {
  completionContextOf,
  contextOf,
  delegateOf,
  periodContextOf,
  readFacts,
  termsOf,
} from '#services/billing/decide.ts'
import { CHANGED_MEANWHILE, retryWhenChanged } from '#services/retry-when-changed.ts'
import { follow, type Observed, readStatuses } from '#services/transfers/follow.ts'

/** A delegation has at most one. The oldest come first, and each ends within minutes. */
const MOST_IN_A_ROUND = 1_024
const CONCURRENT = 8

/** Runs one bounded round over the approves of a network that may still land, also those that a wallet sent by itself. */
export type WatchApprovals = (network: Network) => Promise<void>

export function createWatchApprovals(
  deps: SettleDeps & { readonly onError: (error: unknown, approvalId: string) => void },
): WatchApprovals {
  return async (network) => {
    const live = await deps.approvals.watched(network, MOST_IN_A_ROUND)
    if (live.length > 0) await stepApprovals(deps, network, live, deps.onError)
  }
}

/** Advances live approves by one step each. Throws the error of a step, unless `onError` takes it. */
export async function stepApprovals(
  deps: SettleDeps,
  network: Network,
  approvals: readonly Approval[],
  onError?: (error: unknown, approvalId: string) => void,
): Promise<void> {
  const chain = deps.chainOf(network)
  const [statusOf, lifetime] = await Promise.all([
    readStatuses(
      chain,
      approvals.map(({ signature }) => signature),
    ),
    chain.lifetime(),
  ])
  const progress = { blockHeight: blockHeightOf(lifetime) }
  await forEachParallel(approvals, CONCURRENT, async (approval) => {
    try {
      await stepApproval(deps, approval, { status: statusOf(approval.signature), progress, now: deps.clock.now() })
    } catch (error) {
      if (onError === undefined) throw error
      onError(error, approval.id)
    }
  })
}

/**
 * A wallet may send a transaction that the service has not got back, but none that the fee payer has not signed. The engine of
 * transfers follows an attempt in the same way; no other approve follows a dead one until a person asks for it.
 */
async function stepApproval(deps: SettleDeps, approval: Approval, observed: Observed): Promise<void> {
  if (!isSponsored(approval)) {
    const { blockHeight } = observed.progress
    if (blockHeight !== null && blockHeight > approval.lifetime.lastValidBlockHeight)
      await deps.approvals.endUnsponsored(approval.id, deps.clock.now())
    return
  }
  await follow(deps.chainOf(approval.network), { ...approval, sentAt: null }, observed, {
    sent: async () => 'wait',
    doubted: async () => 'wait',
    async book(transaction) {
      await retryWhenChanged(() => book(deps, approval, transaction))
      return 'handled'
    },
    async dead() {
      const end = { approvalId: approval.id, state: 'dead', slot: null, error: null, at: deps.clock.now() } as const
      await deps.approvals.end(end, { ledger: [], delegation: null })
      return 'handled'
    },
  })
}

/** Books the final transaction of an approve, and with it what it is for, in one database transaction. */
async function book(
  deps: SettleDeps,
  { id }: SponsoredApproval,
  transaction: ObservedTransaction,
): Promise<undefined | typeof CHANGED_MEANWHILE> {
  const found = await deps.approvals.find(id)
  if (found === null || !isLiveApproval(found.approval) || !isSponsored(found.approval)) return undefined
  const { approval, delegation } = found
  const context = contextOf(deps)
  const end = endOfTransaction(approval, transaction, context.now)
  const ledger = ledgerOfApproval(approval, transaction)
  if (end.state === 'final_err') return done(await deps.approvals.end(end, { ledger, delegation: null }))
  const { after, decision } = await effectOf(deps, { approval, delegation }, transaction.slot, context)
  const effect = { ledger, delegation: { before: delegation, after } }
  // A revocation changes the delegation only. Or what an approve was for has ended meanwhile, and its allowance is not used.
  if (decision.kind !== 'moved') return done(await deps.approvals.end(end, effect))
  return done(await deps.billing.apply({ ...decision.change, ...effect }, delegation, { by: 'approve', end }))
}

/** The delegation after the transaction, and what becomes of the subscription. */
type Effect = { readonly after: Delegation; readonly decision: Decision }

/** A change of the delegation after this read, by a pull for example, changes its version: then nothing is stored. */
async function effectOf(
  deps: SettleDeps,
  { approval, delegation }: DelegatedApproval & { readonly approval: SponsoredApproval },
  slot: bigint,
  context: BillingContext,
): Promise<Effect> {
  const { network, total, purpose } = approval
  const { now } = context
  const delegate = delegateOf(deps, network).address
  if (purpose.kind === 'revoke') {
    const slices = await deps.delegations.slices(delegation.id)
    const judged = judgeDelegation({ delegation: afterRevocation(delegation, slot, now), slices, delegate }, now)
    return { after: judged.delegation, decision: UNCHANGED }
  }
  const pulls = hasPulledAfter(delegation, slot) ? await deps.delegations.pullsAfter(delegation.id, slot) : []
  const after = beginEpoch(delegation, { delegate, total, slot, pulls }, now)
  const begun = { before: delegation, epoch: after.epoch, pulls }
  const decision =
    purpose.kind === 'checkout'
      ? await completionBy(deps, approval, purpose, begun, context)
      : await termChangeBy(deps, approval, purpose, begun)
  return { after, decision }
}

/** The delegation before the epoch that an approve has begun, and the booked pulls from after the approve. */
type Begun = { readonly before: Delegation; readonly epoch: number; readonly pulls: readonly Pull[] }

/** Returns the subscription of a completed checkout; null when another wallet has completed it. */
async function ownSubscription(
  deps: SettleDeps,
  { intent }: StoredCheckout,
  { subscriptionId, delegationId }: Approval,
): Promise<BillingFacts | null> {
  if (intent.status !== 'completed') return null
  const facts = await readFacts(deps, subscriptionId)
  return facts?.delegation.id === delegationId ? facts : null
}

async function completionBy(
  deps: SettleDeps,
  approval: SponsoredApproval,
  { intentId, trialDays }: CheckoutPurpose,
  { before, epoch }: Begun,
  context: BillingContext,
): Promise<Decision> {
  const { id, subscriptionId, network, signature } = approval
  const checkout = await deps.checkouts.find(intentId)
  if (checkout === null) throw new Error(`approval ${id} has no checkout`)
  const own = await ownSubscription(deps, checkout, approval)
  if (own !== null) return decideReapproved(own, { signature, epoch }, context)
  if (checkout.isArchived) return refused('checkout_closed')
  // Another checkout has used the trial meanwhile: the wallet has not agreed to a charge at once.
  if ((await trialDaysOf(deps, checkout, before.wallet)) !== trialDays) return refused('authorization_required')
  const begins = await completionContextOf(deps, network, trialDays)
  return decideCompletion(
    {
      checkout: checkout.intent,
      subscriptionId,
      receiverAccountId: checkout.receiverAccountId,
      wallet: before.wallet,
      terms: await termsOf(deps, network, checkout.tier),
      coupon: checkout.coupon,
      delegation: before,
      others: await deps.delegations.slices(before.id),
      trialDays,
      consent: { by: 'approve', signature, epoch },
    },
    begins,
  )
}

async function termChangeBy(
  deps: SettleDeps,
  { id, subscriptionId, network, signature, createdAt: agreedAt }: SponsoredApproval,
  { kind, agreed }: TermChangePurpose,
  { epoch, pulls }: Begun,
): Promise<Decision> {
  const context = await periodContextOf(deps, network)
  const [facts, tier] = await Promise.all([readFacts(deps, subscriptionId), deps.billing.tier(agreed.tierId)])
  if (facts === null || tier === null) throw new Error(`approval ${id} has no subscription or no tier`)
  const next = kind === 'change' ? await termsOf(deps, network, tier) : facts.terms
  const pulledSince = pulledBy(pulls.filter((pull) => pull.subscriptionId === subscriptionId))
  const consent = { by: 'approve', signature, epoch, pulledSince, agreedAt } as const
  return decideTermChange(facts, { kind, agreed, next }, consent, context)
}

const done = (applied: boolean): undefined | typeof CHANGED_MEANWHILE => (applied ? undefined : CHANGED_MEANWHILE)
