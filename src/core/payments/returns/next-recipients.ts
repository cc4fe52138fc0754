// The wallets to which the next round of a return goes. A wallet can make the transaction that pays it fail, by what it does
// between the check and the landing, and no other wallet may lose its refund by that. docs/money.md, "Refund recipients".
import { type Address, type Asset, SOL } from '#core/chain/types.ts'
import { subtract } from '#core/money/amounts.ts'
import type { DecisionContext } from '#core/payments/decision-context.ts'
import { hasFailed, type Reservation } from '#core/payments/position/position.ts'
import { type DepositShare, totalOf } from '#core/payments/position/shares.ts'
import { largestFirst, type Recipient } from '#core/payments/returns/recipients.ts'
import { canSpareRentOf } from '#core/payments/returns/refund-round.ts'
import { recipientsOf } from '#core/payments/returns/withdrawn-rounds.ts'

/** How many failed rounds a wallet may be in. */
export const MAX_RETURN_ROUNDS = 5
/** After so many failed rounds with several wallets, each wallet has rounds of its own. */
const SHARED_FAILURES = 2
/** After so many rounds that were withdrawn for wallets, those that had an obstacle wait for the others. */
const ROUNDS_WITH_OBSTRUCTED = 4

export type NextRecipients = {
  /** null for all of them. Empty when each was in too many failed rounds. */
  readonly only: ReadonlySet<Address> | null
  /** Whether others have their own rounds after this one. */
  readonly othersFollow: boolean
}

/**
 * `all` are the wallets that are worth a refund: what is less decides nothing about them. `rounds` are those that could have
 * returned their money, and `forWallets` counts those that were withdrawn for wallets.
 */
export function nextRecipients(
  asset: Asset,
  owed: readonly DepositShare[],
  all: readonly Recipient[],
  rounds: readonly Reservation[],
  forWallets: number,
  context: DecisionContext,
): NextRecipients {
  // Whether the rest can stay at the address when these wallets have their round.
  const canGoFirst = (first: readonly Recipient[]): boolean =>
    asset !== SOL ||
    subtract(totalOf(owed), totalOf(first)) >= context.rentMinimum ||
    first.some((one) => canSpareRentOf(one, context))
  const next = afterFailures(all, rounds, canGoFirst)
  return next.othersFollow || forWallets < ROUNDS_WITH_OBSTRUCTED
    ? next
    : withoutObstructed(next, all, owed, canGoFirst)
}

type CanGoFirst = (first: readonly Recipient[]) => boolean

function afterFailures(
  all: readonly Recipient[],
  rounds: readonly Reservation[],
  canGoFirst: CanGoFirst,
): NextRecipients {
  const failed = rounds.filter(hasFailed).map(recipientsOf)
  if (failed.length < SHARED_FAILURES) return { only: null, othersFollow: false }
  const left = all.filter(({ address }) => countOf(failed, address) < MAX_RETURN_ROUNDS)
  const shared = failed.filter((wallets) => wallets.size > 1)
  const together = { only: left.length < all.length ? addressesOf(left) : null, othersFollow: false }
  if (shared.length < SHARED_FAILURES || left.length < 2) return together
  const turns = rounds.map(recipientsOf).filter((wallets) => wallets.size === 1)
  const byTurns = Map.groupBy(left, ({ address }) => countOf(turns, address))
  const fewest = byTurns.get(Math.min(...byTurns.keys())) ?? []
  // The rest would pay the network fee of a round of one wallet where it cannot stay.
  const [largest] = largestFirst(fewest, null).filter((one) => canGoFirst([one]))
  return largest === undefined ? together : { only: addressesOf([largest]), othersFollow: true }
}

/**
 * Lets the wallets that had an obstacle wait for the others: such a wallet could pay again and again, and be found unable to
 * take its refund each time. Where their SOL is too little to wait at the address, it goes with the others.
 */
function withoutObstructed(
  next: NextRecipients,
  all: readonly Recipient[],
  owed: readonly DepositShare[],
  canGoFirst: CanGoFirst,
): NextRecipients {
  const candidates = all.filter(({ address }) => next.only?.has(address) ?? true)
  const obstructed = new Set(owed.filter(({ obstacle }) => obstacle !== null).map(({ sender }) => sender))
  const first = candidates.filter(({ address }) => !obstructed.has(address))
  if (first.length === 0 || first.length === candidates.length) return next
  return canGoFirst(first) ? { only: addressesOf(first), othersFollow: true } : next
}

const countOf = (rounds: readonly ReadonlySet<Address>[], wallet: Address): number =>
  rounds.filter((wallets) => wallets.has(wallet)).length

const addressesOf = (recipients: readonly { readonly address: Address }[]): ReadonlySet<Address> =>
  new Set(recipients.map(({ address }) => address))
