// The season of a seed with subscriptions: how long it lasts, and the periods that businesses sell in it.
import type { Interval } from '#core/billing/tier.ts'
import type { Dice } from '../dice.ts'

const DAY_MS = 86_400_000

export type Season = {
  readonly lengthMs: number
  /** Subscribers come in this time. */
  readonly openMs: number
  readonly tiers: readonly { readonly interval: Interval; readonly intervalCount: number }[]
}

/** About as many periods in each season, so that a year costs no more steps than a week. */
const SEASONS: readonly Season[] = [
  { lengthMs: 7 * DAY_MS, openMs: DAY_MS, tiers: [{ interval: 'day', intervalCount: 1 }] },
  {
    lengthMs: 40 * DAY_MS,
    openMs: 6 * DAY_MS,
    tiers: [
      { interval: 'week', intervalCount: 1 },
      { interval: 'day', intervalCount: 5 },
    ],
  },
  {
    lengthMs: 220 * DAY_MS,
    // Until the end of January: months that are too short follow.
    openMs: 73 * DAY_MS,
    tiers: [
      { interval: 'month', intervalCount: 1 },
      { interval: 'week', intervalCount: 5 },
    ],
  },
  {
    lengthMs: 1_300 * DAY_MS,
    openMs: 73 * DAY_MS,
    tiers: [
      { interval: 'year', intervalCount: 1 },
      { interval: 'month', intervalCount: 6 },
    ],
  },
]

/** Every third seed has subscriptions, and every seed where they are wanted. Returns null for the others. */
export function drawSeason(dice: Dice, isWanted: boolean): Season | null {
  const has = dice.chance(1 / 3)
  const season = dice.pick(SEASONS)
  return has || isWanted ? season : null
}
