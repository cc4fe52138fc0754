// What goes to the business: planned when a payment is final, again when it failed, or because somebody asks for it.

import { type Address, SOL } from '#core/chain/types.ts'
import { type BaseUnits, ZERO } from '#core/money/amounts.ts'
import {
  extendRentReserve,
  isRentReserve,
  splitRentReserve,
  TRIES_TO_EMPTY,
} from '#core/payments/booking/rent-reserve.ts'
import {
  type Decision,
  type IntentChange,
  type IntentFacts,
  moved,
  moveTo,
  refused,
  startChange,
  step,
  UNCHANGED,
} from '#core/payments/machine/change.ts'
import type { DecisionContext } from '#core/payments/machine/decision-context.ts'
import {
  awaitsFinality,
  depositsAfter,
  hasFailed,
  isOpen,
  paymentAssets,
  type Reservation,
  reservationsAfter,
  takesUnaccepted,
  unreservedOf,
  unreservedUnaccepted,
  withDeposits,
} from '#core/payments/machine/reservations.ts'
import { nextRound, obligationOf } from '#core/payments/obligation.ts'
import type { Deposit } from '#core/payments/payment-intent.ts'
import { coversLegs, type DepositShare, totalOf } from '#core/payments/returns/deposit-shares.ts'
import { withReturns } from '#core/payments/returns/returns.ts'
import { planSettlement } from '#core/payments/settlement-plan.ts'
import { STATUS_POLICY } from '#core/payments/status-policy.ts'
import type { NewPaymentTransfer, PaymentLeg, PaymentTransfer } from '#core/payments/transfers.ts'

/** How often a settlement is planned anew after its transaction failed on chain. */
export const MAX_SETTLE_ROUNDS = 5

/** What an earlier round of a sweep met on the chain. */
export type Obstacles = {
  /** Wallets that cannot take their cut. */
  readonly waived?: readonly Address[]
  /** Whether dust arrived that the sweep does not take: the rent minimum stays behind, so that no dust matters. */
  readonly dust?: boolean
}

/**
 * The payment settles: what is final of it is what was received. A deposit that is not final yet is a late payment from
 * now on, because waiting for it would let a stranger who pays a lamport now and then keep the money from moving.
 */
export function startSettling(change: IntentChange, facts: IntentFacts, { now }: DecisionContext): IntentChange {
  const applied = depositsAfter(change, facts).filter(({ use }) => use === 'applied')
  const [final, unfinal] = [applied.filter(isFinal), applied.filter((deposit) => !isFinal(deposit))]
  const late = unfinal.map((deposit): Deposit => ({ ...deposit, use: 'late' }))
  return moveTo(withDeposits(change, late), 'settling', { received: totalOf(final) }, now)
}

const isFinal = ({ state }: Deposit): boolean => state === 'final'

/** Adds the next round's sweep of what was paid for the price, or has a settling intent give up with the reason. */
export function planSweep(
  change: IntentChange,
  facts: IntentFacts,
  context: DecisionContext,
  obstacles: Obstacles = {},
): IntentChange {
  const giveUp = (statusReason: string) =>
    change.after.status === 'settling' ? moveTo(change, 'settle_failed', { statusReason }, context.now) : change
  if (failedSweeps(change, facts).length >= MAX_SETTLE_ROUNDS) return giveUp(SETTLED_TOO_OFTEN)
  const payment = availableAfter(change, facts).filter(({ deposit }) => deposit.use === 'applied')
  const sweeps = sweepsOf(change, payment, facts, context, obstacles)
  return 'refused' in sweeps ? giveUp(sweeps.refused) : { ...change, transfers: [...change.transfers, ...sweeps] }
}

const SETTLED_TOO_OFTEN = 'The transfer to the business failed on chain too often.'

const failedSweeps = (change: IntentChange, facts: IntentFacts): readonly Reservation[] =>
  reservationsAfter(change, facts).filter((reservation) => reservation.kind === 'sweep' && hasFailed(reservation))

/** What is final of the selected asset, and claimed by no transfer. */
function availableAfter(change: IntentChange, facts: IntentFacts): readonly DepositShare[] {
  const asset = change.after.selection?.asset
  return asset === undefined ? [] : unreservedOf(asset, depositsAfter(change, facts), reservationsAfter(change, facts))
}

/** The obligation to sweep these shares of the selected asset, and one for what it leaves behind where dust disturbs. */
function sweepsOf(
  change: IntentChange,
  shares: readonly DepositShare[],
  facts: IntentFacts,
  context: DecisionContext,
  { waived = [], dust = false }: Obstacles = {},
): readonly NewPaymentTransfer[] | { readonly refused: string } {
  const sweep = sweepOf(change, shares, facts, context, waived)
  if ('refused' in sweep) return sweep
  const isOpenRentReserve = (reservation: Reservation): boolean => isRentReserve(reservation) && isOpen(reservation)
  if (reservationsAfter(change, facts).some(isOpenRentReserve)) return [sweep]
  const failures = failedSweeps(change, facts).length
  if (!dust && failures < TRIES_TO_EMPTY && !leavesDust(sweep, change, facts, context)) return [sweep]
  const split = splitRentReserve(sweep, context.rentMinimum, facts)
  if (split !== null) return split
  // Too little to leave anything behind: the dust goes along instead.
  const whole = sweepOf(change, availableAfter(change, facts), facts, context, waived)
  return 'refused' in whole ? [sweep] : [whole]
}

