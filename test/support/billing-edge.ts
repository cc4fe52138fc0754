// The edges over recurring billing on a database of their own: a business, a marketplace with a seller, and their keys.
import { random } from '#adapters/node/random.ts'
import { createAccountStore } from '#adapters/prisma/accounts/account-store.ts'
import { createKeyStore } from '#adapters/prisma/accounts/key-store.ts'
import { createBillingStore } from '#adapters/prisma/billing/billing-store.ts'
import {
  createRedirectDomainStore,
  createSubscriptionIntentStore,
  createSubscriptionProductStore,
  createSubscriptionTierStore,
} from '#adapters/prisma/billing/catalogue-store.ts'
import { createSubscriptionCouponStore } from '#adapters/prisma/billing/coupon-store.ts'
import { createDelegationLookup } from '#adapters/prisma/billing/delegation-store.ts'
import { createPortalSessionStore } from '#adapters/prisma/billing/portal-store.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createCustodianStore, createTokenStore } from '#adapters/prisma/platform/directory-store.ts'
import { createTenantReads } from '#adapters/prisma/tenant-reads.ts'
import { associatedTokenAddress } from '#adapters/solana/keys/associated-token.ts'
import { createDepositKeys } from '#adapters/solana/keys/deposit-keys.ts'
import type { Tenant } from '#core/accounts/account.ts'
import type { KeyPermission } from '#core/accounts/permissions.ts'
import { makeAddress } from '#core/chain/base58.ts'
import { MAINNET_GENESIS_HASH } from '#core/chain/known-networks.ts'
import type { Address, Network } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import { makeBasisPoints, makeLamports, makeUsdCents } from '#core/money/amounts.ts'
import type { Token } from '#core/tokens/token.ts'
import type { BalanceReader, ChainClock } from '#ports/chain.ts'
import { createAuthenticator } from '#services/accounts/authenticate.ts'
import { createDirectory } from '#services/accounts/directory.ts'
import { createBillingServices } from '#services/billing/billing.ts'
import type { PlatformBillingTerms } from '#services/billing/billing-services.ts'
import { createCouponServices } from '#services/billing/coupons.ts'
import { createDomainServices } from '#services/billing/domains.ts'
import { createProductServices } from '#services/billing/products.ts'
import { createSubscriptionIntentServices } from '#services/billing/subscription-intents.ts'
import { createSubscriptionServices } from '#services/billing/subscriptions.ts'
import { createTierServices } from '#services/billing/tiers.ts'
import { openTestDatabase } from './database.ts'
import { MINT } from './example-intent.ts'
import { addMarketplace, marketplaceServices, OPERATOR_ACTOR, sellerInput } from './example-seller.ts'
import { AUTHOR, addKey, createTestSecrets } from './keys.ts'
import { addressNo, token } from './payment.ts'
import { startTestService, type TestOptions, type TestService } from './services.ts'
import { addBusiness } from './stores.ts'

export const BILLING_TERMS: PlatformBillingTerms = {
  mint: MINT,
  minPriceUsdCents: makeUsdCents(10),
  maxPriceUsdCents: makeUsdCents(1_000_000),
  platformFeeBps: makeBasisPoints(0),
  platformWallet: null,
  subscriptionsPerWallet: 50,
}

/** The keys of the service. */
export const EDGE_KEYS = createDepositKeys(new Uint8Array(64).fill(5))

export const PAYOUT_WALLET = addressNo(9_101)
export const CLASSIC_TOKENS = makeAddress('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA')

export const SETTLEMENT_TOKEN = token({ tokenProgram: CLASSIC_TOKENS })

type KeyName = 'own' | 'other' | 'test' | 'viewer' | 'manager' | 'payer' | 'market' | 'revoked'

export type BillingEdge = TestService & {
  readonly database: Database
  readonly keys: Readonly<Record<KeyName, string>>
  /** An ordinary business, and the ids of the sellers of the two marketplaces. */
  readonly tenant: Tenant
  /** The business of the key `other`. */
  readonly other: Tenant
  readonly sellers: Readonly<Record<'market' | 'revoked' | 'archived', string>>
  readonly world: BillingWorld
  /** Puts the settlement mint on the allowlist, or changes what the allowlist says of it. */
  allowMint(patch?: Partial<Token>): Promise<void>
  /** Sets where a business is paid. */
  payTo(accountId: string, destination: Address | null): Promise<void>
}

/** What a test can change while the service runs. */
export type BillingWorld = {
  /** The time of the service, which moves by a second with each reading. */
  now: number
  isEnabled: boolean
  terms: PlatformBillingTerms
  /** The programs that own accounts on the chain. An account without one does not exist. */
  readonly owners: Map<Address, Address>
  isChainAway: boolean
  /** How far the chain's clock is ahead of the service's. */
  chainAheadMs: number
  genesisHash: string
  /** Why no payment can be made in the settlement mint; null when one can. */
  mintProblem: string | null
}

export type BillingEdgeOptions = {
  readonly database?: Database
  readonly settings?: TestOptions['settings']
}

