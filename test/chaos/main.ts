// npm run chaos -- --kills 200: a PostgreSQL server, an API and three workers, killed at random under load.
import { Command } from 'commander'
import { countOption } from '../support/count-option.ts'
import type { Course } from './customers.ts'
import { type Outcome, runChaos } from './run.ts'

const options: { kills: number; seed: number; between: number; every: number } = new Command('chaos')
  .description('Kills an API and three workers at random under load, and checks the invariants.')
  .option('--kills <n>', 'how many processes to kill', countOption, 200)
  .option('--seed <n>', 'draws the victims, the moments and the payments', countOption, 1)
  .option('--between <ms>', 'the longest time between two kills', countOption, 6_000)
  .option('--every <ms>', 'the time between two payments', countOption, 2_000)
  .parse()
  .opts()
const say = (line: string): void => void process.stdout.write(`${line}\n`)

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

const outcome = await runChaos({
  kills: options.kills,
  betweenMs: options.between,
  paymentEveryMs: options.every,
  seed: options.seed,
  say,
})
for (const line of describe(outcome)) say(line)
process.exit(outcome.problems.length === 0 ? 0 : 1)

function describe({ kills, seconds, courses, problems, audit, ...longest }: Outcome): readonly string[] {
  const { clean, networks } = JSON.parse(audit)
  const row = (what: string, figure: string | number) => `| ${what} | ${figure} |`
  return [
    '',
    row('what', 'seen'),
    row('---', '--:'),
    row('kills: API, workers', `${kills.api}, ${kills.worker}`),
    row('minutes', (seconds / 60).toFixed(1)),
    row('payments', courses.length),
    ...[
      ...Map.groupBy(
        courses,
        ({ kind, ticker, forSeller, status }) => `${kind}, ${ticker}${forSeller ? ', for a seller' : ''}: ${status}`,
      ),
    ].map(([what, some]) => row(what, some.length)),
    row('longest wait of work that was due, s', longest.longestWaitSeconds.toFixed(1)),
    row(
      'from paid to seen, s: median, longest',
      spread(courses, ({ seenAfterMs }) => seenAfterMs),
    ),
    row(
      'from paid to the end, s: median, longest',
      spread(courses, ({ endedAfterMs }) => endedAfterMs),
    ),
    row('slowest start of a process, s', longest.slowestStartSeconds.toFixed(1)),
    row('audit clean, over addresses', `${clean}, ${networks[0]?.addresses}`),
    row('problems', problems.length),
    ...problems,
  ]
}

function spread(courses: readonly Course[], of: (course: Course) => number): string {
  const sorted = courses.map(of).sort((a, b) => a - b)
  const seconds = (value = 0) => (value / 1_000).toFixed(1)
  return `${seconds(sorted[Math.floor(sorted.length / 2)])}, ${seconds(sorted.at(-1))}`
}
