// Which slots are final. Most answers of a provider say so without a further call.
import type { RpcPool } from './rpc-pool.ts'

export type FinalSlots = {
  /** Records a slot that a provider called finalized. */
  record(slot: bigint): void
  /** Returns whether the slot is final. Asks the chain only when no recorded slot shows it. */
  include(slot: bigint): Promise<boolean>
}

export function createFinalSlots(pool: Pick<RpcPool, 'ask'>): FinalSlots {
  let newest = 0n
  const record = (slot: bigint): void => {
    if (slot > newest) newest = slot
  }
  return {
    record,
    async include(slot) {
      if (slot > newest)
        record(
          await pool.ask('getSlot', ({ rpc, abortSignal }) =>
            rpc.getSlot({ commitment: 'finalized' }).send({ abortSignal }),
          ),
        )
      return slot <= newest
    },
  }
}
