// The use cases of figures. Spec: GET /marketplace/stats/summary, GET /marketplace/stats/timeseries.
import type { Tenant } from '#core/accounts/account.ts'
import type { Address } from '#core/chain/types.ts'
import type { StatsInterval, TimeRange } from '#core/stats/calendar.ts'
import type { Stats } from '#core/stats/stats.ts'

export type StatsRange = {
  /** null means 30 days before `to`. */
  readonly from: Date | null
  /** null means now. */
  readonly to: Date | null
}

export type StatsBuckets = { readonly interval: StatsInterval; readonly timeZone: string }

export type MarketplaceStatsFilter = StatsRange & {
  /** null means all sellers. A malformed id gives `seller_not_found` too. */
  readonly sellerId: string | null
}

export type BusinessStatsFilter = StatsRange & {
  /** Whether the caller may read its subscriptions: without it, charges are left out. */
  readonly withCharges: boolean
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

/** Figures of a business over the payments for itself. */
export type BusinessStats = RangeStats & {
  /** Over the charges of its subscriptions that were created in the range, and succeeded. Null when they are left out. */
  readonly charges: Pick<Stats, 'volumeUsdCents' | 'paymentsCount'> | null
}

export type StatsTimeseries<Bucket = RangeStats> = TimeRange & StatsBuckets & { readonly buckets: readonly Bucket[] }

/** Each throws `invalid_request` when `to` is before `from`. */
export type BusinessStatsServices = {
  summary(caller: Tenant, filter: BusinessStatsFilter): Promise<BusinessStats>
  /** Throws `invalid_request` for an unknown zone, and when there would be more than 1,000 buckets. */
  timeseries(caller: Tenant, filter: BusinessStatsFilter & StatsBuckets): Promise<StatsTimeseries<BusinessStats>>
}

/**
 * Each throws as those of a business do, `marketplace_not_found` for a business without the capability, and `seller_not_found`.
 */
export type MarketplaceStatsServices = {
  summary(caller: Tenant, filter: MarketplaceStatsFilter): Promise<RangeStats>
  timeseries(caller: Tenant, filter: MarketplaceStatsFilter & StatsBuckets): Promise<StatsTimeseries>
}
