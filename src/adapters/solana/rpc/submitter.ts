// A blockhash to build on, sending, and asking what became of it.
import type { BlockhashLifetime } from '#core/chain/types.ts'
import { cached } from '#lib/cached.ts'
import type { Submitter } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import { createBroadcaster } from './broadcast.ts'
import type { Finality } from './finality.ts'
import type { RpcPool } from './rpc-pool.ts'
import { createStatusReader } from './signature-statuses.ts'
import { createSlotFloor } from './slot-floor.ts'

export function createSubmitter(
  pool: Pick<RpcPool, 'ask' | 'askEach'>,
  clock: Clock,
  finality: Finality,
  options: { readonly lifetimeCacheMs: number },
): Submitter {
  const floor = createSlotFloor(clock)
  const newest = (): Promise<BlockhashLifetime> =>
    pool.ask('getLatestBlockhash', async ({ rpc, abortSignal }) => {
      // Finalized would cost a fifth of the hash's life for nothing: a hash that a fork takes away only lets the
      // transaction die, which is proved like any other death.
      const minContextSlot = floor.current()
      const config = { commitment: 'confirmed', ...(minContextSlot && { minContextSlot }) } as const
      const { context, value } = await rpc.getLatestBlockhash(config).send({ abortSignal })
      floor.accept(context.slot, minContextSlot)
      return { kind: 'blockhash', blockhash: value.blockhash, lastValidBlockHeight: value.lastValidBlockHeight }
    })
  return {
    lifetime: cached(clock, options.lifetimeCacheMs, newest),
    broadcast: createBroadcaster(pool),
    signatureStatuses: createStatusReader(pool, clock, finality),
  }
}
