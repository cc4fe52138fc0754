// Two servers under the same load in turn, so that whatever else the machine does meets both alike.
import type { LoadGenerator, LoadReport } from './load.ts'

export type Side = { readonly port: number; readonly requests: readonly string[] }

/** Medians over the rounds: of the ratios within a round, and of each side's own figures. Latencies in milliseconds. */
export type Duel = { readonly throughput: Compared; readonly p50: Compared; readonly p99: Compared }
export type Compared = { readonly ours: number; readonly baseline: number; readonly ratio: number }

/** Until a server's code has been compiled for what is asked of it, it is another server. */
const WARM_UP_SECONDS = 3

export async function duel(options: {
  readonly load: LoadGenerator
  readonly ours: Side
  readonly baseline: Side
  readonly connections: number
  readonly rounds: number
  /** How long each side is under load in each round. */
  readonly seconds: number
  readonly progress: (line: string) => void
}): Promise<Duel> {
  const { load, ours, baseline, connections, rounds, progress } = options
  const run = ({ port, requests }: Side, seconds: number) => load.run({ port, requests, connections, seconds })
  progress('warming up')
  await run(baseline, WARM_UP_SECONDS)
  await run(ours, WARM_UP_SECONDS)
  const pairs: { ours: LoadReport; baseline: LoadReport }[] = []
  for (let round = 1; round <= rounds; round += 1) {
    // Who goes first takes turns too.
    const isOursFirst = round % 2 === 1
    const first = await run(isOursFirst ? ours : baseline, options.seconds)
    const second = await run(isOursFirst ? baseline : ours, options.seconds)
    const pair = isOursFirst ? { ours: first, baseline: second } : { ours: second, baseline: first }
    pairs.push(pair)
    progress(`round ${round} of ${rounds}: ${describe(pair.ours)}; baseline ${describe(pair.baseline)}`)
  }
  const compare = (figure: (report: LoadReport) => number): Compared => ({
    ours: median(pairs.map((pair) => figure(pair.ours))),
    baseline: median(pairs.map((pair) => figure(pair.baseline))),
    ratio: median(pairs.map((pair) => figure(pair.ours) / figure(pair.baseline))),
  })
  return {
    throughput: compare(({ perSecond }) => perSecond),
    p50: compare(({ p50 }) => p50),
    p99: compare(({ p99 }) => p99),
  }
}

const describe = ({ perSecond, p50, p99 }: LoadReport): string =>
  `${Math.round(perSecond)}/s, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2
}
