// A clock that can be moved forward, so that what takes days can be tried in a minute. How far is kept in the database:
// every instance, and every start, tells the same time.
import type { Clock, MovableClock } from '#ports/clock.ts'
import type { SettingStore } from '#ports/stores.ts'

const SETTING = 'sandbox.clock_offset_ms'

export type SandboxClock = MovableClock & {
  /** Reads anew how far the clock was moved: at the start, when another instance tells of it, and now and then. */
  reload(): Promise<void>
}

/** Tells real time until the first `reload`. */
export function createMovableClock({ realTime, settings }: { realTime: Clock; settings: SettingStore }): SandboxClock {
  let offsetMs = 0
  let last: Promise<unknown> = Promise.resolve()
  const now = (): Date => new Date(realTime.now().getTime() + offsetMs)

  // Never backwards: a read that was overtaken by a move tells an older offset.
  const take = (stored: unknown): void => {
    if (typeof stored === 'number' && Number.isSafeInteger(stored)) offsetMs = Math.max(offsetMs, stored)
  }
  const reload = async (): Promise<void> => take(await settings.read(SETTING))

  async function move(seconds: number): Promise<Date> {
    await reload()
    const moved = offsetMs + Math.round(seconds * 1_000)
    await settings.write(SETTING, moved)
    take(moved)
    return now()
  }

  return {
    now,
    reload,
    async advance(seconds) {
      if (!(seconds >= 0 && Number.isFinite(seconds))) throw new RangeError('a clock moves forward only')
      // One after the other, so that two moves at once add up.
      const moving = last.then(() => move(seconds))
      last = moving.catch(() => {})
      return await moving
    },
  }
}
