// How an intent changes when deposits are read from the chain. It is decided from all deposits that are known, never from a
// counter.

import type { Asset } from '#core/chain/types.ts'
import { SOL } from '#core/chain/types.ts'
import { type BaseUnits, subtract } from '#core/money/amounts.ts'
import { divideArrivals } from '#core/payments/deposits/unaccepted.ts'
import {
  type Decision,
  type IntentChange,
  type IntentFacts,
  moved,
  moveTo,
  startChange,
  step,
  UNCHANGED,
} from '#core/payments/machine/change.ts'
import type { DecisionContext } from '#core/payments/machine/decision-context.ts'
import { depositKey, depositsAfter } from '#core/payments/machine/reservations.ts'
import { planSweep, startSettling } from '#core/payments/machine/sweep-plan.ts'
import type { Selection } from '#core/payments/parts.ts'
import type { Deposit, IntentStatus, PaymentIntent } from '#core/payments/payment-intent.ts'
import { depositSharesOf, largestRecipient, totalOf } from '#core/payments/returns/deposit-shares.ts'
import { isDust } from '#core/payments/returns/dust.ts'
import { excessToHold } from '#core/payments/returns/return-state.ts'
import { goesBack, refundSenderOf } from '#core/payments/returns/returnable.ts'
import { withReturns } from '#core/payments/returns/returns.ts'
import { STATUS_POLICY } from '#core/payments/status-policy.ts'

/**
 * A deposit as it was read from the chain, before its use is decided. It is out of reach when it is in another
 * token account than the associated one, from which only a release moves it.
 */
export type ObservedDeposit = Omit<Deposit, 'use' | 'state' | 'seenAt' | 'seenVersion' | 'finalVersion'> & {
  readonly outOfReach?: boolean
}

/** Returns the assets that arrivals may select for the buyer, in the order of their arrival. */
export function selectableAssets({ intent }: IntentFacts, arrived: readonly ObservedDeposit[]): readonly Asset[] {
  if (intent.selection !== null || intent.status !== 'pending') return []
  const isPaid = ({ asset, outOfReach, ...deposit }: ObservedDeposit): boolean =>
    outOfReach !== true && intent.acceptedAssets.includes(asset) && !isTooLate(deposit, intent)
  return [...new Set(arrived.filter(isPaid).map(({ asset }) => asset))]
}

/**
 * Deposits that one change takes in, or books. The rest follows in further changes: each is a database transaction, which
 * has a time limit.
 */
export const MAX_DEPOSITS_PER_CHANGE = 500

/** Returns the arrivals that are not known yet, without tokens that are not allowed. */
export function newDeposits(
  { intent, deposits }: Pick<IntentFacts, 'intent' | 'deposits'>,
  observed: readonly ObservedDeposit[],
  { tokens }: Pick<DecisionContext, 'tokens'>,
): readonly ObservedDeposit[] {
  const known = new Set(deposits.filter(({ state }) => state !== 'dropped').map(depositKey))
  const { taken } = divideArrivals(observed, intent, tokens)
  const fresh = new Map(taken.map((deposit) => [depositKey(deposit), deposit]))
  return [...fresh].flatMap(([key, deposit]) => (known.has(key) ? [] : [deposit]))
}

/**
 * Adds the first `MAX_DEPOSITS_PER_CHANGE` new deposits that were read from the chain, without tokens that are not allowed.
 * `arrivalSelection` is the choice that an early payment makes, at the rate of its arrival: one of `selectableAssets`, or
 * null when none of them can express the price.
 */
export function decideDeposits(
  facts: IntentFacts,
  observed: readonly ObservedDeposit[],
  arrivalSelection: Selection | null,
  context: DecisionContext,
): Decision {
  const fresh = newDeposits(facts, observed, context).slice(0, MAX_DEPOSITS_PER_CHANGE)
  if (fresh.length === 0) return UNCHANGED

  let change = startChange(facts.intent)
  if (arrivalSelection !== null && selectableAssets(facts, fresh).includes(arrivalSelection.asset)) {
    change = step(change, { selection: arrivalSelection }, context.now, 'intent.token_selected')
  }
  const after = change.after
  const taken = fresh.map(({ outOfReach, ...deposit }): Deposit => {
    const use = outOfReach === true ? 'unaccepted' : useOf(deposit, after)
    const seen = { seenAt: context.now, seenVersion: facts.intent.version + 1, finalVersion: null }
    return { ...deposit, state: 'confirmed', use, ...seen }
  })
  return moved(recompute({ ...change, deposits: taken }, facts, context))
}

/**
 * Decides about deposits whose transactions are now final, or that a fork dropped: they are booked, and settled once they cover
 * the price. Books the first `MAX_DEPOSITS_PER_CHANGE`.
 */
