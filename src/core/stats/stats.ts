// The figures of payments over a range of time. docs/contract.md, "Stats".
import type { Asset } from '#core/chain/types.ts'
import { INTENT_STATUSES, type IntentStatus } from '#core/payments/payment-intent.ts'
import { STATUS_POLICY, statusesWhere } from '#core/payments/status-policy.ts'

/** The sums over the payments that settled in one asset. */
export type AssetSums = {
  readonly asset: Asset
  /** Base units that settled: every leg but those that return an excess. */
  readonly volume: bigint
  /** Base units of the legs to the business, or to the seller. */
  readonly net: bigint
  /** Base units of the marketplace's legs. */
  readonly feeRevenue: bigint
  readonly paymentsCount: number
}

/**
 * What figures are about: the payments for a business itself, the charges of its subscriptions that succeeded, or the payments of a
 * marketplace for all of its sellers, or for one of them.
 */
export type StatsSubject = 'business' | 'charges' | 'sellers' | { readonly sellerId: string }

/** The statuses of payments whose figures are kept. A payment that is open is counted when figures are asked for. */
export const ENDED_STATUSES: readonly IntentStatus[] = INTENT_STATUSES.filter((status) => !STATUS_POLICY[status].isOpen)

export type Stats = {
  /** At the rate that each payment locked, in US cents, rounded down once. */
  readonly volumeUsdCents: bigint
  readonly netUsdCents: bigint
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
  readonly net: bigint
  readonly feeRevenue: bigint
  /** In millionths of a cent. */
  readonly volumeMicrocents: bigint
  readonly netMicrocents: bigint
  readonly feeMicrocents: bigint
}

const MICROCENTS = 1_000_000n

/** Adds two figures of one asset up. */
export const sumOf = (one: Figures, other: Figures): Figures => ({
  asset: one.asset,
  counts: addCounts(one.counts, other.counts),
  volume: one.volume + other.volume,
  net: one.net + other.net,
  feeRevenue: one.feeRevenue + other.feeRevenue,
  volumeMicrocents: one.volumeMicrocents + other.volumeMicrocents,
  netMicrocents: one.netMicrocents + other.netMicrocents,
  feeMicrocents: one.feeMicrocents + other.feeMicrocents,
})

/** Returns the figures that leave nothing when they are added. */
export const negativeOf = (figures: Figures): Figures => ({
  asset: figures.asset,
  counts: countsOf((status) => -figures.counts[status]),
  volume: -figures.volume,
  net: -figures.net,
  feeRevenue: -figures.feeRevenue,
  volumeMicrocents: -figures.volumeMicrocents,
  netMicrocents: -figures.netMicrocents,
  feeMicrocents: -figures.feeMicrocents,
})

/** Adds the figures of all assets up. */
export function statsOf(figures: readonly Figures[]): Stats {
  const [first = NOTHING, ...others] = figures
  const total = others.reduce(sumOf, first)
  return {
    volumeUsdCents: total.volumeMicrocents / MICROCENTS,
    netUsdCents: total.netMicrocents / MICROCENTS,
    feeRevenueUsdCents: total.feeMicrocents / MICROCENTS,
    paymentsCount: countOf(total.counts),
    countsByStatus: total.counts,
    byAsset: assetSumsOf(figures),
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
  net: 0n,
  feeRevenue: 0n,
  volumeMicrocents: 0n,
  netMicrocents: 0n,
  feeMicrocents: 0n,
}

/** Each status by its name: an answer has up to a thousand of these sums, and a loop over the names takes twice as long. */
const addCounts = (one: Figures['counts'], other: Figures['counts']): Figures['counts'] => ({
  pending: one.pending + other.pending,
  underpaid: one.underpaid + other.underpaid,
  paid: one.paid + other.paid,
  overpaid: one.overpaid + other.overpaid,
  settling: one.settling + other.settling,
  swept: one.swept + other.swept,
  refunding: one.refunding + other.refunding,
  refunded: one.refunded + other.refunded,
  cancelled: one.cancelled + other.cancelled,
  settle_failed: one.settle_failed + other.settle_failed,
  refund_failed: one.refund_failed + other.refund_failed,
})

const countOf = (counts: Figures['counts'], statuses: readonly IntentStatus[] = INTENT_STATUSES): number =>
  statuses.reduce((sum, status) => sum + counts[status], 0)

/** Returns how many payments were paid. */
export const paidCountOf = ({ countsByStatus }: Pick<Stats, 'countsByStatus'>): number =>
  countOf(countsByStatus, statusesWhere('isPaid'))

/** A row whose payments have all moved on is left out. */
function assetSumsOf(figures: readonly Figures[]): readonly AssetSums[] {
  const sums: AssetSums[] = []
  for (const { asset, counts, volume, net, feeRevenue } of figures) {
    const paymentsCount = asset === null ? 0 : countOf(counts)
    if (asset !== null && paymentsCount > 0) sums.push({ asset, volume, net, feeRevenue, paymentsCount })
  }
  return sums.sort((a, b) => (a.asset < b.asset ? -1 : 1))
}
