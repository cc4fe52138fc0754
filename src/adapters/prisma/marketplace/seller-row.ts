// A seller as its row.
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import { isAddress } from '#core/chain/base58.ts'
import { checked, readNullable, readString } from '#core/json.ts'
import { searchPartsOf, searchTextOf } from '#core/marketplace/search.ts'
import type { Seller } from '#core/marketplace/seller.ts'
import { isMetadata } from '#core/metadata.ts'
import { isBasisPoints } from '#core/money/amounts.ts'

type SearchColumn = 'searchText' | 'searchParts'
type BusinessColumn = 'webhookSecretVersion' | 'webhookSecretRotations'
export type SellerRow = Omit<Prisma.AccountGetPayload<object>, SearchColumn | BusinessColumn>

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
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
})

/** Returns the columns by which a search finds a seller. Written with its name and external id. */
export function searchColumns({ name, externalId }: Pick<Seller, 'name' | 'externalId'>) {
  const searchText = searchTextOf([name, externalId])
  return { searchText, searchParts: [...searchPartsOf(searchText)] }
}
