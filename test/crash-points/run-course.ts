// Runs one course of money from its beginning to its end, with a new instance after each crash.
import { setImmediate as turn } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { type CrashPoint, createLife, type Life } from '../support/mortal.ts'

/** How fast the chain and the successor continue after a crash. */
export type Pace = { readonly name: string; readonly slotsPerRound: bigint; readonly slotsBetween: bigint }
export const PACES: readonly Pace[] = [
  { name: 'the next instance starts when the leases have ended', slotsPerRound: 40n, slotsBetween: 301n },
  { name: 'the next instance starts at once', slotsPerRound: 40n, slotsBetween: 0n },
  { name: 'the chain continues in between', slotsPerRound: 160n, slotsBetween: 20n },
]

export type Run = {
  /** The number of calls of each instance, in order. */
  readonly calls: readonly number[]
  /** How many instances died. */
  readonly deaths: number
  /** Sentences about faults; empty for a correct run. */
  readonly problems: readonly string[]
}

/** A flow as a survey runs it: with these crashes, at this pace. */
export type Course = {
  readonly name: string
  readonly run: (crashes: readonly CrashPoint[], pace: Pace) => Promise<Run>
}

/** The people of a world. They continue with the next instance. */
export type People<Instance> = {
  /** Lets each of them take a step. A promise is waited for before the instance works. */
  act(instance: Instance): void | Promise<void>
  isDone(): boolean
  /** Returns their errors since the last call. */
  takeProblems(): readonly string[]
}

/** The world of one run. */
export type Stage<Instance, Ending> = {
  /** Starts an instance. The first has the number 1. */
  start(life: Life, number: number): Instance
  readonly people: People<Instance>
  /** Returns true when nothing is under way. */
  isAtRest(): Promise<boolean>
  /** Lets slots pass. */
  pass(slots: bigint): void
  endingOf(): Promise<Ending>
  /** The allowed endings. */
  readonly endings: readonly Ending[]
  /** Checks the other rules at the end. Returns one sentence for each that is broken. */
  brokenRules(): Promise<readonly string[]>
}

type Working = { readonly errors: readonly unknown[]; work(): Promise<void> }

const MAX_ROUNDS = 150

/** Runs a course: the first instance dies at the first crash, its successor at the second, and the last instance lives. */
export async function runCourse<Instance extends Working, Ending>(
  name: string,
  stage: Stage<Instance, Ending>,
  crashes: readonly CrashPoint[],
  pace: Pace,
): Promise<Run> {
  const { people } = stage
  const lives = [...crashes, null].map(createLife)
  const problems: string[] = []
  let settled = false
  for (const [at, life] of lives.entries()) {
    const instance = stage.start(life, at + 1)
    for (let round = 0; !life.isOver() && !settled && round < MAX_ROUNDS; round += 1) {
      await people.act(instance)
      await instance.work()
      await turn()
      settled = !life.isOver() && people.isDone() && (await stage.isAtRest())
      stage.pass(pace.slotsPerRound)
    }
    problems.push(...instance.errors.map(String), ...people.takeProblems())
    if (settled) break
    stage.pass(pace.slotsBetween)
  }
  problems.push(...(settled ? await judge(stage) : [`no end: ${describe(await stage.endingOf())}`]))
  const where = lives.flatMap((life) => life.fellAt() ?? []).join(', then ')
  return {
    calls: lives.map((life) => life.calls()),
    deaths: lives.filter((life) => life.isOver()).length,
    problems: problems.map((problem) => `${name}; ${pace.name}; died ${where}: ${problem}`),
  }
}

async function judge<Instance, Ending>(stage: Stage<Instance, Ending>): Promise<readonly string[]> {
  const ending = await stage.endingOf()
  const isRight = stage.endings.some((one) => isDeepStrictEqual(one, ending))
  return [...(isRight ? [] : [`ended as ${describe(ending)}`]), ...(await stage.brokenRules())]
}

const describe = (ending: unknown): string =>
  JSON.stringify(ending, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part))
