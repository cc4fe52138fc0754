// Builds what the hosted pages of subscriptions need.
import { setTimeout as sleep } from 'node:timers/promises'
import { random } from '#adapters/node/random.ts'
import { serviceSecretsOf } from '#adapters/solana/keys/seed.ts'
import { createSigner } from '#adapters/solana/transactions/signer.ts'
import { verifyWalletSignature } from '#adapters/solana/transactions/wallet-transactions.ts'
import type { Config } from '#config/config.ts'
import type { DepositKeys } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { Secrets } from '#ports/secrets.ts'
import { createSharedWait } from '#services/billing/approvals/send.ts'
import { createFindPulls } from '#services/billing/charging/find-pulls.ts'
import type { PortalDeps } from '#services/billing/portal/deps.ts'
import { createAfterFailover } from '#services/transfers/after-failover.ts'
import { newestSignature } from '#services/transfers/prepare.ts'
import type { NetworkRuntime } from './networks.ts'
import type { Stores } from './stores.ts'

/** Returns null while recurring billing is disabled. */
export function hostedDeps(
  parts: {
    readonly config: Config
    readonly seed: Uint8Array
    readonly stores: Stores
    readonly keys: DepositKeys
    readonly clock: Clock
  },
  { chain, feePayer, genesisHash }: NetworkRuntime,
  secrets: Secrets,
): PortalDeps | null {
  const { config, seed, stores, keys, clock } = parts
  const { subscriptions, server } = config
  if (subscriptions === null) return null
  const chainOf = () => chain
  return {
    ...stores,
    keys,
    clock,
    random,
    secrets,
    chainOf,
    findPulls: createFindPulls({ ...stores, chainOf, clock }),
    afterFailover: createAfterFailover({ ...stores, chainOf }),
    signer: createSigner(seed),
    verify: verifyWalletSignature,
    recoveryKey: serviceSecretsOf(seed)('recovery'),
    payUrl: server.payUrl,
    genesisHashOf: async () => genesisHash,
    knownSignature: () => newestSignature(chain, feePayer),
    subscriptionsPerWallet: subscriptions.perWallet,
    sponsorLamportsPerDay: subscriptions.sponsorLamportsPerDay,
    sponsorLamportsPerBusiness: subscriptions.sponsorLamportsPerBusiness,
    sleep: async (ms) => void (await sleep(ms)),
    waitForEnd: createSharedWait(),
  }
}
