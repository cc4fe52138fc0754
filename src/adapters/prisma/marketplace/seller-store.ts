// Sellers. A create locks the row of the marketplace, a change locks the row of the seller: the audit trail then says what
// happened, in the order in which it happened.

import { writeAudit } from '#adapters/prisma/accounts/audit-writes.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import { MARKETPLACES } from '#adapters/prisma/rows.ts'
import { lockAccount, type Tx } from '#adapters/prisma/transaction.ts'
import type { Marketplace, Tenant } from '#core/accounts/account.ts'
import { isAddress } from '#core/chain/base58.ts'
import { checked, readNullable, readString } from '#core/json.ts'
import { searchPartsOf, searchTextOf } from '#core/marketplace/search.ts'
import type { Seller } from '#core/marketplace/seller.ts'
import { isMetadata } from '#core/metadata.ts'
import { isBasisPoints } from '#core/money/amounts.ts'
import type { SellerStore } from '#ports/marketplaces.ts'
import { readInFlight } from './in-flight.ts'

// A seller as its row.

type SearchColumn = 'searchText' | 'searchParts'
export type SellerRow = Omit<Prisma.AccountGetPayload<object>, SearchColumn>

export const sellerFromRow = (row: SellerRow): Seller => ({
  id: row.id,
  network: row.network,
  marketplaceAccountId: readString(row.marketplaceAccountId, 'marketplace_account_id'),
  name: row.name,
  externalId: row.externalId,
  description: row.description,
  metadata: checked(isMetadata)(row.metadata, 'metadata'),
  label: row.label,
  logoName: row.logoName,
  sweepDestination: readNullable(checked(isAddress))(row.sweepDestination, 'sweep_destination'),
  marketplaceFeeBps: readNullable(checked(isBasisPoints))(row.marketplaceFeeBps, 'marketplace_fee_bps'),
  derivationIndex: row.derivationIndex,
  archivedAt: row.archivedAt,
  disabledAt: row.disabledAt,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
})

/** Returns the columns by which a search finds a seller. Written with its name and external id. */
export function searchColumns({ name, externalId }: Pick<Seller, 'name' | 'externalId'>) {
  const searchText = searchTextOf([name, externalId])
  return { searchText, searchParts: [...searchPartsOf(searchText)] }
}

const OMIT = { searchText: true, searchParts: true } satisfies Prisma.AccountOmit

const ofTenant = ({ accountId, network }: Tenant): Prisma.AccountWhereInput => ({
  marketplaceAccountId: accountId,
  network,
})

export function createSellerStore({ prisma }: Pick<Database, 'prisma'>): SellerStore {
  return {
    find: (tenant, id) => findSeller(prisma, tenant, { id }),
    findByExternalId: (tenant, externalId) => findSeller(prisma, tenant, { externalId }),

    create: (tenant, seller, by, entryOf) =>
      prisma.$transaction(async (tx) => {
        const marketplace = await lockMarketplace(tx, tenant, 'NO KEY UPDATE')
        if (marketplace?.status !== 'active') return { outcome: 'disabled' }
        const { externalId } = seller
        const existing = externalId === null ? null : await findSeller(tx, tenant, { externalId })
        if (existing !== null) return { outcome: 'existing', seller: existing }
        if (await isFull(tx, marketplace)) return { outcome: 'limit_reached' }
        const row = await tx.account.create({
          data: {
            ...seller,
            ...searchColumns(seller),
            network: tenant.network,
            marketplaceAccountId: tenant.accountId,
            createdAt: by.at,
            updatedAt: by.at,
          },
          omit: OMIT,
        })
        const created = sellerFromRow(row)
        await writeAudit(tx, tenant.accountId, by, [entryOf(created)])
        return { outcome: 'created', seller: created }
      }),

    change: (tenant, id, by, decide) =>
      prisma.$transaction(async (tx) => {
        const marketplace = await lockMarketplace(tx, tenant, 'SHARE')
        await lockAccount(tx, id)
        const seller = await findSeller(tx, tenant, { id })
        if (seller === null) return null
        const isActive = marketplace?.status === 'active'
        const { next, entries } = await decide({ seller, isActive, inFlight: () => readInFlight(tx, id, by.at) })
        if (entries.length === 0) return seller
        const row = await tx.account.update({
          where: { id },
          data: { ...columnsOf(next), updatedAt: by.at },
          omit: OMIT,
        })
        await writeAudit(tx, tenant.accountId, by, entries)
        return sellerFromRow(row)
      }),
  }
}

async function findSeller(
  prisma: Pick<Tx, 'account'>,
  tenant: Tenant,
  by: { id: string } | { externalId: string },
): Promise<Seller | null> {
  const row = await prisma.account.findFirst({ where: { ...ofTenant(tenant), ...by }, omit: OMIT })
  return row === null ? null : sellerFromRow(row)
}

/** Neither mode makes a payment wait whose entry in the audit trail refers to the marketplace. */
async function lockMarketplace(
  tx: Tx,
  { accountId }: Tenant,
  mode: 'NO KEY UPDATE' | 'SHARE',
): Promise<Marketplace | null> {
  await tx.$queryRawUnsafe(`SELECT account_id FROM marketplaces WHERE account_id = $1::uuid FOR ${mode}`, accountId)
  const row = await tx.marketplace.findUnique({ where: { accountId } })
  return row === null ? null : MARKETPLACES.fromRow(row)
}

/** Archived sellers count towards the limit. The count is exact, because the lock of the marketplace keeps other creates out. */
async function isFull(tx: Tx, { accountId, sellerLimit }: Marketplace): Promise<boolean> {
  if (sellerLimit === null) return false
  const counted = await tx.sellerCount.findUnique({ where: { marketplaceAccountId: accountId } })
  return (counted?.total ?? 0) >= sellerLimit
}

/** Returns the columns that a change of a seller writes. */
const columnsOf = ({ name, externalId, description, metadata, label, logoName, ...seller }: Seller) => ({
  name,
  description,
  metadata,
  label,
  logoName,
  sweepDestination: seller.sweepDestination,
  marketplaceFeeBps: seller.marketplaceFeeBps,
  archivedAt: seller.archivedAt,
  ...searchColumns({ name, externalId }),
})
