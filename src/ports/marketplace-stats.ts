// The figures of marketplaces over time, as the records have them.
import type { Tenant } from '#core/accounts/account.ts'
import type { Network } from '#core/chain/types.ts'
import type { TimeRange } from '#core/marketplace/calendar.ts'
import type { Figures } from '#core/marketplace/stats.ts'

export type MarketplaceStatsStore = {
  /**
   * Returns the figures of each range, over the payments for sellers that were created in it, all in one snapshot. The ranges
   * follow one another without a gap. `sellerId` is a seller of the marketplace; null takes all of them.
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

/** A day of UTC, or a longer span, for which the rollups of one span are not what the records say. */
export type StatsDifference = {
  /** The marketplace or the seller. */
  readonly accountId: string
  /** Its first day for a longer span. */
  readonly day: Date
  /** In seconds. */
  readonly span: number
  /** Empty for payments that did not settle. */
  readonly asset: string
  /** By column: rollups and changes, less the recount. */
  readonly differences: Readonly<Record<string, string>>
}

export type StatsAuditStore = {
  /** Marketplaces and sellers after an id, in the order of ids. `period` is null for an account without a payment. */
  scopes(
    network: Network,
    page: { readonly after: string; readonly limit: number },
  ): Promise<
    readonly { readonly accountId: string; readonly period: { readonly since: Date; readonly until: Date } | null }[]
  >
  /** Returns at most `limit` differences of payments that were created in the range, whose ends are ends of the longest span. */
  differences(accountId: string, range: TimeRange, limit: number): Promise<readonly StatsDifference[]>
}