/** Whether the sweep would leave less SOL at the address than the chain lets an account hold. */
function leavesDust(
  { asset, legs }: NewPaymentTransfer,
  change: IntentChange,
  facts: IntentFacts,
  { rentMinimum }: DecisionContext,
): boolean {
  if (asset !== SOL) return false
  const coming = depositsAfter(change, facts).filter((deposit) => deposit.asset === SOL && !isFinal(deposit))
  const left = totalOf(availableAfter(change, facts)) + totalOf(coming) - totalOf(legs)
  return left > 0n && left < rentMinimum
}

/** What other sweeps of the payment take, or have taken, for the business and as fees. */
const reservedForPrice = (change: IntentChange, facts: IntentFacts): BaseUnits =>
  totalOf(
    reservationsAfter(change, facts)
      .filter(({ kind, status }) => kind === 'sweep' && status !== 'failed')
      .flatMap(({ legs }) => legs.filter(({ role }) => role !== 'refund')),
  )

function sweepOf(
  change: IntentChange,
  shares: readonly DepositShare[],
  facts: IntentFacts,
  context: DecisionContext,
  waived: readonly Address[],
): NewPaymentTransfer | { readonly refused: string } {
  const intent = change.after
  const { selection } = intent
  if (selection === null) return { refused: 'Nothing was selected.' }
  const reserved = reservedForPrice(change, facts)
  const plan = planSettlement(intent, facts.payee, shares, context.terms, context, { waived, reserved })
  if ('refused' in plan) return plan
  return obligationOf(facts, {
    kind: 'sweep',
    asset: selection.asset,
    decimals: selection.decimals,
    tokenProgram: context.tokens.get(selection.asset)?.tokenProgram ?? null,
    round: nextRound(facts.transfers, 'sweep'),
    legs: plan.legs,
  })
}

/**
 * A person re-arms a failed or held transfer, and the intent that had given up over it is under way again. A sweep to a
 * wallet that is not the business's any more is withdrawn and planned again to the present one, and so is a held one that
 * would leave too little SOL behind. Refused when what it was
 * to move is not there any more, or is promised to another: a round of it that came later, a sweep on demand.
 */
export function decideRearmed(facts: IntentFacts, transferId: string, context: DecisionContext): Decision {
  const transfer = facts.transfers.find(({ id }) => id === transferId)
  if (transfer === undefined || !isRearmable(transfer, facts)) return refused('transfer_not_retryable')
  if (isMisdirected(transfer, facts)) return planAgain(facts, transfer, REDIRECTED, context)
  if (leavesTooLittle(transfer, facts, context)) return planAgain(facts, transfer, LEAVES_TOO_LITTLE, context)
  const statusOverride = { transferId, status: 'planned', reason: null, fence: null } as const
  const change = { ...startChange(facts.intent), statusOverride }
  return moved(withReturns(reopen(change, transfer, facts, context.now), facts, context))
}

const isForBusiness = ({ role }: Pick<PaymentLeg, 'role'>): boolean => role === 'merchant' || role === 'seller'

/** Whether the sweep pays another wallet than the one at which the business wants its money now. */
const isMisdirected = ({ kind, legs }: PaymentTransfer, { payee: { sweepDestination } }: IntentFacts): boolean =>
  kind === 'sweep' &&
  sweepDestination !== null &&
  legs.some((leg) => isForBusiness(leg) && leg.destination !== sweepDestination)

const REDIRECTED = 'The business changed its sweep destination: a new round pays the new one.'

/** Whether a held sweep would leave a part of the price behind that is less SOL than the chain lets an account hold. */
function leavesTooLittle(
  { kind, status, asset, portion }: PaymentTransfer,
  facts: IntentFacts,
  context: DecisionContext,
): boolean {
  if (kind !== 'sweep' || status !== 'held' || asset !== SOL || isRentReserve({ portion })) return false
  const left = unreservedOf(asset, depositsAfter(startChange(facts.intent), facts), facts.transfers)
  return totalOf(left) < context.rentMinimum && left.some(({ deposit }) => deposit.use === 'applied')
}

const LEAVES_TOO_LITTLE = 'It left too little behind: a new round takes that as well, or leaves enough.'

/**
 * Plans the next round of a sweep that is held or failed, to the present destination. Nothing of it can land any more: it
 * is taken up only while no attempt of it is live, which the store checks in the same transaction.
 */
