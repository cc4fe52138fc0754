// The flows of recurring billing, as courses.
import { Crash } from '../../support/mortal.ts'
import { type Course, type People, runCourse, type Stage } from '../run-course.ts'
import { type BillingInstance, startBillingInstance } from './instance.ts'
import {
  type Beginning,
  type BillingEnding,
  type BillingWorld,
  billingEndingOf,
  brokenBillingPromises,
  createBillingWorld,
  isBillingAtRest,
} from './world.ts'

/** A step is done when it returns true. Until then it runs again, on the instance that is alive. */
export type BillingStep = (world: BillingWorld, instance: BillingInstance) => Promise<boolean>

export type BillingFlow = {
  readonly name: string
  readonly beginning: Beginning
  readonly steps: readonly BillingStep[]
  /** The allowed endings: several only where a person races with a worker. */
  readonly endings: readonly BillingEnding[]
}

export const billingCourseOf = (flow: BillingFlow): Course => ({
  name: flow.name,
  run: async (crashes, pace) => runCourse(flow.name, await stageOf(flow), crashes, pace),
})

async function stageOf({ beginning, steps, endings }: BillingFlow): Promise<Stage<BillingInstance, BillingEnding>> {
  const world = await createBillingWorld(beginning)
  return {
    start: (life) => startBillingInstance(world, life),
    people: startPerson(world, steps),
    isAtRest: () => isBillingAtRest(world),
    pass: (slots) => world.pass(slots),
    endingOf: () => billingEndingOf(world),
    endings,
    brokenRules: () => brokenBillingPromises(world),
  }
}

/** The person who takes the steps, one after the other. */
function startPerson(world: BillingWorld, steps: readonly BillingStep[]): People<BillingInstance> {
  const left = [...steps]
  const problems: string[] = []
  return {
    async act(instance) {
      const [step] = left
      if (step === undefined) return
      try {
        if (await step(world, instance)) left.shift()
      } catch (error) {
        if (!(error instanceof Crash)) problems.push(String(error))
      }
    },
    isDone: () => left.length === 0,
    takeProblems: () => problems.splice(0),
  }
}
