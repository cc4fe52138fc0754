// A flow of money from its beginning to its end, through as many instances as die on the way.
import { setImmediate as turn } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { ServiceError } from '#core/errors.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import { type Blow, Crash, createLife } from '../support/mortal.ts'
import { type Instance, startInstance } from './instance.ts'
import { brokenPromises, createWorld, type Ending, endingOf, type World } from './world.ts'

/** Done when it answers true; asked again until then, by whichever instance lives. */
export type Step = (world: World, instance: Instance) => boolean | Promise<boolean>

export type Flow = {
  readonly name: string
  readonly intent: Partial<PaymentIntent>
  readonly readsBlocks?: boolean
  readonly reconciles?: boolean
  /** Where it needs a pace of its own. */
  readonly slotsPerRound?: bigint
  /** People's doings, each lane in its own order. */
  readonly lanes: readonly (readonly Step[])[]
  /** What people may be refused: nothing, but where they race. */
  readonly refusals?: readonly string[]
  /** In which it may end: one of several only where people race. */
  readonly endings: readonly Ending[]
}

/** How the world goes on around a crash. */
export type Tempo = { readonly name: string; readonly slotsPerRound: bigint; readonly slotsBetween: bigint }
export const TEMPI: readonly Tempo[] = [
  { name: 'the next instance comes when the leases are over', slotsPerRound: 40n, slotsBetween: 151n },
  { name: 'the next instance comes at once', slotsPerRound: 40n, slotsBetween: 0n },
  { name: 'the chain runs on meanwhile', slotsPerRound: 160n, slotsBetween: 20n },
]

const MOST_ROUNDS = 150

export type Run = {
  /** Calls of each instance, in their order. */
  readonly calls: readonly number[]
  /** How many of them died. */
  readonly deaths: number
  /** What went wrong; nothing, usually. */
  readonly problems: readonly string[]
}

/** One run in which the first instance dies of the first blow, its successor of the second, and the last one lives. */
export async function runFlow(flow: Flow, blows: readonly Blow[], tempo: Tempo): Promise<Run> {
  const world = createWorld(flow.intent, flow)
  const people = flow.lanes.map((steps) => startLane(steps))
  const lives = [...blows, null].map(createLife)
  const problems: string[] = []
  let settled = false
  for (const [number, life] of lives.entries()) {
    const instance = startInstance(world, life, number + 1)
    for (let round = 0; !life.isOver() && !settled && round < MOST_ROUNDS; round += 1) {
      for (const lane of people) lane.go(world, instance)
      await instance.work()
      await turn()
      settled = !life.isOver() && people.every((lane) => lane.isDone()) && (await isAtRest(world))
      world.toy.pass(flow.slotsPerRound ?? tempo.slotsPerRound)
    }
    problems.push(...instance.errors.map(String), ...people.flatMap((lane) => lane.takeProblems()))
    if (settled) break
    world.toy.pass(tempo.slotsBetween)
  }
  if (settled) problems.push(...(await judge(flow, world)))
  else problems.push(`no end: ${describe(await endingOf(world))}`)
  const where = lives.flatMap((life) => life.fellAt() ?? []).join(', then ')
  return {
    calls: lives.map((life) => life.calls()),
    deaths: lives.filter((life) => life.isOver()).length,
    problems: problems.map((problem) => `${flow.name}; ${tempo.name}; died ${where}: ${problem}`),
  }
}

async function judge(flow: Flow, world: World): Promise<readonly string[]> {
  const ending = await endingOf(world)
  const isRight = flow.endings.some((one) => isDeepStrictEqual({ ...one, transfers: one.transfers.toSorted() }, ending))
  const refused = world.answers.filter((answer) => !answer.includes(': ') && flow.refusals?.includes(answer) !== true)
  return [
    ...(isRight ? [] : [`ended as ${describe(ending)}`]),
    ...refused.map((code) => `somebody was refused: ${code}`),
    ...(await brokenPromises(world)),
  ]
}

const describe = (ending: Ending): string =>
  JSON.stringify(ending, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part))

/** Nothing is under way any more, and nothing that was paid is unknown. */
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

/** One person's steps. A request whose instance died is made again to the next. */
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

/** Asks something of the service and keeps the answer, whichever it is. */
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
