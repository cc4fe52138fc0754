// The use cases of a marketplace's figures. Spec: GET /marketplace/stats/summary, GET /marketplace/stats/timeseries.
import type { Tenant } from '#core/accounts/account.ts'
import type { Address } from '#core/chain/types.ts'
import type { StatsInterval, TimeRange } from '#core/marketplace/calendar.ts'
import type { Stats } from '#core/marketplace/stats.ts'

export type StatsFilter = {
  /** null means 30 days before `to`. */
  readonly from: Date | null
  /** null means now. */
  readonly to: Date | null
  /** null means all sellers. A malformed id gives `seller_not_found` too. */
  readonly sellerId: string | null
}

/** The figures of one asset, as the allowlist has it. */
export type AssetStats = Omit<Stats['byAsset'][number], 'asset'> & {
  readonly ticker: string
  /** null for SOL. */
  readonly mint: Address | null
  readonly decimals: number
}

/** Figures over the payments that were created in the range. */
export type RangeStats = TimeRange & Omit<Stats, 'byAsset'> & { readonly byAsset: readonly AssetStats[] }

export type StatsTimeseries = TimeRange & {
  readonly interval: StatsInterval
  readonly timeZone: string
  readonly buckets: readonly RangeStats[]
}

/**
 * Each throws `marketplace_not_found` for a business without the capability, `seller_not_found`, and `invalid_request` when
 * `to` is before `from`.
 */
export type MarketplaceStatsServices = {
  summary(caller: Tenant, filter: StatsFilter): Promise<RangeStats>
  /** Throws `invalid_request` for an unknown zone, and when there would be more than 1,000 buckets. */
  timeseries(
    caller: Tenant,
    filter: StatsFilter & { readonly interval: StatsInterval; readonly timeZone: string },
  ): Promise<StatsTimeseries>
}
