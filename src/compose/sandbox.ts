// Builds the parts that only a sandbox has: a clock that moves with its chain, and worthless money.
import { random } from '#adapters/node/random.ts'
import type { Config } from '#config/config.ts'
import { ConfigError } from '#config/setting.ts'
import { MAINNET_GENESIS_HASH } from '#core/chain/known-networks.ts'
import { type Asset, NETWORKS, type Network, SOL } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import { loadDemoWallet, loadMintAuthority } from '#sandbox/chain/demo-chain.ts'
import { fundSol, fundToken, refusalOf } from '#sandbox/chain/faucet.ts'
import { payFromWallet } from '#sandbox/chain/payment.ts'
import { ChainStalled } from '#sandbox/chain/send-transaction.ts'
import type { SandboxClock } from '#sandbox/movable-clock.ts'
import type { Directory } from '#services/accounts/directory.ts'
import type { LockRate } from '#services/payments/lock-rate.ts'
import { createExamplePayments, type ExamplePaymentsDeps } from '#services/platform/example-payments.ts'
import {
  createSandboxServices,
  createSimulateDeposit,
  type Faucet,
  NO_SANDBOX,
  type SandboxServices,
  type SandboxWallet,
} from '#services/platform/sandbox.ts'
import { travelOf } from './chain-travel.ts'
import type { NetworkRuntime } from './networks.ts'
import type { Stores } from './stores.ts'

export function createSandbox(options: {
  config: Config
  networks: Readonly<Record<Network, NetworkRuntime | null>>
  clock: SandboxClock
  stores: Pick<Stores, 'announcer' | 'intents' | 'work'>
  directory: Pick<Directory, 'account' | 'tokens'>
  lockRate: LockRate
  prices: ExamplePaymentsDeps['prices']
  createAt: ExamplePaymentsDeps['createAt']
}): SandboxServices {
  const { config, networks, clock, stores, directory, lockRate, prices, createAt } = options
  if (!config.sandbox) return NO_SANDBOX
  if (NETWORKS.some((network) => networks[network]?.genesisHash === MAINNET_GENESIS_HASH)) {
    throw new ConfigError('SANDBOX: is refused on mainnet; write 0, or point SOLANA_RPC_URL at another cluster')
  }
  /** Returns the RPC address of a network on the embedded chain; null for any other. */
  const embeddedUrl = (network: Network): string | null => {
    const runtime = networks[network]
    return runtime?.isEmbedded === true ? runtime.rpcUrl : null
  }
  const faucetOf = (network: Network): Faucet | null => {
    const url = embeddedUrl(network)
    return url === null ? null : createFaucet(url, config.dataDir)
  }
  const walletOf = (network: Network): SandboxWallet | null => {
    const url = embeddedUrl(network)
    return url === null ? null : createWallet(url, config.dataDir, async () => directory.tokens(network))
  }
  return createSandboxServices({
    directory,
    simulateDeposit: createSimulateDeposit({
      intents: stores.intents,
      directory,
      lockRate,
      wallets: { live: walletOf('live'), test: walletOf('test') },
    }),
    addExamplePayments: createExamplePayments({ clock, random, directory, createAt, work: stores.work, prices }),
    clock,
    announcer: stores.announcer,
    timeTravel: distinctChains(networks).map(travelOf),
    faucets: { live: faucetOf('live'), test: faucetOf('test') },
  })
}

/** Returns the chains of the networks, each once, even when both networks use it. */
const distinctChains = (networks: Readonly<Record<Network, NetworkRuntime | null>>): readonly NetworkRuntime[] => [
  ...new Map(
    NETWORKS.flatMap((network) => networks[network] ?? []).map((runtime) => [runtime.rpcUrl, runtime]),
  ).values(),
]

const createFaucet =
  (rpcUrl: string, dataDir: string): Faucet =>
  async ({ address, asset, amount }) => {
    if (asset === SOL) return { signature: await fundSol(rpcUrl, address, amount).catch(refuseFor(SOL)) }
    const authority = await loadMintAuthority(dataDir)
    const funding = { authority, owner: address, mint: asset, amount }
    return { signature: await fundToken(rpcUrl, funding).catch(refuseFor(asset)) }
  }

/** Returns the demo buyer, who has SOL and the demo tokens. */
const createWallet =
  (rpcUrl: string, dataDir: string, tokensOf: () => ReturnType<Directory['tokens']>): SandboxWallet =>
  async ({ address, asset, amount }) => {
    const token = asset === SOL ? undefined : (await tokensOf()).get(asset)
    const details =
      token?.tokenProgram == null
        ? null
        : { mint: token.mint, token_program: token.tokenProgram, decimals: token.decimals }
    if (asset !== SOL && details === null) throw new ServiceError('invalid_mint', { mint: asset })
    const wallet = await loadDemoWallet(dataDir)
    const payment = { to: address, amount, token: details }
    return { signature: await payFromWallet(rpcUrl, wallet, payment).catch(refuseFor(asset)) }
  }

/** Turns a refusal of the chain into an error that the caller can act on. Other failures stay as they are. */
const refuseFor =
  (asset: Asset) =>
  (cause: unknown): never => {
    // A stalled chain is not a fault of the request.
    if (cause instanceof ChainStalled) throw new ServiceError('chain_stalled', {}, { cause })
    const refusal = refusalOf(cause)
    if (refusal === 'below_rent') throw new ServiceError('amount_too_small', {}, { cause })
    if (refusal === 'too_much') throw new ServiceError('invalid_request', TOO_MUCH, { cause })
    // The service can mint demo tokens only, and the demo buyer has no others.
    if (asset !== SOL) throw new ServiceError('invalid_mint', { mint: asset }, { cause })
    throw refusal === null ? cause : new ServiceError('destination_not_usable', {}, { cause })
  }

const TOO_MUCH = { field: 'the amount', rule: 'is more than this sandbox has' }
