// npm run abuse: the real service under one attack after the other, while a shop uses it. Linux, because memory is read
// from /proc. Exits with 1 when a bound is broken.
import { Command, Option } from 'commander'
import { ATTACKS } from './attacks/attacks.ts'
import { BOUNDS, LONG, type Outcome, runAbuse, SHORT } from './run.ts'
import { tableOf } from './table.ts'

const names = ATTACKS.map(({ name }) => name)
const command = new Command('abuse')
  .description('Attacks the service in many ways, and measures what a shop notices, memory, and what is left.')
  .addOption(new Option('--only <names...>', 'these attacks only').choices(names))
  .option('--short', 'the cheap attacks only, a few seconds each, on one service')
const options: { only?: string[]; short?: boolean } = command.parse().opts()
const say = (line: string): void => void process.stdout.write(`${line}\n`)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

const isAsked = ({ name, isCheap }: (typeof ATTACKS)[number]): boolean =>
  options.only === undefined ? isCheap || options.short !== true : options.only.includes(name)
const describe = ({ name, broken }: Outcome): string => `${name}: ${broken.length === 0 ? 'holds' : broken.join('; ')}`

const outcomes = await runAbuse(ATTACKS.filter(isAsked), {
  pace: options.short === true ? SHORT : LONG,
  bounds: BOUNDS,
  onOutcome: (outcome) => say(describe(outcome)),
})
say(`\n${tableOf(outcomes)}`)
const failed = outcomes.filter(({ broken }) => broken.length > 0).length
say(`\n${outcomes.length} attacks, ${failed === 0 ? 'every bound holds' : `${failed} broke a bound`}`)
process.exit(failed === 0 ? 0 : 1)
