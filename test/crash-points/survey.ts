// Goes through the points of a flow at which an instance may die: each by itself, and each with each that follows.
import { type Flow, type Run, runFlow, TEMPI, type Tempo } from './course.ts'

export type Count = { readonly tried: number; readonly survived: number }
export type Survey = {
  readonly flow: string
  /** Calls of ports that an undisturbed instance makes; it may die before and after each. */
  readonly calls: number
  readonly singles: Count
  readonly pairs: Count
  /** The first few of what went wrong. */
  readonly problems: readonly string[]
}

const MOST_PROBLEMS = 5
const SIDES = ['before', 'after'] as const

type Result = { readonly run: Run; readonly blows: number }

export type Thoroughness = {
  /** 1 tries every call with every call after it; 7 every seventh with every seventh. */
  readonly pairStride: number
  /** At how many tempi one crash is tried; a pair is tried at one of them in turn. */
  readonly tempi: 'all' | 'one in turn'
}

/**
 * Lets instances die wherever they may. Each second crash is one of its own successor's calls, so that what a successor does differently is gone through too.
 */
export async function survey(flow: Flow, { pairStride, tempi }: Thoroughness): Promise<Survey> {
  const undisturbed = await runFlow(flow, [], tempoNo(0))
  const problems = [...undisturbed.problems]
  const singles = { tried: 0, survived: 0 }
  const pairs = { tried: 0, survived: 0 }
  const note = ({ run, blows }: Result) => {
    // Where the course ended before the last blow fell, it was no crash of so many.
    if (run.deaths < blows) return
    const count = blows === 1 ? singles : pairs
    count.tried += 1
    if (run.problems.length === 0) count.survived += 1
    else problems.push(...run.problems)
  }
  for (const tempo of tempi === 'all' ? TEMPI : [null])
    for await (const result of singleCrashes(flow, tempo)) note(result)
  for await (const result of pairsOfCrashes(flow, pairStride)) note(result)
  const [calls = 0] = undisturbed.calls
  return { flow: flow.name, calls, singles, pairs, problems: problems.slice(0, MOST_PROBLEMS) }
}

/** At every call of the course, until one that the course does not come to. */
async function* singleCrashes(flow: Flow, tempo: Tempo | null): AsyncGenerator<Result> {
  for (let at = 1; ; at += 1) {
    const own = tempo ?? (await tempoAt(flow, at))
    let fell = false
    for (const when of SIDES) {
      const run = await runFlow(flow, [{ at, when }], own)
      fell ||= run.deaths === 1
      yield { run, blows: 1 }
    }
    if (!fell) return
  }
}

async function* pairsOfCrashes(flow: Flow, stride: number): AsyncGenerator<Result> {
  for (let at = 1; ; at += stride) {
    const tempo = await tempoAt(flow, at)
    let fell = false
    for (const when of SIDES) {
      for (let then = 1; ; then += stride) {
        let both = false
        for (const side of SIDES) {
          const run = await runFlow(
            flow,
            [
              { at, when },
              { at: then, when: side },
            ],
            tempo,
          )
          fell ||= run.deaths >= 1
          both ||= run.deaths === 2
          yield { run, blows: 2 }
        }
        if (!both) break
      }
    }
    if (!fell) return
  }
}

/** Each in turn; but where the chain runs on, a course has fewer calls than elsewhere, and may not come to this one. */
async function tempoAt(flow: Flow, at: number): Promise<Tempo> {
  const { deaths } = await runFlow(flow, [{ at, when: 'before' }], tempoNo(at))
  return deaths === 1 ? tempoNo(at) : tempoNo(0)
}

const tempoNo = (number: number): Tempo => {
  const tempo = TEMPI[number % TEMPI.length]
  if (tempo === undefined) throw new Error('there are some')
  return tempo
}
