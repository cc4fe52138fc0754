// npm run abuse: runs one attack after the other against the real service, while a shop uses it. Needs Linux, because
// memory is read from /proc. Exits with 1 when a bound is broken.

import { Command, Option } from 'commander'
import { ATTACKS } from './attacks/attacks.ts'
import { BOUNDS, LONG, type Outcome, runAbuse, SHORT } from './run.ts'

// Outcomes as a table.

const HEAD = ['attack', 'p99, ms', 'webhook, ms', 'memory, MiB', 'kept, MiB', 'after, s', 'verdict', 'it did'] as const

function tableOf(outcomes: readonly Outcome[]): string {
  const rows = [HEAD, HEAD.map(() => '---'), ...outcomes.map(rowOf)]
  return rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

const rowOf = ({
  name,
  deed,
  before,
  during,
  keptBefore,
  keptAfter,
  recoveredAfter,
  broken,
}: Outcome): readonly string[] => [
  name,
  `${before.p99.toFixed(1)} → ${during.p99.toFixed(1)}`,
  `${before.webhookMs.toFixed(0)} → ${during.webhookMs.toFixed(0)}`,
  `${mebibytes(before.memory)} → ${mebibytes(during.memory)}`,
  `${mebibytes(keptBefore)} → ${mebibytes(keptAfter)}`,
  recoveredAfter.toFixed(1),
  broken.length === 0 ? 'holds' : broken.join('; '),
  deed.did,
]

const mebibytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(0)

const names = ATTACKS.map(({ name }) => name)
const command = new Command('abuse')
  .description('Attacks the service in many ways, and measures the effect on a shop, memory, and leftovers.')
  .addOption(new Option('--only <names...>', 'only these attacks').choices(names))
  .option('--short', 'only the cheap attacks, a few seconds each, on one service')
  .option('--postgresql', 'on a PostgreSQL instead of the embedded database')
const options: { only?: string[]; short?: boolean; postgresql?: boolean } = command.parse().opts()
const say = (line: string): void => void process.stdout.write(`${line}\n`)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

const isAsked = ({ name, isCheap }: (typeof ATTACKS)[number]): boolean =>
  options.only === undefined ? isCheap || options.short !== true : options.only.includes(name)
const describe = ({ name, broken }: Outcome): string => `${name}: ${broken.length === 0 ? 'holds' : broken.join('; ')}`

const outcomes = await runAbuse(ATTACKS.filter(isAsked), {
  pace: options.short === true ? SHORT : LONG,
  bounds: BOUNDS,
  engine: options.postgresql === true ? 'postgresql' : 'embedded',
  measurements: 1,
  onOutcome: (outcome) => say(describe(outcome)),
})
say(`\n${tableOf(outcomes)}`)
const failed = outcomes.filter(({ broken }) => broken.length > 0).length
say(`\n${outcomes.length} attacks, ${failed === 0 ? 'every bound holds' : `${failed} broke a bound`}`)
process.exit(failed === 0 ? 0 : 1)
