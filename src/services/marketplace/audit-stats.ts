// Recounts the figures of every marketplace and seller from the payments and the legs that moved, month by month.
import type { Network } from '#core/chain/types.ts'
import type { TimeRange } from '#core/marketplace/calendar.ts'
import type { StatsAuditStore, StatsDifference } from '#ports/marketplace-stats.ts'

const DAY_MS = 86_400_000
/** Payments that one statement recounts were created in so many days. */
const DAYS_AT_ONCE = 30
/** More differences of one account say nothing more. */
const MAX_DIFFERENCES = 20
const FIRST_ID = '00000000-0000-0000-0000-000000000000'

export type StatsAuditPage = {
  /** How many marketplaces and sellers the page covers. */
  readonly accounts: number
  readonly differences: readonly StatsDifference[]
  /** The next page's `after`; null at the end. */
  readonly next: string | null
}

/** For the operator. */
export type StatsAuditServices = {
  page(network: Network, page: { readonly after: string | null; readonly limit: number }): Promise<StatsAuditPage>
}

export function createStatsAudit({ store }: { readonly store: StatsAuditStore }): StatsAuditServices {
  return {
    async page(network, { after, limit }) {
      const scopes = await store.scopes(network, { after: after ?? FIRST_ID, limit })
      const differences: StatsDifference[] = []
      for (const { accountId, period } of scopes) {
        for (const range of period === null ? [] : monthsOf(period)) {
          const found = await store.differences(accountId, range, MAX_DIFFERENCES)
          differences.push(...found)
          if (found.length === MAX_DIFFERENCES) break
        }
      }
      return {
        accounts: scopes.length,
        differences,
        next: scopes.length < limit ? null : (scopes.at(-1)?.accountId ?? null),
      }
    },
  }
}

function monthsOf({ since, until }: { readonly since: Date; readonly until: Date }): readonly TimeRange[] {
  const months: TimeRange[] = []
  for (let from = Math.floor(since.getTime() / DAY_MS) * DAY_MS; from <= until.getTime(); ) {
    const to = from + DAYS_AT_ONCE * DAY_MS
    months.push({ from: new Date(from), to: new Date(to) })
    from = to
  }
  return months
}
