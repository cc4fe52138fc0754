// Recounts the figures of every account from payments, the legs that moved, and charges, 32 days at a time.
import type { Network } from '#core/chain/types.ts'
import type { TimeRange } from '#core/stats/calendar.ts'
import { ROLLUP_SPANS } from '#core/stats/rollup.ts'
import type { StatsAuditStore, StatsDifference } from '#ports/stats.ts'

const LONGEST_SPAN_MS = ROLLUP_SPANS[0] * 1_000
/** Payments that one statement recounts were created in so many of the longest spans. */
const SPANS_AT_ONCE = 2
/** More differences of one account say nothing more. */
const MAX_DIFFERENCES = 20
const FIRST_ID = '00000000-0000-0000-0000-000000000000'

export type StatsAuditPage = {
  /** How many businesses and sellers the page covers. */
  readonly accounts: number
  readonly differences: readonly StatsDifference[]
  /** The next page's `after`; null at the end. */
  readonly next: string | null
}

/** For the operator. */
export type StatsAuditServices = {
  page(network: Network, page: { readonly after: string | null; readonly limit: number }): Promise<StatsAuditPage>
}

export type StatsAuditDeps = { readonly statsAudit: StatsAuditStore }

export function createStatsAudit({ statsAudit }: StatsAuditDeps): StatsAuditServices {
  return {
    async page(network, { after, limit }) {
      const scopes = await statsAudit.scopes(network, { after: after ?? FIRST_ID, limit })
      const differences: StatsDifference[] = []
      for (const { accountId, period } of scopes) {
        for (const range of period === null ? [] : partsOf(period)) {
          const found = await statsAudit.differences(accountId, range, MAX_DIFFERENCES)
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

function partsOf({ since, until }: { readonly since: Date; readonly until: Date }): readonly TimeRange[] {
  const parts: TimeRange[] = []
  for (let from = Math.floor(since.getTime() / LONGEST_SPAN_MS) * LONGEST_SPAN_MS; from <= until.getTime(); ) {
    const to = from + SPANS_AT_ONCE * LONGEST_SPAN_MS
    parts.push({ from: new Date(from), to: new Date(to) })
    from = to
  }
  return parts
}
