// Runs one flow of recurring billing from its beginning to its end, with a new instance after each crash.
import { isDeepStrictEqual } from 'node:util'
import { Crash, type CrashPoint, createLife } from '../../support/mortal.ts'
import type { Pace, Run } from '../run-flow.ts'
import type { Course } from '../survey.ts'
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

const MAX_ROUNDS = 150

export const billingCourseOf = (flow: BillingFlow): Course => ({
  name: flow.name,
  run: (crashes, pace) => runBillingFlow(flow, crashes, pace),
})

/** The first instance dies at the first crash, its successor at the second, and the last instance lives. */
async function runBillingFlow(flow: BillingFlow, crashes: readonly CrashPoint[], pace: Pace): Promise<Run> {
  const world = await createBillingWorld(flow.beginning)
  const left = [...flow.steps]
  const lives = [...crashes, null].map(createLife)
  const problems: string[] = []
  let settled = false
  for (const life of lives) {
    const instance = startBillingInstance(world, life)
    for (let round = 0; !life.isOver() && !settled && round < MAX_ROUNDS; round += 1) {
      const [step] = left
      if (step !== undefined && (await isDone(step, world, instance, problems))) left.shift()
      await instance.work()
      settled = !life.isOver() && left.length === 0 && (await isBillingAtRest(world))
      world.pass(pace.slotsPerRound)
    }
    problems.push(...instance.errors.map(String))
    if (settled) break
    world.pass(pace.slotsBetween)
  }
  if (settled) problems.push(...(await judge(flow, world)))
  else problems.push(`no end: ${describe(await billingEndingOf(world))}`)
  const where = lives.flatMap((life) => life.fellAt() ?? []).join(', then ')
  return {
    calls: lives.map((life) => life.calls()),
    deaths: lives.filter((life) => life.isOver()).length,
    problems: problems.map((problem) => `${flow.name}; ${pace.name}; died ${where}: ${problem}`),
  }
}

async function isDone(
  step: BillingStep,
  world: BillingWorld,
  instance: BillingInstance,
  problems: string[],
): Promise<boolean> {
  try {
    return await step(world, instance)
  } catch (error) {
    if (!(error instanceof Crash)) problems.push(String(error))
    return false
  }
}

async function judge({ endings }: BillingFlow, world: BillingWorld): Promise<readonly string[]> {
  const ending = await billingEndingOf(world)
  const isRight = endings.some((one) => isDeepStrictEqual(one, ending))
  return [...(isRight ? [] : [`ended as ${describe(ending)}`]), ...(await brokenBillingPromises(world))]
}

const describe = (ending: BillingEnding): string =>
  JSON.stringify(ending, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part))
