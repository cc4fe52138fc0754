// Reads what a payment by a connected wallet needs of the chain. Every visitor of a page can ask for it, so callers share the calls
// to the provider.
import { makeAddress } from '#core/chain/base58.ts'
import type { AccountState, Address, Network } from '#core/chain/types.ts'
import { createBatcher } from '#lib/batcher.ts'
import { createCache } from '#lib/cache.ts'
import type { BalanceReader } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'

/** A wallet that gets money is read again after this time. The chain judges each payment, whatever was read here. */
const READING_LASTS_MS = 2_000
/** A payment needs at most three accounts, so these fit into one call; the funds of a wallet may take another. A second call is made while the first is slow. */
const TOGETHER = { maxSize: 32, concurrency: 2, isSharedFailure: () => true }

export type WalletReadings = {
  /** Returns states in the order asked, null for a missing account. A state is at most two seconds old. */
  states(accounts: readonly Address[]): Promise<readonly (AccountState | null)[]>
}

type ReadingDeps = { readonly chainOf: (network: Network) => BalanceReader; readonly clock: Clock }

/** Returns the readings of each network. */
export function createWalletReadings({ chainOf, clock }: ReadingDeps): (network: Network) => WalletReadings {
  const made = new Map<Network, WalletReadings>()
  return (network) => {
    const readings = made.get(network) ?? readingsOf(chainOf(network), clock)
    made.set(network, readings)
    return readings
  }
}

function readingsOf(chain: BalanceReader, clock: Clock): WalletReadings {
  const read = createBatcher(async (asked: readonly (readonly Address[])[]) => {
    const { states } = await chain.readAccounts(asked.flat())
    const rest = states.values()
    return asked.map((accounts) => accounts.map(() => rest.next().value ?? null))
  }, TOGETHER)
  const states = createCache(clock, (names: string) => read(names.split(' ').map(makeAddress)), READING_LASTS_MS)
  return { states: (accounts) => states.get(accounts.join(' ')) }
}
