// The lifetime of new transactions, sending, and the statuses of sent transactions.
import type { Lifetime } from '#core/chain/types.ts'
import { createCache } from '#lib/cache.ts'
import type { FinalityJudge, Submitter } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import { createBroadcaster } from './broadcast.ts'
import type { FinalSlots } from './final-slots.ts'
import type { RpcPool } from './rpc-pool.ts'
import { createStatusReader } from './signature-statuses.ts'
import { createSlotFloor } from './slot-floor.ts'

export function createSubmitter(
  pool: Pick<RpcPool, 'ask' | 'askEach'>,
  clock: Clock,
  finalSlots: FinalSlots,
  agreement: FinalityJudge,
  options: { readonly lifetimeCacheMs: number },
): Submitter {
  const floor = createSlotFloor(clock)
  const newest = (): Promise<Lifetime> =>
    pool.ask('getLatestBlockhash', async ({ rpc, abortSignal }) => {
      const minContextSlot = floor.current()
      const config = { commitment: 'finalized', ...(minContextSlot && { minContextSlot }) } as const
      const { context, value } = await rpc.getLatestBlockhash(config).send({ abortSignal })
      floor.accept(context.slot, minContextSlot)
      return { blockhash: value.blockhash, lastValidBlockHeight: value.lastValidBlockHeight }
    })
  const lifetimes = createCache(clock, newest, options.lifetimeCacheMs)
  const statuses = createStatusReader(pool, clock, finalSlots, agreement)
  return {
    lifetime: () => lifetimes.get('newest'),
    broadcast: createBroadcaster(pool, statuses),
    signatureStatuses: statuses.read,
  }
}
