// Which slots are final. Most answers of a provider say so without a further call.
import type { Clock } from '#ports/clock.ts'
import type { RpcPool } from './rpc-pool.ts'
import { createSlotFloor } from './slot-floor.ts'

export type FinalSlots = {
  /** Records a slot that a provider called finalized. */
  record(slot: bigint): void
  /** Returns whether the slot is final. Asks the chain only when no slot that was recorded lately shows it. */
  include(slot: bigint): Promise<boolean>
}

export function createFinalSlots(pool: Pick<RpcPool, 'ask'>, clock: Clock): FinalSlots {
  // A slot far in the future, by one wrong answer, is forgotten like every floor that no answer reaches.
  const newest = createSlotFloor(clock)
  const record = (slot: bigint): void => newest.accept(slot, undefined)
  const isIncluded = (slot: bigint): boolean => slot <= (newest.current() ?? -1n)
  return {
    record,
    async include(slot) {
      if (!isIncluded(slot))
        record(
          await pool.ask('getSlot', ({ rpc, abortSignal }) =>
            rpc.getSlot({ commitment: 'finalized' }).send({ abortSignal }),
          ),
        )
      return isIncluded(slot)
    },
  }
}
