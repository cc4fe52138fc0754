// The figures of accounts over time, as the records have them.
import type { Tenant } from '#core/accounts/account.ts'
import type { Network } from '#core/chain/types.ts'
import type { TimeRange } from '#core/stats/calendar.ts'
import type { Figures, StatsSubject } from '#core/stats/stats.ts'

export type StatsStore = {
  /**
   * Returns the figures of each range, over the payments or charges that were created in it, all in one snapshot. The ranges follow
   * one another without a gap. A seller must be one of the caller's marketplace.
   */
  figures(
    business: Tenant,
    filter: { readonly of: StatsSubject; readonly ranges: readonly TimeRange[] },
  ): Promise<readonly (readonly Figures[])[]>
}

export type StatsRollupStore = {
  /** Adds the oldest changes to the rollups, at most `limit`. Returns how many there were. */
  compact(limit: number): Promise<number>
}

/** What kept figures are about. A marketplace has some for its sellers, next to those for itself. */
export type StatsScope = 'payee' | 'marketplace' | 'charges'

/** A day of UTC, or a longer span, for which the rollups of one span are not what the records say. */
export type StatsDifference = {
  /** The business or the seller. */
  readonly accountId: string
  readonly scope: StatsScope
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
  /** Accounts after an id, in the order of ids. `period` is null for an account without a payment or charge. */
  scopes(
    network: Network,
    page: { readonly after: string; readonly limit: number },
  ): Promise<
    readonly { readonly accountId: string; readonly period: { readonly since: Date; readonly until: Date } | null }[]
  >
  /** Returns at most `limit` differences of what was created in the range, whose ends are ends of the longest span. */
  differences(accountId: string, range: TimeRange, limit: number): Promise<readonly StatsDifference[]>
}
