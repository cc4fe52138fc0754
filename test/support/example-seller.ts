// A seller as an example, and a marketplace on a real database.
import { random } from '#adapters/node/random.ts'
import { createAccountStore } from '#adapters/prisma/accounts/account-store.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createMarketplaceStore } from '#adapters/prisma/marketplace/marketplace-store.ts'
import { createSellerStore } from '#adapters/prisma/marketplace/seller-store.ts'
import { type Tenant, tenantOf } from '#core/accounts/account.ts'
import { keyActor, operatorActor } from '#core/accounts/audit.ts'
import { makeAddress } from '#core/chain/base58.ts'
import type { Network } from '#core/chain/types.ts'
import type { Seller, SellerInput } from '#core/marketplace/seller.ts'
import { makeBasisPoints } from '#core/money/amounts.ts'
import type { SaveImage } from '#services/images/images.ts'
import type { MarketplaceCaller, MarketplaceServices } from '#services/marketplace/marketplace-services.ts'
import { createTermsServices } from '#services/marketplace/marketplaces.ts'
import { createCorrectSeller } from '#services/marketplace/seller-corrections.ts'
import { createSellerServices } from '#services/marketplace/sellers.ts'
import { addAccount } from './webhook-rows.ts'

export const SELLER_WALLET = makeAddress('9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin')

export const exampleSeller: Seller = {
  id: '3f0f6a54-52a7-4a9d-8e0b-5a1f0c0d7e21',
  network: 'live',
  marketplaceAccountId: '0b9d7f4e-93b4-4a0a-8f0a-5f3a52b1d001',
  name: 'Blue Shop',
  externalId: 'shop-17',
  description: 'Pottery',
  metadata: { plan: 'gold' },
  label: 'Blue',
  logoName: null,
  sweepDestination: SELLER_WALLET,
  marketplaceFeeBps: makeBasisPoints(250),
  derivationIndex: 7,
  archivedAt: null,
  disabledAt: null,
  createdAt: new Date('2026-11-20T12:00:00Z'),
  updatedAt: new Date('2026-11-20T12:00:00Z'),
}

export const sellerInput: SellerInput = {
  name: 'Blue Shop',
  externalId: null,
  description: null,
  metadata: {},
  label: null,
  sweepDestination: null,
  marketplaceFeeBps: null,
}

export const callerOf = (tenant: Tenant): MarketplaceCaller => ({
  tenant,
  actor: keyActor(tenant.network, 'x7Qa', '203.0.113.9'),
})

export const OPERATOR_ACTOR = operatorActor('127.0.0.1')

/** The services of marketplaces over a real database. Each reading of the clock is a second later. */
export function marketplaceServices(
  database: Database,
  judge: (field: string, address: string) => void = () => {},
  saveImage: SaveImage = async () => {
    throw new Error('no image is expected here')
  },
): MarketplaceServices {
  let time = Date.parse('2026-11-20T12:00:00Z')
  const clock = {
    now: () => {
      time += 1_000
      return new Date(time)
    },
  }
  const deps = {
    accounts: createAccountStore(database.prisma),
    marketplaces: createMarketplaceStore(database),
    sellers: createSellerStore(database),
    directoryChanged: async () => {},
    random,
    clock,
    saveImage,
    maxMarketplaceFeeBps: makeBasisPoints(5_000),
  }
  const judgePayout = async (_network: Network, address: string) => judge('sweep_destination', address)
  return {
    ...createTermsServices({ ...deps, judgeFeeWallet: async (_network, address) => judge('fee_wallet', address) }),
    ...createSellerServices({ ...deps, judgePayout }),
    correctSeller: createCorrectSeller({ ...deps, judgePayout }),
  }
}

/** A business whose marketplace is approved. */
export async function addMarketplace(
  database: Database,
  services: Pick<MarketplaceServices, 'approve'>,
  { network = 'live', sellerLimit = null }: { network?: Network; sellerLimit?: number | null } = {},
): Promise<MarketplaceCaller> {
  const id = await addAccount(database, { network })
  await services.approve(id, { sellerLimit }, OPERATOR_ACTOR)
  return callerOf(tenantOf({ id, network }))
}
