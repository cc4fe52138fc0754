// The edges over the sellers of real marketplaces, with a key for each kind of caller.

import { createImageCodec } from '#adapters/images/sharp-codec.ts'
import { random } from '#adapters/node/random.ts'
import { createAccountStore } from '#adapters/prisma/accounts/account-store.ts'
import { createKeyStore } from '#adapters/prisma/accounts/key-store.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createMarketplaceFeed } from '#adapters/prisma/events/marketplace-feed.ts'
import { createTokenStore } from '#adapters/prisma/platform/directory-store.ts'
import { createStatsStore } from '#adapters/prisma/stats/stats-store.ts'
import { createTenantReads } from '#adapters/prisma/tenant-reads.ts'
import type { Tenant } from '#core/accounts/account.ts'
import type { KeyPermission } from '#core/accounts/permissions.ts'
import type { Network } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import type { ObjectStorage } from '#ports/images.ts'
import { createAuthenticator } from '#services/accounts/authenticate.ts'
import type { Directory } from '#services/accounts/directory.ts'
import { createImageServices, createSaveImage } from '#services/images/images.ts'
import type { MarketplaceServices } from '#services/marketplace/marketplace-services.ts'
import type { IntentServices } from '#services/payments/intent-services.ts'
import { createMarketplaceStats } from '#services/stats/stats.ts'
import { openTestDatabase } from './database.ts'
import { addMarketplace, marketplaceServices, OPERATOR_ACTOR } from './example-seller.ts'
import { createMemoryStorage } from './images.ts'
import { addKey, createTestSecrets } from './keys.ts'
import { only } from './only.ts'
import { context, NOW } from './payment.ts'
import { startTestService, type TestOptions, type TestService } from './services.ts'
import { addAccount } from './webhook-rows.ts'

/** A program's account, which cannot send what it is paid. */
export const UNPAYABLE = '11111111111111111111111111111111'

/** The address that URLs of images begin with. */
export const PUBLIC_URL = 'https://pay.example.com'

export type SellerEdge = TestService & {
  readonly database: Database
  readonly marketplaces: MarketplaceServices
  /** Keys by their caller. */
  readonly keys: Readonly<
    Record<'own' | 'other' | 'test' | 'revoked' | 'ordinary' | 'viewer' | 'manager' | 'payer', string>
  >
  readonly tenant: Tenant
  /** The marketplace that is revoked. */
  readonly revoked: Tenant
  /** Makes a key of an account. */
  keyOf(accountId: string, network?: Network, scopes?: readonly KeyPermission[]): Promise<string>
}

export async function startSellerEdge(
  settings: TestOptions['settings'] = {},
  intentsOf: (database: Database) => Partial<IntentServices> = () => ({}),
  storage: ObjectStorage = createMemoryStorage(),
): Promise<SellerEdge> {
  const database = await openTestDatabase()
  const images = { codec: createImageCodec(), storage }
  const marketplaces = marketplaceServices(
    database,
    (field, address) => {
      if (address === UNPAYABLE) throw new ServiceError('invalid_address', { field, rule: 'is not a wallet' })
    },
    createSaveImage(images),
  )
  const secrets = createTestSecrets(random)
  const store = createKeyStore(database.prisma)
  const clock = { now: () => new Date() }
  const { authenticate } = createAuthenticator({ clock, secrets, keys: store })
  const keyOf: SellerEdge['keyOf'] = async (accountId, network = 'live', scopes) =>
    (await addKey(database, accountId, { network, ...(scopes && { scopes }) })).secret
  const own = (await addMarketplace(database, marketplaces)).tenant
  const other = (await addMarketplace(database, marketplaces)).tenant
  const test = (await addMarketplace(database, marketplaces, { network: 'test' })).tenant
  const revoked = (await addMarketplace(database, marketplaces)).tenant
  await marketplaces.createSeller(
    { tenant: revoked, actor: OPERATOR_ACTOR },
    { ...BARE, name: 'Kept Shop', externalId: 'kept' },
    async () => {},
  )
  await marketplaces.revoke(revoked.accountId, OPERATOR_ACTOR)
  const feed = await createMarketplaceFeed(database, { now: () => NOW })
  const service = await startTestService({
    feed,
    services: {
      accounts: { authenticate },
      marketplaces,
      marketplaceStats: statsOf(database),
      tokens: { tickerOf: async () => null },
      intents: intentsOf(database),
      images: createImageServices({
        ...images,
        tokens: createTokenStore(database.prisma),
        publicUrl: PUBLIC_URL,
        directoryChanged: async () => {},
      }),
    },
    reads: createTenantReads(database.prisma),
    settings,
  })
  return {
    ...service,
    database,
    marketplaces,
    tenant: own,
    revoked,
    keyOf,
    keys: {
      own: await keyOf(own.accountId),
      other: await keyOf(other.accountId),
      test: await keyOf(test.accountId, 'test'),
      revoked: await keyOf(revoked.accountId),
      ordinary: await keyOf(await addAccount(database)),
      viewer: await keyOf(own.accountId, 'live', ['marketplace-view']),
      manager: await keyOf(own.accountId, 'live', ['marketplace-manage']),
      payer: await keyOf(own.accountId, 'live', ['payments']),
    },
    async close() {
      await service.close()
      await feed.close()
      await database.close()
    },
  }
}

const statsOf = (database: Database) => {
  const accounts = createAccountStore(database.prisma)
  const directory = only<Directory>('directory', { tokens: async () => context().tokens })
  return createMarketplaceStats({
    stats: createStatsStore(database),
    accounts,
    directory,
    clock: { now: () => NOW },
  })
}

const BARE = { description: null, metadata: {}, label: null, sweepDestination: null, marketplaceFeeBps: null }
