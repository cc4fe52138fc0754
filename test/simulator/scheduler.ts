// One thing happens at a time. Every call that leaves a service waits here until it is drawn; then it has its effect
// and its answer, and everything that follows from that within the process runs to its next call.
import type { Dice } from './dice.ts'
import { passTo, virtualNow } from './virtual-time.ts'

export type Pending = {
  readonly label: string
  /** Not before this moment of the simulated world. */
  readonly dueAt: number
  /** Never rejects. */
  readonly run: () => Promise<void>
}

export type Scheduler = {
  add(pending: Pending): void
  /** Resolves when the moment has come, and its turn. */
  at(time: number, label: string): Promise<void>
  /** Lets one thing happen that is due; false when nothing is. */
  step(): Promise<boolean>
  /** When the next thing falls due; null when nothing waits. */
  nextDue(): number | null
  readonly steps: number
}

/** A step takes a little of the world's time, so that the chain goes on between two calls of a service. */
const LONGEST_STEP_MS = 60

export function createScheduler(dice: Dice): Scheduler {
  const pending: Pending[] = []
  let steps = 0

  return {
    add: (one) => void pending.push(one),
    at: (time, label) =>
      new Promise((resolve) => {
        pending.push({ label, dueAt: time, run: async () => resolve() })
      }),
    async step() {
      const now = virtualNow()
      const due = pending.filter(({ dueAt }) => dueAt <= now)
      if (due.length === 0) return false
      const one = dice.pick(due)
      pending.splice(pending.indexOf(one), 1)
      steps += 1
      await one.run()
      await quiet()
      passTo(virtualNow() + dice.between(0, LONGEST_STEP_MS))
      return true
    },
    nextDue: () => pending.reduce<number | null>((least, { dueAt }) => Math.min(least ?? dueAt, dueAt), null),
    get steps() {
      return steps
    },
  }
}

/** Until everything that only waits for this process has run. */
export const quiet = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))
