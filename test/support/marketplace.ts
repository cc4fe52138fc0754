// The edges over the figures of one marketplace in a database of its own: the business of the test keys, with two sellers.
import { createAccountStore } from '#adapters/prisma/accounts/account-store.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createSellerStore } from '#adapters/prisma/marketplace/seller-store.ts'
import { intentFromPrisma } from '#adapters/prisma/payments/intent-columns.ts'
import { createCustodianStore, createTokenStore } from '#adapters/prisma/platform/directory-store.ts'
import { createStatsStore } from '#adapters/prisma/stats/stats-store.ts'
import { createTenantReads } from '#adapters/prisma/tenant-reads.ts'
import { type Tenant, tenantOf } from '#core/accounts/account.ts'
import { SOL } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import { makeBasisPoints, makeUsdCents } from '#core/money/amounts.ts'
import type { SettlementLeg } from '#core/payments/intent-values.ts'
import type { NewIntent, PaymentIntent } from '#core/payments/payment-intent.ts'
import type { TimeRange } from '#core/stats/calendar.ts'
import { countsOf, type Stats } from '#core/stats/stats.ts'
import { createDirectory } from '#services/accounts/directory.ts'
import { isUuid } from '#services/requests.ts'
import { createBusinessStats, createMarketplaceStats } from '#services/stats/stats.ts'
import { openRecordedDatabase, type Statement } from './database.ts'
import { pendingIntent } from './example-intent.ts'
import { addressNo, choice, signatureNo, units } from './payment.ts'
import { API_KEY, credential, startTestService, TEST_API_KEY, type TestService } from './services.ts'
import { addBusiness, addIntent, patchIntent, type Stores, storesOf } from './stores.ts'

export const STATS_NOW = new Date('2026-11-20T12:00:00.000Z')

export type TestMarketplace = {
  readonly db: Database
  readonly service: TestService
  /** The statements outside of transactions so far. */
  readonly statements: readonly Statement[]
  readonly stores: Stores
  readonly marketplace: Tenant
  readonly sellers: readonly [Tenant, Tenant]
  /** A payment of 100 cents for the seller; when `fee` is given, swept in 1,000 lamports, of which so many are the fee. */
  pay(seller: Tenant, createdAt: string, fee?: bigint, patch?: Partial<NewIntent>): Promise<PaymentIntent>
  close(): Promise<void>
}

export async function startTestMarketplace({ isMarketplace = true } = {}): Promise<TestMarketplace> {
  const { database: db, statements } = await openRecordedDatabase()
  const id = pendingIntent.accountId
  await db.query(`INSERT INTO accounts (id, network, name, updated_at) VALUES ($1, 'live', 'Bazaar', now())`, [id])
  if (isMarketplace) await db.query('INSERT INTO marketplaces (account_id, updated_at) VALUES ($1, now())', [id])
  await db.query(
    `INSERT INTO tokens (network, asset, mint, is_native, name, ticker, decimals, extensions, feed_key, updated_at)
     VALUES ('live', 'SOL', 'So11111111111111111111111111111111111111112', true, 'Solana', 'SOL', 9, '{}', 'SOL', now())`,
  )
  const marketplace = tenantOf({ id, network: 'live' })
  const accounts = createAccountStore(db.prisma)
  const clock = { now: () => STATS_NOW }
  const stores = storesOf(db)
  const directory = createDirectory({
    clock,
    accounts,
    tokens: createTokenStore(db.prisma),
    custodians: createCustodianStore(db.prisma),
  })
  const stats = createStatsStore(db)
  const live = credential('live')
  const service = await startTestService({
    reads: createTenantReads(db.prisma),
    services: {
      accounts: {
        authenticate: async (key) => {
          if (key === TEST_API_KEY) return credential('test')
          if (key !== API_KEY) throw new ServiceError('unauthenticated')
          return { ...live, marketplace: isMarketplace ? 'active' : null }
        },
      },
      marketplaces: {
        async findSeller(tenant, sellerId) {
          const seller = isUuid(sellerId) ? await createSellerStore(db).find(tenant, sellerId) : null
          if (seller === null) throw new ServiceError('seller_not_found')
          return seller
        },
      },
      stats: createBusinessStats({ stats, directory, clock }),
      marketplaceStats: createMarketplaceStats({ stats, accounts, directory, clock }),
      tokens: {
        tickerOf: async (network, asset) => (await directory.tokens(network)).get(asset)?.ticker ?? null,
      },
    },
  })
  return {
    db,
    service,
    statements,
    stores,
    marketplace,
    sellers: [await addBusiness(db, 'live', id), await addBusiness(db, 'live', id)],
    async pay({ accountId }, createdAt, fee, patch = {}) {
      const at = new Date(createdAt)
      const marketplaceFeeBps = accountId === marketplace.accountId ? null : makeBasisPoints(250)
      const created = { accountId, createdAt: at, priceUsdCents: makeUsdCents(100), marketplaceFeeBps, ...patch }
      const payment = await addIntent(stores, marketplace, created)
      if (fee === undefined) return payment
      const legs = [leg('seller', 1_000n - fee), leg('marketplace', fee), leg('refund', 77n)]
      return await patchIntent(stores.work, payment, {
        status: 'swept',
        selection: choice(SOL, 1_000n),
        settlement: {
          asset: 'SOL',
          decimals: 9,
          destinationAmount: units(1_000n - fee),
          platformFeeAmount: units(0n),
          pendingAmount: units(0n),
          signatures: [signatureNo(1)],
          legs,
        },
      })
    },
    async close() {
      await service.close()
      await db.close()
    },
  }
}

const leg = (role: SettlementLeg['role'], amount: bigint): SettlementLeg => ({
  role,
  destination: addressNo(1),
  mint: null,
  asset: 'SOL',
  decimals: 9,
  amount: units(amount),
  feeBps: null,
  signature: signatureNo(1),
})

export const NO_PAYMENTS = {
  pending: 0,
  underpaid: 0,
  paid: 0,
  overpaid: 0,
  settling: 0,
  swept: 0,
  refunding: 0,
  refunded: 0,
  cancelled: 0,
  settle_failed: 0,
  refund_failed: 0,
}

// Recounts the figures of a marketplace from its payments, apart from the code under test.

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
    const net = amountOf(settlement.legs, ({ role }) => role === 'merchant' || role === 'seller')
    const feeRevenue = amountOf(settlement.legs, ({ role }) => role === 'marketplace')
    const micro = (amount: bigint) => (amount * priceUsdCents * 1_000_000n) / selection.expected
    const worths = { worth: micro(volume), kept: micro(net), fee: micro(feeRevenue) }
    return [{ asset: selection.asset, volume, net, feeRevenue, ...worths }]
  })
  const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n)
  const assets = [...new Set(settled.map(({ asset }) => asset))].sort()
  return {
    volumeUsdCents: sum(settled.map(({ worth }) => worth)) / 1_000_000n,
    netUsdCents: sum(settled.map(({ kept }) => kept)) / 1_000_000n,
    feeRevenueUsdCents: sum(settled.map(({ fee }) => fee)) / 1_000_000n,
    paymentsCount: counted.length,
    countsByStatus: countsOf((status) => counted.filter((payment) => payment.status === status).length),
    byAsset: assets.map((asset) => {
      const own = settled.filter((one) => one.asset === asset)
      return {
        asset,
        volume: sum(own.map(({ volume }) => volume)),
        net: sum(own.map(({ net }) => net)),
        feeRevenue: sum(own.map(({ feeRevenue }) => feeRevenue)),
        paymentsCount: own.length,
      }
    }),
  }
}
