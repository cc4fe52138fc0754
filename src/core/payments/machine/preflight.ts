// The checks on the chain before a transfer is signed: each finds a reason for which it would fail or not arrive.

import { isWallet } from '#core/chain/curve.ts'
import { type Address, SOL } from '#core/chain/types.ts'
import { unpayableBy } from '#core/chain/unpayable.ts'
import type { BaseUnits } from '#core/money/amounts.ts'
import { worthInLamports } from '#core/money/conversion.ts'
import type { Decimal } from '#core/money/price.ts'
import { type Custodians, custodianText, type Obstacle, obstacleText } from '#core/payments/obstacle.ts'
import { totalOf } from '#core/payments/position/shares.ts'
import {
  isCut,
  isReleased,
  isRentReserve,
  type LegRole,
  type PaymentLeg,
  type PaymentTransfer,
} from '#core/payments/transfers.ts'
import { highestFeeOf } from '#core/transfers/plan.ts'
import {
  coversLegs,
  frozenText,
  isAffordable,
  SYSTEM_PROGRAM,
  type TransferView,
  UNFUNDED,
} from '#core/transfers/preflight.ts'

export type Preflight =
  | { readonly go: true }
  /** A state outside the service must change first. The transfer is tried again, less often when `isSlow` is set. */
  | { readonly go: false; readonly because: 'later'; readonly reason: string; readonly isSlow?: true }
  /** A person has to decide. */
  | { readonly go: false; readonly because: 'held'; readonly reason: string }
  /** These legs cannot arrive: the others go without them. */
  | {
      readonly go: false
      readonly because: 'undeliverable'
      readonly reason: string
      readonly legs: readonly Undeliverable[]
    }
  /** More money has arrived since it was planned, and must not be left at the address. */
  | { readonly go: false; readonly because: 'outdated'; readonly reason: string }

/** A leg that cannot arrive, and the obstacle. */
export type Undeliverable = {
  readonly role: LegRole
  readonly destination: Address
  readonly obstacle: Obstacle | 'custodian'
}

/** Dollars per whole unit of the transfer's asset and of SOL, both recent. */
export type Rates = { readonly asset: Decimal; readonly sol: Decimal }

export type PreflightFacts = Omit<TransferView, 'slot'> & {
  readonly transfer: PaymentTransfer
  /** null for SOL, and while no price is known. */
  readonly rates: Rates | null
  /** The time since which this process finds no price; null while it finds one, and for SOL. */
  readonly unpricedSince: Date | null
  /** The priority fee for each compute unit, in millionths of a lamport. */
  readonly computeUnitPrice: bigint
  readonly now: Date
  readonly custodians: Custodians
  /** For a rent reserve: whether it goes now. No transfer precedes it, and its rounds before have ended long enough ago. */
  readonly isLast: boolean
}

const GO: Preflight = { go: true }
const later = (reason: string) => ({ go: false, because: 'later', reason }) as const
const held = (reason: string): Preflight => ({ go: false, because: 'held', reason })

/** How long a refund waits for a price before it is held. */
export const PRICE_WAIT_MS = 60 * 60_000

/** How long a sweep waits for another transfer that fills the wallet of the business, before it is held. */
export const EMPTY_WALLET_WAIT_MS = 2 * 60_000

export function judgeTransfer(facts: PreflightFacts): Preflight {
  const { transfer, source } = facts
  if (!isAffordable(transfer, facts)) return later(UNFUNDED.reason)
  if (source?.token?.frozen === true) return held(frozenText(transfer))
  if (!coversLegs(source, transfer)) return later('The final balance does not yet cover the transfer.')
  return judgeDestinations(facts)
}

function judgeDestinations(facts: PreflightFacts): Preflight {
  const belowRent = legsBelowRent(facts)
  const verdicts = facts.transfer.legs.map((leg) => ({
    leg,
    verdict: obstacleTo(leg, facts) ?? (belowRent.has(leg) ? 'below_rent_minimum' : judgeCost(leg, facts)),
  }))
  const waiting = verdicts.find(({ verdict }) => verdict === 'waits')
  if (waiting !== undefined) return { ...later(obstacleText('unpriced', waiting.leg.destination)), isSlow: true }
  const blocked = verdicts.flatMap(({ leg: { role, destination }, verdict }): Undeliverable[] => {
    if (verdict === 'arrives' || verdict === 'waits') return []
    return [{ role, destination, obstacle: verdict }]
  })
  const dispensable = blocked.filter(isDispensable)
  const [first = blocked[0]] = dispensable
  if (first === undefined) return judgeRest(facts)
  const reason = reasonOf(first, facts)
  if (dispensable.length > 0) return { go: false, because: 'undeliverable', reason, legs: dispensable }
  const isFillable = first.obstacle === 'below_rent_minimum' && waitedMs(facts) < EMPTY_WALLET_WAIT_MS
  return isFillable ? later(reason) : held(reason)
}

const waitedMs = ({ transfer, now }: PreflightFacts): number => now.getTime() - transfer.createdAt.getTime()

