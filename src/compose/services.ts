// Builds the services over their adapters, for the edges.

import { createFolderStorage, createS3Storage } from '#adapters/images/object-storage.ts'
import { createImageCodec } from '#adapters/images/sharp-codec.ts'
import { systemClock } from '#adapters/node/clock.ts'
import { random } from '#adapters/node/random.ts'
import { createSecrets } from '#adapters/node/secrets.ts'
import { deriveServiceSecret } from '#adapters/solana/keys/seed.ts'
import { walletTransactions } from '#adapters/solana/transactions/wallet-transactions.ts'
import type { Config } from '#config/config.ts'
import { walletChainOf } from '#core/chain/known-networks.ts'
import { type Address, NETWORKS, type Network } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import type { FeeTerms } from '#core/payments/decision-context.ts'
import { decideRearmed } from '#core/payments/machine/rearm.ts'
import { PAYMENT_SUBJECT, RENT_SUBJECT } from '#core/payments/transfers.ts'
import type { Transfer } from '#core/transfers/transfer.ts'
import type { DepositKeys, DeriveAddresses } from '#ports/chain.ts'
import type { WebhookSecrets } from '#ports/events.ts'
import type { ObjectStorage } from '#ports/images.ts'
import type { IntentChanges } from '#ports/payments.ts'
import type { SandboxClock } from '#sandbox/movable-clock.ts'
import { createAccountServices } from '#services/accounts/accounts.ts'
import { createAuthenticator, createCredentialServices } from '#services/accounts/authenticate.ts'
import { createDirectory, createDirectoryChanged, type Directory } from '#services/accounts/directory.ts'
import { createJudgeSweepDestination } from '#services/accounts/sweep-destination.ts'
import { createAuditServices } from '#services/audit/audit.ts'
import { createBillingAudit } from '#services/audit/charges.ts'
import { createBillingServices } from '#services/billing/billing.ts'
import type { PlatformBillingTerms } from '#services/billing/billing-services.ts'
import { createCheckoutServices } from '#services/billing/checkout/checkout.ts'
import { createDomainServices } from '#services/billing/domains.ts'
import { createOperatorBillingServices } from '#services/billing/operator-billing.ts'
import { createPortalServices } from '#services/billing/portal/portal.ts'
import { createProductServices } from '#services/billing/products.ts'
import { createBillingStatus } from '#services/billing/status.ts'
import { createSubscriptionIntentServices } from '#services/billing/subscription-intents.ts'
import { createSubscriptionServices } from '#services/billing/subscriptions.ts'
import { createTierServices } from '#services/billing/tiers.ts'
import { createCustodianServices } from '#services/custodians/custodians.ts'
import { createEventLogServices } from '#services/events/event-log.ts'
import { createWebhookServices } from '#services/events/webhooks.ts'
import { createImageServices, createSaveImage } from '#services/images/images.ts'
import { createStatsAudit } from '#services/marketplace/audit-stats.ts'
import { createTermsServices } from '#services/marketplace/marketplaces.ts'
import { createCorrectSeller } from '#services/marketplace/seller-corrections.ts'
import { createSellerServices } from '#services/marketplace/sellers.ts'
import { createMarketplaceStats } from '#services/marketplace/stats.ts'
import { createFindByClientSecret } from '#services/payments/checkout.ts'
import { decideAndApply } from '#services/payments/decide.ts'
import {
  createDecisionContext,
  createDustContext,
  type ReadDecisionContext,
} from '#services/payments/decision-context.ts'
import { createHeldList, createHeldServices } from '#services/payments/held.ts'
import { createKnownPrices } from '#services/payments/known-prices.ts'
import { createLeastPayable, createLockRate, type LockRate } from '#services/payments/lock-rate.ts'
import { createIntentServices, createPageServices } from '#services/payments/payments.ts'
import { createWalletPayments } from '#services/payments/wallet-payments.ts'
import { createStallTimer, probeNetworks } from '#services/platform/networks.ts'
import { createPlatformServices, platformFacts } from '#services/platform/platform.ts'
import type { PriceSource } from '#services/prices/price-source.ts'
import type { Services } from '#services/services.ts'
import { createMintGuard, type MintGuard } from '#services/tokens/mint-guard.ts'
import { createTokenServices } from '#services/tokens/tokens.ts'
import { hostedDeps } from './hosted.ts'
import type { NetworkRuntime } from './networks.ts'
import { createSandbox } from './sandbox.ts'
import type { Stores } from './stores.ts'

export type ServiceParts = {
  readonly config: Config
  readonly version: string
  readonly seed: Uint8Array
  readonly stores: Stores
  readonly networks: Readonly<Record<Network, NetworkRuntime | null>>
  readonly keys: DepositKeys
  readonly deriveAddresses: DeriveAddresses
  readonly prices: PriceSource
  readonly changes: IntentChanges
  /** The settlement stablecoin of recurring billing; null while that is disabled. */
  readonly subscriptionMint: Address | null
  readonly clock: SandboxClock
}

