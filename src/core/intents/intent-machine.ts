// What an intent does next, decided from everything that is known of it and never from a counter.
import type { Address, Asset } from '#core/chain/types.ts'
import { SOL } from '#core/chain/types.ts'
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
} from '#core/intents/change.ts'
import {
  APART,
  claimsAfter,
  depositKey,
  depositsAfter,
  hasFailed,
  isOpen,
  paymentAssets,
  unclaimedApart,
  unclaimedOf,
} from '#core/intents/claims.ts'
import type { Deposit, IntentStatus, PaymentIntent, Selection } from '#core/intents/intent.ts'
import { withReturns } from '#core/intents/returns.ts'
import { planSettlement } from '#core/intents/settlement-plan.ts'
import { allocateRefund, coversLegs, sharesOf } from '#core/intents/shares.ts'
import type { Surroundings } from '#core/intents/surroundings.ts'
import { add, type BaseUnits } from '#core/money/amounts.ts'
import type { NewTransfer, Transfer } from '#core/transfers/transfer.ts'

/** Said of an intent whose window ended unpaid, so that a late selection is told "expired" and not "cancelled". */
export const WINDOW_ENDED = 'The checkout window ended before a payment arrived.'

/** How often a settlement is planned anew after its transaction failed on chain. */
export const MAX_SETTLE_ROUNDS = 5

const AWAITING: ReadonlySet<IntentStatus> = new Set(['pending', 'underpaid', 'paid', 'overpaid'])

export const isExpired = (intent: Pick<PaymentIntent, 'expiresAt'>, now: Date): boolean => now >= intent.expiresAt

// ── the buyer ────────────────────────────────────────────────────────────────────────────────────────────────────

/** Whether the buyer can still be quoted. Spec: GET /intents/quote. */
export function judgeQuote(intent: PaymentIntent, now: Date): 'not_quotable' | null {
  return intent.status === 'pending' && !isExpired(intent, now) ? null : 'not_quotable'
}

/** Whether the buyer can still choose, before a price is asked for. Spec: POST /intents/select-token. */
export function judgeSelection(
  intent: PaymentIntent,
  asset: Asset,
  now: Date,
): 'asset_not_accepted' | 'intent_expired' | 'selection_frozen' | null {
  if (intent.status === 'cancelled' && intent.statusReason === WINDOW_ENDED) return 'intent_expired'
  if (intent.status !== 'pending') return 'selection_frozen'
  if (isExpired(intent, now)) return 'intent_expired'
  return intent.acceptedAssets.includes(asset) ? null : 'asset_not_accepted'
}

/** Locks the buyer's choice at the rate just asked for; repeatable while nothing has arrived. */
export function decideSelection(facts: IntentFacts, selection: Selection, now: Date): Decision {
  const { intent } = facts
  const refusal = judgeSelection(intent, selection.asset, now)
  if (refusal !== null) return refused(refusal)
  // A wrong asset does not freeze the choice, unless it is the one now chosen: mixed with what is paid next, it could
  // neither count nor be told apart from it when the address is swept.
  const there = facts.deposits.filter(({ state }) => state !== 'dropped')
  if (there.some(({ use, asset }) => use === 'applied' || asset === selection.asset)) return refused('selection_frozen')
  return moved(step(startChange(intent), { selection }, now, 'intent.token_selected'))
}

/**
 * The window is over, and the chain, read to a block past it, shows nothing that is not known: cancelled, or what came
 * of it goes back. CONTRACT: expiry.
 */
export function decideExpiry(facts: IntentFacts, readTo: Date, around: Surroundings): Decision {
  const { intent } = facts
  if (readTo <= intent.expiresAt) return UNCHANGED
  if (intent.status === 'pending') {
    return moved(
      withReturns(moveTo(startChange(intent), 'cancelled', { statusReason: WINDOW_ENDED }, around.now), facts, around),
    )
  }
  return intent.status === 'underpaid' ? giveBack(facts, around) : UNCHANGED
}

/** Cancels before payment, for the business or the buyer. Spec: POST /cancel, POST /intents/cancel. */
export function decideCancel(facts: IntentFacts, around: Surroundings): Decision {
  const { intent } = facts
  switch (intent.status) {
    case 'pending':
      return moved(withReturns(moveTo(startChange(intent), 'cancelled', {}, around.now), facts, around))
    case 'underpaid':
      return giveBack(facts, around)
    case 'cancelled':
    case 'refunding':
    case 'refunded':
      return UNCHANGED
    case 'paid':
    case 'overpaid':
    case 'settling':
    case 'swept':
    case 'settle_failed':
    case 'refund_failed':
      return refused('payment_already_received')
  }
}

