// Books a final transaction: ledger, transfer and payment change together. docs/money.md,
// "The protocol", 5 and 6.
import { type ObservedTransaction, type Signature, SOL } from '#core/chain/types.ts'
import { ZERO } from '#core/money/amounts.ts'
import type { IntentChange, IntentFacts } from '#core/payments/change.ts'
import type { DecisionContext } from '#core/payments/decision-context.ts'
import { newTransfer, nextRound } from '#core/payments/position/new-transfer.ts'
import {
  isOpen,
  Position,
  type PositionTransfer,
  paymentAssets,
  unreservedFor,
} from '#core/payments/position/position.ts'
import { isOpenRentReserve, keptBy, planRentReserve } from '#core/payments/position/rent-reserve.ts'
import { heldExcess } from '#core/payments/returns/return-state.ts'
import {
  mergeSettlements,
  receivedFor,
  settlementOf,
  takenForBusiness,
  waivedCuts,
} from '#core/payments/settlement/figures.ts'
import { planSweep, replaceRentReserve, unsettledPrice } from '#core/payments/settlement/sweep-plan.ts'
import { isMainSweep, isRentReserve, type PaymentTransfer } from '#core/payments/transfers.ts'
import type { Token } from '#core/tokens/token.ts'
import { ledgerOfTransfer, movedByLegs } from '#core/transfers/ledger.ts'
import type { Attempt, AttemptOutcome, TransferStatus } from '#core/transfers/transfer.ts'
import { complete } from './complete.ts'

// The status of a payment while one of its transfers has failed and waits for a person, and when a person takes it up again.

/** Returns the change: a payment that waits for this transfer now waits for a person; any other payment continues. */
export function giveUp(position: Position, transfer: PaymentTransfer, statusReason: string): Position {
  const { status } = position.intent
  if (status === 'settling' && isMainSweep(transfer)) return position.moveTo('settle_failed', { statusReason })
  if (status === 'refunding' && isReturn(transfer, position)) return position.moveTo('refund_failed', { statusReason })
  return position.step()
}

/** Returns the change: a payment that waits for a person because of this transfer continues. */
export function takeUp(position: Position, transfer: PaymentTransfer): Position {
  const { status } = position.intent
  if (status === 'settle_failed' && isMainSweep(transfer)) return position.moveTo('settling')
  if (status === 'refund_failed' && isReturn(transfer, position)) return position.moveTo('refunding')
  return position.step()
}

/** Returns whether the transfer takes back what was paid for the price. */
const isReturn = ({ kind, asset, sourceAccount }: PaymentTransfer, { deposits }: Position): boolean =>
  (kind === 'refund' || kind === 'release') && sourceAccount === null && paymentAssets(deposits).has(asset)

export type Booking = {
  readonly facts: IntentFacts
  readonly transfer: PaymentTransfer
  readonly attempt: Attempt & { readonly signature: Signature }
  readonly transaction: ObservedTransaction
  readonly context: DecisionContext
}

/** Books the end of a payment's transfer: settled or returned, or planned again when the chain refused it. */
export function bookTransfer(booking: Booking): IntentChange {
  const { facts, transfer, transaction, context } = booking
  const failed = transaction.error !== null
  const position = new Position(facts, context).with({
    outcome: outcomeOf(booking),
    ledger: ledgerOfTransfer(transfer, transaction),
  })
  const booked = transfer.kind === 'sweep' ? bookSweep(position, booking) : bookReturn(position, booking)
  return complete(failed || transfer.asset === SOL ? booked : withRent(booked, transfer))
}

/** Books money that was returned or released. */
function bookReturn(position: Position, { transfer, transaction }: Booking): Position {
  if (transfer.kind !== 'release') return position.step()
  // Where held money goes is a person's decision: nothing takes the place of a release that failed.
  return transaction.error === null
    ? position.step({}, 'intent.held_released')
    : giveUp(position, transfer, `The release failed on chain: ${transaction.error}`)
}

function bookSweep(position: Position, { facts, transfer, transaction, context }: Booking): Position {
  const { status } = facts.intent
  if (transaction.error !== null) {
    const failed = position.step()
    if (isRentReserve(transfer)) return replaceRentReserve(failed, transfer)
    return status === 'settling' ? planSweep(failed) : failed
  }
  const left = status === 'settling' && transfer.asset === SOL ? unsettledPrice(position) : ZERO
  const waived = waivedCuts(transfer, facts, left)
  const swept = left === ZERO ? position : planRentReserve(position, transfer, left)
  const counted = swept
    .with(waived.length > 0 ? { waived } : {})
    .withDeposits(takenForBusiness(swept, transfer.asset, isSettled))
  const received = receivedFor(counted)
  const token = tokenOf(transfer, context)
  const latest = settlementOf(transfer, position.change.outcome?.moved ?? [], transaction.signature, token)
  const merged = facts.intent.settlement === null ? latest : mergeSettlements(facts.intent.settlement, latest)
  const settlement = { ...merged, pendingAmount: keptBy(counted.transfers) }
  const isUnfinished = counted.transfers.some((one) => isMainSweep(one) && isOpen(one))
  if (status !== 'settling' || isUnfinished) {
    return counted.step({ settlement, received }, 'intent.settlement_updated')
  }
  const statusReason = heldExcess(counted.with({ after: { ...counted.intent, status: 'swept' } }))
  return counted.moveTo('swept', { settlement, received, statusReason })
}

/** Returns whether the business has the money, or will get it with a rent reserve. */
const isSettled = (transfer: PositionTransfer): boolean =>
  (transfer.kind === 'sweep' && transfer.status === 'done') || isOpenRentReserve(transfer)

function outcomeOf({ transfer, attempt, transaction, context }: Booking): AttemptOutcome {
  const failed = transaction.error !== null
  return {
    attemptId: attempt.id,
    transferId: transfer.id,
    fence: transfer.fence,
    attemptState: failed ? 'final_err' : 'final_ok',
    transferStatus: failed ? 'failed' : 'done',
    reason: transaction.error,
    signature: attempt.signature,
    slot: transaction.slot,
    moved: failed ? [] : movedByLegs(transfer, transaction),
    at: context.now,
  }
}

function tokenOf(transfer: PaymentTransfer, context: DecisionContext): Token {
  const token = context.tokens.get(transfer.asset)
  if (token === undefined) throw new Error(`no token for ${transfer.asset}`)
  return token
}

/**
 * Adds the transfer to close the emptied token account; its rent goes to the fee payer. While money is left in the
 * account, the transfer that takes the money adds it.
 */
function withRent(position: Position, transfer: PaymentTransfer): Position {
  const { facts } = position
  if (unreservedFor(transfer, position.deposits, position.transfers).length > 0) return position
  const { asset, decimals, tokenProgram, sourceAccount } = transfer
  const earlier = facts.transfers.filter(({ kind }) => kind === 'rent')
  // Two closes could be under way at once. The later of them fails, and no proof shows whether it landed.
  const isSame = (rent: PaymentTransfer) => rent.asset === asset && rent.sourceAccount === sourceAccount
  if (earlier.some((rent) => isSame(rent) && UNDER_WAY.has(rent.status))) return position
  const round = nextRound(earlier, 'rent')
  const rent = newTransfer(facts, { kind: 'rent', asset, decimals, tokenProgram, sourceAccount, round, legs: [] })
  return position.plan(rent)
}

const UNDER_WAY: ReadonlySet<TransferStatus> = new Set(['planned', 'in_progress'])
