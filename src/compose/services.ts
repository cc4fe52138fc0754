// Builds the services over their adapters, for the edges.

import { createFolderStorage, createS3Storage } from '#adapters/images/object-storage.ts'
import { createImageCodec } from '#adapters/images/sharp-codec.ts'
import { systemClock } from '#adapters/node/clock.ts'
import { random } from '#adapters/node/random.ts'
import { createSecrets } from '#adapters/node/secrets.ts'
import { createReceiptSigner } from '#adapters/solana/keys/receipt-signer.ts'
import { serviceSecretsOf } from '#adapters/solana/keys/seed.ts'
import { verifyWalletSignature, walletTransactions } from '#adapters/solana/transactions/wallet-transactions.ts'
import { createPasskeyVerifier } from '#adapters/webauthn/passkeys.ts'
import type { Config } from '#config/config.ts'
import { passkeySiteOf } from '#core/accounts/passkey-site.ts'
import { walletChainOf } from '#core/chain/known-networks.ts'
import { type Address, NETWORKS, type Network } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import type { FeeTerms } from '#core/payments/decision-context.ts'
import { decideRearmed } from '#core/payments/machine/rearm.ts'
import { PAYMENT_SUBJECT, RENT_SUBJECT } from '#core/payments/transfers.ts'
import type { Transfer } from '#core/transfers/transfer.ts'
import type { DepositKeys, DeriveAddresses } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { WebhookSecrets } from '#ports/events.ts'
import type { ObjectStorage } from '#ports/images.ts'
import type { IntentChanges } from '#ports/payments.ts'
import type { SandboxClock } from '#sandbox/movable-clock.ts'
import { createAuthenticator } from '#services/accounts/authenticate.ts'
import { createDirectory, createDirectoryChanged } from '#services/accounts/directory.ts'
import { createPayoutChanger } from '#services/accounts/payouts.ts'
import { createSessionAuthenticator } from '#services/accounts/sessions.ts'
import type { PlatformBillingTerms } from '#services/billing/billing-services.ts'
import { createIntentCreator } from '#services/payments/create.ts'
import { createDecisionContext, createDustContext, decideAndApply } from '#services/payments/decide.ts'
import { createKnownPrices } from '#services/payments/known-prices.ts'
import { createLeastPayable, createLockRate } from '#services/payments/lock-rate.ts'
import { createStallTimer, probeNetworks } from '#services/platform/networks.ts'
import { platformFacts } from '#services/platform/platform.ts'
import type { PriceSource } from '#services/prices/price-source.ts'
import { createServices } from '#services/services.ts'
import { createMintGuard } from '#services/tokens/mint-guard.ts'
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

export type BuiltServices = ReturnType<typeof buildServices>

export function buildServices(parts: ServiceParts) {
  const { config, stores, networks, clock, prices, keys } = parts
  const derive = serviceSecretsOf(parts.seed)
  const secrets = createSecrets({ bytes: random.bytes, derive }, { isSandbox: config.sandbox })
  const webhookSecrets: WebhookSecrets = {
    secret: (endpointId, version) => derive(`webhook:${endpointId}:${version}`),
  }
  const directory = createDirectory({ ...stores, clock: systemClock })
  const authenticator = createAuthenticator({ clock: systemClock, secrets, keys: stores.apiKeys })
  const sessionAuthenticator = createSessionAuthenticator({ ...stores, clock: systemClock, secrets })
  const directoryChanged = createDirectoryChanged([directory, authenticator, sessionAuthenticator], stores.announcer)
  const live = requireNetwork(networks, 'live')
  const chainOf = (network: Network) => requireNetwork(networks, network).chain
  const mintGuard = createMintGuard({ chainOf, directory, clock: systemClock })
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
  const createAt = (at: Clock) =>
    createIntentCreator({
      ...stores,
      directory,
      keys,
      deriveAddresses: parts.deriveAddresses,
      secrets,
      random,
      clock: at,
      maxMarketplaceFeeBps: config.fees.maxMarketplaceFeeBps,
      isSandbox: config.sandbox,
      priceRangeOf: knownPrices.rangeOf,
    })
  const worth = { directory, terms, priceOf: knownPrices.priceOf }
  const decisionContext = createDecisionContext({ ...worth, clock, chainOf })
  const rearm = async ({ id, subject, network }: Transfer): Promise<void> => {
    const context = await decisionContext(network)
    await decideAndApply(stores.work, subject.id, (facts) => decideRearmed(facts, id, context))
  }
  const served = mapNetworks(networks, (runtime) => ({ ...runtime, stallTimer: createStallTimer(systemClock) }))
  const services = createServices({
    ...stores,
    version: parts.version,
    payUrl: config.server.payUrl,
    publicUrl: config.server.publicUrl,
    clock,
    wallClock: systemClock,
    prices,
    changes: parts.changes,
    deriveAddresses: parts.deriveAddresses,
    secrets,
    webhookSecrets,
    random,
    directory,
    directoryChanged,
    authenticator,
    sessionAuthenticator,
    verify: verifyWalletSignature,
    passkeys: passkeysAt(config.server.publicUrl),
    nonceKey: derive('logins'),
    mintGuard,
    keys,
    chainOf,
    walletTransactions,
    receiptSigner: createReceiptSigner(parts.seed, config.receiptKeyVersion),
    genesisHashOf: (network) => requireNetwork(networks, network).genesisHash,
    leastPayable,
    lockRate,
    decisionContext,
    dustContext: createDustContext(worth),
    priceRangeOf: knownPrices.rangeOf,
    servedNetworks,
    networks: served,
    mints: mapNetworks(networks, ({ chain }) => chain),
    liveChain: live.chain,
    genesisHash: live.genesisHash,
    chainName: (network) => chainNameOf(networks, network) ?? '',
    isSandbox: config.sandbox,
    payoutDelayHours: config.payoutDelayHours,
    embedsLocally: config.sandbox,
    maxMarketplaceFeeBps: config.fees.maxMarketplaceFeeBps,
    allowPrivateWebhooks: config.webhooks.allowPrivate,
    refundBudget: config.settlement.refundBudget,
    budgets: config.subscriptions,
    billingTerms: billingTermsOf(config, parts.subscriptionMint),
    hosted: hostedDeps(parts, live, secrets),
    facts: platformFacts({ ...config.fees, genesisHash: live.genesisHash }),
    rearm: { [PAYMENT_SUBJECT]: rearm, [RENT_SUBJECT]: rearm },
    codec: createImageCodec(),
    storage: openImageStorage(config.images),
    sandbox: createSandbox({ ...parts, directory, lockRate, createAt }),
  })
  return {
    services,
    directory,
    decisionContext,
    lockRate,
    mintGuard,
    webhookSecrets,
    changePayouts: createPayoutChanger({ ...stores, directoryChanged, clock }),
    /** Forgets what was read of accounts, keys and the allowlist. To be called when another instance reports a change. */
    forgetDirectory() {
      directory.clear()
      authenticator.clear()
      sessionAuthenticator.clear()
    },
    /** Reads the prices of the allowed assets. To be called about once a minute, and when the allowlist changes. */
    refreshPrices: knownPrices.refresh,
    /** Reads the progress of each chain, by which a stalled one is recognized. To be called every few seconds. */
    probeNetworks: () => probeNetworks(served, systemClock),
  }
}

/** Returns why passkeys do not work at this address, where they do not. */
function passkeysAt(publicUrl: string) {
  const site = passkeySiteOf(publicUrl)
  return typeof site === 'string' ? site : { ...site, verifier: createPasskeyVerifier(site) }
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
