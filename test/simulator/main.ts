// npm run simulate: runs the service through simulated days with every kind of fault.

import { type ChildProcess, fork } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { countOption } from '../support/count-option.ts'
import { PLANTS } from './plants/plants.ts'
import { createTally, type Tally } from './tally.ts'
import type { Job, Report } from './worker.ts'

// Several worker processes over one list of jobs.

type Crew = {
  /** Runs the jobs when workers are free; `onReport` may call `stop`. Resolves when no job is under way. */
  run(jobs: Iterable<Job>, onReport: (report: Report) => void): Promise<void>
  /** Starts no further job. */
  stop(): void
  close(): void
}

/** A database in memory grows with every life, so a worker is replaced after this many lives. */
const MAX_JOBS = 40

function gatherCrew(size: number): Crew {
  const hire = (): ChildProcess =>
    fork(new URL('./worker.ts', import.meta.url), {
      execArgv: ['--disable-warning=ExperimentalWarning'],
      serialization: 'advanced',
    })
  const workers = Array.from({ length: size }, hire)
  let stopped = false

  const report = (worker: ChildProcess, job: Job): Promise<Report> =>
    new Promise((resolve, reject) => {
      const onMessage = (message: unknown): void => {
        worker.off('exit', onExit)
        resolve(message as Report)
      }
      const onExit = (): void => reject(new Error('a worker process ended unexpectedly'))
      worker.once('message', onMessage)
      worker.once('exit', onExit)
      worker.send(job)
    })

  const employ = async (place: number, jobs: Iterator<Job>, onReport: (report: Report) => void): Promise<void> => {
    for (let done = 0; !stopped; done += 1) {
      const job = jobs.next()
      if (job.done === true) return
      if (done > 0 && done % MAX_JOBS === 0) {
        workers[place]?.disconnect()
        workers[place] = hire()
      }
      const worker = workers[place]
      if (worker === undefined) throw new RangeError('the worker does not exist')
      onReport(await report(worker, job.value))
    }
  }

  return {
    async run(jobs, onReport) {
      stopped = false
      const list = jobs[Symbol.iterator]()
      await Promise.all(workers.map((_, place) => employ(place, list, onReport)))
    },
    stop() {
      stopped = true
    },
    close() {
      for (const worker of workers) if (worker.connected) worker.disconnect()
    },
  }
}

// The command line of the simulator.

type Options = {
  readonly seeds: number
  readonly from: number
  /** Planted bugs, each until it is caught; empty for a run without a planted bug. */
  readonly plants: readonly string[]
  /** Every seed has subscriptions, and not only a third. */
  readonly subscriptions: boolean
  /** Every seed has failovers of the database, and not only some. */
  readonly failovers: boolean
  readonly workers: number
  /** The share of the seeds that run twice. */
  readonly replay: number
  readonly traceDir: string
  readonly verbose: boolean
}

function readOptions(args: readonly string[]): Options {
  const program = new Command('simulate')
    .description('Runs the service through simulated days with every kind of fault, and checks its invariants.')
    .option('--seeds <n>', 'how many simulated lives', countOption, 20)
    .option('--from <seed>', 'the first seed', countOption, 1)
    .option('--plant <names>', 'with a planted bug, until it is caught; several separated by commas')
    .option('--plants', 'every planted bug, each with up to --seeds seeds', false)
    .option('--subscriptions', 'every seed has subscriptions, and not only a third', false)
    .option('--failovers', 'every seed has failovers of the database, and not only some', false)
    .option('--workers <n>', 'number of worker processes', countOption, availableParallelism())
    .option('--replay <percent>', 'percent of the seeds that run twice and must give the same run', Number, 5)
    .option('--trace-dir <directory>', 'where the trace of a failed seed is written', '.simulator')
    .option('--verbose', 'a line for every seed', false)
    .parse([...args], { from: 'user' })
  const { plant, plants, ...options } = program.opts()
  const named: readonly string[] = plant === undefined ? [] : String(plant).split(',')
  const unknown = named.find((name) => !PLANTS.has(name))
  if (unknown !== undefined) program.error(`no such plant: ${unknown}. There are: ${[...PLANTS.keys()].join(', ')}`)
  return { ...(options as Omit<Options, 'plants'>), plants: plants === true ? [...PLANTS.keys()] : named }
}

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

// Runs each planted bug with seed after seed until it is caught.

type Catch = { readonly seeds: number; readonly report: Report | null }

async function huntPlants(
  crew: Crew,
  wanted: Options,
  { say, interrupted }: { say: (line: string) => void; interrupted: () => boolean },
): Promise<number> {
  const { plants: names, verbose } = wanted
  const width = Math.max(...names.map((name) => name.length))
  let caught = 0
  for (const name of names) {
    if (interrupted()) break
    const { report, seeds: tried } = await hunt(crew, name, wanted)
    // An interrupt leaves the bug undecided.
    if (interrupted() && report === null) break
    if (report !== null) caught += 1
    const [first] = report?.violations ?? []
    const how = `after ${tried} seeds: “${first?.rule}”${verbose ? ` ${first?.what}` : ''}`
    say(`${name.padEnd(width)}  ${report === null ? `NOT CAUGHT in ${tried} seeds` : how}`)
  }
  say(`${caught} of ${names.length} planted bugs caught`)
  return caught === names.length ? 0 : 1
}

async function hunt(crew: Crew, plant: string, { seeds, from, subscriptions, failovers }: Options): Promise<Catch> {
  const jobs = Array.from({ length: seeds }, (_, at): Job => ({ seed: from + at, plant, subscriptions, failovers }))
  let caught: Report | null = null
  let tried = 0
  await crew.run(jobs, (report) => {
    tried += 1
    if (report.violations.length === 0 || caught !== null) return
    caught = report
    crew.stop()
  })
  return { seeds: tried, report: caught }
}
