// A clock that can be moved forward, so that days can be tried in a minute. The database stores how far it was moved, so
// that all instances, and every start, have the same time.
import type { Clock, MovableClock } from '#ports/clock.ts'
import type { SettingStore } from '#ports/platform.ts'

const SETTING = 'sandbox.clock_offset_ms'

export type SandboxClock = MovableClock & {
  /** Reads again how far the clock was moved: at the start, when another instance reports a move, and now and then. */
  reload(): Promise<void>
}

/** Returns a clock that shows real time until the first `reload`. */
export function createMovableClock({ realTime, settings }: { realTime: Clock; settings: SettingStore }): SandboxClock {
  let offsetMs = 0
  let last: Promise<unknown> = Promise.resolve()
  const now = (): Date => new Date(realTime.now().getTime() + offsetMs)

  // Never backwards: a read that a move has overtaken returns an older offset.
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
      // One after the other, so that two concurrent moves add up.
      const moving = last.then(() => move(seconds))
      last = moving.catch(() => {})
      return await moving
    },
  }
}
