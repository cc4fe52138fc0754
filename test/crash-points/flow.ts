// The flows of payments, as courses.
import { ServiceError } from '#core/errors.ts'
import type { Payee } from '#core/payments/change.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import { Crash } from '../support/mortal.ts'
import { type Instance, startInstance } from './instance.ts'
import { type Course, runCourse, type Stage } from './run-course.ts'
import { brokenPromises, createWorld, type Ending, endingOf, type World } from './world.ts'

/** A step is done when it returns true. Until then it runs again, on the instance that is alive. */
export type Step = (world: World, instance: Instance) => boolean | Promise<boolean>

export type Flow = {
  readonly name: string
  readonly intent: Partial<PaymentIntent>
  /** The payee; a plain business where it is left out. */
  readonly payee?: Payee
  readonly readsBlocks?: boolean
  readonly reconciles?: boolean
  /** Set for a flow that needs a pace of its own. */
  readonly slotsPerRound?: bigint
  /** The actions of people. Each lane runs in its own order. */
  readonly lanes: readonly (readonly Step[])[]
  /** Error codes with which people may be refused: only where they race. */
  readonly refusals?: readonly string[]
  /** The allowed endings: several only where people race. */
  readonly endings: readonly Ending[]
}

export const courseOf = (flow: Flow): Course => ({
  name: flow.name,
  run: (crashes, pace) =>
    runCourse(flow.name, stageOf(flow), crashes, { ...pace, slotsPerRound: flow.slotsPerRound ?? pace.slotsPerRound }),
})

function stageOf(flow: Flow): Stage<Instance, Ending> {
  const world = createWorld(flow.intent, flow)
  const lanes = flow.lanes.map((steps) => startLane(steps))
  return {
    start: (life, number) => startInstance(world, life, number),
    people: {
      act(instance) {
        for (const lane of lanes) lane.go(world, instance)
      },
      isDone: () => lanes.every((lane) => lane.isDone()),
      takeProblems: () => lanes.flatMap((lane) => lane.takeProblems()),
    },
    isAtRest: () => isAtRest(world),
    pass: (slots) => world.toy.pass(slots),
    endingOf: () => endingOf(world),
    endings: flow.endings.map((ending) => ({ ...ending, transfers: ending.transfers.toSorted() })),
    brokenRules: async () => [...refusalsOf(flow, world), ...(await brokenPromises(world))],
  }
}

/** Returns one sentence for each refusal of a person that the flow does not allow. */
const refusalsOf = ({ refusals = [] }: Flow, { answers }: World): readonly string[] =>
  answers
    .filter((answer) => !answer.includes(': ') && !refusals.includes(answer))
    .map((code) => `a person was refused: ${code}`)

/** Returns true when no transfer is under way and the service knows every payment. */
async function isAtRest(world: World): Promise<boolean> {
  const { transfers, intent } = await world.facts()
  const open = ['pending', 'underpaid', 'paid', 'overpaid', 'settling', 'refunding'].includes(intent.status)
  return (
    !open &&
    transfers.every(({ status }) => status === 'done' || status === 'failed') &&
    (await world.unknownPayments()).length === 0
  )
}

/** The steps of one person. A request whose instance died is repeated on the next instance. */
function startLane(steps: readonly Step[]) {
  const left = [...steps]
  const problems: string[] = []
  let asking: Instance | null = null
  return {
    isDone: () => left.length === 0,
    takeProblems: () => problems.splice(0),
    go(world: World, instance: Instance): void {
      const [step] = left
      if (step === undefined || asking === instance) return
      asking = instance
      const ended = (done: boolean) => {
        if (asking !== instance) return
        asking = null
        if (done) left.shift()
      }
      Promise.resolve()
        .then(() => step(world, instance))
        .then(ended, (error: unknown) => {
          if (!(error instanceof Crash)) problems.push(String(error))
          ended(false)
        })
    },
  }
}

/** Sends a request to the service and records its answer or error code. */
export const ask =
  (request: (requests: Instance['requests']) => Promise<string>): Step =>
  async (world, { requests }) => {
    try {
      world.answers.push(await request(requests))
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      world.answers.push(error.code)
    }
    return true
  }
