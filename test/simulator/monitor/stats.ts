// Checks the stats of each marketplace at the end, before and after their changes are compacted. Amounts come from the
// landed transactions of the payments of its sellers.
import { createStatsRollupStore } from '#adapters/prisma/stats/rollup-store.ts'
import { createStatsStore } from '#adapters/prisma/stats/stats-store.ts'
import type { Asset } from '#core/chain/types.ts'
import { statsOf } from '#core/stats/stats.ts'
import { DAWN, virtualNow } from '../virtual-time.ts'
import type { Ending } from './ending.ts'
import { type Figures, payersOf, sum } from './figures.ts'
import { textOf } from './findings.ts'
import type { Reported } from './reported.ts'

const RULE = 'the stats of a marketplace agree with the chain'
/** No clock is further off. */
const DAYS_MS = 2 * 86_400_000
const MICROCENTS = 1_000_000n

/** A payment for a seller, as it is shown at the end. */
export type Sale = { readonly accountId: string; readonly reported: Reported }

type Sums = {
  readonly asset: Asset
  readonly volume: bigint
  readonly net: bigint
  readonly feeRevenue: bigint
  readonly paymentsCount: number
}

export async function checkStats({ db, findings, monitor, stage }: Ending, sales: readonly Sale[]): Promise<void> {
  const store = createStatsStore(db)
  const range = { from: new Date(DAWN - DAYS_MS), to: new Date(virtualNow() + DAYS_MS) }
  const sellers = stage.payees.filter(({ terms }) => terms !== null)
  const checkAll = async (when: string): Promise<void> => {
    for (const { accountId, caller } of sellers) {
      const own = sales.filter((one) => one.accountId === accountId)
      const moved = own.flatMap((one) => movedBy(monitor.figures, one))
      const centsOf = (of: (one: Moved) => bigint): bigint => sum(moved.map((one) => worth(one, of(one)))) / MICROCENTS
      const expected = textOf({
        volumeUsdCents: centsOf(({ volume }) => volume),
        netUsdCents: centsOf(({ net }) => net),
        feeRevenueUsdCents: centsOf(({ fee }) => fee),
        paymentsCount: own.length,
        byStatus: countsOf(own.map(({ reported }) => reported.status)),
        byAsset: sumsOf(moved),
      })
      // Each marketplace of the stage has one seller.
      for (const subject of ['sellers', { sellerId: accountId }] as const) {
        const [figures = []] = await store.figures(caller, { of: subject, ranges: [range] })
        const { byAsset, countsByStatus, ...totals } = statsOf(figures)
        const byStatus = Object.entries(countsByStatus).filter(([, count]) => count > 0)
        const shown = textOf({ ...totals, byStatus: byStatus.sort(), byAsset })
        findings.check(RULE, shown === expected, () => `${when}, ${shown} shown, and ${expected} by the chain`)
      }
    }
  }
  await checkAll('before compaction')
  const rollups = createStatsRollupStore(db)
  while ((await rollups.compact(100)) > 0) await checkAll('after compaction')
}

type Moved = {
  readonly asset: Asset
  /** Base units that left the address in settlements, without those that went back to a payer. */
  readonly volume: bigint
  /** Base units that arrived at wallets of the seller. */
  readonly net: bigint
  /** Base units that arrived at wallets of the marketplace. */
  readonly fee: bigint
  readonly reported: Reported
}

function movedBy(figures: Figures, { accountId, reported }: Sale): readonly Moved[] {
  const { asset, settlement, address } = reported
  if (asset === null || settlement === null) return []
  const payers = payersOf(figures, address)
  const { business, marketplace } = figures.partiesOf(accountId)
  const outflows = settlement.signatures.flatMap((one) => figures.evidence.outflow(address, asset, one) ?? [])
  const arrived = outflows.flatMap((one) => [...one.arrived])
  const at = (wallets: ReadonlySet<string>): bigint =>
    sum(arrived.flatMap(([wallet, amount]) => (wallets.has(wallet) ? [amount] : [])))
  const volume = sum(outflows.map(({ left }) => left)) - at(payers)
  return [{ asset, volume, net: at(business), fee: at(marketplace), reported }]
}

/** In millionths of a cent, at the rate of the payment, rounded down. */
const worth = ({ reported: { priceUsdCents, expected } }: Moved, amount: bigint): bigint =>
  expected === null || expected === 0n ? 0n : (amount * priceUsdCents * MICROCENTS) / expected

const sumsOf = (moved: readonly Moved[]): readonly Sums[] =>
  [...Map.groupBy(moved, ({ asset }) => asset)]
    .map(([asset, own]) => ({
      asset,
      volume: sum(own.map(({ volume }) => volume)),
      net: sum(own.map(({ net }) => net)),
      feeRevenue: sum(own.map(({ fee }) => fee)),
      paymentsCount: own.length,
    }))
    .sort((a, b) => (a.asset < b.asset ? -1 : 1))

const countsOf = (statuses: readonly string[]): readonly (readonly [string, number])[] =>
  [...Map.groupBy(statuses, (status) => status)].map(([status, own]) => [status, own.length] as const).sort()