const giveBack = (facts: IntentFacts, around: Surroundings): Decision =>
  moved(withReturns(moveTo(startChange(facts.intent), 'refunding', {}, around.now), facts, around))

// ── the chain ────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * A deposit as it was read from the chain, before it is decided what becomes of it. Out of reach is what lies in an
 * account that transfers do not draw from.
 */
export type ObservedDeposit = Omit<Deposit, 'use' | 'state' | 'seenAt'> & { readonly outOfReach?: boolean }

/** An asset in which a payment may choose for the buyer, were it to arrive now. */
export function needsRateFor(facts: IntentFacts, observed: readonly ObservedDeposit[]): Asset | null {
  if (facts.intent.selection !== null || facts.intent.status !== 'pending') return null
  const accepted = facts.intent.acceptedAssets
  return observed.find(({ asset, outOfReach }) => outOfReach !== true && accepted.includes(asset))?.asset ?? null
}

/**
 * Takes in deposits that were read from the chain. `arrivalSelection` is the choice that an early payment makes, at
 * the rate of its arrival; it is needed when `needsRateFor` names an asset.
 */
export function decideDeposits(
  facts: IntentFacts,
  observed: readonly ObservedDeposit[],
  arrivalSelection: Selection | null,
  around: Surroundings,
): Decision {
  const known = new Set(facts.deposits.filter(({ state }) => state !== 'dropped').map(depositKey))
  const fresh = observed.filter((deposit) => !known.has(depositKey(deposit)))
  if (fresh.length === 0) return UNCHANGED

  let change = startChange(facts.intent)
  if (arrivalSelection !== null && needsRateFor(facts, fresh) === arrivalSelection.asset) {
    change = step(change, { selection: arrivalSelection }, around.now, 'intent.token_selected')
  }
  const after = change.after
  const taken = fresh.map(
    ({ outOfReach, ...deposit }): Deposit => ({
      ...deposit,
      state: 'confirmed',
      use: outOfReach === true ? 'held' : useOf(deposit, after, around),
      seenAt: around.now,
    }),
  )
  return moved(recompute({ ...change, deposits: taken }, facts, around))
}

/** Deposits whose transactions are now final, or that a fork dropped: booked, and settled when none is outstanding. */
export function decideFinality(
  facts: IntentFacts,
  settled: readonly { deposit: Deposit; state: 'final' | 'dropped' }[],
  around: Surroundings,
): Decision {
  const open = new Map(
    facts.deposits.filter(({ state }) => state === 'confirmed').map((deposit) => [depositKey(deposit), deposit]),
  )
  // What became of it in the meantime stands here; the verdict's own copy may be older.
  const deposits = settled.flatMap(({ deposit, state }): Deposit[] => {
    const known = open.get(depositKey(deposit))
    return known === undefined ? [] : [{ ...deposit, use: known.use, state }]
  })
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
        intentId: facts.intent.id,
        transferId: null,
      })),
  }
  return moved(recompute(change, facts, around))
}

/** Plans the sweep of a paid intent whose deposits are all final; for one that was left between two steps. */
export function decideSettlement(facts: IntentFacts, around: Surroundings): Decision {
  const settled = settleIfFinal(startChange(facts.intent), facts.deposits, facts, around)
  const change = withReturns(settled, facts, around)
  return change.after === facts.intent ? UNCHANGED : moved(change)
}

/** Statuses of an intent that has ended without a sweep: whatever it accepts, and SOL, is a late payment then. */
const ENDED: ReadonlySet<IntentStatus> = new Set(['cancelled', 'refunding', 'refunded', 'refund_failed'])

function useOf(deposit: ObservedDeposit, intent: PaymentIntent, around: Surroundings): Deposit['use'] {
  const { asset } = deposit
  const allowed = intent.acceptedAssets.includes(asset) || around.tokens.get(asset)?.enabled === true
  if (!allowed && asset !== SOL) return 'held'
  if (intent.selection?.asset === asset) return AWAITING.has(intent.status) ? 'applied' : 'late'
  if (!ENDED.has(intent.status)) return 'wrong_asset'
  const chosen = intent.selection === null && intent.acceptedAssets.includes(asset)
  return chosen || asset === SOL ? 'late' : 'wrong_asset'
}

const appliedOf = (deposits: readonly Deposit[]): readonly Deposit[] =>
  deposits.filter(({ use, state }) => use === 'applied' && state !== 'dropped')

/** Status and amount received, anew from all deposits. */
function recompute(change: IntentChange, facts: IntentFacts, around: Surroundings): IntentChange {
  return withReturns(recomputeStatus(change, facts, around), facts, around)
}

