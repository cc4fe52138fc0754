// A transfer that ends without a transaction: given up, held for a person, or withdrawn and planned again. The status of
// its payment changes with it.

import { type Address, SOL } from '#core/chain/types.ts'
import type { IntentChange, IntentFacts } from '#core/payments/change.ts'
import { complete } from '#core/payments/machine/complete.ts'
import type { Undeliverable } from '#core/payments/machine/preflight.ts'
import { releaseDespiteDust } from '#core/payments/machine/release.ts'
import type { Obstacle } from '#core/payments/obstacle.ts'
import { isOpen, isWithdrawn, Position } from '#core/payments/position/position.ts'
import { sparingRent } from '#core/payments/position/rent-reserve.ts'
import { couldTake } from '#core/payments/position/shares.ts'
import { isSameMovement, markSenders, returnableOf } from '#core/payments/returns/recipients.ts'
import { returnStateOf } from '#core/payments/returns/return-state.ts'
import { MAX_WITHDRAWN_ROUNDS, waitAfter } from '#core/payments/rounds.ts'
import {
  type Obstacles,
  planSweep,
  replaceRentReserve,
  sharesToSweep,
  sweepOf,
  takenAlong,
} from '#core/payments/settlement/sweep-plan.ts'
import {
  CUTS,
  isRentReserve,
  type LegRole,
  type NewPaymentTransfer,
  type PaymentTransfer,
} from '#core/payments/transfers.ts'
import type { Attempt, AttemptOutcome, Lease } from '#core/transfers/transfer.ts'
import { type Booking, giveUp } from './booking.ts'

type About = Pick<Booking, 'facts' | 'transfer' | 'context'>

/** Gives up a transfer whose attempts have all expired, each with proof. A person can plan it again; a rent reserve has another round. */
export function bookExhausted(
  { facts, transfer, attempt, context }: About & { readonly attempt: Pick<Attempt, 'id' | 'signature'> },
  statusReason: string,
): IntentChange {
  const outcome: AttemptOutcome = {
    attemptId: attempt.id,
    transferId: transfer.id,
    fence: transfer.fence,
    attemptState: 'dead',
    transferStatus: 'failed',
    reason: statusReason,
    signature: attempt.signature,
    slot: null,
    moved: [],
    at: context.now,
  }
  const position = new Position(facts, context).with({ outcome })
  return complete(
    isRentReserve(transfer) ? replaceRentReserve(position.step(), transfer) : giveUp(position, transfer, statusReason),
  )
}

/** Books a hold: a worker gives the transfer to a person before an attempt is signed. The transfer keeps its money. */
export function bookHeld(
  { facts, transfer, context }: About,
  { fence }: Pick<Lease, 'fence'>,
  reason: string,
): IntentChange {
  const statusOverride = { transferId: transfer.id, status: 'held', reason, fence } as const
  return complete(giveUp(new Position(facts, context).with({ statusOverride }), transfer, reason))
}

/**
 * Withdraws a transfer that cannot land as it is, before anything of it was signed, and plans again what it was to move.
 * The deposits keep the obstacle of each wallet that cannot take its refund, so that nothing is sent there again and no
 * other wallet waits for it; a cut for a wallet that cannot take it is waived to the seller.
 */
function withdraw(
  { facts, transfer, context }: About,
  { fence }: Pick<Lease, 'fence'>,
  reason: string,
  { undeliverable = [], dust = false }: { readonly undeliverable?: readonly Undeliverable[]; readonly dust?: boolean },
): IntentChange {
  const statusOverride = { transferId: transfer.id, status: 'failed', reason, fence } as const
  const start = new Position(facts, context).with({ statusOverride })
  // What was not known when the round was planned was not in it: the wallet may be able to take it.
  const judged = start.of(transfer.asset).free.filter((share) => couldTake(transfer, share))
  // A part that went back stays returned: a mark on it would let its wallet take from money without an owner. A part that stayed
  // keeps its own obstacle: the wallet's dust says nothing about its real payment.
  const deposits = markSenders(returnableOf(judged, context.custodians), obstaclesOf(undeliverable))
  const withdrawn = start.with({ deposits })
  // Where held money goes is a person's decision: no other transfer takes the place of a release.
  const next = transfer.kind === 'release' && dust ? releaseDespiteDust(transfer, facts, context) : null
  const ended = transfer.kind === 'release' && next === null ? giveUp(withdrawn, transfer, reason) : withdrawn.step()
  return complete(
    next === null
      ? planInItsPlace(ended, transfer, { waived: dust ? [] : waivedAfter(transfer, undeliverable), dust })
      : continueRelease(ended, transfer, next),
  )
}

