// Computes time and height of each block. The runtime produces blocks at an even pace, which only a start or a jump in time
// interrupts. Each stretch between two interruptions is an era. Slots between eras have no block, as if skipped.

export type Era = {
  readonly firstSlot: number
  readonly firstHeight: number
  /** Unix time of the first block, in milliseconds. */
  readonly firstTimeMs: number
  readonly slotTimeMs: number
  /** Null while the era lasts. */
  readonly lastSlot: number | null
}

/** A block's place: its slot, and how many blocks came before it. */
export type Block = { readonly slot: number; readonly height: number }

/**
 * Blocks under the newest, which is still being made, that a commitment stands for. As under Alpenglow, `confirmed` and `finalized`
 * are the same block: the certificate of a block comes while the next one is made.
 */
export const DEPTH = { processed: 0, confirmed: 2, finalized: 2 } as const

/** Eras are in order, oldest first, here and below. Null when the slot has no block. */
function eraOf(eras: readonly Era[], slot: number): Era | null {
  const era = eras.findLast(({ firstSlot }) => firstSlot <= slot)
  return era === undefined || (era.lastSlot !== null && slot > era.lastSlot) ? null : era
}

/** Returns Unix time in milliseconds; null when the slot has no block. */
export function blockTimeMs(eras: readonly Era[], slot: number): number | null {
  const era = eraOf(eras, slot)
  return era === null ? null : era.firstTimeMs + (slot - era.firstSlot) * era.slotTimeMs
}

/** Returns Unix time in seconds, as in answers to clients; null when the slot has no block. */
export function blockTime(eras: readonly Era[], slot: number): number | null {
  const timeMs = blockTimeMs(eras, slot)
  return timeMs === null ? null : Math.floor(timeMs / 1000)
}

/** Returns the slot that the last era reaches, or has reached, by a time; not before its first. */
export function slotAt(eras: readonly Era[], timeMs: number): number {
  const era = eras.at(-1)
  if (era === undefined) return 0
  return era.firstSlot + Math.max(0, Math.floor((timeMs - era.firstTimeMs) / era.slotTimeMs))
}

/** Returns null when the slot has no block. */
export function blockHeight(eras: readonly Era[], slot: number): number | null {
  const era = eraOf(eras, slot)
  return era === null ? null : era.firstHeight + slot - era.firstSlot
}

/** Returns the block so many blocks under the newest, counted over the gaps between eras; at the least the very first one. */
export function blockBelow(eras: readonly Era[], newest: Block, depth: number): Block {
  const height = newest.height - depth
  const era = eras.findLast(({ firstHeight }) => firstHeight <= height) ?? eras[0]
  if (era === undefined) return newest
  const lastSlot = era.lastSlot ?? newest.slot
  const slot = Math.max(era.firstSlot, Math.min(lastSlot, era.firstSlot + height - era.firstHeight))
  return { slot, height: era.firstHeight + slot - era.firstSlot }
}

/** Returns the block before; the very first one has none, and counts as following its own slot's predecessor. */
export function parentSlot(eras: readonly Era[], slot: number): number {
  const eraBefore = eras.findLast(({ lastSlot }) => lastSlot !== null && lastSlot < slot)
  return eraOf(eras, slot - 1) === null ? (eraBefore?.lastSlot ?? slot - 1) : slot - 1
}

/** Returns the slots from `first` to `last` that have a block, at most `limit` of them. */
export function slotsWithBlocks(eras: readonly Era[], first: number, last: number, limit: number): number[] {
  const slots: number[] = []
  for (const era of eras) {
    const to = Math.min(last, era.lastSlot ?? last)
    for (let slot = Math.max(first, era.firstSlot); slot <= to && slots.length < limit; slot += 1) slots.push(slot)
  }
  return slots
}
