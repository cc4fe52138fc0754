// Tries every point of a flow at which an instance may die: each alone, and each together with each later point.
import { type Course, PACES, type Pace, type Run } from './run-course.ts'

export type Count = { readonly tried: number; readonly survived: number }
export type Survey = {
  readonly flow: string
  /** Calls of ports that an instance makes without a crash. An instance may die before and after each. */
  readonly calls: number
  readonly singles: Count
  readonly pairs: Count
  /** The first few faults. */
  readonly problems: readonly string[]
}

const MAX_PROBLEMS = 5
const SIDES = ['before', 'after'] as const

type Result = { readonly run: Run; readonly crashes: number }

export type Thoroughness = {
  /** The call with which a sample begins; 1 where it is left out. */
  readonly first?: number
  /** 1 tries a crash at every call; 7 at every seventh. 1 where it is left out. */
  readonly singleStride?: number
  /** 1 tries every call with every call after it; 7 every seventh with every seventh. null tries no pair. */
  readonly pairStride: number | null
  /** The paces at which one crash is tried. A pair is tried at one pace, each in turn. */
  readonly paces: 'all' | 'one in turn'
}

/**
 * Lets instances die at every point. The second crash is at a call of the successor, so that the calls that only a
 * successor makes are tried too.
 */
export async function survey(
  course: Course,
  { first = 1, singleStride = 1, pairStride, paces }: Thoroughness,
): Promise<Survey> {
  const undisturbed = await course.run([], paceNo(0))
  const problems = [...undisturbed.problems]
  const singles = { tried: 0, survived: 0 }
  const pairs = { tried: 0, survived: 0 }
  const note = ({ run, crashes }: Result) => {
    // The flow ended before the last crash, so this run does not count.
    if (run.deaths < crashes) return
    const count = crashes === 1 ? singles : pairs
    count.tried += 1
    if (run.problems.length === 0) count.survived += 1
    else problems.push(...run.problems)
  }
  for (const pace of paces === 'all' ? PACES : [null])
    for await (const result of singleCrashes(course, pace, { first, stride: singleStride })) note(result)
  if (pairStride !== null)
    for await (const result of pairsOfCrashes(course, { first, stride: pairStride })) note(result)
  const [calls = 0] = undisturbed.calls
  return { flow: course.name, calls, singles, pairs, problems: problems.slice(0, MAX_PROBLEMS) }
}

type Sample = { readonly first: number; readonly stride: number }

/** Crashes at each call, or each in the stride, until the flow ends before the call. */
async function* singleCrashes(course: Course, pace: Pace | null, { first, stride }: Sample): AsyncGenerator<Result> {
  for (let at = first; ; at += stride) {
    const before = pace === null ? await crashInTurn(course, at) : await crashBefore(course, at, pace)
    yield { run: before.run, crashes: 1 }
    const after = await course.run([{ at, when: 'after' }], before.pace)
    yield { run: after, crashes: 1 }
    if (before.run.deaths === 0 && after.deaths === 0) return
  }
}

async function* pairsOfCrashes(course: Course, { first, stride }: Sample): AsyncGenerator<Result> {
  for (let at = first; ; at += stride) {
    const { pace } = await crashInTurn(course, at)
    let fell = false
    for (const when of SIDES) {
      for (let then = first; ; then += stride) {
        let both = false
        for (const side of SIDES) {
          const run = await course.run(
            [
              { at, when },
              { at: then, when: side },
            ],
            pace,
          )
          fell ||= run.deaths >= 1
          both ||= run.deaths === 2
          yield { run, crashes: 2 }
        }
        if (!both) break
      }
    }
    if (!fell) return
  }
}

type Paced = { readonly run: Run; readonly pace: Pace }

const crashBefore = async (course: Course, at: number, pace: Pace): Promise<Paced> => ({
  run: await course.run([{ at, when: 'before' }], pace),
  pace,
})

/**
 * Crashes before the call, at each pace in turn. Where the chain continues in between, a flow makes fewer calls and may end
 * before this call; then the first pace is used.
 */
async function crashInTurn(course: Course, at: number): Promise<Paced> {
  const inTurn = await crashBefore(course, at, paceNo(at))
  return inTurn.run.deaths === 1 ? inTurn : await crashBefore(course, at, paceNo(0))
}

const paceNo = (number: number): Pace => {
  const pace = PACES[number % PACES.length]
  if (pace === undefined) throw new Error('there are no paces')
  return pace
}
