// Recounts the figures of a marketplace from its payments, apart from the code under test.
import type { Database } from '#adapters/prisma/engine/database.ts'
import { intentFromPrisma } from '#adapters/prisma/payments/intent-columns.ts'
import type { TimeRange } from '#core/marketplace/calendar.ts'
import { countsOf, type Stats } from '#core/marketplace/stats.ts'
import type { SettlementLeg } from '#core/payments/intent-values.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'

/** The payments that a marketplace takes for its sellers. */
export async function paymentsForSellers(
  { prisma }: Pick<Database, 'prisma'>,
  marketplaceId: string,
): Promise<readonly PaymentIntent[]> {
  const rows = await prisma.paymentIntent.findMany({ where: { callerAccountId: marketplaceId } })
  return rows.map(intentFromPrisma).filter((payment) => payment.accountId !== payment.callerAccountId)
}

const amountOf = (legs: readonly SettlementLeg[], counts: (leg: SettlementLeg) => boolean): bigint =>
  legs.filter(counts).reduce((sum, { amount }) => sum + amount, 0n)

/** The figures of the payments that were created in the range, by definition. docs/contract.md, "Stats". */
export function recount(payments: readonly PaymentIntent[], { from, to }: TimeRange, sellerId: string | null): Stats {
  const counted = payments.filter(
    ({ createdAt, accountId }) => createdAt >= from && createdAt < to && (sellerId === null || accountId === sellerId),
  )
  const settled = counted.flatMap(({ settlement, selection, priceUsdCents }) => {
    if (settlement === null || selection === null) return []
    const volume = amountOf(settlement.legs, ({ role }) => role !== 'refund')
    const feeRevenue = amountOf(settlement.legs, ({ role }) => role === 'marketplace')
    const micro = (amount: bigint) => (amount * priceUsdCents * 1_000_000n) / selection.expected
    return [{ asset: selection.asset, volume, feeRevenue, worth: micro(volume), fee: micro(feeRevenue) }]
  })
  const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n)
  const assets = [...new Set(settled.map(({ asset }) => asset))].sort()
  return {
    volumeUsdCents: sum(settled.map(({ worth }) => worth)) / 1_000_000n,
    feeRevenueUsdCents: sum(settled.map(({ fee }) => fee)) / 1_000_000n,
    paymentsCount: counted.length,
    countsByStatus: countsOf((status) => counted.filter((payment) => payment.status === status).length),
    byAsset: assets.map((asset) => {
      const own = settled.filter((one) => one.asset === asset)
      return {
        asset,
        volume: sum(own.map(({ volume }) => volume)),
        feeRevenue: sum(own.map(({ feeRevenue }) => feeRevenue)),
        paymentsCount: own.length,
      }
    }),
  }
}
