// An obligation that ends without a transaction: given up, held for a person, or withdrawn and planned again. The status of
// its payment changes with it.

import type { Address } from '#core/chain/types.ts'
import type { BaseUnits } from '#core/money/amounts.ts'
import type { IntentChange, IntentFacts } from '#core/payments/change.ts'
import type { Booking } from '#core/payments/machine/booking.ts'
import { complete } from '#core/payments/machine/complete.ts'
import { giveUp, statusGivenUp } from '#core/payments/machine/give-up.ts'
import type { Undeliverable } from '#core/payments/machine/preflight.ts'
import { nextRentReserve, takenAlong } from '#core/payments/machine/rearm.ts'
import { releaseDespiteDust } from '#core/payments/machine/release.ts'
import type { Obstacle } from '#core/payments/obstacle.ts'
import { isOpen, isWithdrawn, Position } from '#core/payments/position/position.ts'
import { splitRentReserve } from '#core/payments/position/rent-reserve.ts'
import { couldTake } from '#core/payments/position/share-pool.ts'
import { totalOf } from '#core/payments/position/shares.ts'
import { markSenders } from '#core/payments/returns/mark-senders.ts'
import { returnableOf } from '#core/payments/returns/recipients.ts'
import { withdrawnForWallets } from '#core/payments/returns/withdrawn-rounds.ts'
import { type Obstacles, planSweep, sharesToSweep, sweepsOf } from '#core/payments/settlement/sweep-plan.ts'
import { isMainSweep, isRentReserve, type NewPaymentTransfer, type PaymentTransfer } from '#core/payments/transfers.ts'
import type { Attempt, AttemptOutcome, Lease } from '#core/transfers/transfer.ts'

type About = Pick<Booking, 'facts' | 'transfer' | 'context'>

/** Gives up a transfer whose attempts have all expired, each with proof. A person can plan it again. */
export function bookExhausted(
  { facts, transfer, attempt, context }: About & { readonly attempt: Pick<Attempt, 'id' | 'signature'> },
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
    at: context.now,
  }
  return complete(giveUp(new Position(facts, context).with({ outcome }), transfer, statusReason))
}

/** Books a hold: a worker gives the transfer to a person before an attempt is signed. The transfer keeps its reservation. */
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
      ? planInItsPlace(ended, transfer, { waived: waivedBy(undeliverable), dust })
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

/** How long a transfer waits until the dust that disturbs it is known. */
const DUST_WAIT_MS = 60_000
/** How often a sweep is withdrawn for dust before the waits grow. */
const QUICK_DUST_ROUNDS = 5
/** How long each later round waits before it takes dust along. After that a person is asked. */
const SLOW_DUST_WAITS_MS = [600_000, 3_600_000, 21_600_000, 86_400_000] as const
/** How long a rent reserve waits before it takes dust along, by how often it has done so already. */
const REST_WAITS_MS = [0, 60_000, 600_000, 3_600_000, 21_600_000, 86_400_000] as const

/**
 * Withdraws a transfer when the address has more SOL than it moves, and the rest is less than the rent minimum. The next
 * round takes the dust along, or leaves the rent minimum, which dust does not disturb. Returns null while it is better to
 * wait. The number of rounds and every wait are bounded, so a stranger cannot delay the transfer without end.
 */
