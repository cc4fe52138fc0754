// Dates the slots of a chain by its own clock and its measured pace.
import { hasCode } from '#core/errors.ts'
import { createCache } from '#lib/cache.ts'
import type { ChainClock, PaceReader } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'

/** Returns about when a slot was; null while the pace of the chain is not measured, and while the chain does not answer. */
export type TimeOfSlot = (slot: bigint) => Promise<Date | null>

/** From one reading of the chain's clock, the time of later slots follows by their pace. */
const READING_LASTS_MS = 10_000

export function createTimeOfSlot(chain: ChainClock & PaceReader, clock: Clock): TimeOfSlot {
  const readings = createCache(
    clock,
    async (_: 'newest') => await Promise.all([chain.blockTime(), chain.pace()]),
    READING_LASTS_MS,
  )
  return async (slot) => {
    try {
      const [newest, { slotMs }] = await readings.get('newest')
      return slotMs === null ? null : new Date(newest.time.getTime() - Number(newest.slot - slot) * slotMs)
    } catch (error) {
      if (hasCode(error, 'chain_unavailable')) return null
      throw error
    }
  }
}
