// The command line of the simulator.
import { availableParallelism } from 'node:os'
import { Command } from 'commander'
import { countOption } from '../support/count-option.ts'
import { PLANTS } from './plants/plants.ts'

export type Options = {
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

export function readOptions(args: readonly string[]): Options {
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
