// Keeps answers from going back in time: an answer of one provider at slot 1,000 is not followed by an answer of
// another at slot 990.
import { msSince } from '#lib/time.ts'
import type { Clock } from '#ports/clock.ts'
import { ProviderFault } from './provider-fault.ts'
import type { RpcPool } from './rpc-pool.ts'

/**
 * A floor that no provider reaches for this long was wrong, or belongs to a chain that was reset. It is dropped:
 * otherwise one wrong answer would shut out every honest provider permanently.
 */
const FORGET_AFTER_MS = 30_000

export type SlotFloor = {
  /** Returns the `minContextSlot` to ask for; undefined at first. */
  current(): bigint | undefined
  /**
   * Takes the slot of an answer that was asked for with `least`, and raises the floor to it. Throws
   * ProviderFault('behind') when the answer is older than asked: not every node respects `minContextSlot`.
   */
  accept(slot: bigint, least: bigint | undefined): void
}

export function createSlotFloor(clock: Clock): SlotFloor {
  let floor = 0n
  let reachedAt = Number.NEGATIVE_INFINITY
  const current = (): bigint | undefined =>
    msSince(reachedAt, clock.now().getTime()) > FORGET_AFTER_MS ? undefined : floor
  return {
    current,
    accept(slot, least) {
      if (least !== undefined && slot < least) throw new ProviderFault('behind')
      // Answers to concurrent questions arrive in any order: an older answer is valid, and does not move the floor.
      if (slot < (current() ?? 0n)) return
      floor = slot
      reachedAt = clock.now().getTime()
    },
  }
}

// Which slots are final. Most answers of a provider say so without a further call.

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
