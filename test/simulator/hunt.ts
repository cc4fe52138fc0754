// Runs each planted bug with seed after seed until it is caught.
import type { Crew } from './crew.ts'
import type { Options } from './options.ts'
import type { Job, Report } from './worker.ts'

type Catch = { readonly seeds: number; readonly report: Report | null }

export async function huntPlants(
  crew: Crew,
  { plants: names, seeds, from, verbose }: Options,
  { say, interrupted }: { say: (line: string) => void; interrupted: () => boolean },
): Promise<number> {
  const width = Math.max(...names.map((name) => name.length))
  let caught = 0
  for (const name of names) {
    if (interrupted()) break
    const { report, seeds: tried } = await hunt(crew, name, seeds, from)
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

async function hunt(crew: Crew, plant: string, seeds: number, from: number): Promise<Catch> {
  const jobs = Array.from(
    { length: seeds },
    (_, at): Job => ({ seed: from + at, plant, subscriptions: false, failovers: false }),
  )
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
