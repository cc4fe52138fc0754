// A person plans a failed or held transfer again.

import { SOL } from '#core/chain/types.ts'
import { type Decision, type IntentFacts, moved, refused } from '#core/payments/change.ts'
import type { DecisionContext } from '#core/payments/decision-context.ts'
import { complete } from '#core/payments/machine/complete.ts'
import { isOpen, Position, unreservedFor } from '#core/payments/position/position.ts'
import { couldTake, coversLegs, totalOf } from '#core/payments/position/shares.ts'
import { isSameMovement } from '#core/payments/returns/recipients.ts'
import { replaceRentReserve, sharesToSweep, sweepOf } from '#core/payments/settlement/sweep-plan.ts'
import { isForBusiness, isRentReserve, type PaymentTransfer } from '#core/payments/transfers.ts'
import { takeUp } from './booking.ts'

/**
 * Decides that a person plans a failed or held transfer again. A payment that gave up because of the transfer continues. A
 * sweep to a former wallet of the business is withdrawn, also one that waits and has no attempt yet, and the next round pays the
 * present wallet. A sweep or a rent reserve that would leave too little SOL is withdrawn too, and its next round takes that
 * along. Refuses when the money is no longer at the address, or when another transfer reserves it: a later round, or a sweep that
 * the business requested.
 */
export function decideRearmed(facts: IntentFacts, transferId: string, context: DecisionContext): Decision {
  const transfer = facts.transfers.find(({ id }) => id === transferId)
  if (transfer === undefined || !isRearmable(transfer, new Position(facts, context)))
    return refused('transfer_not_retryable')
  if (isMisdirected(transfer, facts)) return planAgain(facts, transfer, REDIRECTED, context)
  if (leavesTooLittle(transfer, facts, context)) return planAgain(facts, transfer, LEAVES_TOO_LITTLE, context)
  return moved(complete(takeUp(rearmed(facts, transfer, context), transfer)))
}

/** Returns whether the sweep pays another wallet than the present sweep destination of the business. */
const isMisdirected = ({ kind, legs }: PaymentTransfer, { payee: { sweepDestination } }: IntentFacts): boolean =>
  kind === 'sweep' &&
  sweepDestination !== null &&
  legs.some((leg) => isForBusiness(leg) && leg.destination !== sweepDestination)

/** Returns whether the sweep waits to pay a former wallet of the business, and no transaction of it was made. */
export const waitsForFormerWallet = (transfer: PaymentTransfer, facts: IntentFacts): boolean =>
  isOpen(transfer) && !isRentReserve(transfer) && transfer.attemptCount === 0 && isMisdirected(transfer, facts)

const REDIRECTED = 'The business changed its sweep destination: a new round pays the new one.'

/** Returns the position in which the transfer is planned as it is. */
const rearmed = (facts: IntentFacts, { id: transferId }: PaymentTransfer, context: DecisionContext): Position =>
  new Position(facts, context).with({ statusOverride: { transferId, status: 'planned', reason: null, fence: null } })

/** Returns whether a sweep would leave less SOL than the rent minimum, and more than nothing, which the next round can take. */
function leavesTooLittle(transfer: PaymentTransfer, facts: IntentFacts, context: DecisionContext): boolean {
  const { kind, asset } = transfer
  if (kind !== 'sweep' || asset !== SOL || isRentReserve(transfer)) return false
  const left = totalOf(rearmed(facts, transfer, context).of(asset).free)
  return left > 0n && left < context.rentMinimum
}

const LEAVES_TOO_LITTLE = 'It left too little SOL at the address: a new round takes all of it, or leaves enough.'

/**
 * Plans the next round of a sweep that is held, has failed or waits, to the present destination. No attempt of the sweep is live:
 * the store checks that in the same transaction.
 */
function planAgain(facts: IntentFacts, transfer: PaymentTransfer, reason: string, context: DecisionContext): Decision {
  const withdrawn = { transferId: transfer.id, status: 'failed', reason, fence: null } as const
  const start = new Position(facts, context).with(isOpen(transfer) ? { statusOverride: withdrawn } : {})
  const position = takeUp(start, transfer)
  if (isRentReserve(transfer)) return moved(complete(replaceRentReserve(position, transfer)))
  const sweep = sweepOf(position, sharesToSweep(position))
  return 'refused' in sweep ? refused('transfer_not_retryable') : moved(complete(position.plan(sweep)))
}

function isRearmable(transfer: PaymentTransfer, position: Position): boolean {
  const { facts } = position
  const { kind, asset, status, legs } = transfer
  // A held transfer keeps its money. A rent reserve that has ended has another round already.
  if (status !== 'failed') return status === 'held' || waitsForFormerWallet(transfer, facts)
  const others = facts.transfers.filter((other) => other.asset === asset)
  if (others.some((other) => takesOver(other, transfer))) return false
  if (kind === 'rent') return true
  const left = unreservedFor(transfer, position.deposits, others).filter((share) => couldTake(transfer, share))
  const isInTheWay = (other: PaymentTransfer) =>
    isOpen(other) && !isRentReserve(other) && other.sourceAccount === transfer.sourceAccount
  return !others.some(isInTheWay) && coversLegs(left, legs)
}

/** Returns whether it is a later round of the same movement. */
const takesOver = (later: PaymentTransfer, earlier: PaymentTransfer): boolean =>
  later.round > earlier.round && isSameMovement(later, earlier)