function recomputeStatus(change: IntentChange, facts: IntentFacts, around: Surroundings): IntentChange {
  const intent = change.after
  const deposits = depositsAfter(change, facts)
  if (isReopened(change)) return moveTo(change, 'refunding', {}, around.now)
  const applied = appliedOf(deposits)
  const received = add(...applied.map(({ amount }) => amount))
  const refundSender = largestSender(received, applied)
  // What is to go back may still be taken away by a fork.
  if (intent.status === 'refunding') return step(change, { received, refundSender }, around.now, null)
  if (!AWAITING.has(intent.status) || intent.selection === null) return withoutStatus(change, around.now)

  const status = statusFor(received, intent.selection.expected)
  if (status === intent.status && received === intent.received) {
    return settleIfFinal(withoutStatus(change, around.now), deposits, facts, around)
  }
  const told =
    status === 'pending'
      ? step(change, { status, received, refundSender: null, statusReason: null }, around.now, null)
      : moveTo(change, status, { received, refundSender }, around.now)
  return settleIfFinal(told, deposits, facts, around)
}

/** A late payment to an intent that is over without a sweep: it goes back, and the status says so. */
const isReopened = ({ after, deposits }: IntentChange): boolean =>
  (after.status === 'cancelled' || after.status === 'refunded') &&
  deposits.some(({ use, state }) => use === 'late' && state === 'confirmed')

/** Deposits changed but the intent's own state did not: the version still grows, so that nobody decides from less. */
const withoutStatus = (change: IntentChange, now: Date): IntentChange => step(change, {}, now, null)

function statusFor(received: BaseUnits, expected: BaseUnits): IntentStatus {
  if (received === 0n) return 'pending'
  if (received < expected) return 'underpaid'
  return received === expected ? 'paid' : 'overpaid'
}

/** Who sent most of what is applied, told anew each time: a deposit that a fork dropped takes its sender with it. */
function largestSender(received: BaseUnits, applied: readonly Deposit[]): Address | null {
  const [first, ...others] = allocateRefund(received, sharesOf(applied))
  if (first === undefined) return null
  return others.reduce((largest, sender) => (sender.amount > largest.amount ? sender : largest), first).address
}

function settleIfFinal(
  change: IntentChange,
  deposits: readonly Deposit[],
  facts: IntentFacts,
  around: Surroundings,
): IntentChange {
  const { status } = change.after
  if (status !== 'paid' && status !== 'overpaid') return change
  if (appliedOf(deposits).some(({ state }) => state !== 'final')) return change
  const settling = moveTo(change, 'settling', {}, around.now)
  return planSweep(settling, deposits, facts, around)
}

/** Adds the next round's sweep, or has a settling intent give up with the reason. */
export function planSweep(
  change: IntentChange,
  deposits: readonly Deposit[],
  facts: IntentFacts,
  around: Surroundings,
): IntentChange {
  const giveUp = (statusReason: string) =>
    change.after.status === 'settling' ? moveTo(change, 'settle_failed', { statusReason }, around.now) : change
  const failures = claimsAfter(change, facts).filter((claim) => claim.kind === 'sweep' && hasFailed(claim))
  if (failures.length >= MAX_SETTLE_ROUNDS) return giveUp(SETTLED_TOO_OFTEN)
  const sweep = sweepOf(change, deposits, facts, around)
  return 'refused' in sweep ? giveUp(sweep.refused) : { ...change, transfers: [...change.transfers, sweep] }
}

const SETTLED_TOO_OFTEN = 'The transfer to the business failed on chain too often.'

/** The obligation to sweep everything that nothing has claimed yet. */
function sweepOf(
  change: IntentChange,
  deposits: readonly Deposit[],
  facts: IntentFacts,
  around: Surroundings,
): NewTransfer | { readonly refused: string } {
  const intent = change.after
  const { selection } = intent
  if (selection === null) return { refused: 'Nothing was selected.' }
  const available = unclaimedOf(selection.asset, deposits, claimsAfter(change, facts))
  const plan = planSettlement(intent, facts.payee, available, around.terms, around.rentMinimum)
  if ('refused' in plan) return plan
  const round = nextRound(facts, 'sweep')
  return {
    key: `sweep:intent:${intent.derivationIndex}:${round}`,
    kind: 'sweep',
    network: intent.network,
    accountId: intent.accountId,
    intentId: intent.id,
    source: intent.address,
    sourceAccountIndex: facts.payee.accountIndex,
    sourceIntentIndex: intent.derivationIndex,
    asset: selection.asset,
    decimals: selection.decimals,
    tokenProgram: around.tokens.get(selection.asset)?.tokenProgram ?? null,
    round,
    legs: plan.legs,
  }
}

