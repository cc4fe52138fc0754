// How fast a chain is: its consensus, the time of a slot, and the slots until a block is final.
import type { Consensus } from '#core/chain/types.ts'
import { hasCode } from '#core/errors.ts'
import type { PaceReader, SlotTime } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { Question } from './provider.ts'
import { METHOD_NOT_FOUND, ProviderFault } from './provider-fault.ts'
import type { RpcPool } from './rpc-pool.ts'

export type SlotTimer = {
  /** Takes a final slot as it arrives. */
  note(slot: bigint): void
  /** Returns the time from slot to slot in milliseconds; null until slots have arrived for ten seconds. */
  slotMs(): number | null
}

const MEASURED_OVER_MS = 10_000
/** After this time a measurement begins again. */
const MEASURED_AGAIN_MS = 60_000
/** Mainnet's, the shortest of the clusters: a time that is left, as it is shown, is rather too short. */
const UNMEASURED_SLOT_MS = 200
/** No chain is faster: a provider is wrong, or a sandbox has moved the clock of its chain, which skips slots. */
const FASTEST_MS = 20

export function createSlotTimer(clock: Clock): SlotTimer {
  let first: { readonly slot: bigint; readonly at: number } | null = null
  let measured: number | null = null
  return {
    note(slot) {
      const at = clock.now().getTime()
      const passedMs = first === null ? 0 : at - first.at
      const slots = first === null ? 0 : Number(slot - first.slot)
      if (first === null || passedMs < 0 || slots < 0 || passedMs < slots * FASTEST_MS) {
        first = { slot, at }
        return
      }
      if (passedMs < MEASURED_OVER_MS || slots === 0) return
      measured = passedMs / slots
      if (passedMs >= MEASURED_AGAIN_MS) first = { slot, at }
    },
    slotMs: () => measured,
  }
}

export function createPaceReader(pool: Pick<RpcPool, 'ask'>, slotTimer: SlotTimer): PaceReader & SlotTime {
  /** A cluster that has migrated to Alpenglow never leaves it. */
  let known: Consensus | null = null
  const readConsensus = async (): Promise<Consensus | null> => {
    if (known === 'alpenglow') return known
    known = await pool
      .ask('getAgGenesisCert', askConsensus, (answer) => answer === 'alpenglow')
      .catch((error: unknown) => {
        if (hasCode(error, 'chain_unavailable')) return null
        throw error
      })
    return known
  }
  const newestSlot = (commitment: 'processed' | 'finalized'): Promise<bigint> =>
    pool.ask('getSlot', ({ rpc, abortSignal }) => rpc.getSlot({ commitment }).send({ abortSignal }))
  return {
    async pace() {
      const [consensus, newest, final] = await Promise.all([
        readConsensus(),
        newestSlot('processed'),
        newestSlot('finalized'),
      ])
      return { consensus, slotMs: slotTimer.slotMs(), finalAfterSlots: Math.max(0, Number(newest - final)) }
    },
    slotMs: () => slotTimer.slotMs() ?? UNMEASURED_SLOT_MS,
  }
}

/** Nodes before Agave 4.3 do not have the method, which says nothing about the cluster, and is no fault of theirs. */
const askConsensus: Question<Consensus | null> = async ({ rpc, abortSignal }) => {
  try {
    return (await rpc.getAgGenesisCert().send({ abortSignal })) === null ? 'tower_bft' : 'alpenglow'
  } catch (error) {
    if (error instanceof ProviderFault && error.status === METHOD_NOT_FOUND) return null
    throw error
  }
}
