// Plans what goes to the business: the sweep of the price, its next round, and its rent reserve.

import { type Address, SOL } from '#core/chain/types.ts'
import { type BaseUnits, smaller, subtractToZero, ZERO } from '#core/money/amounts.ts'
import type { IntentFacts } from '#core/payments/change.ts'
import { nextRound, obligationOf } from '#core/payments/position/obligation.ts'
import { hasFailed, type Position, type Reservation } from '#core/payments/position/position.ts'
import { reserveOf, splitRentReserve, TRIES_TO_EMPTY } from '#core/payments/position/rent-reserve.ts'
import { type DepositShare, totalOf } from '#core/payments/position/shares.ts'
import { recipientsOf, withdrawnForWallets } from '#core/payments/returns/withdrawn-rounds.ts'
import { isOpenRentReserve, receivedFor } from '#core/payments/settlement/figures.ts'
import { planSettlement, type Receiver } from '#core/payments/settlement/settlement-plan.ts'
import { isMainSweep, isRentReserve, type NewPaymentTransfer, type PaymentTransfer } from '#core/payments/transfers.ts'

/** The most rounds of a settlement whose transactions failed on chain. */
export const MAX_SETTLE_ROUNDS = 5

/** After so many rounds that failed on chain, a sweep returns an excess to no wallet. Dust has ended its effect before. */
const ROUNDS_WITH_REFUNDS = MAX_SETTLE_ROUNDS - 1

/** After so many rounds that were withdrawn for wallets, a sweep returns an excess to no wallet that was not in the last round. */
const ROUNDS_WITH_NEW_RECIPIENTS = 4

/** The obstacles that an earlier round of a sweep met on the chain. */
export type Obstacles = {
  /** Legs that their wallets cannot take. */
  readonly waived?: readonly Receiver[]
  /** Whether dust arrived that the sweep does not take. The rent minimum then stays at the address. */
  readonly dust?: boolean
}

/** Moves the payment to `settling`. A deposit that becomes known later is a late payment. */
export const startSettling = (position: Position): Position => position.moveTo('settling')

/** Adds the next round of the sweep of the price. Moves a settling payment to `settle_failed` when no round is possible. */
export function planSweep(position: Position, obstacles: Obstacles = {}): Position {
  const giveUp = (statusReason: string) =>
    position.intent.status === 'settling' ? position.moveTo('settle_failed', { statusReason }) : position
  if (failedSweeps(position).length >= MAX_SETTLE_ROUNDS) return giveUp(SETTLED_TOO_OFTEN)
  const payment = availableIn(position).filter(({ deposit }) => deposit.use === 'applied')
  const sweeps = sweepsOf(position, payment, obstacles)
  return 'refused' in sweeps ? giveUp(sweeps.refused) : position.plan(...sweeps)
}

const SETTLED_TOO_OFTEN = 'The transfer to the business failed on chain too often.'

const FIRST_PAUSE_MS = 60_000
const LONGEST_PAUSE_MS = 24 * 60 * 60_000

/**
 * Returns how many milliseconds a business waits before it may have a sweep made. Each transaction costs the fee payer its fee,
 * whether it fails or moves a unit of dust, so after the rounds of a settlement each further one doubles the time until the next,
 * up to a day.
 */
export function pauseBeforeSweep({ transfers }: Pick<IntentFacts, 'transfers'>, now: Date): number {
  const sent = transfers.filter((one) => one.kind === 'sweep' && timesSent(one) > 0)
  const more = sent.reduce((sum, one) => sum + timesSent(one), 0) - MAX_SETTLE_ROUNDS
  if (more <= 0) return 0
  const last = Math.max(...sent.map(({ doneAt }) => doneAt?.getTime() ?? 0))
  return last + Math.min(FIRST_PAUSE_MS * 2 ** (more - 1), LONGEST_PAUSE_MS) - now.getTime()
}

/** A sweep is sent once, and planned again with a new round. Only a rent reserve that is held is sent again as it is. */
function timesSent(one: PaymentTransfer): number {
  if (isRentReserve(one)) return one.status === 'held' ? one.attemptCount : Number(hasFailed(one))
  return Number(hasFailed(one) || one.status === 'done')
}

