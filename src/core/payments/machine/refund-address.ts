// An address that the buyer proposes for held money, and what the business decides about it. The client secret proves the order and
// not the person, so nothing moves before the business approves the address. docs/contract.md, "An address from the buyer".

import { type Actor, BUYER_ACTOR, type BusinessAction } from '#core/accounts/audit.ts'
import type { Address } from '#core/chain/types.ts'
import { type Decision, type IntentChange, type IntentFacts, moved, refused, UNCHANGED } from '#core/payments/change.ts'
import type { DecisionContext } from '#core/payments/decision-context.ts'
import type { AddressProposal } from '#core/payments/intent-values.ts'
import { complete } from '#core/payments/machine/complete.ts'
import { isForSeller, type PaymentIntent } from '#core/payments/payment-intent.ts'
import { Position } from '#core/payments/position/position.ts'
import { MAX_PROPOSALS, nextNumberOf, openOf, releasableToBuyer } from '#core/payments/returns/releasable.ts'
import type { IntentEventType } from '#core/payments/transitions.ts'
import { planReleases, releasesOf, takesRefund } from './release.ts'

/** The reason of the releases. */
const APPROVED = 'The business approved the address that the buyer proposed.'

/** Decides about a proposal of the buyer. It takes the place of the former one. `unchanged` for the address that waits already. */
export function decideProposal(facts: IntentFacts, address: Address, context: DecisionContext): Decision {
  const start = new Position(facts, context)
  const former = proposalOf(facts.intent)
  if (former?.status === 'proposed' && former.address === address) return UNCHANGED
  if (releasableToBuyer(start).length === 0) return refused(nothingReleasable(start))
  const number = nextNumberOf(former)
  if (number > MAX_PROPOSALS) return refused('refund_address_limit_reached')
  const custodian = custodianRefusal(address, context)
  if (custodian !== null) return custodian
  const proposal: AddressProposal = {
    address,
    status: 'proposed',
    reason: null,
    number,
    proposedAt: context.now,
    decidedAt: null,
  }
  const proposed = withProposal(start, proposal, 'intent.refund_address_proposed')
  return moved(audited(complete(proposed), 'payment.address_proposed', BUYER_ACTOR))
}

/** The decision of the business about an address: the one that it has read. */
export type Judged = { readonly address: Address; readonly actor: Actor }

/**
 * Decides an approval: all held money that can go to the buyer is released there. `unchanged` when the address was approved already.
 * Refuses when the buyer has proposed another address meanwhile.
 */
export function decideApproval(facts: IntentFacts, { address, actor }: Judged, context: DecisionContext): Decision {
  const start = new Position(facts, context)
  const judged = judgedOf(facts.intent, address, 'approved')
  if ('kind' in judged) return judged
  const custodian = custodianRefusal(address, context)
  if (custodian !== null) return custodian
  const transfers = releasableToBuyer(start).flatMap(({ held, ...movable }) =>
    releasesOf(start, { ...movable, to: address, role: 'buyer' }, held),
  )
  if (transfers.length === 0) return refused(nothingReleasable(start))
  const decided: AddressProposal = { ...judged, status: 'approved', decidedAt: context.now }
  const approved = withProposal(start, decided, 'intent.refund_address_approved')
  const begun = takesRefund(start, transfers) ? approved.moveTo('refunding') : approved
  return moved(audited(complete(planReleases(begun, transfers, APPROVED)), 'payment.address_approved', actor))
}

/** Decides that the business declines an address, with a reason that the buyer reads. The buyer may propose again. */
export function decideDecline(
  facts: IntentFacts,
  { address, actor, reason }: Judged & { readonly reason: string },
  context: DecisionContext,
): Decision {
  const judged = judgedOf(facts.intent, address, 'declined')
  if ('kind' in judged) return judged
  const decided: AddressProposal = { ...judged, status: 'declined', reason, decidedAt: context.now }
  const declined = withProposal(new Position(facts, context), decided, 'intent.refund_address_declined')
  return moved(audited(complete(declined), 'payment.address_declined', actor))
}

const proposalOf = ({ refundAddress }: Pick<PaymentIntent, 'refundAddress'>): AddressProposal | null =>
  refundAddress?.proposal ?? null

/** Returns the proposal that waits, or the answer when this address does not wait. */
function judgedOf(
  intent: PaymentIntent,
  address: Address,
  verdict: Verdict,
): AddressProposal | Exclude<Decision, { readonly kind: 'moved' }> {
  const proposal = proposalOf(intent)
  if (proposal?.address !== address) return { kind: 'refused', code: 'refund_address_not_proposed' }
  switch (proposal.status) {
    case 'proposed':
      return proposal
    case 'closed':
      return { kind: 'refused', code: 'nothing_held' }
    case 'approved':
    case 'not_sent':
      return alreadyDecided('approved', verdict)
    case 'declined':
      return alreadyDecided('declined', verdict)
  }
}

type Verdict = 'approved' | 'declined'

const alreadyDecided = (decision: Verdict, verdict: Verdict): Exclude<Decision, { readonly kind: 'moved' }> =>
  decision === verdict
    ? { kind: 'unchanged' }
    : { kind: 'refused', code: 'refund_address_decided', context: { decision } }

/** Returns why nothing can go to the buyer now. */
function nothingReleasable(position: Position): 'nothing_held' | 'held_money_reserved' {
  const assets = new Set(position.deposits.map(({ asset }) => asset))
  return [...assets].some((asset) => openOf(position, asset).length > 0) ? 'held_money_reserved' : 'nothing_held'
}

/** Refuses a wallet with the money of many customers: what arrives there without the memo of a customer is credited to no customer. */
function custodianRefusal(address: Address, { custodians }: DecisionContext): Decision | null {
  const label = custodians.get(address)
  if (label === undefined) return null
  return refused('invalid_address', {
    field: 'address',
    rule: `is a wallet of ${label} for the money of all its customers: name a wallet of your own`,
  })
}

/** Puts a proposal in the place of the former one, with its event. `complete` says whether the buyer may propose another. */
const withProposal = (position: Position, proposal: AddressProposal, event: IntentEventType): Position =>
  position.step({ refundAddress: { isWanted: false, proposal } }, event)

/** Adds the entry of the audit log. */
function audited(change: IntentChange, action: BusinessAction, actor: Actor): IntentChange {
  const { before, after } = change
  const [was, is] = [proposalOf(before), proposalOf(after)]
  return {
    ...change,
    audit: {
      actor,
      entry: {
        action,
        sellerId: isForSeller(after) ? after.accountId : null,
        changes: {
          payment_id: [after.id, after.id],
          address: [was?.address ?? null, is?.address ?? null],
          ...(is?.reason != null && { reason: [null, is.reason] }),
        },
      },
    },
  }
}
