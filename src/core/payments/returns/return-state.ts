// Where the return of an asset stands: decided anew each time from deposits and transfers, so that it does not matter in
// which order they came to be known. CONTRACT, MONEY: refunds.
import { type Address, type Asset, SOL } from '#core/chain/types.ts'
import { add, type BaseUnits, subtract, subtractToZero, ZERO } from '#core/money/amounts.ts'
import { isLeftBehind, TRIES_TO_EMPTY, withoutRent } from '#core/payments/booking/rent-reserve.ts'
import type { IntentChange, IntentFacts } from '#core/payments/machine/change.ts'
import type { Surroundings } from '#core/payments/machine/decision-context.ts'
import {
  awaitsFinality,
  type Claim,
  claimsAfter,
  depositsAfter,
  hasFailed,
  isOpen,
  isWithdrawn,
  unclaimedOf,
} from '#core/payments/machine/reservations.ts'
import type { IntentStatus } from '#core/payments/payment-intent.ts'
import { divide, mainObstruction, obstructionOf, type Share, totalOf } from '#core/payments/returns/deposit-shares.ts'
import { SENDER_UNKNOWN, TOO_SMALL } from '#core/payments/returns/obstacle.ts'
import type { Leg, LegRole } from '#core/transfers/plan.ts'

/** How often a return is planned anew after its transaction failed. */
export const MAX_RETURN_ROUNDS = 5
/** How often a return is withdrawn before it was signed, for dust or for wallets that cannot take it. */
export const MAX_WITHDRAWALS = 10
/** Once may be for a wallet; more often it is dust that keeps arriving, and then the rent minimum stays for a round. */
const WITHDRAWALS_TO_LEAVE_RENT = 2

export const FAILED_TOO_OFTEN = 'The transfer back failed too often.'

export type Standing =
  /** Nothing owed back; owed to the business; not final yet; on its way. */
  | { readonly is: 'nothing' | 'business' | 'waiting' | 'open' }
  /** A person has to look: because a transfer gave up, or because none can be planned. */
  | { readonly is: 'stuck'; readonly reason: string; readonly gaveUp: boolean }
  | { readonly is: 'ready'; readonly legs: readonly Leg[] }

/** Statuses in which the selected asset is owed back, and not to the business. */
const OWED_BACK: ReadonlySet<IntentStatus> = new Set(['swept', 'refunding', 'refunded', 'refund_failed', 'cancelled'])

export function standingOf(change: IntentChange, facts: IntentFacts, asset: Asset, around: Surroundings): Standing {
  const { status, selection } = change.after
  if (asset === selection?.asset && !OWED_BACK.has(status)) return { is: 'business' }
  const deposits = depositsAfter(change, facts).filter((deposit) => deposit.asset === asset && deposit.use !== 'held')
  const claims = claimsAfter(change, facts).filter((claim) => claim.asset === asset)
  const open = claims.find((claim) => isOpen(claim) && !isLeftBehind(claim))
  if (open?.status === 'held') return { is: 'stuck', reason: open.reason ?? HELD, gaveUp: false }
  if (open !== undefined) return { is: 'open' }
  // Until the window is ended, what came in time may still become known, and would be mixed with what came too late.
  if ((status === 'pending' || status === 'underpaid') && deposits.some(({ use }) => use === 'late'))
    return { is: 'waiting' }
  if (awaitsFinality(asset, deposits, claims, around)) return { is: 'waiting' }
  const owed = unclaimedOf(asset, deposits, claims)
  if (owed.length === 0) return { is: 'nothing' }
  const refunds = claims.filter(({ kind }) => kind === 'refund')
  const last = refunds.find(({ round }) => refunds.every((other) => other.round <= round))
  // The status says that a person is asked: a new round of its own accord would take the decision away.
  if (status === 'refund_failed' && last !== undefined && hasFailed(last)) return gaveUpOn(owed, around)
  const rounds = roundsSince(owed, refunds, around)
  const failures = rounds.filter(hasFailed).length
  const withdrawals = rounds.filter(isWithdrawn).length
  if (failures >= MAX_RETURN_ROUNDS || withdrawals >= MAX_WITHDRAWALS) return gaveUpOn(owed, around)
  const standing = planLegs(asset, owed, around)
  const coming = deposits.filter(({ state }) => state === 'confirmed')
  const isDisturbed =
    failures >= TRIES_TO_EMPTY || withdrawals >= WITHDRAWALS_TO_LEAVE_RENT || isDust(totalOf(coming), around)
  return asset === SOL && isDisturbed ? leavingRent(standing, around) : standing
}