/** Adds the next round of a release, for the operator's reason. */
const continueRelease = (position: Position, { id }: PaymentTransfer, next: NewPaymentTransfer): Position =>
  position.plan(next).with({ releases: [...position.change.releases, { key: next.key, reason: { sameAs: id } }] })

/** Withdraws the transfer because these wallets cannot take what is for them. */
export const bookUndeliverable = (
  about: About,
  lease: Pick<Lease, 'fence'>,
  reason: string,
  undeliverable: readonly Undeliverable[],
): IntentChange => withdraw(about, lease, reason, { undeliverable })

/**
 * Withdraws a transfer when the address has more SOL than it moves, and the rest is less than the rent minimum. The next
 * round takes the dust along, or leaves the rent minimum, which dust does not disturb. Returns null while it is better to
 * wait. The number of rounds and every wait are bounded, so a stranger cannot delay the transfer without end.
 */
export function bookDusty(about: About, lease: Pick<Lease, 'fence'>, reason: string): IntentChange | null {
  const { facts, transfer, context } = about
  const { kind, legs } = transfer
  const position = new Position(facts, context)
  if (isRentReserve(transfer))
    return takenAlong(position) > 0n || returnStateOf(position, SOL).is === 'ready'
      ? withdraw(about, lease, reason, {})
      : null
  const same = facts.transfers.filter((one) => isSameMovement(one, transfer))
  const rounds = same.slice(same.findLastIndex(({ status }) => status === 'done') + 1).filter(isWithdrawn).length
  // A refund or release is withdrawn all the same, and reserves nothing: the operator can release its money with the dust.
  if (rounds >= MAX_WITHDRAWN_ROUNDS && kind === 'sweep') return bookHeld(about, lease, reason)
  const leavesRent = kind === 'release' || (kind === 'sweep' && facts.intent.status === 'settling')
  // A deposit is known that the transfer does not take.
  const isKnown = position.of(transfer.asset).free.length > 0
  const isQuick = isKnown || (leavesRent && sparingRent(legs, context.rentMinimum) !== null)
  const waitedMs = context.now.getTime() - transfer.createdAt.getTime()
  return (rounds === 0 && isQuick) || waitedMs >= waitAfter(Math.max(rounds, 1))
    ? withdraw(about, lease, reason, { dust: true })
    : null
}

/** Returns whether no transfer precedes the rent reserve: the payment is swept, and no other transfer is open. */
const goesLast = ({ intent, transfers }: IntentFacts): boolean =>
  intent.status === 'swept' && transfers.every((one) => one.asset !== SOL || !isOpen(one) || isRentReserve(one))

/** Returns whether a rent reserve goes now: no other transfer precedes it, and its rounds before have ended long enough ago. */
export function isReserveDue(reserve: PaymentTransfer, facts: IntentFacts, now: Date): boolean {
  const ended = facts.transfers.filter((one) => isRentReserve(one) && one.status === 'failed').length
  return goesLast(facts) && now.getTime() - reserve.createdAt.getTime() >= waitAfter(ended)
}

function planInItsPlace(position: Position, transfer: PaymentTransfer, obstacles: Obstacles): Position {
  if (transfer.kind !== 'sweep') return position
  if (isRentReserve(transfer)) return replaceRentReserve(position, transfer)
  if (position.intent.status === 'settling') return planSweep(position, obstacles)
  const sweep = sweepOf(position, sharesToSweep(position), obstacles)
  return 'refused' in sweep ? position : position.plan(sweep)
}

/**
 * Returns the cuts that the next round leaves to the seller: those that their wallets cannot take, and those that this round left.
 * Otherwise two wallets that can take nothing in turn would have rounds without end.
 */
const waivedAfter = ({ legs }: PaymentTransfer, undeliverable: readonly Undeliverable[]): readonly LegRole[] =>
  CUTS.filter((cut) => legs.every(({ role }) => role !== cut) || undeliverable.some(({ role }) => role === cut))

/** Returns what keeps each wallet from taking its refund. The list of custodians is not stored: it may change. */
const obstaclesOf = (undeliverable: readonly Undeliverable[]): ReadonlyMap<Address, Obstacle> =>
  new Map(
    undeliverable.flatMap(({ role, destination, obstacle }) =>
      role === 'refund' && obstacle !== 'custodian' ? [[destination, obstacle] as const] : [],
    ),
  )
