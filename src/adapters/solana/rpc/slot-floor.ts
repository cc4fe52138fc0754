// Keeps answers from going back in time: what one provider has shown at slot 1,000 is not undone by another that has
// only reached slot 990.
import type { Clock } from '#ports/clock.ts'
import { ProviderFault } from './provider-fault.ts'

/**
 * A floor that nobody reaches for so long was a lie or belongs to a chain that was reset; without forgetting it, one
 * wrong answer would shut out every honest provider for good.
 */
const FORGET_AFTER_MS = 30_000

export type SlotFloor = {
  /** The `minContextSlot` to ask for; undefined at first. */
  current(): bigint | undefined
  /**
   * Takes an answer that was asked for with `least`, and raises the floor to its slot. Throws ProviderFault('behind')
   * when it is older than asked: not every node heeds `minContextSlot`.
   */
  accept(slot: bigint, least: bigint | undefined): void
}

export function createSlotFloor(clock: Clock): SlotFloor {
  let floor = 0n
  let reachedAt = Number.NEGATIVE_INFINITY
  const current = (): bigint | undefined => {
    const age = clock.now().getTime() - reachedAt
    return age < 0 || age > FORGET_AFTER_MS ? undefined : floor
  }
  return {
    current,
    accept(slot, least) {
      if (least !== undefined && slot < least) throw new ProviderFault('behind')
      // Answers to questions asked at once arrive in any order; an older one is good but moves nothing.
      if (slot < (current() ?? 0n)) return
      floor = slot
      reachedAt = clock.now().getTime()
    },
  }
}
