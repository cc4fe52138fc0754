// How many approves the fee payer prepares, and for whom. `prepare` needs no proof of the wallet, so a stranger can ask for
// any wallet. docs/billing.md, "Sponsored transactions".
import { DAY_MS } from '#core/billing/calendar.ts'
import { type Lamports, makeLamports } from '#core/money/amounts.ts'

const HOUR_MS = 3_600_000
/** The most approves that no one signed, within an hour: of one checkout or subscription, and of one wallet with one business. */
export const MOST_UNSIGNED = 10
/** The most of one wallet with all businesses. Each holds the wallet for about half a minute. */
export const MOST_UNSIGNED_OF_WALLET = 20
/** The most that a wallet signs within 24 hours: they cost their fees, also when no charge succeeds after them. */
export const MOST_SIGNED_OF_WALLET = 10
/** How many more there are for each of its subscriptions that has paid: one to authorize it, and one to renew or to end it. */
export const MORE_SIGNED_FOR_A_PAID = 2
/**
 * Returns a budget without its reserve, in lamports. The last quarter of the budget for approves is for subscriptions that have paid a
 * charge: renewals, changes of terms and revocations. So strangers with checkouts do not stop these. The last quarter of the budget
 * of a business is for charges that end their subscription when they wait too long.
 */
export const withoutReserve = (budget: Lamports): Lamports => makeLamports((budget * 3n) / 4n)

/** The budget is that of 24 hours: some of it becomes free all the time. */
const BUDGET_WAIT_MS = 600_000

/**
 * Returns the times from which approves count, and subscriptions that have ended. What the owner of the wallet has signed at
 * `provenAt` gives the page a new start.
 */
export function sponsoringSince(now: Date, provenAt: Date | null) {
  const hourAgo = now.getTime() - HOUR_MS
  return {
    spent: new Date(now.getTime() - DAY_MS),
    unsigned: new Date(hourAgo),
    unsignedOfPage: new Date(Math.max(hourAgo, provenAt?.getTime() ?? hourAgo)),
  }
}

/** What approves have used when another one is asked for. */
export type SponsorUse = {
  /** The most that approves of 24 hours have cost or may still cost, in lamports: of all businesses, and of this one. */
  readonly spent: bigint
  readonly spentOfBusiness: bigint
  /** When approves of the last hour were prepared that no one has signed, for the checkout or the subscription, the newest first. */
  readonly unsignedOfPage: readonly Date[]
  /** The same of the wallet, by checkouts of this business that are for any wallet. */
  readonly unsignedWithBusiness: readonly Date[]
  /** The same of the wallet, by all checkouts and revocations. A change of terms is prepared for the owner only. */
  readonly unsignedOfWallet: readonly Date[]
  /** When approves of 24 hours were prepared that the wallet has signed and that are not proved dead, the newest first. */
  readonly signedOfWallet: readonly Date[]
  /** How many subscriptions of the wallet have paid a charge, without those that ended more than 24 hours ago. */
  readonly paidOfWallet: number
}

/** `until`: when to ask again. `isLiftedByProof`: or as soon as the wallet has signed a text of the page. */
export type SponsoringLimit = { readonly until: Date; readonly isLiftedByProof: boolean }

/**
 * Returns the limit that lets the fee payer prepare no other approve; null when there is none. One business uses half of the
 * budget at most, so that others have the rest. Approves that no one signs hold the wallet for as long as they could land: a
 * page has few of them, and so has a wallet, until its owner has proved to be there. Only its owner signs approves of a wallet,
 * so no stranger uses up the number of these.
 */
export function sponsoringLimit(
  use: SponsorUse,
  asked: {
    readonly cost: Lamports
    readonly perDay: Lamports
    readonly isForCheckout: boolean
    readonly isPinned: boolean
    readonly isProven: boolean
    readonly now: Date
  },
): SponsoringLimit | null {
  const { isPinned, isProven } = asked
  const lasting = [
    budgetFreeAgain(use, asked),
    freeAgain(use.unsignedOfPage, MOST_UNSIGNED, HOUR_MS),
    freeAgain(use.signedOfWallet, MOST_SIGNED_OF_WALLET + MORE_SIGNED_FOR_A_PAID * use.paidOfWallet, DAY_MS),
  ].filter((at) => at !== null)
  const liftedByProof = [
    isPinned ? null : freeAgain(use.unsignedWithBusiness, MOST_UNSIGNED, HOUR_MS),
    freeAgain(use.unsignedOfWallet, MOST_UNSIGNED_OF_WALLET, HOUR_MS),
  ].filter((at) => at !== null)
  const reached = isProven ? lasting : [...lasting, ...liftedByProof]
  return reached.length === 0 ? null : { until: new Date(Math.max(...reached)), isLiftedByProof: lasting.length === 0 }
}

/** Returns when to ask again for what the budget does not cover now, in milliseconds; null when it does. */
function budgetFreeAgain(
  { spent, spentOfBusiness }: Pick<SponsorUse, 'spent' | 'spentOfBusiness'>,
  {
    cost,
    perDay,
    isForCheckout,
    now,
  }: { readonly cost: Lamports; readonly perDay: Lamports; readonly isForCheckout: boolean; readonly now: Date },
): number | null {
  const budget = isForCheckout ? withoutReserve(perDay) : perDay
  const isUsedUp = spent + cost > budget || (spentOfBusiness + cost) * 2n > budget
  return isUsedUp ? now.getTime() + BUDGET_WAIT_MS : null
}

/** Returns when there is one less of these times within so many milliseconds; null when there are fewer than the most. */
function freeAgain(newestFirst: readonly Date[], most: number, withinMs: number): number | null {
  const oldest = newestFirst[most - 1]
  return oldest === undefined ? null : oldest.getTime() + withinMs
}