export async function startBillingEdge(options: BillingEdgeOptions = {}): Promise<BillingEdge> {
  const database = options.database ?? (await openTestDatabase())
  const { prisma } = database
  const world: BillingWorld = {
    now: Date.parse('2026-11-20T12:00:00Z'),
    isEnabled: true,
    terms: BILLING_TERMS,
    owners: new Map(),
    isChainAway: false,
    chainAheadMs: 0,
    mintProblem: null,
    genesisHash: MAINNET_GENESIS_HASH,
  }
  const clock = {
    now() {
      world.now += 1_000
      return new Date(world.now)
    },
  }
  const secrets = createTestSecrets(random)
  const keyStore = createKeyStore(prisma)
  const accounts = createAccountStore(prisma)
  const realClock = { now: () => new Date() }
  const { authenticate } = createAuthenticator({ clock: realClock, secrets, keys: keyStore })
  const tokens = createTokenStore(prisma)
  const directory = createDirectory({
    clock: realClock,
    accounts,
    tokens,
    custodians: createCustodianStore(prisma),
  })
  const keyOf = async (accountId: string, network: Network = 'live', scopes?: readonly KeyPermission[]) =>
    (await addKey(database, accountId, { network, ...(scopes && { scopes }) })).secret
  const marketplaces = marketplaceServices(database)
  const market = await addMarketplace(database, marketplaces)
  const revoked = await addMarketplace(database, marketplaces)
  const sellerOf = async (caller: typeof market, name: string) =>
    (await marketplaces.createSeller(caller, { ...sellerInput, name }, async () => {})).seller.id
  const sellers = {
    market: await sellerOf(market, 'Blue Shop'),
    archived: await sellerOf(market, 'Gone Shop'),
    revoked: await sellerOf(revoked, 'Kept Shop'),
  }
  await marketplaces.archiveSeller(market, sellers.archived)
  await marketplaces.revoke(revoked.tenant.accountId, OPERATOR_ACTOR)
  const tenant = await addBusiness(database)
  const other = await addBusiness(database)
  const deps = {
    accounts,
    directory,
    mintGuard: { problemOf: async () => world.mintProblem },
    random,
    clock,
    get billingTerms() {
      return world.isEnabled ? world.terms : null
    },
    get genesisHash() {
      return world.genesisHash
    },
    subscriptionProducts: createSubscriptionProductStore(database),
    subscriptionTiers: createSubscriptionTierStore(database),
    subscriptionCoupons: createSubscriptionCouponStore(database),
    redirectDomains: createRedirectDomainStore(database),
    subscriptionIntents: createSubscriptionIntentStore(database),
    secrets,
    payUrl: 'https://pay.example.com',
    keys: {
      addressOf: EDGE_KEYS.addressOf,
      tokenAccountOf: async (...of: Parameters<typeof associatedTokenAddress>) => associatedTokenAddress(...of),
    },
    liveChain: chainOf(world),
  }
  const allowMint: BillingEdge['allowMint'] = async (patch = {}) => {
    await tokens.save({ ...SETTLEMENT_TOKEN, ...patch })
    directory.clear()
  }
  const payTo: BillingEdge['payTo'] = async (id, sweepDestination) =>
    void (await accounts.update(id, { sweepDestination }, AUTHOR))
  await allowMint()
  await payTo(tenant.accountId, PAYOUT_WALLET)
  const service = await startTestService({
    services: {
      accounts: { authenticate },
      billing: createBillingServices(deps),
      catalogue: {
        ...createProductServices(deps),
        ...createTierServices(deps),
        ...createCouponServices(deps),
        ...createDomainServices({ ...deps, embedsLocally: false }),
        ...createSubscriptionIntentServices(deps),
      },
      subscriptions: createSubscriptionServices({
        ...deps,
        billing: createBillingStore(database),
        portalSessions: createPortalSessionStore(database),
        delegationLookup: createDelegationLookup(database),
        chainOf: () => chainOf(world),
        keys: EDGE_KEYS,
      }),
      marketplaces,
    },
    reads: createTenantReads(prisma),
    settings: options.settings ?? {},
  })
  return {
    ...service,
    database,
    tenant,
    other,
    sellers,
    world,
    allowMint,
    payTo,
    keys: {
      own: await keyOf(tenant.accountId),
      other: await keyOf(other.accountId),
      test: await keyOf((await addBusiness(database, 'test')).accountId, 'test'),
      viewer: await keyOf(tenant.accountId, 'live', ['subscriptions-view']),
      manager: await keyOf(tenant.accountId, 'live', ['subscriptions-manage']),
      payer: await keyOf(tenant.accountId, 'live', ['payments', 'marketplace-view', 'marketplace-manage']),
      market: await keyOf(market.tenant.accountId),
      revoked: await keyOf(revoked.tenant.accountId),
    },
    async close() {
      await service.close()
      if (options.database === undefined) await database.close()
    },
  }
}

const chainOf = (world: BillingWorld): Pick<BalanceReader, 'readAccounts'> & ChainClock => ({
  async readAccounts(accounts) {
    if (world.isChainAway) throw new ServiceError('chain_unavailable')
    const states = accounts.map((account) => {
      const ownerProgram = world.owners.get(account)
      return ownerProgram === undefined ? null : { lamports: makeLamports(1), ownerProgram, token: null }
    })
    return { slot: 1n, states }
  },
  async blockTime() {
    if (world.isChainAway) throw new ServiceError('chain_unavailable')
    return { slot: 1n, time: new Date(world.now + world.chainAheadMs) }
  },
})

export const onBehalfOf = (key: string, seller: string) => ({
  authorization: `Bearer ${key}`,
  'x-platform-on-behalf-of': seller,
})