export function bookDusty(about: About, lease: Pick<Lease, 'fence'>, reason: string): IntentChange | null {
  const { facts, transfer, context } = about
  const waitedMs = context.now.getTime() - transfer.createdAt.getTime()
  const isOfItsKind = (one: PaymentTransfer) =>
    one.kind === transfer.kind && isRentReserve(one) === isRentReserve(transfer)
  const ofItsKind = facts.transfers.filter(isOfItsKind)
  const ofItsAsset = facts.deposits.filter(({ asset }) => asset === transfer.asset)
  const forWallets = withdrawnForWallets(ofItsKind, ofItsAsset, context)
  const rounds = ofItsKind.filter((one) => isWithdrawn(one) && !forWallets.has(one)).length
  if (isRentReserve(transfer)) {
    if (isTooLittleToStay(about)) return dissolve(about, lease, reason)
    const wait = REST_WAITS_MS[rounds]
    if (wait === undefined) return bookHeld(about, lease, reason)
    return waitedMs >= wait && dustNextTo(about) > 0n ? withdraw(about, lease, reason, {}) : null
  }
  const isLate = waitedMs >= DUST_WAIT_MS
  switch (transfer.kind) {
    case 'sweep':
      if (rounds >= QUICK_DUST_ROUNDS) {
        const wait = SLOW_DUST_WAITS_MS[rounds - QUICK_DUST_ROUNDS]
        if (wait === undefined) return bookHeld(about, lease, reason)
        return waitedMs >= wait ? withdraw(about, lease, reason, { dust: true }) : null
      }
      return isLate || isKnown(about) || splitRentReserve(transfer, context.rentMinimum, facts) !== null
        ? withdraw(about, lease, reason, { dust: true })
        : null
    case 'refund':
      return isLate || isKnown(about) ? withdraw(about, lease, reason, {}) : null
    case 'release':
      return isLate || isKnown(about) || releaseDespiteDust(transfer, facts, context) !== null
        ? withdraw(about, lease, reason, { dust: true })
        : null
    case 'rent':
      return null
  }
}

/** Returns whether the rent minimum rose above the rent reserve while the sweep that left it is not done. */
const isTooLittleToStay = ({ facts, transfer, context }: About): boolean =>
  totalOf(transfer.legs) < context.rentMinimum &&
  (facts.intent.status === 'settling' || facts.intent.status === 'settle_failed') &&
  facts.transfers.some((one) => isMainSweep(one) && isOpen(one))

/** Withdraws the rent reserve without a replacement: the next round of the sweep takes it, or leaves enough. */
function dissolve({ facts, transfer, context }: About, { fence }: Pick<Lease, 'fence'>, reason: string): IntentChange {
  const statusOverride = { transferId: transfer.id, status: 'failed', reason, fence } as const
  return complete(new Position(facts, context).with({ statusOverride }).step())
}

/** Returns whether no transfer precedes the rent reserve: the payment is swept, and no other transfer is open. */
export const goesLast = ({ asset }: Pick<PaymentTransfer, 'asset'>, { intent, transfers }: IntentFacts): boolean =>
  intent.status === 'swept' && transfers.every((one) => one.asset !== asset || !isOpen(one) || isRentReserve(one))

/** Returns whether a deposit of the asset is known that the transfer does not take. */
const isKnown = ({ facts, transfer: { asset }, context }: About): boolean =>
  new Position(facts, context).of(asset).free.length > 0

/** Returns the SOL that the rent reserve can take along. */
const dustNextTo = ({ facts, transfer, context }: About): BaseUnits =>
  takenAlong(new Position(facts, context), transfer.asset)

function planInItsPlace(position: Position, transfer: PaymentTransfer, obstacles: Obstacles): Position {
  const { facts, context } = position
  if (transfer.kind !== 'sweep') return position
  if (isRentReserve(transfer))
    return position.plan(nextRentReserve(transfer, dustNextTo({ facts, transfer, context }), facts))
  if (position.intent.status === 'settling') return planSweep(position, obstacles)
  const sweeps = sweepsOf(position, sharesToSweep(position), obstacles)
  return 'refused' in sweeps ? position : position.plan(...sweeps)
}

/** Returns the legs that the next plan leaves out without an obstacle that is kept. */
const waivedBy = (undeliverable: readonly Undeliverable[]): readonly Undeliverable[] =>
  undeliverable.filter(({ role }) => role !== 'refund')

/** Returns what keeps each wallet from taking its refund. The list of custodians is not stored: it may change. */
const obstaclesOf = (undeliverable: readonly Undeliverable[]): ReadonlyMap<Address, Obstacle> =>
  new Map(
    undeliverable.flatMap(({ role, destination, obstacle }) =>
      role === 'refund' && obstacle !== 'custodian' ? [[destination, obstacle] as const] : [],
    ),
  )
