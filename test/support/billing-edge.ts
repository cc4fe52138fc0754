// The edges over recurring billing on a database of their own: a business, a marketplace with a seller, and their keys.
import { random } from '#adapters/node/random.ts'
import { createSecrets } from '#adapters/node/secrets.ts'
import { createAccountStore } from '#adapters/prisma/accounts/account-store.ts'
import { createKeyStore } from '#adapters/prisma/accounts/key-store.ts'
import { createSubscriptionProductStore } from '#adapters/prisma/billing/product-store.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createCustodianStore } from '#adapters/prisma/payments/custodian-store.ts'
import { createTenantReads } from '#adapters/prisma/tenant-reads.ts'
import { createTokenStore } from '#adapters/prisma/tokens/token-store.ts'
import { KEY_SCOPES, type KeyScope, type Tenant } from '#core/accounts/account.ts'
import type { Network } from '#core/chain/types.ts'
import { makeBasisPoints, makeUsdCents } from '#core/money/amounts.ts'
import { createAuthenticator } from '#services/accounts/authenticate.ts'
import { createDirectory } from '#services/accounts/directory.ts'
import { createBillingServices } from '#services/billing/billing.ts'
import type { BillingTerms } from '#services/billing/billing-services.ts'
import { createProductServices } from '#services/billing/products.ts'
import { openTestDatabase } from './database.ts'
import { MINT } from './example-intent.ts'
import { addMarketplace, marketplaceServices, OPERATOR_ACTOR, sellerInput } from './example-seller.ts'
import { startTestService, type TestOptions, type TestService } from './services.ts'
import { addBusiness } from './stores.ts'

export const BILLING_TERMS: BillingTerms = {
  mint: MINT,
  maxPriceUsdCents: makeUsdCents(1_000_000),
  platformFeeBps: makeBasisPoints(0),
  platformWallet: null,
  subscriptionsPerWallet: 50,
}

type KeyName = 'own' | 'other' | 'test' | 'viewer' | 'manager' | 'payer' | 'market' | 'revoked'

export type BillingEdge = TestService & {
  readonly database: Database
  readonly keys: Readonly<Record<KeyName, string>>
  /** An ordinary business, and the ids of the sellers of the two marketplaces. */
  readonly tenant: Tenant
  readonly sellers: Readonly<Record<'market' | 'revoked' | 'archived', string>>
  /** The time of the service, which moves by a second with each reading, and whether recurring billing is enabled. */
  readonly state: { now: number; isEnabled: boolean }
}

export type BillingEdgeOptions = {
  readonly terms?: BillingTerms
  readonly database?: Database
  readonly settings?: TestOptions['settings']
}

export async function startBillingEdge(options: BillingEdgeOptions = {}): Promise<BillingEdge> {
  const database = options.database ?? (await openTestDatabase())
  const { prisma } = database
  const state = { now: Date.parse('2026-11-20T12:00:00Z'), isEnabled: true }
  const clock = {
    now() {
      state.now += 1_000
      return new Date(state.now)
    },
  }
  const secrets = createSecrets(random)
  const keyStore = createKeyStore(prisma)
  const accounts = createAccountStore(prisma)
  const realClock = { now: () => new Date() }
  const { authenticate } = createAuthenticator({ clock: realClock, secrets, keys: keyStore })
  const directory = createDirectory({
    clock: realClock,
    accounts,
    tokens: createTokenStore(prisma),
    custodians: createCustodianStore(prisma),
  })
  const keyOf = async (accountId: string, network: Network = 'live', scopes: readonly KeyScope[] = KEY_SCOPES) => {
    const { secret, hash } = secrets.issueApiKey(network)
    await keyStore.create({ id: random.uuid(), accountId, hash, hint: secret.slice(-4), scopes })
    return secret
  }
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
  const deps = {
    accounts,
    directory,
    random,
    clock,
    billingTerms: options.terms ?? BILLING_TERMS,
    subscriptionProducts: createSubscriptionProductStore(database),
  }
  const enabled = createBillingServices(deps)
  const disabled = createBillingServices({ ...deps, billingTerms: null })
  const billing = () => (state.isEnabled ? enabled : disabled)
  const service = await startTestService({
    services: {
      accounts: { authenticate },
      billing: { facts: () => billing().facts(), merchant: (request) => billing().merchant(request) },
      catalogue: createProductServices(deps),
    },
    reads: createTenantReads(prisma),
    settings: options.settings ?? {},
  })
  return {
    ...service,
    database,
    tenant,
    sellers,
    state,
    keys: {
      own: await keyOf(tenant.accountId),
      other: await keyOf((await addBusiness(database)).accountId),
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

export const onBehalfOf = (key: string, seller: string) => ({
  authorization: `Bearer ${key}`,
  'x-platform-on-behalf-of': seller,
})