const failedSweeps = ({ transfers }: Position): readonly Reservation[] =>
  transfers.filter((one) => one.kind === 'sweep' && hasFailed(one))

/** Returns the shares of the selected asset that no transfer reserves. */
function availableIn(position: Position): readonly DepositShare[] {
  const asset = position.intent.selection?.asset
  return asset === undefined ? [] : position.of(asset).free
}

/**
 * Returns the shares that a sweep may take. While the payment settles, those are of the money for the price only: late money
 * goes back after it, and would go back twice if the sweep returned as much to the same wallet.
 */
export const sharesToSweep = (position: Position): readonly DepositShare[] =>
  availableIn(position).filter(({ deposit }) => position.intent.status !== 'settling' || deposit.use === 'applied')

/** Returns the obligation to sweep these shares of the selected asset, and a rent reserve when dust makes it necessary. */
export function sweepsOf(
  position: Position,
  shares: readonly DepositShare[],
  { waived = [], dust = false }: Obstacles = {},
): readonly NewPaymentTransfer[] | { readonly refused: string } {
  const sweep = sweepOf(position, shares, waived)
  if ('refused' in sweep) return sweep
  if (position.transfers.some(isOpenRentReserve)) return [sweep]
  const failures = failedSweeps(position).length
  if (!dust && failures < TRIES_TO_EMPTY && !leavesDust(sweep, position)) return [sweep]
  const split = splitRentReserve(sweep, position.context.rentMinimum, position.facts)
  if (split !== null) return split
  // The amount is too small for a rent reserve: the sweep takes the dust too.
  const whole = sweepOf(position, availableIn(position), waived)
  return 'refused' in whole ? [sweep] : [whole]
}

/** Returns whether the sweep would leave less SOL at the address than the rent minimum, and more than nothing. */
function leavesDust({ asset, legs }: NewPaymentTransfer, position: Position): boolean {
  if (asset !== SOL) return false
  const left = totalOf(availableIn(position)) - totalOf(legs)
  return left > 0n && left < position.context.rentMinimum
}

/** Returns what other sweeps of the payment reserve, or have moved, for the business and as fees. */
const reservedForPrice = ({ transfers }: Position): BaseUnits =>
  totalOf(
    transfers
      .filter(({ kind, status }) => kind === 'sweep' && status !== 'failed')
      .flatMap(({ legs }) => legs.filter(({ role }) => role !== 'refund')),
  )

/** Returns the part of the price that was received, and that no sweep reserves or has moved. */
export function unsettledPrice(position: Position): BaseUnits {
  const price = smaller(receivedFor(position), position.intent.selection?.expected ?? ZERO)
  return subtractToZero(price, reservedForPrice(position))
}

/**
 * Returns the wallets to which the next round of a sweep may return an excess; null while it may be any. Each of them can make a
 * transaction fail by what it does between the check and the landing, so the last round goes without them. After some rounds that
 * were withdrawn for wallets only those of the last round remain: otherwise the business would wait for a round for each few
 * wallets that pay too much and cannot take it back. The excess of the others goes back in a refund after the sweep.
 */
function knownRecipients(position: Position): ReadonlySet<Address> | null {
  if (failedSweeps(position).length >= ROUNDS_WITH_REFUNDS) return new Set()
  const deposits = position.deposits.filter(({ asset }) => asset === position.intent.selection?.asset)
  const sweeps = position.transfers.filter(isMainSweep)
  if (withdrawnForWallets(sweeps, deposits, position.context).size < ROUNDS_WITH_NEW_RECIPIENTS) return null
  const last = sweeps.find(({ round }) => sweeps.every((other) => other.round <= round))
  return last === undefined ? null : recipientsOf(last)
}

function sweepOf(
  position: Position,
  shares: readonly DepositShare[],
  waived: readonly Receiver[],
): NewPaymentTransfer | { readonly refused: string } {
  const { intent, facts, context, transfers } = position
  const { selection } = intent
  if (selection === null) return { refused: 'Nothing was selected.' }
  const reserved = reservedForPrice(position)
  const earlier = { waived, reserved, rentReserve: reserveOf(transfers), recipients: knownRecipients(position) }
  const plan = planSettlement(intent, facts.payee, shares, context.terms, context, earlier)
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
