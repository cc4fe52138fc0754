// One step happens at a time. Every call of a service waits here until it is drawn. Then it has its effect and its
// answer, and the process runs to its next call.
import type { Dice } from './dice.ts'
import { passTo, virtualNow } from './virtual-time.ts'

export type Pending = {
  readonly label: string
  /** The earliest moment, in simulated time. */
  readonly dueAt: number
  /** Never rejects. */
  readonly run: () => Promise<void>
}

export type Scheduler = {
  add(pending: Pending): void
  /** Resolves when the moment has come and the step is drawn. */
  at(time: number, label: string): Promise<void>
  /** Runs one step that is due; returns false when none is. */
  step(): Promise<boolean>
  /** Returns when the next step is due; null when none waits. */
  nextDue(): number | null
  readonly steps: number
}

/** A step takes some simulated time, so that the chain continues between two calls of a service. */
const MAX_STEP_MS = 60

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
      passTo(virtualNow() + dice.between(0, MAX_STEP_MS))
      return true
    },
    nextDue: () => pending.reduce<number | null>((least, { dueAt }) => Math.min(least ?? dueAt, dueAt), null),
    get steps() {
      return steps
    },
  }
}

/** Resolves when all work that waits only for this process has run. */
export const quiet = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))
