// The networks of a deployment: how far each chain is final, and whether it is stalled.
import type { Address, Network } from '#core/chain/types.ts'
import type { BalanceReader, ChainClock, FinalityJudge, PaceReader, ProviderMonitor } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'

export type ServedNetwork = {
  readonly chain: ChainClock & PaceReader & BalanceReader & ProviderMonitor & Pick<FinalityJudge, 'countProviders'>
  readonly genesisHash: string
  readonly feePayer: Address
  /** Whether the service runs this chain itself. The sandbox moves the clock of such a chain. */
  readonly isEmbedded: boolean
  readonly stallTimer: StallTimer
}

/** Null where the deployment does not serve the network. */
export type ServedNetworks = Readonly<Record<Network, ServedNetwork | null>>

/** On every consensus, an older final block than this means that something is wrong. */
export const LAG_DEGRADED_SECONDS = 60
export const LAG_DOWN_SECONDS = 300
/** Block times differ from real time by a few seconds, and a final block is never newer than that. */
export const CLOCK_BEHIND_SECONDS = 30
/** A chain is stalled when no block has become final for longer than this. Normally a few seconds pass. */
const STALLED_AFTER_SECONDS = 30

/** Takes the newest final slot. Returns for how many seconds of real time no newer slot has been seen. */
export type StallTimer = (slot: bigint) => number

export function createStallTimer(realTime: Clock): StallTimer {
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
   * Seconds since the newest final block was first seen, or the block's age when that is more. The age is left out on an
   * embedded chain: moving its clock makes every earlier block older.
   */
  readonly lagSeconds: number
  /** Whether the chain answers, but no further block becomes final. */
  readonly isStalled: boolean
  /** How far the clock of this machine is behind the newest final block. Negative when it is ahead, and 0 on an embedded chain. */
  readonly clockBehindSeconds: number
}

/** Reads how far a chain is final. Throws `chain_unavailable`. */
export async function readProgress(
  { chain, isEmbedded, stallTimer }: Pick<ServedNetwork, 'chain' | 'isEmbedded' | 'stallTimer'>,
  realTime: Clock,
): Promise<Progress> {
  const { slot, time } = await chain.blockTime()
  const stalledSeconds = stallTimer(slot)
  const ageSeconds = isEmbedded ? 0 : (realTime.now().getTime() - time.getTime()) / 1_000
  return {
    slot,
    lagSeconds: Math.max(stalledSeconds, ageSeconds),
    isStalled: stalledSeconds > STALLED_AFTER_SECONDS,
    clockBehindSeconds: -ageSeconds,
  }
}

/**
 * Reads the progress of every network, so that its stall timer is up to date when the health endpoint is asked for the
 * first time. Run every few seconds. A chain that does not answer is skipped: the health endpoint asks it again.
 */
export async function probeNetworks(networks: ServedNetworks, realTime: Clock): Promise<void> {
  const served = Object.values(networks).filter((network) => network !== null)
  await Promise.all(served.map((network) => readProgress(network, realTime).catch(() => {})))
}