function planAgain(facts: IntentFacts, transfer: PaymentTransfer, reason: string, context: DecisionContext): Decision {
  const { intent } = facts
  const withdrawn = { transferId: transfer.id, status: 'failed', reason, fence: null } as const
  const start: IntentChange = {
    ...startChange(intent),
    ...(transfer.status === 'held' && { statusOverride: withdrawn }),
  }
  const change = reopen(start, transfer, facts, context.now)
  if (!isRentReserve(transfer)) {
    const isOfPrice = ({ deposit }: DepositShare) => change.after.status !== 'settling' || deposit.use === 'applied'
    const sweeps = sweepsOf(change, availableAfter(change, facts).filter(isOfPrice), facts, context)
    if ('refused' in sweeps) return refused('transfer_not_retryable')
    return moved(withReturns({ ...change, transfers: sweeps }, facts, context))
  }
  return moved(withReturns({ ...change, transfers: [nextRentReserve(transfer, ZERO, facts)] }, facts, context))
}

/** The next round of what was left behind, with what it takes along, to the present destination of the business. */
export function nextRentReserve(left: NewPaymentTransfer, more: BaseUnits, facts: IntentFacts): NewPaymentTransfer {
  const { sweepDestination } = facts.payee
  const legs = left.legs.map((leg) =>
    isForBusiness(leg) && sweepDestination !== null ? { ...leg, destination: sweepDestination } : leg,
  )
  return extendRentReserve({ ...left, legs }, more, nextRound(facts.transfers, 'sweep'), facts)
}

function isRearmable(transfer: PaymentTransfer, facts: IntentFacts): boolean {
  const { kind, asset, status, legs } = transfer
  // A held one still has its claim.
  if (status !== 'failed') return status === 'held'
  const others = facts.transfers.filter((other) => other.asset === asset)
  if (others.some((other) => takesOver(other, transfer))) return false
  if (kind === 'rent') return true
  const unreserved = takesUnaccepted(transfer) ? unreservedUnaccepted : unreservedOf
  const left = unreserved(asset, depositsAfter(startChange(facts.intent), facts), others)
  return !others.some((other) => isOpen(other) && !isRentReserve(other)) && coversLegs(left, legs)
}

/** Whether it is a later round of the same: what lies apart and what was left behind have rounds of their own. */
const takesOver = (later: PaymentTransfer, earlier: PaymentTransfer): boolean =>
  later.kind === earlier.kind &&
  later.round > earlier.round &&
  takesUnaccepted(later) === takesUnaccepted(earlier) &&
  isRentReserve(later) === isRentReserve(earlier)

function reopen(
  change: IntentChange,
  { kind, asset }: PaymentTransfer,
  { deposits }: IntentFacts,
  now: Date,
): IntentChange {
  const { status } = change.after
  if (status === 'settle_failed' && kind === 'sweep') return moveTo(change, 'settling', {}, now)
  const isOfPayment = paymentAssets(deposits.filter(({ state }) => state !== 'dropped')).has(asset)
  if (status === 'refund_failed' && (kind === 'refund' || kind === 'release') && isOfPayment)
    return moveTo(change, 'refunding', {}, now)
  return step(change, {}, now, null)
}

/**
 * The business wants its money now, and tries again what was held. Spec: POST /sweep. `unchanged` means that a sweep is
 * under way, or soon can be, or was all there is.
 */
export function decideSweep(facts: IntentFacts, context: DecisionContext): Decision {
  const { intent, payee } = facts
  if (payee.sweepDestination === null) return refused('sweep_destination_missing')
  const asset = intent.selection?.asset
  // What lies there while nothing counts came after the window, and goes back.
  if (asset === undefined || intent.status === 'pending') return refused('nothing_to_sweep')
  const change = startChange(intent)
  const reservations = reservationsAfter(change, facts).filter((reservation) => reservation.asset === asset)
  const open = reservations.find((reservation) => isOpen(reservation) && !isRentReserve(reservation))
  if (open?.kind === 'refund' || open?.kind === 'release' || intent.status === 'refunding')
    return refused('refund_in_progress')
  const held = facts.transfers.find(({ key, status }) => key === open?.key && status === 'held')
  if (held !== undefined) return decideRearmed(facts, held.id, context)
  if (open !== undefined) return UNCHANGED
  // Paid, and about to be swept by itself as soon as it is final.
  if (intent.status === 'paid' || intent.status === 'overpaid') return UNCHANGED
  // A token that came late can stay at the address; SOL would make the transaction fail.
  const relevant = facts.deposits.filter((one) => isFinal(one) || one.use === 'applied' || asset === SOL)
  if (awaitsFinality(asset, relevant, reservations, context)) return UNCHANGED
  if (unreservedOf(asset, facts.deposits, reservations).length === 0) {
    return reservations.some(({ kind, status }) => kind === 'sweep' && status === 'done')
      ? UNCHANGED
      : refused('nothing_to_sweep')
  }
  const told = STATUS_POLICY[intent.status].sweepSettles
    ? startSettling(change, facts, context)
    : step(change, {}, context.now, null)
  const sweeps = sweepsOf(told, availableAfter(told, facts), facts, context)
  if ('refused' in sweeps) return refused('nothing_to_sweep')
  return moved(withReturns({ ...told, transfers: sweeps }, facts, context))
}
