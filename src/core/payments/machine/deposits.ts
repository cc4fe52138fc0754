// How an intent changes when deposits are read from the chain. It is decided from all deposits that are known, never from a
// counter.

import { type Address, type Asset, SOL } from '#core/chain/types.ts'
import { subtract } from '#core/money/amounts.ts'
import { type Decision, type IntentFacts, moved, UNCHANGED } from '#core/payments/change.ts'
import type { DecisionContext } from '#core/payments/decision-context.ts'
import type { ObservedDeposit } from '#core/payments/deposits/inbound.ts'
import { divideArrivals } from '#core/payments/deposits/unaccepted.ts'
import type { Selection } from '#core/payments/intent-values.ts'
import { complete } from '#core/payments/machine/complete.ts'
import { coversPrice, type Deposit, type PaymentIntent } from '#core/payments/payment-intent.ts'
import { depositKey, Position } from '#core/payments/position/position.ts'
import { depositSharesOf, totalOf } from '#core/payments/position/shares.ts'
import { isDust } from '#core/payments/returns/dust.ts'
import { largestRecipient } from '#core/payments/returns/recipients.ts'
import { planSweep, startSettling } from '#core/payments/settlement/sweep-plan.ts'
import { STATUS_POLICY } from '#core/payments/status-policy.ts'
import type { NewLedgerEntry } from '#core/transfers/transfer.ts'

/** Returns the assets that arrivals may select for the buyer, in the order of their arrival. */
export function selectableAssets({ intent }: IntentFacts, arrived: readonly ObservedDeposit[]): readonly Asset[] {
  if (intent.selection !== null || intent.status !== 'pending') return []
  const isPaid = ({ asset, outOfReach, ...deposit }: ObservedDeposit): boolean =>
    outOfReach !== true && intent.acceptedAssets.includes(asset) && !isTooLate(deposit, intent)
  return [...new Set(arrived.filter(isPaid).map(({ asset }) => asset))]
}

/** Deposits that one change takes in. The rest follows in further changes: each is a database transaction, which has a time limit. */
export const MAX_DEPOSITS_PER_CHANGE = 500

/** Returns the arrivals that are not known yet, without tokens that are not allowed. */
export function newDeposits(
  { intent, deposits }: Pick<IntentFacts, 'intent' | 'deposits'>,
  observed: readonly ObservedDeposit[],
  { tokens }: Pick<DecisionContext, 'tokens'>,
): readonly ObservedDeposit[] {
  const known = new Set(deposits.map(depositKey))
  const { taken } = divideArrivals(observed, intent, tokens)
  const fresh = new Map(taken.map((deposit) => [depositKey(deposit), deposit]))
  return [...fresh].flatMap(([key, deposit]) => (known.has(key) ? [] : [deposit]))
}

/**
 * Takes in and books the first `MAX_DEPOSITS_PER_CHANGE` new deposits of final transactions, without tokens that are not
 * allowed, and plans the sweep once the price is covered. `arrivalSelection` is the choice that an early payment makes, at the
 * rate of its arrival: one of `selectableAssets`, or null when none of them can express the price.
 */
export function decideDeposits(
  facts: IntentFacts,
  observed: readonly ObservedDeposit[],
  arrivalSelection: Selection | null,
  context: DecisionContext,
): Decision {
  const fresh = newDeposits(facts, observed, context).slice(0, MAX_DEPOSITS_PER_CHANGE)
  if (fresh.length === 0) return UNCHANGED

  const start = new Position(facts, context)
  const isSelected = arrivalSelection !== null && selectableAssets(facts, fresh).includes(arrivalSelection.asset)
  const position = isSelected ? start.step({ selection: arrivalSelection }, 'intent.token_selected') : start
  const taken = fresh.map(({ outOfReach, ...deposit }): Deposit => {
    const use = outOfReach === true ? 'unaccepted' : useOf(deposit, position.intent)
    return { ...deposit, use, seenAt: context.now, seenVersion: facts.intent.version + 1 }
  })
  const ledger = taken.map((deposit) => entryOf(deposit, facts.intent))
  return moved(complete(recompute(position.with({ deposits: taken, ledger }))))
}

const entryOf = (deposit: Deposit, { id, address }: PaymentIntent): NewLedgerEntry => ({
  network: deposit.network,
  address,
  account: deposit.account,
  asset: deposit.asset,
  delta: deposit.amount,
  signature: deposit.signature,
  slot: deposit.slot,
  kind: 'deposit',
  subjectId: id,
  transferId: null,
})

/**
 * Compares with the chain's clock. Money that is paid after the window must not count at a rate that was locked for the
 * window. docs/contract.md, "Expiry".
 */
const isTooLate = ({ blockTime }: Pick<Deposit, 'blockTime'>, { status, expiresAt }: PaymentIntent): boolean =>
  STATUS_POLICY[status].canExpire && blockTime !== null && blockTime > expiresAt

function useOf(deposit: ObservedDeposit, intent: PaymentIntent): Deposit['use'] {
  const { asset } = deposit
  const isOver = STATUS_POLICY[intent.status].endedUnsettled || isTooLate(deposit, intent)
  if (intent.selection?.asset === asset)
    return STATUS_POLICY[intent.status].awaitsPayment && !isOver ? 'applied' : 'late'
  if (!isOver) return 'wrong_asset'
  const chosen = intent.selection === null && intent.acceptedAssets.includes(asset)
  return chosen || asset === SOL ? 'late' : 'wrong_asset'
}

/** Computes the status and the received amount from all deposits, and plans the sweep of a payment whose price is covered. */
function recompute(position: Position): Position {
  const { intent, deposits, context } = position
  const applied = deposits.filter(({ use }) => use === 'applied')
  const received = totalOf(applied)
  if (intent.status === 'refunding') return position.step({ received, refundSender: refundSenderOf(position) })
  // Without money for the price only the version rises, so that no decision uses older deposits.
  if (!STATUS_POLICY[intent.status].awaitsPayment || intent.selection === null || received === intent.received)
    return position.step({ received })

  const { expected } = intent.selection
  // When the price is paid in full, only the excess would go back.
  const refundSender = largestRecipient(
    depositSharesOf(applied),
    context.custodians,
    received > expected ? subtract(received, expected) : received,
  )
  const patch = { received, refundSender }
  const status = !coversPrice({ ...intent, received }) ? 'underpaid' : received > expected ? 'overpaid' : 'paid'
  if (status === intent.status && position.change.deposits.every((deposit) => isDust(deposit, context)))
    return position.step(patch)
  const updated = position.moveTo(status, patch)
  return status === 'underpaid' ? updated : planSweep(startSettling(updated))
}

/**
 * Returns the wallet to which the largest part of what was paid goes back. Base units of different assets are not compared: the
 * deposits of the selected asset decide, or those of the asset of the oldest.
 */
function refundSenderOf({ deposits, intent, context }: Position): Address | null {
  const paid = deposits.filter(({ use }) => use === 'applied' || use === 'late')
  const selected = intent.selection?.asset
  const asset = paid.some((deposit) => deposit.asset === selected) ? selected : paid[0]?.asset
  return largestRecipient(depositSharesOf(paid.filter((deposit) => deposit.asset === asset)), context.custodians)
}
