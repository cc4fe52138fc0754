// Answers the figures of a marketplace, over one range or bucket by bucket. docs/contract.md, "Stats".
import type { Tenant } from '#core/accounts/account.ts'
import { SOL } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import { bucketsOf, clampBound, isTimeZone, MAX_BUCKETS, type TimeRange } from '#core/marketplace/calendar.ts'
import { type Figures, statsOf } from '#core/marketplace/stats.ts'
import type { Token } from '#core/tokens/token.ts'
import type { AccountStore } from '#ports/accounts.ts'
import type { Clock } from '#ports/clock.ts'
import type { MarketplaceStatsStore, StatsRollupStore } from '#ports/marketplaces.ts'
import type { Directory } from '#services/accounts/directory.ts'
import type { MarketplaceStatsServices, RangeStats, StatsFilter } from '#services/marketplace/stats-services.ts'
import { isUuid } from '#services/requests.ts'

const DEFAULT_RANGE_MS = 30 * 24 * 60 * 60 * 1_000

export type StatsDeps = {
  readonly marketplaceStats: MarketplaceStatsStore
  readonly accounts: Pick<AccountStore, 'findMarketplace' | 'findSeller'>
  readonly directory: Pick<Directory, 'tokens'>
  readonly clock: Clock
}

export function createMarketplaceStats(deps: StatsDeps): MarketplaceStatsServices {
  /** Reads the figures of each range. The seller is resolved against the marketplace of the caller first. */
  async function read(
    caller: Tenant,
    asked: StatsFilter,
    ranges: readonly TimeRange[],
  ): Promise<readonly RangeStats[]> {
    const sellerId = await resolveSeller(deps, caller, asked.sellerId)
    const figures = await deps.marketplaceStats.figures(caller, { sellerId, ranges })
    const tokens = await deps.directory.tokens(caller.network)
    return ranges.map((range, place) => shown(range, figures[place] ?? [], tokens))
  }
  return {
    async summary(caller, asked) {
      await requireMarketplace(deps, caller)
      const range = rangeOf(asked, deps.clock.now())
      const [stats] = await read(caller, asked, [range])
      return stats ?? shown(range, [], new Map())
    },

    async timeseries(caller, { interval, timeZone, ...asked }) {
      await requireMarketplace(deps, caller)
      if (!isTimeZone(timeZone))
        throw invalid('timezone', 'must be the name of an IANA time zone, such as Europe/Berlin')
      const range = rangeOf(asked, deps.clock.now())
      const buckets = bucketsOf(range, interval, timeZone)
      if (buckets === null) throw invalid('interval', `gives more than ${MAX_BUCKETS} buckets in this range`)
      return { ...range, interval, timeZone, buckets: await read(caller, asked, buckets) }
    },
  }
}

const invalid = (field: string, rule: string) => new ServiceError('invalid_request', { field, rule })

/** Throws `invalid_request`. PostgreSQL knows no year 0. */
function rangeOf(asked: Pick<StatsFilter, 'from' | 'to'>, now: Date): TimeRange {
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

async function resolveSeller({ accounts }: StatsDeps, caller: Tenant, id: string | null): Promise<string | null> {
  if (id === null) return null
  const seller = isUuid(id) ? await accounts.findSeller(caller, id) : null
  if (seller === null) throw new ServiceError('seller_not_found')
  return seller.id
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
