// An obligation that ends otherwise than by a transaction: given up, held for a person, or withdrawn and planned anew. What
// its intent says of it changes with it.
import type { Address } from '#core/chain/types.ts'
import { type IntentChange, startChange, step } from '#core/intents/change.ts'
import { depositsAfter, isOpen, unclaimedOf } from '#core/intents/claims.ts'
import type { Deposit } from '#core/intents/intent.ts'
import { isLeftBehind, takeAlong } from '#core/intents/left-behind.ts'
import { withReturns } from '#core/intents/returns.ts'
import { totalOf } from '#core/intents/shares.ts'
import { standingOf } from '#core/intents/standing.ts'
import { nextRound, planSweep } from '#core/intents/sweeping.ts'
import type { Booking } from '#core/transfers/booking.ts'
import { giveUp, statusGivenUp } from '#core/transfers/give-up.ts'
import type { Undeliverable } from '#core/transfers/preflight.ts'
import type { Attempt, AttemptOutcome, Lease } from '#core/transfers/transfer.ts'

type About = Pick<Booking, 'facts' | 'transfer' | 'around'>

/** Every attempt of the transfer died, each with proof: it is given up until somebody re-arms it. */
export function bookExhausted(
  { facts, transfer, attempt, around }: About & { readonly attempt: Pick<Attempt, 'id' | 'signature'> },
  statusReason: string,
): IntentChange {
  const outcome: AttemptOutcome = {
    attemptId: attempt.id,
    transferId: transfer.id,
    fence: transfer.fence,
    attemptState: 'dead',
    transferStatus: statusGivenUp(transfer),
    reason: statusReason,
    signature: attempt.signature,
    slot: null,
    moved: [],
    at: around.now,
  }
  const change = { ...startChange(facts.intent), outcome }
  return withReturns(giveUp(change, transfer, facts, statusReason, around), facts, around)
}

/** A worker puts the transfer aside for a person, before anything of it was signed. It keeps its claim. */
export function bookHeld(
  { facts, transfer, around }: About,
  { fence }: Pick<Lease, 'fence'>,
  reason: string,
): IntentChange {
  const restated = { transferId: transfer.id, status: 'held', reason, fence } as const
  const change = { ...startChange(facts.intent), restated }
  return withReturns(giveUp(change, transfer, facts, reason, around), facts, around)
}

/**
 * Withdraws a transfer that cannot land as it is, before anything of it was signed, and plans again what it was to move.
 * The deposits keep the obstacle of each wallet that cannot take its refund, so that nothing is sent there again and no
 * other wallet waits for it; a cut for a wallet that cannot take it is waived to the seller.
 */
export function bookWithdrawn(
  { facts, transfer, around }: About,
  { fence }: Pick<Lease, 'fence'>,
  reason: string,
  undeliverable: readonly Undeliverable[] = [],
): IntentChange {
  const restated = { transferId: transfer.id, status: 'failed', reason, fence } as const
  const deposits = facts.deposits
    .filter(({ asset, state }) => asset === transfer.asset && state === 'final')
    .flatMap((deposit) => markSenders(deposit, undeliverable))
  const withdrawn = { ...startChange(facts.intent), deposits, restated }
  // Where held money goes is a person's decision: nothing takes its place.
  const change =
    transfer.kind === 'release'
      ? giveUp(withdrawn, transfer, facts, reason, around)
      : step(withdrawn, {}, around.now, null)
  return withReturns(planInItsPlace(change, { facts, transfer, around }, undeliverable), facts, around)
}

/**
 * Whether a transfer that cannot land as it is can be planned anew with what came since. Beside what was left behind only
 * what is too little to stay and goes back to nobody: of anything else a refund or a person disposes.
 */
export function canTakeMore({ facts, transfer, around }: About): boolean {
  const { asset } = transfer
  const before = startChange(facts.intent)
  const more = totalOf(unclaimedOf(asset, depositsAfter(before, facts), facts.transfers))
  if (more === 0n || !isLeftBehind(transfer)) return more > 0n
  const isAlone = facts.transfers.every((one) => one.asset !== asset || !isOpen(one) || isLeftBehind(one))
  const standing = standingOf(before, facts, asset, around)
  const isNobodys = standing.is === 'business' || (standing.is === 'stuck' && !standing.gaveUp)
  return isAlone && isNobodys && more < around.rentMinimum
}

function planInItsPlace(
  change: IntentChange,
  { facts, transfer, around }: About,
  undeliverable: readonly Undeliverable[],
): IntentChange {
  if (transfer.kind !== 'sweep') return change
  const deposits = depositsAfter(change, facts)
  if (!isLeftBehind(transfer)) return planSweep(change, deposits, facts, around, waivedBy(undeliverable))
  const more = totalOf(unclaimedOf(transfer.asset, deposits, facts.transfers))
  return { ...change, transfers: [...change.transfers, takeAlong(transfer, more, nextRound(facts, 'sweep'))] }
}

/** Wallets that the next plan leaves out without an obstacle that is kept. */
const waivedBy = (undeliverable: readonly Undeliverable[]): readonly Address[] =>
  undeliverable
    .filter(({ role, obstacle }) => role !== 'refund' || obstacle === null)
    .map(({ destination }) => destination)

/** Returns the deposit with what keeps its senders from taking a refund; nothing when nothing does. */
function markSenders(deposit: Deposit, undeliverable: readonly Undeliverable[]): readonly Deposit[] {
  const found = new Map(
    undeliverable.flatMap(({ role, destination, obstacle }) =>
      role === 'refund' && obstacle !== null ? [[destination, obstacle]] : [],
    ),
  )
  const senders = deposit.senders.map((sender) => {
    const obstacle = found.get(sender.address)
    return obstacle === undefined || sender.obstacle === 'ambiguous' ? sender : { ...sender, obstacle }
  })
  const isChanged = senders.some((sender, at) => sender !== deposit.senders[at])
  return isChanged ? [{ ...deposit, senders }] : []
}
