// The figures of marketplaces over time, as the records have them.
import type { Tenant } from '#core/accounts/account.ts'
import type { TimeRange } from '#core/marketplace/calendar.ts'
import type { Figures } from '#core/marketplace/stats.ts'

export type MarketplaceStatsStore = {
  /**
   * The figures of each range, over the payments for sellers that were created in it, all in one snapshot. The ranges follow
   * one another without a gap. `sellerId` is a seller of the marketplace; null takes all of them.
   */
  figures(
    marketplace: Tenant,
    filter: { readonly sellerId: string | null; readonly ranges: readonly TimeRange[] },
  ): Promise<readonly (readonly Figures[])[]>
}

export type StatsRollupStore = {
  /** Adds the oldest changes to the rollups, at most `limit`. Returns how many there were. */
  compact(limit: number): Promise<number>
}
