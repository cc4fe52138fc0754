// How often a tier is charged, in words. The pages and the dashboard say it in the same way.
import type { Formats } from '#pay/views/formats.ts'

const EACH = { day: 'everyDay', week: 'everyWeek', month: 'everyMonth', year: 'everyYear' } as const

type Interval = keyof typeof EACH

type Words = {
  say(key: (typeof EACH)[Interval] | 'every', values?: Readonly<Record<string, string>>): string
  readonly formats: Pick<Formats, 'duration'>
}

/** Returns a text such as `every month`, or `every 3 months`. */
export const rhythmOf = (
  { say, formats }: Words,
  { interval, intervalCount }: { readonly interval: Interval; readonly intervalCount: number },
): string =>
  intervalCount === 1 ? say(EACH[interval]) : say('every', { duration: formats.duration(intervalCount, interval) })