/** The round that a new obligation of this kind has: one more than the last. */
export const nextRound = (facts: IntentFacts, kind: NewTransfer['kind']): number =>
  1 + Math.max(0, ...facts.transfers.filter((transfer) => transfer.kind === kind).map(({ round }) => round))

/** For quoting: whether the amount could be paid to a fresh deposit address at all. */
export const isPayable = (asset: Asset, amount: BaseUnits, rentMinimum: bigint): boolean =>
  asset !== SOL || amount >= rentMinimum

/**
 * A person re-arms a failed or held transfer, and the intent that had given up over it is under way again. Refused when
 * what it was to move is not there any more, or is promised to another: a round of it that came later, a sweep on demand.
 */
export function decideRearmed(facts: IntentFacts, transferId: string, around: Surroundings): Decision {
  const transfer = facts.transfers.find(({ id }) => id === transferId)
  if (transfer === undefined || !isRearmable(transfer, facts)) return refused('transfer_not_retryable')
  const restated = { transferId, status: 'planned', reason: null, fence: null } as const
  const change = { ...startChange(facts.intent), restated }
  return moved(withReturns(reopen(change, transfer, facts, around.now), facts, around))
}

function isRearmable({ key, kind, asset, round, status, legs }: Transfer, facts: IntentFacts): boolean {
  // A held one still has its claim.
  if (status !== 'failed') return status === 'held'
  const others = facts.transfers.filter((other) => other.asset === asset)
  if (others.some((other) => other.kind === kind && other.round > round)) return false
  if (kind === 'rent') return true
  const unclaimed = key.startsWith(APART) ? unclaimedApart : unclaimedOf
  const left = unclaimed(asset, depositsAfter(startChange(facts.intent), facts), others)
  return !others.some(isOpen) && coversLegs(left, legs)
}

function reopen(change: IntentChange, { kind, asset }: Transfer, { deposits }: IntentFacts, now: Date): IntentChange {
  const { status } = change.after
  if (status === 'settle_failed' && kind === 'sweep') return moveTo(change, 'settling', {}, now)
  const isOfPayment = paymentAssets(deposits.filter(({ state }) => state !== 'dropped')).has(asset)
  if (status === 'refund_failed' && (kind === 'refund' || kind === 'release') && isOfPayment)
    return moveTo(change, 'refunding', {}, now)
  return withoutStatus(change, now)
}

/**
 * The business wants its money now. Spec: POST /sweep. `unchanged` means that a sweep is under way, or soon can be, or
 * was all there is.
 */
export function decideSweep(facts: IntentFacts, around: Surroundings): Decision {
  const { intent, payee } = facts
  if (payee.sweepDestination === null) return refused('sweep_destination_missing')
  const asset = intent.selection?.asset
  if (asset === undefined) return refused('nothing_to_sweep')
  const change = startChange(intent)
  const claims = claimsAfter(change, facts).filter((claim) => claim.asset === asset)
  const open = claims.find(isOpen)
  if (open?.kind === 'refund' || open?.kind === 'release' || intent.status === 'refunding')
    return refused('refund_in_progress')
  if (open !== undefined) return UNCHANGED
  // Paid, and about to be swept by itself as soon as it is final.
  if (intent.status === 'paid' || intent.status === 'overpaid') return UNCHANGED
  if (isSettlingSoon(asset, facts)) return UNCHANGED
  if (unclaimedOf(asset, facts.deposits, claims).length === 0) {
    return claims.some(({ kind, status }) => kind === 'sweep' && status === 'done')
      ? UNCHANGED
      : refused('nothing_to_sweep')
  }
  const sweep = sweepOf(change, facts.deposits, facts, around)
  if ('refused' in sweep) return refused('nothing_to_sweep')
  const told = SWEEPS_INTO_SETTLING.has(intent.status)
    ? moveTo(change, 'settling', {}, around.now)
    : withoutStatus(change, around.now)
  return moved(withReturns({ ...told, transfers: [sweep] }, facts, around))
}

/**
 * Whether some of it is not final yet and has to be: of the payment, because what is left behind would go back to the
 * buyer; of SOL, because what is left behind makes the transaction fail.
 */
const isSettlingSoon = (asset: Asset, { deposits }: IntentFacts): boolean =>
  deposits.some((one) => one.asset === asset && one.state === 'confirmed' && (one.use === 'applied' || asset === SOL))

/** From the other statuses a sweep takes what no refund has claimed, and leaves the status as it is. */
const SWEEPS_INTO_SETTLING: ReadonlySet<IntentStatus> = new Set(['underpaid', 'paid', 'overpaid', 'settle_failed'])