export type BuiltServices = {
  readonly services: Services
  readonly directory: Directory
  readonly decisionContext: ReadDecisionContext
  readonly lockRate: LockRate
  readonly mintGuard: MintGuard
  readonly webhookSecrets: WebhookSecrets
  /** Forgets what was read of accounts, keys and the allowlist. To be called when another instance reports a change. */
  forgetDirectory(): void
  /** Reads the prices of the allowed assets. To be called about once a minute, and when the allowlist changes. */
  refreshPrices(): Promise<void>
  /** Reads the progress of each chain, by which a stalled one is recognized. To be called every few seconds. */
  probeNetworks(): Promise<void>
}

export function buildServices(parts: ServiceParts): BuiltServices {
  const { config, stores, networks, clock, prices, keys } = parts
  const secrets = createSecrets(random)
  const webhookSecrets: WebhookSecrets = {
    secret: (accountId, version) => deriveServiceSecret(parts.seed, `webhook:${accountId}:${version}`),
  }
  const directory = createDirectory({ ...stores, clock: systemClock })
  const authenticator = createAuthenticator({ clock: systemClock, secrets, keys: stores.keys })
  const directoryChanged = createDirectoryChanged([directory, authenticator], stores.announcer)
  const live = requireNetwork(networks, 'live')
  const chainOf = (network: Network) => requireNetwork(networks, network).chain
  const mintGuard = createMintGuard({ chainOf, directory, clock: systemClock })
  const common = { ...stores, clock, secrets, random, directory, directoryChanged, prices, mintGuard }
  const servedNetworks = NETWORKS.filter((network) => networks[network] !== null)
  const terms = (network: Network): FeeTerms => ({
    ...config.fees,
    computeUnitPrice: config.settlement.computeUnitPrice,
    feePayer: requireNetwork(networks, network).feePayer,
  })
  const leastPayable = createLeastPayable({ chainOf, terms, mintGuard })
  const lockRate = createLockRate(prices, leastPayable)
  const knownPrices = createKnownPrices({
    networks: servedNetworks,
    directory,
    prices,
    leastPayable,
    clock: systemClock,
  })
  const worth = { directory, terms, priceOf: knownPrices.priceOf }
  const decisionContext = createDecisionContext({ ...worth, clock, chainOf })
  const rules = { maxMarketplaceFeeBps: config.fees.maxMarketplaceFeeBps }
  const judgeAddress = (field?: string) => createJudgeSweepDestination(networks, stores.depositAddresses, field)
  const rearmOfPayment = async ({ id, subject, network }: Transfer): Promise<void> => {
    const context = await decisionContext(network)
    await decideAndApply(stores.work, subject.id, (facts) => decideRearmed(facts, id, context))
  }
  const tokens = createTokenServices({
    ...common,
    releases: stores.held,
    mints: mapNetworks(networks, ({ chain }) => chain),
  })
  const imageParts = { codec: createImageCodec(), storage: openImageStorage(config.images) }
  const saveImage = createSaveImage(imageParts)
  const billingTerms = billingTermsOf(config, parts.subscriptionMint)
  const billing = createBillingServices({ ...common, billingTerms, genesisHash: live.genesisHash })
  const hosted = hostedDeps(parts, live, secrets)
  const served = mapNetworks(networks, (runtime) => ({ ...runtime, stallTimer: createStallTimer(systemClock) }))
  return {
    directory,
    decisionContext,
    lockRate,
    mintGuard,
    webhookSecrets,
    forgetDirectory() {
      directory.clear()
      authenticator.clear()
    },
    refreshPrices: knownPrices.refresh,
    probeNetworks: () => probeNetworks(served, systemClock),
    services: {
      intents: createIntentServices({
        isSandbox: config.sandbox,
        ...common,
        keys,
        deriveAddresses: parts.deriveAddresses,
        chainOf,
        decisionContext,
        changes: parts.changes,
        leastPayable,
        lockRate,
        priceRangeOf: knownPrices.rangeOf,
        ...rules,
      }),
      pages: createPageServices(config.server),
      walletPayments: createWalletPayments({
        ...common,
        findByClientSecret: createFindByClientSecret(common),
        keys,
        chainOf,
        walletTransactions,
      }),
      accounts: createAccountServices({
        ...common,
        keys: stores.keys,
        authenticator,
        webhookSecrets,
        judgeSweepDestination: judgeAddress(),
        saveImage,
        serves: (network) => networks[network] !== null,
        allowPrivateWebhooks: config.webhooks.allowPrivate,
      }),
      credentials: createCredentialServices({ ...common, billing: hosted }),
      billing,
      catalogue: {
        ...createProductServices(common),
        ...createTierServices({ ...common, keys, billingTerms, liveChain: live.chain }),
        ...createDomainServices({ ...common, embedsLocally: config.sandbox }),
        ...createSubscriptionIntentServices({ ...common, keys, billingTerms, payUrl: config.server.payUrl }),
      },
      subscriptionCheckout: createCheckoutServices(hosted),
      subscriptionPortal: createPortalServices(hosted),
      operatorBilling: createOperatorBillingServices({ ...common, keys }),
      subscriptions: createSubscriptionServices({ ...common, keys, chainOf, payUrl: config.server.payUrl }),
      eventLog: createEventLogServices({ ...common, chainName: (network) => chainNameOf(networks, network) ?? '' }),
      images: createImageServices({ ...common, ...imageParts, publicUrl: config.server.publicUrl }),
      marketplaceStats: createMarketplaceStats({ ...common, store: stores.marketplaceStats }),
      marketplaces: {
        ...createTermsServices({ ...common, ...rules, judgeFeeWallet: judgeAddress('fee_wallet') }),
        correctSeller: createCorrectSeller({ ...common, ...rules, judgePayout: judgeAddress('sweep_destination') }),
        ...createSellerServices({
          ...common,
          ...rules,
          judgePayout: judgeAddress('sweep_destination'),
          saveImage,
        }),
      },
      statsAudit: createStatsAudit({ store: stores.statsAudit }),
      tokens,
      custodians: createCustodianServices(common),
      webhooks: createWebhookServices({ ...common, deliveries: stores.deliveryLog, secrets: webhookSecrets }),
      audit: createAuditServices({
        store: stores.audit,
        halts: stores.halts,
        clock: systemClock,
        keys,
        directory,
        networks,
      }),
      billingAudit: createBillingAudit({ store: stores.chargeAudit, keys, clock, networks }),
      held: {
        payments: createHeldList({
          store: stores.held,
          networks: servedNetworks,
          dustContext: createDustContext(worth),
        }),
        ...createHeldServices({
          store: stores.held,
          unaccepted: stores.unaccepted,
          work: stores.work,
          decisionContext,
          directory,
          chainOf,
          judgeDestination: judgeAddress('to'),
        }),
      },
      platform: createPlatformServices({
        ...common,
        store: stores.operator,
        workers: stores.workers,
        sources: stores.sources,
        networks: served,
        clock: systemClock,
        serviceClock: clock,
        version: parts.version,
        priceProblem: tokens.priceProblem,
        billingStatus: createBillingStatus({
          ...common,
          keys,
          billingTerms,
          problems: billing.problems,
          budgets: config.subscriptions,
        }),
        refundBudget: config.settlement.refundBudget,
        facts: platformFacts({ ...config.fees, genesisHash: live.genesisHash }),
        rearm: {
          [PAYMENT_SUBJECT]: rearmOfPayment,
          [RENT_SUBJECT]: rearmOfPayment,
        },
      }),
      sandbox: createSandbox({ ...parts, directory, lockRate }),
    },
  }
}

