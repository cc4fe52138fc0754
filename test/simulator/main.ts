// npm run simulate: runs the service through simulated days with every kind of fault.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Crew, gatherCrew } from './crew.ts'
import { huntPlants } from './hunt.ts'
import { type Options, readOptions } from './options.ts'
import { createTally, type Tally } from './tally.ts'
import type { Job, Report } from './worker.ts'

const options = readOptions(process.argv.slice(2))
const say = (line: string): void => void process.stdout.write(`${line}\n`)
const isTerminal = process.stderr.isTTY === true
let shownAt = 0

process.exitCode = await main()

async function main(): Promise<number> {
  const crew = gatherCrew(options.workers)
  let interrupted = false
  process.on('SIGINT', () => {
    if (interrupted) process.exit(130)
    interrupted = true
    process.stderr.write('\nstopping after the seeds under way; press again to stop at once\n')
    crew.stop()
  })
  try {
    if (options.plants.length > 0) return await huntPlants(crew, options, { say, interrupted: () => interrupted })
    return await simulate(crew, options)
  } finally {
    crew.close()
  }
}

async function simulate(crew: Crew, wanted: Options): Promise<number> {
  const { traceDir, verbose } = wanted
  const tally = createTally()
  const started = performance.now()
  let ended = 0
  const jobs = [...jobsOf(wanted)]
  await crew.run(jobs, (report) => {
    ended += 1
    tally.add(report)
    if (report.violations.length > 0) tellFailure(report, traceDir)
    else if (verbose)
      say(`seed ${report.seed}: ${report.hash}, ${report.steps} steps in ${report.milliseconds.toFixed(0)} ms`)
    showProgress(ended, jobs.length, tally, started)
  })
  if (isTerminal) process.stderr.write('\n')
  for (const seed of tally.differing) say(`seed ${seed} differed in the second run`)
  for (const line of tally.lines((performance.now() - started) / 1_000)) say(line)
  return tally.failed.length === 0 && tally.differing.length === 0 ? 0 : 1
}

/** Every seed once, and some seeds a second time. */
function* jobsOf({ seeds, from, replay, subscriptions, failovers }: Options): Generator<Job> {
  const every = replay > 0 ? Math.max(1, Math.floor(100 / replay)) : Number.POSITIVE_INFINITY
  for (let at = 0; at < seeds; at += 1) {
    yield { seed: from + at, plant: null, subscriptions, failovers }
    if (replay > 0 && at % every === 0) yield { seed: from + at, plant: null, subscriptions, failovers }
  }
}

function tellFailure(report: Report, traceDir: string): void {
  const [first] = report.violations
  mkdirSync(traceDir, { recursive: true })
  const path = join(traceDir, `seed-${report.seed}.trace`)
  writeFileSync(path, `${report.trace.join('\n')}\n`)
  const what = first === undefined ? '' : `“${first.rule}”: ${first.what.split('\n')[0]}`
  say(`seed ${report.seed}: ${what} | npm run simulate -- --from ${report.seed} --seeds 1 | ${path}`)
}

function showProgress(ended: number, of: number, tally: Tally, started: number): void {
  const now = performance.now()
  const isLast = ended === of
  if (!isLast && now - shownAt < (isTerminal ? 200 : 15_000)) return
  shownAt = now
  const left = ((now - started) / ended) * (of - ended)
  const line = `${ended}/${of} runs, ${tally.failed.length} failed, ${Math.ceil(left / 1_000)} s left`
  process.stderr.write(isTerminal ? `\r${line.padEnd(60)}` : `${line}\n`)
}
