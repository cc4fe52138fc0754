// Answers the figures of a business and of a marketplace, over one range or bucket by bucket. docs/contract.md, "Stats".
import type { Tenant } from '#core/accounts/account.ts'
import { type Address, SOL } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import {
  bucketsOf,
  clampBound,
  isTimeZone,
  MAX_BUCKETS,
  type StatsInterval,
  type TimeRange,
} from '#core/stats/calendar.ts'
import { type Figures, type Stats, type StatsSubject, statsOf } from '#core/stats/stats.ts'
import type { Token } from '#core/tokens/token.ts'
import type { AccountStore } from '#ports/accounts.ts'
import type { Clock } from '#ports/clock.ts'
import type { StatsRollupStore, StatsStore } from '#ports/stats.ts'
import type { Directory } from '#services/accounts/directory.ts'
import { isUuid } from '#services/requests.ts'

// The use cases of figures. Spec: GET /marketplace/stats/summary, GET /marketplace/stats/timeseries.

type StatsRange = {
  /** null means 30 days before `to`. */
  readonly from: Date | null
  /** null means now. */
  readonly to: Date | null
}

type StatsBuckets = { readonly interval: StatsInterval; readonly timeZone: string }

type MarketplaceStatsFilter = StatsRange & {
  /** null means all sellers. A malformed id gives `seller_not_found` too. */
  readonly sellerId: string | null
}

type BusinessStatsFilter = StatsRange & {
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
type BusinessStatsServices = {
  summary(caller: Tenant, filter: BusinessStatsFilter): Promise<BusinessStats>
  /** Throws `invalid_request` for an unknown zone, and when there would be more than 1,000 buckets. */
  timeseries(caller: Tenant, filter: BusinessStatsFilter & StatsBuckets): Promise<StatsTimeseries<BusinessStats>>
}

/**
 * Each throws as those of a business do, `marketplace_not_found` for a business without the capability, and `seller_not_found`.
 */
type MarketplaceStatsServices = {
  summary(caller: Tenant, filter: MarketplaceStatsFilter): Promise<RangeStats>
  timeseries(caller: Tenant, filter: MarketplaceStatsFilter & StatsBuckets): Promise<StatsTimeseries>
}

const DEFAULT_RANGE_MS = 30 * 24 * 60 * 60 * 1_000

export type StatsDeps = {
  readonly stats: StatsStore
  readonly accounts: Pick<AccountStore, 'findMarketplace' | 'findSeller'>
  readonly directory: Pick<Directory, 'tokens'>
  readonly clock: Clock
}

export function createBusinessStats(deps: Omit<StatsDeps, 'accounts'>): BusinessStatsServices {
  async function read(
    caller: Tenant,
    { withCharges }: BusinessStatsFilter,
    ranges: readonly TimeRange[],
  ): Promise<readonly BusinessStats[]> {
    const [payments, charges] = await Promise.all([
      statsIn(deps, caller, 'business', ranges),
      withCharges ? statsIn(deps, caller, 'charges', ranges) : [],
    ])
    return payments.map((stats, place) => ({ ...stats, charges: charges[place] ?? null }))
  }
  return {
    async summary(caller, asked) {
      return only(await read(caller, asked, [rangeOf(asked, deps.clock.now())]))
    },
    async timeseries(caller, asked) {
      const { range, ranges, ...calendar } = bucketsIn(asked, deps.clock.now())
      return { ...range, ...calendar, buckets: await read(caller, asked, ranges) }
    },
  }
}

export function createMarketplaceStats(deps: StatsDeps): MarketplaceStatsServices {
  return {
    async summary(caller, asked) {
      await requireMarketplace(deps, caller)
      const range = rangeOf(asked, deps.clock.now())
      return only(await statsIn(deps, caller, await sellersOf(deps, caller, asked.sellerId), [range]))
    },

    async timeseries(caller, asked) {
      await requireMarketplace(deps, caller)
      const { range, ranges, ...calendar } = bucketsIn(asked, deps.clock.now())
      const buckets = await statsIn(deps, caller, await sellersOf(deps, caller, asked.sellerId), ranges)
      return { ...range, ...calendar, buckets }
    },
  }
}

/** Reads the figures of each range. */
async function statsIn(
  { stats, directory }: Pick<StatsDeps, 'stats' | 'directory'>,
  caller: Tenant,
  of: StatsSubject,
  ranges: readonly TimeRange[],
): Promise<readonly RangeStats[]> {
  const figures = await stats.figures(caller, { of, ranges })
  const tokens = await directory.tokens(caller.network)
  return ranges.map((range, place) => shown(range, figures[place] ?? [], tokens))
}

function only<T>([first]: readonly T[]): T {
  if (first === undefined) throw new Error('a range has figures')
  return first
}

/** Divides the range into buckets. Throws `invalid_request`. */
export function bucketsIn({ interval, timeZone, ...asked }: StatsRange & StatsBuckets, now: Date) {
  if (!isTimeZone(timeZone)) throw invalid('timezone', 'must be the name of an IANA time zone, such as Europe/Berlin')
  const range = rangeOf(asked, now)
  const ranges = bucketsOf(range, interval, timeZone)
  if (ranges === null) throw invalid('interval', `gives more than ${MAX_BUCKETS} buckets in this range`)
  return { range, ranges, interval, timeZone }
}

const invalid = (field: string, rule: string) => new ServiceError('invalid_request', { field, rule })

/** Throws `invalid_request`. PostgreSQL knows no year 0. */
export function rangeOf(asked: StatsRange, now: Date): TimeRange {
  const to = clampBound((asked.to ?? now).getTime())
  const from = asked.from ?? new Date(to.getTime() - DEFAULT_RANGE_MS)
  if (to.getUTCFullYear() < 1) throw invalid('to', 'is before year 1')
  if (from.getUTCFullYear() < 1) throw invalid('from', 'is before year 1')
  if (to < from) throw invalid('to', 'must not be before from')
  return { from, to }
}

async function requireMarketplace({ accounts }: StatsDeps, caller: Tenant): Promise<void> {
  if ((await accounts.findMarketplace(caller.accountId)) === null) throw new ServiceError('marketplace_not_found')
}

/** Returns the sellers whose figures are asked for. A seller must be one of the caller's. */
async function sellersOf({ accounts }: StatsDeps, caller: Tenant, id: string | null): Promise<StatsSubject> {
  if (id === null) return 'sellers'
  const seller = isUuid(id) ? await accounts.findSeller(caller, id) : null
  if (seller === null) throw new ServiceError('seller_not_found')
  return { sellerId: seller.id }
}

function shown(range: TimeRange, figures: readonly Figures[], tokens: ReadonlyMap<string, Token>): RangeStats {
  const { byAsset, ...stats } = statsOf(figures)
  return {
    ...range,
    ...stats,
    byAsset: byAsset.map(({ asset, ...sums }) => {
      const token = tokens.get(asset)
      if (token === undefined) throw new Error(`no token for ${asset}`)
      return { ...sums, ticker: token.ticker, mint: asset === SOL ? null : asset, decimals: token.decimals }
    }),
  }
}

const BATCH = 2_000
const MAX_BATCHES = 10

/** Returns a round of at most 20,000 changes; `again` when there may be more. */
export const createStatsCompactor = (store: StatsRollupStore) => async (): Promise<{ readonly again: boolean }> => {
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    if ((await store.compact(BATCH)) < BATCH) return { again: false }
  }
  return { again: true }
}
