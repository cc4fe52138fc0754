// What goes to the business: planned when a payment is final, again when it failed, or because somebody asks for it.
import { type Address, type Asset, SOL } from '#core/chain/types.ts'
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
  type Claim,
  claimsAfter,
  depositsAfter,
  hasFailed,
  isOpen,
  paymentAssets,
  takesApart,
  unclaimedApart,
  unclaimedOf,
} from '#core/intents/claims.ts'
import type { Deposit, IntentStatus } from '#core/intents/intent.ts'
import { isLeftBehind, leaveBehind, TRIES_TO_EMPTY } from '#core/intents/left-behind.ts'
import { withReturns } from '#core/intents/returns.ts'
import { planSettlement } from '#core/intents/settlement-plan.ts'
import { coversLegs } from '#core/intents/shares.ts'
import type { Surroundings } from '#core/intents/surroundings.ts'
import type { NewTransfer, Transfer } from '#core/transfers/transfer.ts'

/** How often a settlement is planned anew after its transaction failed on chain. */
export const MAX_SETTLE_ROUNDS = 5

/** Adds the next round's sweep, or has a settling intent give up with the reason. */
export function planSweep(
  change: IntentChange,
  deposits: readonly Deposit[],
  facts: IntentFacts,
  around: Surroundings,
  waived: readonly Address[] = [],
): IntentChange {
  const giveUp = (statusReason: string) =>
    change.after.status === 'settling' ? moveTo(change, 'settle_failed', { statusReason }, around.now) : change
  const failures = claimsAfter(change, facts).filter((claim) => claim.kind === 'sweep' && hasFailed(claim))
  if (failures.length >= MAX_SETTLE_ROUNDS) return giveUp(SETTLED_TOO_OFTEN)
  const sweep = sweepOf(change, deposits, facts, around, waived)
  if ('refused' in sweep) return giveUp(sweep.refused)
  const isEnough = failures.length < TRIES_TO_EMPTY || claimsAfter(change, facts).some(isWaitingRest)
  const sweeps = isEnough ? [sweep] : leaveBehind(sweep, around.rentMinimum)
  return { ...change, transfers: [...change.transfers, ...sweeps] }
}

const isWaitingRest = (claim: Claim): boolean => isLeftBehind(claim) && isOpen(claim)

const SETTLED_TOO_OFTEN = 'The transfer to the business failed on chain too often.'

/** The obligation to sweep everything that nothing has claimed yet. */
function sweepOf(
  change: IntentChange,
  deposits: readonly Deposit[],
  facts: IntentFacts,
  around: Surroundings,
  waived: readonly Address[] = [],
): NewTransfer | { readonly refused: string } {
  const intent = change.after
  const { selection } = intent
  if (selection === null) return { refused: 'Nothing was selected.' }
  const available = unclaimedOf(selection.asset, deposits, claimsAfter(change, facts))
  const plan = planSettlement(intent, facts.payee, available, around.terms, around.rentMinimum, waived)
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

function isRearmable(transfer: Transfer, facts: IntentFacts): boolean {
  const { kind, asset, status, legs } = transfer
  // A held one still has its claim.
  if (status !== 'failed') return status === 'held'
  const others = facts.transfers.filter((other) => other.asset === asset)
  if (others.some((other) => takesOver(other, transfer))) return false
  if (kind === 'rent') return true
  const unclaimed = takesApart(transfer) ? unclaimedApart : unclaimedOf
  const left = unclaimed(asset, depositsAfter(startChange(facts.intent), facts), others)
  return !others.some((other) => isOpen(other) && !isLeftBehind(other)) && coversLegs(left, legs)
}

/** Whether it is a later round of the same: what lies apart and what was left behind have rounds of their own. */
const takesOver = (later: Transfer, earlier: Transfer): boolean =>
  later.kind === earlier.kind &&
  later.round > earlier.round &&
  takesApart(later) === takesApart(earlier) &&
  isLeftBehind(later) === isLeftBehind(earlier)

function reopen(change: IntentChange, { kind, asset }: Transfer, { deposits }: IntentFacts, now: Date): IntentChange {
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
export function decideSweep(facts: IntentFacts, around: Surroundings): Decision {
  const { intent, payee } = facts
  if (payee.sweepDestination === null) return refused('sweep_destination_missing')
  const asset = intent.selection?.asset
  // What lies there while nothing counts came after the window, and goes back.
  if (asset === undefined || intent.status === 'pending') return refused('nothing_to_sweep')
  const change = startChange(intent)
  const claims = claimsAfter(change, facts).filter((claim) => claim.asset === asset)
  const open = claims.find((claim) => isOpen(claim) && !isLeftBehind(claim))
  if (open?.kind === 'refund' || open?.kind === 'release' || intent.status === 'refunding')
    return refused('refund_in_progress')
  const held = facts.transfers.find(({ key, status }) => key === open?.key && status === 'held')
  if (held !== undefined) return decideRearmed(facts, held.id, around)
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
    : step(change, {}, around.now, null)
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
