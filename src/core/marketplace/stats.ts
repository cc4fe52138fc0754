// The figures of a marketplace over a range of time. docs/contract.md, "Stats".
import type { Asset } from '#core/chain/types.ts'
import { INTENT_STATUSES, type IntentStatus } from '#core/payments/payment-intent.ts'

/** The sums over the payments that settled in one asset. */
export type AssetSums = {
  readonly asset: Asset
  /** Base units that settled: every leg but those that return an excess. */
  readonly volume: bigint
  /** Base units of the marketplace's legs. */
  readonly feeRevenue: bigint
  readonly paymentsCount: number
}

export type Stats = {
  /** At the rate that each payment locked, in US cents, rounded down once. */
  readonly volumeUsdCents: bigint
  readonly feeRevenueUsdCents: bigint
  readonly paymentsCount: number
  readonly countsByStatus: Readonly<Record<IntentStatus, number>>
  /** Only assets in which a payment settled, in the order of `asset`. */
  readonly byAsset: readonly AssetSums[]
}

/** The sums of the payments that settled in one asset, or of those that did not settle: `asset` is null. */
export type Figures = {
  readonly asset: Asset | null
  readonly counts: Readonly<Record<IntentStatus, number>>
  readonly volume: bigint
  readonly feeRevenue: bigint
  /** In millionths of a cent. */
  readonly volumeMicrocents: bigint
  readonly feeMicrocents: bigint
}

const MICROCENTS = 1_000_000n

/** Adds two figures of one asset up. */
export const sumOf = (one: Figures, other: Figures): Figures => ({
  asset: one.asset,
  counts: countsOf((status) => one.counts[status] + other.counts[status]),
  volume: one.volume + other.volume,
  feeRevenue: one.feeRevenue + other.feeRevenue,
  volumeMicrocents: one.volumeMicrocents + other.volumeMicrocents,
  feeMicrocents: one.feeMicrocents + other.feeMicrocents,
})

/** Returns the figures that leave nothing when they are added. */
export const negativeOf = (figures: Figures): Figures => ({
  asset: figures.asset,
  counts: countsOf((status) => -figures.counts[status]),
  volume: -figures.volume,
  feeRevenue: -figures.feeRevenue,
  volumeMicrocents: -figures.volumeMicrocents,
  feeMicrocents: -figures.feeMicrocents,
})

/** Adds the figures of all assets up. */
export function statsOf(figures: readonly Figures[]): Stats {
  const [first = NOTHING, ...others] = figures
  const total = others.reduce(sumOf, first)
  return {
    volumeUsdCents: total.volumeMicrocents / MICROCENTS,
    feeRevenueUsdCents: total.feeMicrocents / MICROCENTS,
    paymentsCount: countOf(total.counts),
    countsByStatus: total.counts,
    byAsset: figures.filter(isSettled).map(assetSumsOf).sort(byAssetOrder),
  }
}

/** Returns a count for each status. */
export const countsOf = (count: (status: IntentStatus) => number): Readonly<Record<IntentStatus, number>> => ({
  pending: count('pending'),
  underpaid: count('underpaid'),
  paid: count('paid'),
  overpaid: count('overpaid'),
  settling: count('settling'),
  swept: count('swept'),
  refunding: count('refunding'),
  refunded: count('refunded'),
  cancelled: count('cancelled'),
  settle_failed: count('settle_failed'),
  refund_failed: count('refund_failed'),
})

const NOTHING: Figures = {
  asset: null,
  counts: countsOf(() => 0),
  volume: 0n,
  feeRevenue: 0n,
  volumeMicrocents: 0n,
  feeMicrocents: 0n,
}

const countOf = (counts: Figures['counts']): number => INTENT_STATUSES.reduce((sum, status) => sum + counts[status], 0)

type Settled = Figures & { readonly asset: Asset }

/** A row whose payments have all moved on is left out. */
const isSettled = (figures: Figures): figures is Settled => figures.asset !== null && countOf(figures.counts) > 0

const assetSumsOf = ({ asset, counts, volume, feeRevenue }: Settled): AssetSums => ({
  asset,
  volume,
  feeRevenue,
  paymentsCount: countOf(counts),
})

const byAssetOrder = (a: AssetSums, b: AssetSums) => (a.asset < b.asset ? -1 : 1)