/**
 * Returns the legs that would leave an empty wallet with less SOL than the rent minimum. The chain checks a wallet after the
 * whole transaction, so all legs of a wallet count together. A cut stays when the wallet is also the seller's, because the
 * seller's leg would grow by the same amount.
 */
function legsBelowRent(facts: PreflightFacts): ReadonlySet<PaymentLeg> {
  const { transfer, destinations, rent } = facts
  if (transfer.asset !== SOL) return new Set()
  const empty = transfer.legs.filter(
    (leg) => (destinations.get(leg.destination) ?? null) === null && obstacleTo(leg, facts) === null,
  )
  const short = [...Map.groupBy(empty, ({ destination }) => destination).values()].filter(
    (legs) => totalOf(legs) < rent.wallet,
  )
  return new Set(short.flatMap((legs) => (legs.some(isOfSeller) ? legs.filter((leg) => !isCut(leg)) : legs)))
}

const isOfSeller = ({ role }: PaymentLeg): boolean => role === 'seller'

function reasonOf({ obstacle, destination }: Undeliverable, { custodians }: PreflightFacts): string {
  if (obstacle === 'custodian') return custodianText(destination, custodians.get(destination) ?? '')
  return obstacleText(obstacle, destination)
}

/** The other legs can go without these: a refund or release waits for a person, a cut is waived to the seller. */
const isDispensable = (leg: Pick<PaymentLeg, 'role'>): boolean => leg.role === 'refund' || isReleased(leg) || isCut(leg)

/** Returns the obstacle that keeps a leg from arriving, except the rent minimum; null when there is none. */
function obstacleTo(
  { role, destination }: PaymentLeg,
  { destinations, receivers, custodians }: PreflightFacts,
): Obstacle | 'custodian' | null {
  if (isForPayer(role) && custodians.has(destination)) return 'custodian'
  const wallet = destinations.get(destination) ?? null
  if (wallet === null ? role === 'buyer' && !isWallet(destination) : !isPayable(role, wallet.ownerProgram))
    return 'not_a_wallet'
  const token = receivers.get(destination)?.token ?? null
  if (token !== null && token.owner !== destination) return 'foreign_account'
  return token?.frozen === true ? 'frozen_account' : null
}

/** The service chooses the receiver of a refund, and the buyer names one. All others are named by the business or the operator. */
const isForPayer = (role: LegRole): boolean => role === 'refund' || role === 'buyer'

/** A payer is paid at a wallet only. A business, or the operator who releases money, may name the vault of a program. */
const isPayable = (role: LegRole, ownerProgram: Address): boolean =>
  isForPayer(role) ? ownerProgram === SYSTEM_PROGRAM : unpayableBy(ownerProgram) === null

/**
 * Judges a refund by its cost for the fee payer. A separate refund must be worth more than the highest fee of its
 * transaction. No refund creates a token account: its owner could close it, keep the rent, and pay again. A part of a
 * settlement costs no transaction, so only an amount without an account is judged there: an excess that is worth less than
 * its own refund would cost settles to the business. What the business lets go to the buyer waits for no price.
 */
function judgeCost(
  { role, destination, amount }: PaymentLeg,
  { transfer, receivers, rates, unpricedSince, computeUnitPrice, now }: PreflightFacts,
): 'arrives' | 'waits' | Obstacle {
  if (!isForPayer(role)) return 'arrives'
  const isAlone = transfer.kind !== 'sweep'
  // Lamports at the address of the account do not make it a token account.
  const hasAccount = transfer.asset === SOL || (receivers.get(destination)?.token ?? null) !== null
  if (!isAlone && hasAccount) return 'arrives'
  const worth = worthOf(amount, transfer, rates)
  if (worth !== null && worth <= highestFeeOf(isAlone ? transfer.legs.length : 1, computeUnitPrice)) return 'too_small'
  if (!hasAccount) return 'no_account'
  if (worth !== null || role === 'buyer') return 'arrives'
  // The refund may have waited for something else before, and the service may have been down.
  const waitsSince = Math.max(transfer.createdAt.getTime(), unpricedSince?.getTime() ?? 0)
  return now.getTime() - waitsSince < PRICE_WAIT_MS ? 'waits' : 'unpriced'
}

/** Returns lamports; null while no price is known. */
function worthOf(amount: BaseUnits, { asset, decimals }: PaymentTransfer, rates: Rates | null): bigint | null {
  if (asset === SOL) return amount
  return rates === null ? null : worthInLamports(amount, decimals, rates.asset, rates.sol)
}

/** The chain refuses a transaction that leaves less SOL than the rent minimum, unless it leaves none. */
function judgeRest({ transfer, source, rent, isLast }: PreflightFacts): Preflight {
  if (transfer.asset !== SOL) return GO
  const total = transfer.legs.reduce((sum, { amount }) => sum + amount, 0n)
  const rest = (source?.lamports ?? 0n) - total
  if (isRentReserve(transfer) && !isLast) return later('It was left behind, and goes when all else is gone.')
  if (rest <= 0n || rest >= rent.wallet) return GO
  return { go: false, because: 'outdated', reason: `${rest} lamports more arrived, and cannot be left behind.` }
}
