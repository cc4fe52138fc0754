// A process that runs one simulated life after the other, as its parent requests.
import { openSimulatedDatabase, type SimulatedDatabase } from './database.ts'
import { PLANTS } from './plants/plants.ts'
import { type Outcome, runSeed, type Wanted } from './run.ts'
import { stopTheClock } from './virtual-time.ts'

export type Job = { readonly seed: number; readonly plant: string | null } & Wanted
export type Report = Omit<Outcome, 'trace'> & {
  readonly plant: string | null
  readonly milliseconds: number
  readonly trace: readonly string[]
}

const elapsed = performance.now.bind(performance)
const databases = new Map<string | null, Promise<SimulatedDatabase>>()

async function work({ seed, plant, ...wanted }: Job): Promise<Report> {
  const started = elapsed()
  // The database engine keeps times of its start, which the life before may have left far in the future.
  stopTheClock()
  const planted = plant === null ? null : (PLANTS.get(plant) ?? null)
  // A planted bug in the rules of the database has a database of its own.
  const key = planted?.sql === undefined ? null : planted.name
  const database = databases.get(key) ?? openSimulatedDatabase(planted?.sql)
  databases.set(key, database)
  const outcome = await runSeed(await database, seed, planted, wanted)
  const failed = outcome.violations.length > 0
  return { ...outcome, plant, milliseconds: elapsed() - started, trace: failed ? outcome.trace : [] }
}

process.on('message', (job: Job) => {
  work(job).then(
    (report) => process.send?.(report),
    (error: unknown) => {
      process.stderr.write(`seed ${job.seed}: ${error instanceof Error ? error.stack : String(error)}\n`)
      process.exit(1)
    },
  )
})
// The worker ends when its parent has ended.
process.on('disconnect', () => process.exit(0))
// Only the parent handles the interrupt of the terminal.
process.on('SIGINT', () => {})