/** Rounds in which money that can still go back could have gone: earlier ones were about other money. */
function roundsSince(
  owed: readonly Share[],
  refunds: readonly Claim[],
  { custodians }: Surroundings,
): readonly Claim[] {
  const returnable = owed.filter((share) => obstructionOf(share, custodians) === null)
  const seen = returnable.map(({ deposit }) => deposit.seenVersion)
  return refunds.filter(({ plannedVersion }) => plannedVersion >= Math.min(...seen))
}

/** Whether so much SOL, left at an address, is less than the chain lets it hold. */
const isDust = (amount: BaseUnits, { rentMinimum }: Surroundings): boolean => amount > 0n && amount < rentMinimum

/** What stays goes back in the next round, to the same sender. */
function leavingRent(standing: Standing, { rentMinimum }: Surroundings): Standing {
  if (standing.is !== 'ready') return standing
  const [largest, ...others] = standing.legs
  if (largest === undefined || largest.amount <= rentMinimum) return standing
  return { is: 'ready', legs: [withoutRent(largest, rentMinimum), ...others] }
}

export const HELD = 'The transfer is held.'

/** When no part could be returned anyway, the reason is what keeps it from being returned. */
function gaveUpOn(owed: readonly Share[], { custodians }: Surroundings): Standing {
  const isObstructed = owed.every((share) => obstructionOf(share, custodians) !== null)
  return {
    is: 'stuck',
    reason: (isObstructed ? mainObstruction(owed, custodians) : null) ?? FAILED_TOO_OFTEN,
    gaveUp: true,
  }
}

/**
 * Everything to its senders. Of SOL the network fee comes out of the largest share, unless a remnant that belongs to
 * nobody who is known pays it.
 */
function planLegs(asset: Asset, owed: readonly Share[], around: Surroundings): Standing {
  const { terms, custodians } = around
  const { refunds, remnant } = divide(totalOf(owed), owed, asset, around)
  const [largest, ...others] = refunds
  if (largest === undefined)
    return { is: 'stuck', reason: mainObstruction(owed, custodians) ?? SENDER_UNKNOWN, gaveUp: false }
  const leg = (role: LegRole, destination: Address, amount: BaseUnits): Leg => ({
    role,
    destination,
    amount,
    feeBps: null,
  })
  const due = asset === SOL ? subtractToZero(terms.networkFee, remnant) : ZERO
  if (largest.amount <= due) return { is: 'stuck', reason: TOO_SMALL, gaveUp: false }
  const legs = [
    leg('refund', largest.address, subtract(largest.amount, due)),
    ...others.map(({ address, amount }) => leg('refund', address, amount)),
    leg('network_fee', terms.feePayer, add(due, remnant)),
  ]
  return { is: 'ready', legs: legs.filter(({ amount }) => amount > 0n) }
}

/** Why what was paid too much stays at the address after the sweep; null when none of it does. */
export function heldExcess(change: IntentChange, facts: IntentFacts, around: Surroundings): string | null {
  const asset = change.after.selection?.asset
  if (asset === undefined) return null
  const left = unclaimedOf(asset, depositsAfter(change, facts), claimsAfter(change, facts))
  const excess = left.filter(({ deposit }) => deposit.use === 'applied')
  if (excess.length === 0) return null
  const standing = standingOf(change, facts, asset, around)
  const reason = mainObstruction(excess, around.custodians) ?? (standing.is === 'stuck' ? standing.reason : null)
  return reason === null ? null : `What was paid too much is held. ${reason}`
}
