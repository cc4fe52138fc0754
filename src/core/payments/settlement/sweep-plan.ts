// Plans what goes to the business: the sweep of the price, its next round, and its rent reserve.

import { SOL } from '#core/chain/types.ts'
import { add, type BaseUnits, smaller, subtractToZero, ZERO } from '#core/money/amounts.ts'
import type { IntentFacts } from '#core/payments/change.ts'
import { newTransfer, nextRound } from '#core/payments/position/new-transfer.ts'
import { hasFailed, isOpen, Position, type PositionTransfer } from '#core/payments/position/position.ts'
import { keptBy, planRentReserve, reserveGoesFirst, sparingRent } from '#core/payments/position/rent-reserve.ts'
import { type DepositShare, oldestPart, totalOf } from '#core/payments/position/shares.ts'
import { returnStateOf } from '#core/payments/returns/return-state.ts'
import { MAX_FAILED_ROUNDS, ROUNDS_TO_EMPTY, waitAfter } from '#core/payments/rounds.ts'
import { receivedFor } from '#core/payments/settlement/figures.ts'
import { planSettlement } from '#core/payments/settlement/settlement-plan.ts'
import {
  isMainSweep,
  isRentReserve,
  type LegRole,
  type NewPaymentTransfer,
  type PaymentTransfer,
} from '#core/payments/transfers.ts'

/** The obstacles that an earlier round of a sweep met on the chain. */
export type Obstacles = {
  /** Cuts that their wallets cannot take. */
  readonly waived?: readonly LegRole[]
  /** Whether dust arrived that the sweep does not take. */
  readonly dust?: boolean
}

/** Moves the payment to `settling`. A deposit that becomes known later is a late payment. */
export const startSettling = (position: Position): Position => position.moveTo('settling')

/** Adds the next round of the sweep of the price. Moves a settling payment to `settle_failed` when no round is possible. */
export function planSweep(position: Position, obstacles: Obstacles = {}): Position {
  const giveUp = (statusReason: string) =>
    position.intent.status === 'settling' ? position.moveTo('settle_failed', { statusReason }) : position
  if (failedSweeps(position).length >= MAX_FAILED_ROUNDS) return giveUp(SETTLED_TOO_OFTEN)
  const payment = availableIn(position).filter(({ deposit }) => deposit.use === 'applied')
  const sweep = sweepOf(position, payment, obstacles)
  return 'refused' in sweep ? giveUp(sweep.refused) : position.plan(sweep)
}

const SETTLED_TOO_OFTEN = 'The transfer to the business failed on chain too often.'

/**
 * Returns how many milliseconds a business waits before it may have a sweep made. Each transaction costs the fee payer its fee,
 * whether it fails or moves a unit of dust, so after the rounds of a settlement each further one doubles the time until the next,
 * up to a day.
 */
export function pauseBeforeSweep({ transfers }: Pick<IntentFacts, 'transfers'>, now: Date): number {
  const sent = transfers.filter((one) => isMainSweep(one) && (hasFailed(one) || one.status === 'done'))
  const more = sent.length - MAX_FAILED_ROUNDS
  if (more <= 0) return 0
  const last = Math.max(...sent.map(({ doneAt }) => doneAt?.getTime() ?? 0))
  return last + waitAfter(more) - now.getTime()
}

const failedSweeps = ({ transfers }: Position): readonly PositionTransfer[] =>
  transfers.filter((one) => isMainSweep(one) && hasFailed(one))

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

/**
 * Returns the transfer to sweep these shares of the selected asset. When too little SOL would stay at the address, or dust has
 * disturbed an earlier round, the sweep of the price leaves the rent minimum, for the rent reserve. Where the amount is too small for
 * that, and when the business asks for the sweep, it takes everything, and returns what it can return with one leg.
 */
export function sweepOf(
  position: Position,
  shares: readonly DepositShare[],
  { waived = [], dust = false }: Obstacles = {},
): NewPaymentTransfer | { readonly refused: string } {
  if (reserveGoesFirst(position)) return { refused: 'The rent reserve goes first.' }
  const sweep = sweepWhole(position, shares, waived)
  const { rentMinimum } = position.context
  if ('refused' in sweep || sweep.asset !== SOL) return sweep
  const kept = keptBy(position.transfers)
  const stays = totalOf(availableIn(position)) - totalOf(sweep.legs) + kept
  const isDisturbed = dust || failedSweeps(position).length >= ROUNDS_TO_EMPTY
  if (stays >= rentMinimum || (stays === 0n && !isDisturbed)) return sweep
  if (position.intent.status === 'settling') {
    const price = sweepWhole(position, oldestPart(unsettledPrice(position), shares), waived)
    const legs = 'refused' in price ? null : sparingRent(price.legs, rentMinimum)
    if (legs !== null) return { ...price, legs }
  }
  const whole = sweepWhole(position, availableIn(position), waived, { takesRest: true })
  return 'refused' in whole ? sweep : whole
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

function sweepWhole(
  position: Position,
  shares: readonly DepositShare[],
  waived: readonly LegRole[],
  { takesRest = false } = {},
): NewPaymentTransfer | { readonly refused: string } {
  const { intent, facts, context, transfers } = position
  const { selection } = intent
  if (selection === null) return { refused: 'Nothing was selected.' }
  // A wallet can make the sweep that pays it fail, so only the first round returns an excess, or one that would take it otherwise.
  const returnsExcess = !transfers.some(isMainSweep) || (takesRest && failedSweeps(position).length === 0)
  const rounds = { waived, due: unsettledPrice(position), returnsExcess, takesRest }
  const plan = planSettlement(intent, facts.payee, shares, context, rounds)
  if ('refused' in plan) return plan
  return newTransfer(facts, {
    kind: 'sweep',
    asset: selection.asset,
    decimals: selection.decimals,
    tokenProgram: context.tokens.get(selection.asset)?.tokenProgram ?? null,
    round: nextRound(transfers, 'sweep'),
    legs: plan.legs,
  })
}

/**
 * Plans the next round of a rent reserve that has just ended, and with it the SOL at the address that is too little to stay and owed
 * to no one. A refund or a person decides about any other money.
 */
export function replaceRentReserve(position: Position, reserve: PaymentTransfer): Position {
  const more = takenAlong(new Position(position.facts, position.context))
  return planRentReserve(position, reserve, add(totalOf(reserve.legs), more))
}

/** Returns the SOL that an open rent reserve can take along. */
export function takenAlong(position: Position): BaseUnits {
  const { transfers, free } = position.of(SOL)
  const more = totalOf(free)
  const isAlone = transfers.every((one) => !isOpen(one) || isRentReserve(one))
  const returnState = returnStateOf(position, SOL)
  const staysForPerson = returnState.is === 'stuck' && returnState.gaveUp && !reserveGoesFirst(position)
  const isNotOwedBack = returnState.is === 'business' || (returnState.is === 'stuck' && !staysForPerson)
  return isAlone && isNotOwedBack && more < position.context.rentMinimum ? more : ZERO
}
