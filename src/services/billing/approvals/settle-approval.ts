// One step of an approve that may still land: send it again, carry out what it is for when it is final, or prove that it
// cannot land. docs/billing.md, "Sponsored transactions".

import {
  type Approval,
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
import { type Decision, refused, UNCHANGED, withDelegation } from '#core/billing/machine/change.ts'
import { decideCompletion } from '#core/billing/machine/completion.ts'
import type { BillingContext, BillingFacts } from '#core/billing/machine/facts.ts'
import { decideReapproved } from '#core/billing/machine/manage.ts'
import { decideTermChange } from '#core/billing/machine/terms.ts'
import { blockHeightOf } from '#core/chain/block-height.ts'
import { didNotRun, type ObservedTransaction, type SignatureStatus } from '#core/chain/types.ts'
import { hasCode } from '#core/errors.ts'
import type { DelegatedApproval } from '#ports/approvals.ts'
import type { StoredCheckout } from '#ports/checkouts.ts'
import type { SettleDeps } from '#services/billing/checkout/deps.ts'
import { contextOf, delegateOf, periodContextOf, readFacts, termsOf } from '#services/billing/decide.ts'
import { CHANGED_MEANWHILE, retryWhenChanged } from '#services/retry-when-changed.ts'

/** `blockHeight`: the newest known. */
export type Observed = { readonly status: SignatureStatus | null; readonly blockHeight: bigint }

/** Reads the status of each approve, and the height of the chain. No one has sent one that the fee payer has not signed. */
export async function observeApprovals(
  chain: Pick<ReturnType<SettleDeps['chainOf']>, 'signatureStatuses' | 'lifetime'>,
  approvals: readonly Pick<Approval, 'signature'>[],
): Promise<readonly Observed[]> {
  const signatures = approvals.flatMap(({ signature }) => signature ?? [])
  const [statuses, lifetime] = await Promise.all([chain.signatureStatuses(signatures), chain.lifetime()])
  const blockHeight = blockHeightOf(lifetime)
  const bySignature = new Map(signatures.map((signature, at) => [signature, statuses[at] ?? null]))
  return approvals.map(({ signature }) => ({
    status: signature === null ? null : (bySignature.get(signature) ?? null),
    blockHeight,
  }))
}

/** Advances a live approve by one step. A wallet may send a transaction that the service has not got back. */
export async function settleApproval(
  deps: SettleDeps,
  { approval }: Pick<DelegatedApproval, 'approval'>,
  { status, blockHeight }: Observed,
): Promise<void> {
  if (!isSponsored(approval)) {
    if (blockHeight > approval.lifetime.lastValidBlockHeight)
      await deps.approvals.endUnsponsored(approval.id, deps.clock.now())
    return
  }
  if (status !== null) return status.final ? await finish(deps, approval) : undefined
  if (blockHeight > approval.lifetime.lastValidBlockHeight) return await prove(deps, approval)
  if (approval.wire !== null) await sendApproval(deps, approval, approval.wire)
}

/** Sends the stored bytes. A refusal by the providers is no evidence: only the chain shows the outcome. */
async function sendApproval(
  { chainOf }: Pick<SettleDeps, 'chainOf'>,
  { network }: Pick<Approval, 'network'>,
  wire: Uint8Array,
): Promise<void> {
  try {
    await chainOf(network).broadcast(wire)
  } catch (error) {
    if (!hasCode(error, 'transaction_refused')) throw error
  }
}

/** Ends an approve that has not landed and cannot land any more. */
async function prove(deps: SettleDeps, approval: SponsoredApproval): Promise<void> {
  const proof = await deps.chainOf(approval.network).proveExpired(approval)
  if (proof.expired) await endDead(deps, approval)
  else if (proof.because === 'landed') await finish(deps, approval)
}

async function endDead(deps: SettleDeps, approval: SponsoredApproval): Promise<void> {
  const end = { approvalId: approval.id, state: 'dead', slot: null, error: null, at: deps.clock.now() } as const
  await deps.approvals.end(end, { ledger: [], delegation: null })
}

async function finish(deps: SettleDeps, approval: SponsoredApproval): Promise<void> {
  const transaction = await deps.chainOf(approval.network).transaction(approval.signature)
  // The provider that reported the status may not be the provider that was asked for the transaction.
  if (transaction === null) return
  if (didNotRun(transaction)) await endDead(deps, approval)
  else await retryWhenChanged(() => book(deps, approval, transaction))
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
  const { before, after, decision } = await effectOf(deps, { approval, delegation }, transaction.slot, context)
  // A revocation changes the delegation only. Or what an approve was for has ended meanwhile, and its allowance is not used.
  if (decision.kind !== 'moved') return done(await deps.approvals.end(end, { ledger, delegation: { before, after } }))
  const change = withDelegation({ ...decision.change, ledger }, before, after)
  return done(await deps.billing.apply(change, before, { by: 'approve', end }))
}

/** The delegation before and after the transaction, and what becomes of the subscription. */
type Effect = { readonly before: Delegation; readonly after: Delegation; readonly decision: Decision }

async function effectOf(
  deps: SettleDeps,
  { approval, delegation }: DelegatedApproval & { readonly approval: SponsoredApproval },
  slot: bigint,
  context: BillingContext,
): Promise<Effect> {
  const { network, total, purpose } = approval
  const delegate = delegateOf(deps, network).address
  const begin = async (before: Delegation): Promise<Begun> => {
    // A pull that is booked after this read changes the version of the delegation, and nothing is stored.
    const pulls = hasPulledAfter(before, slot) ? await deps.delegations.pullsAfter(before.id, slot) : []
    return { pulls, after: beginEpoch(before, { delegate, total, slot, pulls }, context.now) }
  }
  switch (purpose.kind) {
    case 'checkout': {
      const { after } = await begin(delegation)
      return await completionBy(deps, approval, purpose.intentId, { before: delegation, after }, context)
    }
    case 'revoke':
      return await revocationOf(deps, delegation, slot, context)
    case 'change':
    case 'renew':
      return await termChangeBy(deps, approval, purpose, begin)
  }
}

/** The delegation in its new epoch, and the booked pulls from after the approve that began it. */
type Begun = { readonly after: Delegation; readonly pulls: readonly Pull[] }

async function revocationOf(
  deps: SettleDeps,
  before: Delegation,
  slot: bigint,
  { now }: BillingContext,
): Promise<Effect> {
  const slices = await deps.delegations.slices(before.id)
  const { address: delegate } = delegateOf(deps, before.network)
  const judged = judgeDelegation({ delegation: afterRevocation(before, slot, now), slices, delegate }, now)
  return { before, after: judged.delegation, decision: UNCHANGED }
}

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
  intentId: string,
  { before, after }: Omit<Effect, 'decision'>,
  context: BillingContext,
): Promise<Effect> {
  const checkout = await deps.checkouts.find(intentId)
  if (checkout === null) throw new Error(`approval ${approval.id} has no checkout`)
  const own = await ownSubscription(deps, checkout, approval)
  if (own !== null)
    return {
      before,
      after,
      decision: decideReapproved(own, { signature: approval.signature, epoch: after.epoch }, context),
    }
  if (checkout.isArchived) return { before, after, decision: refused('checkout_closed') }
  const decision = decideCompletion(
    {
      checkout: checkout.intent,
      subscriptionId: approval.subscriptionId,
      receiverAccountId: checkout.receiverAccountId,
      wallet: before.wallet,
      terms: await termsOf(deps, approval.network, checkout.tier),
      delegation: before,
      others: await deps.delegations.slices(before.id),
      consent: { by: 'approve', signature: approval.signature, epoch: after.epoch },
    },
    context,
  )
  return { before, after, decision }
}

async function termChangeBy(
  deps: SettleDeps,
  { id, subscriptionId, network, signature, createdAt: agreedAt }: SponsoredApproval,
  { kind, agreed }: TermChangePurpose,
  begin: (before: Delegation) => Promise<Begun>,
): Promise<Effect> {
  const context = await periodContextOf(deps, network)
  const [facts, tier] = await Promise.all([readFacts(deps, subscriptionId), deps.billing.tier(agreed.tierId)])
  if (facts === null || tier === null) throw new Error(`approval ${id} has no subscription or no tier`)
  const next = kind === 'change' ? await termsOf(deps, network, tier) : facts.terms
  const { after, pulls } = await begin(facts.delegation)
  const pulledSince = pulledBy(pulls.filter((pull) => pull.subscriptionId === subscriptionId))
  const consent = { by: 'approve', signature, epoch: after.epoch, pulledSince, agreedAt } as const
  const decision = decideTermChange(facts, { kind, agreed, next }, consent, context)
  return { before: facts.delegation, after, decision }
}

const done = (applied: boolean): undefined | typeof CHANGED_MEANWHILE => (applied ? undefined : CHANGED_MEANWHILE)