export function decideFinality(
  facts: IntentFacts,
  settled: readonly { deposit: Deposit; state: 'final' | 'dropped' }[],
  context: DecisionContext,
): Decision {
  const open = new Map(
    facts.deposits.filter(({ state }) => state === 'confirmed').map((deposit) => [depositKey(deposit), deposit]),
  )
  // The facts have its present use; the copy in the verdict can be older.
  const deposits = settled
    .flatMap(({ deposit, state }): Deposit[] => {
      const known = open.get(depositKey(deposit))
      if (known === undefined) return []
      const finalVersion = state === 'final' ? facts.intent.version + 1 : null
      return [{ ...deposit, use: known.use, state, finalVersion }]
    })
    .slice(0, MAX_DEPOSITS_PER_CHANGE)
  if (deposits.length === 0) return UNCHANGED
  const change: IntentChange = {
    ...startChange(facts.intent),
    deposits,
    ledger: deposits
      .filter(({ state }) => state === 'final')
      .map((deposit) => ({
        network: deposit.network,
        address: facts.intent.address,
        account: deposit.account,
        asset: deposit.asset,
        delta: deposit.amount,
        signature: deposit.signature,
        slot: deposit.slot,
        kind: 'deposit',
        subjectId: facts.intent.id,
        transferId: null,
      })),
  }
  return moved(recompute(change, facts, context))
}

/** Plans the sweep of a paid intent whose final deposits cover the price, when a crash left it between two steps. */
export function decideSettlement(facts: IntentFacts, context: DecisionContext): Decision {
  const settled = settleIfCovered(startChange(facts.intent), facts, context)
  const change = withReturns(settled, facts, context)
  return change.after === facts.intent ? UNCHANGED : moved(change)
}

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

const appliedOf = (deposits: readonly Deposit[]): readonly Deposit[] =>
  deposits.filter(({ use, state }) => use === 'applied' && state !== 'dropped')

/** Computes the status and the received amount from all deposits. */
function recompute(change: IntentChange, facts: IntentFacts, context: DecisionContext): IntentChange {
  return withReturns(recomputeStatus(change, facts, context), facts, context)
}

function recomputeStatus(change: IntentChange, facts: IntentFacts, context: DecisionContext): IntentChange {
  const intent = change.after
  const deposits = depositsAfter(change, facts)
  const applied = appliedOf(deposits)
  const received = totalOf(applied)
  const selected = intent.selection?.asset
  if (intent.status === 'refunding') {
    // A fork can still drop the money that is to go back.
    const back = deposits.filter(({ use }) => use === 'applied' || use === 'late')
    return step(
      change,
      { received, refundSender: refundSenderOf(back, selected, context.custodians) },
      context.now,
      null,
    )
  }
  const reopening = reopeningOf(change, context)
  if (reopening.length > 0)
    return moveTo(
      change,
      'refunding',
      { refundSender: refundSenderOf(reopening, selected, context.custodians) },
      context.now,
    )
  if (!STATUS_POLICY[intent.status].awaitsPayment || intent.selection === null)
    return step(change, { received }, context.now, null)

  const { expected } = intent.selection
  const status = statusFor(received, expected)
  if (status === intent.status && received === intent.received) {
    return settleIfCovered(withoutStatus(change, context.now), facts, context)
  }
  // When the price is paid in full, only the excess would go back.
  const refundSender = largestRecipient(
    depositSharesOf(applied),
    context.custodians,
    received > expected ? subtract(received, expected) : received,
  )
  const statusReason = excessToHold(applied, intent.selection, context)
  const updated =
    status === 'pending'
      ? step(change, { status, received, refundSender: null, statusReason: null }, context.now, null)
      : status === intent.status && change.deposits.every((deposit) => isDust(deposit, context))
        ? step(change, { received, refundSender, statusReason }, context.now, null)
        : moveTo(change, status, { received, refundSender, statusReason }, context.now)
  return settleIfCovered(updated, facts, context)
}

/**
 * Returns the late payments that go back from an intent that ended without a sweep: its status shows the refund. Money that
 * does not go back is held, and leaves the status as it is.
 */
const reopeningOf = ({ after, deposits }: IntentChange, context: DecisionContext): readonly Deposit[] =>
  after.status === 'cancelled' || after.status === 'refunded'
    ? deposits.filter(
        (deposit) => deposit.use === 'late' && deposit.state === 'confirmed' && goesBack(deposit, context),
      )
    : []

/** Raises the version when deposits changed and the intent did not, so that no decision uses older deposits. */
const withoutStatus = (change: IntentChange, now: Date): IntentChange => step(change, {}, now, null)

function statusFor(received: BaseUnits, expected: BaseUnits): IntentStatus {
  if (received === 0n) return 'pending'
  if (received < expected) return 'underpaid'
  return received === expected ? 'paid' : 'overpaid'
}

/** Settles a paid intent as soon as its final deposits cover the price. */
function settleIfCovered(change: IntentChange, facts: IntentFacts, context: DecisionContext): IntentChange {
  const { status, selection } = change.after
  if ((status !== 'paid' && status !== 'overpaid') || selection === null) return change
  const final = appliedOf(depositsAfter(change, facts)).filter(({ state }) => state === 'final')
  if (totalOf(final) < selection.expected) return change
  return planSweep(startSettling(change, facts, context), facts, context)
}
