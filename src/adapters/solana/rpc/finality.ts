// Which slots are final, learnt mostly for free from answers that say so.
import type { RpcPool } from './rpc-pool.ts'

export type Finality = {
  /** A provider said of something in that slot that it is finalized. */
  saw(slot: bigint): void
  /** Whether the slot is final; asks the chain only when nothing seen so far settles it. */
  reached(slot: bigint): Promise<boolean>
}

export function createFinality(pool: Pick<RpcPool, 'ask'>): Finality {
  let newest = 0n
  const saw = (slot: bigint): void => {
    if (slot > newest) newest = slot
  }
  return {
    saw,
    async reached(slot) {
      if (slot > newest)
        saw(
          await pool.ask('getSlot', ({ rpc, abortSignal }) =>
            rpc.getSlot({ commitment: 'finalized' }).send({ abortSignal }),
          ),
        )
      return slot <= newest
    },
  }
}
