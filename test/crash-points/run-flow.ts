// Runs one flow of money from its beginning to its end, with a new instance after each crash.
import { setImmediate as turn } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { ServiceError } from '#core/errors.ts'
import type { Payee } from '#core/payments/machine/change.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import { Crash, type CrashPoint, createLife } from '../support/mortal.ts'
import { type Instance, startInstance } from './instance.ts'
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

/** How fast the chain and the successor continue after a crash. */
export type Pace = { readonly name: string; readonly slotsPerRound: bigint; readonly slotsBetween: bigint }
export const PACES: readonly Pace[] = [
  { name: 'the next instance starts when the leases have ended', slotsPerRound: 40n, slotsBetween: 151n },
  { name: 'the next instance starts at once', slotsPerRound: 40n, slotsBetween: 0n },
  { name: 'the chain continues in between', slotsPerRound: 160n, slotsBetween: 20n },
]

const MAX_ROUNDS = 150

export type Run = {
  /** The number of calls of each instance, in order. */
  readonly calls: readonly number[]
  /** How many instances died. */
  readonly deaths: number
  /** Sentences about faults; empty for a correct run. */
  readonly problems: readonly string[]
}

/**
 * Runs a flow: the first instance dies at the first crash, its successor at the second, and the last instance lives.
 */
export async function runFlow(flow: Flow, crashes: readonly CrashPoint[], pace: Pace): Promise<Run> {
  const world = createWorld(flow.intent, flow)
  const people = flow.lanes.map((steps) => startLane(steps))
  const lives = [...crashes, null].map(createLife)
  const problems: string[] = []
  let settled = false
  for (const [number, life] of lives.entries()) {
    const instance = startInstance(world, life, number + 1)
    for (let round = 0; !life.isOver() && !settled && round < MAX_ROUNDS; round += 1) {
      for (const lane of people) lane.go(world, instance)
      await instance.work()
      await turn()
      settled = !life.isOver() && people.every((lane) => lane.isDone()) && (await isAtRest(world))
      world.toy.pass(flow.slotsPerRound ?? pace.slotsPerRound)
    }
    problems.push(...instance.errors.map(String), ...people.flatMap((lane) => lane.takeProblems()))
    if (settled) break
    world.toy.pass(pace.slotsBetween)
  }
  if (settled) problems.push(...(await judge(flow, world)))
  else problems.push(`no end: ${describe(await endingOf(world))}`)
  const where = lives.flatMap((life) => life.fellAt() ?? []).join(', then ')
  return {
    calls: lives.map((life) => life.calls()),
    deaths: lives.filter((life) => life.isOver()).length,
    problems: problems.map((problem) => `${flow.name}; ${pace.name}; died ${where}: ${problem}`),
  }
}

async function judge(flow: Flow, world: World): Promise<readonly string[]> {
  const ending = await endingOf(world)
  const isRight = flow.endings.some((one) => isDeepStrictEqual({ ...one, transfers: one.transfers.toSorted() }, ending))
  const refused = world.answers.filter((answer) => !answer.includes(': ') && flow.refusals?.includes(answer) !== true)
  return [
    ...(isRight ? [] : [`ended as ${describe(ending)}`]),
    ...refused.map((code) => `a person was refused: ${code}`),
    ...(await brokenPromises(world)),
  ]
}

const describe = (ending: Ending): string =>
  JSON.stringify(ending, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part))

/** Returns true when no transfer is under way and the service knows every payment. */
async function isAtRest(world: World): Promise<boolean> {
  const { transfers, deposits, intent } = await world.facts()
  const open = ['pending', 'underpaid', 'paid', 'overpaid', 'settling', 'refunding'].includes(intent.status)
  return (
    !open &&
    transfers.every(({ status }) => status === 'done' || status === 'failed') &&
    deposits.every(({ state }) => state === 'final') &&
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
