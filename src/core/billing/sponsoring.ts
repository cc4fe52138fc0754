// How many approves the fee payer prepares, and for whom. `prepare` needs no proof of the wallet, so a stranger can ask for
// any wallet. docs/billing.md, "Sponsored transactions".
import { DAY_MS } from '#core/billing/calendar.ts'
import type { Lamports } from '#core/money/amounts.ts'

const HOUR_MS = 3_600_000
/** The most approves that no one signed, within an hour: of one checkout or subscription, and of one wallet with one business. */
export const MOST_UNSIGNED = 5
/** The budget is that of 24 hours: some of it becomes free all the time. */
const BUDGET_WAIT_MS = 600_000

/** The times from which approves count. */
export const sponsoringSince = (now: Date) => ({
  spent: new Date(now.getTime() - DAY_MS),
  unsigned: new Date(now.getTime() - HOUR_MS),
})

/** What approves have used when another one is asked for. */
export type SponsorUse = {
  /** The most that approves of 24 hours have cost or may still cost, in lamports: of all businesses, and of this one. */
  readonly spent: bigint
  readonly spentOfAccount: bigint
  /** When approves of the last hour were prepared that no one has signed, for the checkout or the subscription, the newest first. */
  readonly unsignedOfPage: readonly Date[]
  /** The same of the wallet, by checkouts of this business that are for any wallet. */
  readonly unsignedOfWallet: readonly Date[]
}

/**
 * Returns when to ask again, where the fee payer prepares no other approve; otherwise null. One business uses half of the
 * budget at most, so that others have the rest. Approves that no one signs hold the wallet for as long as they could land: a
 * checkout has few of them, and so has a wallet with one business, unless that has given the wallet itself.
 */
export function sponsoringLimit(
  { spent, spentOfAccount, unsignedOfPage, unsignedOfWallet }: SponsorUse,
  asked: { readonly cost: Lamports; readonly perDay: Lamports; readonly isPinned: boolean; readonly now: Date },
): Date | null {
  const { cost, perDay, isPinned, now } = asked
  if (spent + cost > perDay || (spentOfAccount + cost) * 2n > perDay) return new Date(now.getTime() + BUDGET_WAIT_MS)
  const oldest = [unsignedOfPage, isPinned ? [] : unsignedOfWallet].flatMap((times) => times[MOST_UNSIGNED - 1] ?? [])
  if (oldest.length === 0) return null
  return new Date(Math.max(...oldest.map((at) => at.getTime())) + HOUR_MS)
}
