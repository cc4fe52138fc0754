// The networks of a deployment, as far as their health and status need to know them.
import type { Address, Network } from '#core/chain/types.ts'
import type { BalanceReader, ChainClock } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'

export type ServedNetwork = {
  readonly chain: ChainClock & Pick<BalanceReader, 'readAccounts'>
  readonly genesisHash: string
  readonly feePayer: Address
  /** The clock that the chain follows: the sandbox's movable one where the chain is moved with it, else real time. */
  readonly clock: Clock
}

/** Null where the deployment does not serve the network. */
export type ServedNetworks = Readonly<Record<Network, ServedNetwork | null>>

/** A final block is normally some 15 seconds old; one this old means that something is wrong. */
export const LAG_DEGRADED_SECONDS = 60
export const LAG_DOWN_SECONDS = 300

/** The newest final slot, and how many seconds ago its block was made. Throws `chain_unavailable`. */
export async function readProgress({ chain, clock }: Pick<ServedNetwork, 'chain' | 'clock'>) {
  const { slot, time } = await chain.blockTime('finalized')
  return { slot, lagSeconds: Math.max(0, (clock.now().getTime() - time.getTime()) / 1_000) }
}
