// Books a final transaction: ledger, obligation and payment change together. docs/money.md,
// "The protocol", 5 and 6.

import type { ObservedTransaction, Signature } from '#core/chain/types.ts'
import { SOL } from '#core/chain/types.ts'
import { add, type BaseUnits, subtract, ZERO } from '#core/money/amounts.ts'
import type { IntentChange, IntentFacts } from '#core/payments/change.ts'
import type { DecisionContext } from '#core/payments/decision-context.ts'
import { complete } from '#core/payments/machine/complete.ts'
import { giveUp, statusGivenUp } from '#core/payments/machine/give-up.ts'
import { nextRentReserve } from '#core/payments/machine/rearm.ts'
import type { Settlement, SettlementLeg } from '#core/payments/parts.ts'
import { nextRound, obligationOf } from '#core/payments/position/obligation.ts'
import { hasFailed, isOpen, Position, type Reservation, unreservedFor } from '#core/payments/position/position.ts'
import { TRIES_TO_EMPTY } from '#core/payments/position/rent-reserve.ts'
import { heldExcess } from '#core/payments/returns/return-state.ts'
import { isOpenRentReserve, openRentReserve, receivedFor, takenForBusiness } from '#core/payments/settlement/figures.ts'
import { mergeSettlements } from '#core/payments/settlement/merge-settlements.ts'
import { planSweep, unsettledPrice } from '#core/payments/settlement/sweep-plan.ts'
import { waivedCuts } from '#core/payments/settlement/waived-cuts.ts'
import { isMainSweep, isRentReserve, type PaymentTransfer } from '#core/payments/transfers.ts'
import type { Token } from '#core/tokens/token.ts'
import { ledgerOfTransfer, movedByLegs } from '#core/transfers/ledger.ts'
import type { Attempt, AttemptOutcome, TransferStatus } from '#core/transfers/transfer.ts'

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
    if (isRentReserve(transfer))
      return retriesRentReserve(transfer, facts) ? failed.plan(nextRentReserve(transfer, ZERO, facts)) : failed
    return status === 'settling' ? planSweep(failed) : failed
  }
  const waived = waivedCuts(transfer, facts)
  const moved = position
    .with(waived.length > 0 ? { waived } : {})
    .withDeposits(takenForBusiness(position, transfer.asset, isSettled))
  const counted = isRentReserve(transfer) ? moved : withLeftReserve(moved)
  const received = receivedFor(counted)
  const token = tokenOf(transfer, context)
  const latest = settlementOf(transfer, position.change.outcome?.moved ?? [], transaction.signature, token)
  const merged = facts.intent.settlement === null ? latest : mergeSettlements(facts.intent.settlement, latest)
  const settlement = { ...merged, pendingAmount: openRentReserve(counted) }
  const isUnfinished = counted.transfers.some((one) => isMainSweep(one) && isOpen(one))
  if (status !== 'settling' || isUnfinished) {
    return counted.step({ settlement, received }, 'intent.settlement_updated')
  }
  const statusReason = heldExcess(counted.with({ after: { ...counted.intent, status: 'swept' } }))
  return counted.moveTo('swept', { settlement, received, statusReason })
}

/**
 * Plans the rent reserve again when the sweep has left it at the address although it was withdrawn: rent had risen above it, and
 * fell before another round of the sweep was planned. It is a part of the price, so it goes to no one else.
 */
function withLeftReserve(position: Position): Position {
  const reserves = position.transfers.filter(isRentReserve)
  const newest = reserves.toSorted((a, b) => a.round - b.round).at(-1)
  if (newest?.status !== 'failed' || unsettledPrice(position) === ZERO) return position
  return position.plan(nextRentReserve(newest, ZERO, position.facts))
}

/** Returns whether the business has the money, or will get it with a rent reserve. */
const isSettled = (reservation: Reservation): boolean =>
  (reservation.kind === 'sweep' && reservation.status === 'done') || isOpenRentReserve(reservation)

/** Returns whether a rent reserve is tried again after a failure on chain, before a person is asked. */
const retriesRentReserve = (transfer: PaymentTransfer, { transfers }: IntentFacts): boolean =>
  isRentReserve(transfer) && transfers.filter((one) => isRentReserve(one) && hasFailed(one)).length < TRIES_TO_EMPTY - 1

function outcomeOf({ facts, transfer, attempt, transaction, context }: Booking): AttemptOutcome {
  const failed = transaction.error !== null
  const givenUp = retriesRentReserve(transfer, facts) ? 'failed' : statusGivenUp(transfer)
  return {
    attemptId: attempt.id,
    transferId: transfer.id,
    fence: transfer.fence,
    attemptState: failed ? 'final_err' : 'final_ok',
    transferStatus: failed ? givenUp : 'done',
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

/** Returns the figures of a settlement, from the amounts that moved, not from those that were planned. Spec: "Settlement object". */
export function settlementOf(
  transfer: PaymentTransfer,
  movedAmounts: readonly BaseUnits[],
  signature: Signature,
  token: Pick<Token, 'ticker'>,
): Settlement {
  const mint = transfer.asset === SOL ? null : transfer.asset
  const common = { mint, asset: token.ticker, decimals: transfer.decimals, signature }
  const legs = transfer.legs.map(
    (leg, position): SettlementLeg => ({
      ...common,
      role: leg.role,
      destination: leg.destination,
      feeBps: leg.feeBps,
      amount: movedAmounts[position] ?? ZERO,
    }),
  )
  const sent = add(...transfer.legs.map(({ amount }) => amount))
  const withheld = subtract(sent, add(...legs.map(({ amount }) => amount)))
  const amountOf = (...roles: SettlementLeg['role'][]): BaseUnits =>
    add(...legs.filter(({ role }) => roles.includes(role)).map(({ amount }) => amount))
  // The fee that a transfer-fee mint withholds is shown as a leg, so that the legs add up to the amount received.
  const mintFee: SettlementLeg[] =
    withheld > 0n && mint !== null
      ? [{ ...common, role: 'network_fee', destination: mint, feeBps: null, amount: withheld }]
      : []
  return {
    asset: token.ticker,
    decimals: transfer.decimals,
    destinationAmount: amountOf('merchant', 'seller'),
    platformFeeAmount: amountOf('platform'),
    pendingAmount: ZERO,
    signatures: [signature],
    legs: [...legs, ...mintFee],
  }
}

/**
 * Adds the obligation to close the emptied token account; its rent goes to the fee payer. While money is left in the
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
  const rent = obligationOf(facts, { kind: 'rent', asset, decimals, tokenProgram, sourceAccount, round, legs: [] })
  return position.plan(rent)
}

const UNDER_WAY: ReadonlySet<TransferStatus> = new Set(['planned', 'in_progress'])