function billingTermsOf({ subscriptions, fees }: Config, mint: Address | null): PlatformBillingTerms | null {
  if (subscriptions === null || mint === null) return null
  const { minPriceUsdCents, maxPriceUsdCents, platformFeeBps, perWallet } = subscriptions
  return {
    mint,
    minPriceUsdCents,
    maxPriceUsdCents,
    platformFeeBps,
    platformWallet: fees.platformWallet,
    subscriptionsPerWallet: perWallet,
  }
}

const mapNetworks = <T>(
  networks: ServiceParts['networks'],
  convert: (runtime: NetworkRuntime) => T,
): Readonly<Record<Network, T | null>> => {
  const { live, test } = networks
  return { live: live && convert(live), test: test && convert(test) }
}

/** Throws `network_unavailable` for a network that this deployment does not serve. */
function requireNetwork(networks: ServiceParts['networks'], network: Network): NetworkRuntime {
  const runtime = networks[network]
  if (runtime === null) throw new ServiceError('network_unavailable', { network })
  return runtime
}

/** Returns the chain of a network, as `walletChainOf` names it; null for a network that is not configured. */
export function chainNameOf(networks: ServiceParts['networks'], network: Network): string | null {
  const runtime = networks[network]
  return runtime === null ? null : walletChainOf(runtime.genesisHash)
}

export const runtimesOf = (networks: ServiceParts['networks']): readonly NetworkRuntime[] =>
  NETWORKS.flatMap((network) => networks[network] ?? [])

/** Opens the storage of images that the settings name. Returns null where none is configured. */
function openImageStorage(setting: Config['images']): ObjectStorage | null {
  if (setting === null) return null
  return setting.kind === 's3' ? createS3Storage(setting) : createFolderStorage(setting.directory, random.uuid)
}
