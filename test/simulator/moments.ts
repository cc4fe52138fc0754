// Passes a simulated day moment by moment: in short steps while something happens, and in longer steps while nothing
// does.
import type { Instance } from './instance.ts'
import type { Findings } from './monitor/findings.ts'
import { passTo, virtualNow } from './virtual-time.ts'
import type { Ground } from './world.ts'

/** The pause while a transaction is under way. */
const MAX_BUSY_PAUSE_MS = 25_000

export type Period = {
  /** The instances whose jobs are woken. */
  readonly instances: () => readonly Instance[]
  readonly onMoment: () => void
  readonly isOver: () => Promise<boolean>
  readonly isBusy: () => boolean
  /** The longest pause between two moments, in milliseconds. */
  readonly longest: number
  /** How many moments the period may take, and how many steps the life, before something must be stuck. */
  readonly most: { readonly moments: number; readonly steps: number }
}

/** Returns true when the period ended; false when a rule was broken or the period takes too many steps. */
export async function passMoments(ground: Ground, findings: Findings, period: Period): Promise<boolean> {
  const { scheduler, dice: all } = ground
  const dice = all.stream(`moments from ${virtualNow()}`)
  let pause = 2_000
  let nextMoment = virtualNow()
  for (let moments = 0; moments < period.most.moments; ) {
    if (findings.violations.length > 0 || scheduler.steps > period.most.steps) return false
    if (await scheduler.step()) {
      ground.catchUp()
      continue
    }
    if (ground.stirred()) {
      pause = dice.between(2_000, 20_000)
      nextMoment = Math.min(nextMoment, virtualNow() + pause)
    }
    const due = scheduler.nextDue()
    passTo(Math.min(nextMoment, due ?? nextMoment))
    ground.catchUp()
    if (virtualNow() < nextMoment) continue
    if (await period.isOver()) return true
    moments += 1
    period.onMoment()
    for (const instance of period.instances()) if (dice.chance(0.75)) instance.tick(virtualNow())
    const longest = period.isBusy() ? MAX_BUSY_PAUSE_MS : period.longest
    pause = Math.min(Math.ceil(pause * (2 + 2 * dice.fraction())), longest)
    nextMoment = Math.min(virtualNow() + pause, ground.nextLook() ?? Number.POSITIVE_INFINITY)
  }
  return false
}
