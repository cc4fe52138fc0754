// How far the chain is final, as its pushes tell: nobody asks whether a deposit is before it can be, and whoever waits is
// woken as soon as it may be.
import type { FinalityNotices } from '#ports/blocks.ts'
import type { Clock } from '#ports/clock.ts'

export type Finality = {
  /** For whoever reads the blocks. */
  readonly notices: FinalityNotices
  /** Wakes once, when the slot may be final; null when nothing is waited for. */
  expect(slot: bigint | null): void
  /** The newest final slot that was told of; null when it has to be asked all the same. */
  newest(): bigint | null
}

/** Pushes are silent for longer only when something is wrong with them. */
const SILENT_MS = 3_000
/** However far behind a provider's pushes are, nobody waits for them longer than that. */
const ASK_ANYWAY_MS = 10_000

export function createFinality(source: FinalityNotices, wallClock: Clock, onReached: () => void): Finality {
  let reader: ((slot: bigint) => void) | null = null
  let expected: bigint | null = null
  let heard: { readonly slot: bigint; readonly at: number } | null = null
  let trustedSince: number | null = null
  const wall = () => wallClock.now().getTime()

  const onSlot = (slot: bigint): void => {
    heard = { slot, at: wall() }
    reader?.(slot)
    if (expected === null || slot < expected) return
    expected = null
    listen()
    onReached()
  }
  const listen = (): void => source.followFinality(reader === null && expected === null ? null : onSlot)

  return {
    notices: {
      followFinality(listener) {
        reader = listener
        listen()
      },
    },
    expect(slot) {
      expected = slot
      listen()
    },
    newest() {
      const now = wall()
      trustedSince ??= now
      const isTold = heard !== null && now - heard.at < SILENT_MS && now - trustedSince < ASK_ANYWAY_MS
      if (isTold) return heard?.slot ?? null
      trustedSince = now
      return null
    },
  }
}
