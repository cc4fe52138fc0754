// The networks of a deployment, as far as their health and status need to know them.
import type { Address, Network } from '#core/chain/types.ts'
import type { BalanceReader, ChainClock } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'

export type ServedNetwork = {
  readonly chain: ChainClock & Pick<BalanceReader, 'readAccounts'>
  readonly genesisHash: string
  readonly feePayer: Address
  /** Whether it is the chain that the service runs itself, whose clock moves with the sandbox's. */
  readonly isEmbedded: boolean
  readonly pulse: Pulse
}

/** Null where the deployment does not serve the network. */
export type ServedNetworks = Readonly<Record<Network, ServedNetwork | null>>

/** A final block is normally some 15 seconds old; one this old means that something is wrong. */
export const LAG_DEGRADED_SECONDS = 60
export const LAG_DOWN_SECONDS = 300
/** New blocks become final every few seconds at the least. */
const STILL_SECONDS = 30

/** Takes the newest final slot, and answers for how many seconds of real time there has been no newer one. */
export type Pulse = (slot: bigint) => number

export function createPulse(realTime: Clock): Pulse {
  let newest: bigint | null = null
  let since = 0
  return (slot) => {
    const now = realTime.now().getTime()
    if (newest === null || slot > newest) [newest, since] = [slot, now]
    return Math.max(0, (now - since) / 1_000)
  }
}

export type Progress = {
  readonly slot: bigint
  /**
   * For how many seconds the newest final block has been so, or its age where that is more. The age says nothing where
   * the chain's clock is moved: by as much all blocks made before grow older.
   */
  readonly lagSeconds: number
  /** It answers, but nothing becomes final any more. */
  readonly isStalled: boolean
}

/** Throws `chain_unavailable`. */
export async function readProgress(
  { chain, isEmbedded, pulse }: Pick<ServedNetwork, 'chain' | 'isEmbedded' | 'pulse'>,
  realTime: Clock,
): Promise<Progress> {
  const { slot, time } = await chain.blockTime('finalized')
  const stillSeconds = pulse(slot)
  const ageSeconds = isEmbedded ? 0 : (realTime.now().getTime() - time.getTime()) / 1_000
  return { slot, lagSeconds: Math.max(stillSeconds, ageSeconds), isStalled: stillSeconds > STILL_SECONDS }
}

/**
 * To be called every few seconds, so that whoever asks for the first time is told of a chain that stands still. One
 * that does not answer is seen when it is asked.
 */
export async function probeNetworks(networks: ServedNetworks, realTime: Clock): Promise<void> {
  const served = Object.values(networks).filter((network) => network !== null)
  await Promise.all(served.map((network) => readProgress(network, realTime).catch(() => {})))
}
