// The totals of many lives, as a table.
import { ACTS, ALL, BLOCKS, BUDGETED, CLAIMS, FAULTS, noFaults, PLANNED, STRANGERS, SUBSCRIPTIONS } from './faults.ts'
import { RULES, type Rule } from './monitor/findings.ts'
import { DOCUMENTED as OF_PAYMENTS, SUBSCRIPTION_STEPS } from './monitor/transitions.ts'
import type { Report } from './worker.ts'

const DOCUMENTED: readonly string[] = [...OF_PAYMENTS, ...SUBSCRIPTION_STEPS]

const OF_WORLD = [...FAULTS, ...PLANNED]
const OF_PEOPLE = [...ACTS, ...CLAIMS]
const OF_STRANGERS = [...STRANGERS, ...BUDGETED]

/** Rules whose violation means that money was lost, or was paid twice. */
const LOST: ReadonlySet<Rule> = new Set([
  'the ledger of an address agrees with the chain',
  'an intent’s money adds up',
  'every final deposit is known',
  'no wallet gets back more than it sent',
  'nothing goes back to a custodian automatically',
  'a business gets its price',
  'a cut has the agreed rate',
  'money goes to a wallet that its owner named',
  'a pull is the agreed amount',
  'payout and fee arrive where the tier says',
  'charges agree with the chain',
])
const DOUBLE: ReadonlySet<Rule> = new Set([
  'nothing is sent from an address below its books',
  'a transfer succeeds once',
  'no attempt while an older attempt may land',
  'a period is pulled once',
  'pulls stay within the authorization',
])
const EARLY: ReadonlySet<Rule> = new Set([
  'nothing is pulled before its period begins',
  'nothing is pulled for a time in which billing was stopped',
])
const STUCK: ReadonlySet<Rule> = new Set(['everything ends', 'held money has a reason', 'what is due is charged'])

export type Tally = ReturnType<typeof createTally>

export function createTally() {
  const faults = noFaults()
  const transitions = new Map<string, number>(DOCUMENTED.map((name) => [name, 0]))
  const stories = new Map<string, number>()
  const hashes = new Map<number, string>()
  const failed: Report[] = []
  let seeds = 0
  let days = 0
  let steps = 0
  let evaluations = 0
  let replayed = 0
  const differing: number[] = []

  const violations = (rules: ReadonlySet<Rule>): number =>
    failed.filter((report) => report.violations.some(({ rule }) => rules.has(rule))).length

  return {
    failed,
    differing,
    add(report: Report): void {
      const known = hashes.get(report.seed)
      if (known !== undefined) {
        replayed += 1
        if (known !== report.hash) differing.push(report.seed)
        return
      }
      hashes.set(report.seed, report.hash)
      seeds += 1
      days += report.days
      steps += report.steps
      for (const fault of ALL) faults[fault] += report.faults[fault]
      for (const [name, count] of Object.entries(report.transitions))
        transitions.set(name, (transitions.get(name) ?? 0) + count)
      for (const story of report.stories) stories.set(story, (stories.get(story) ?? 0) + 1)
      for (const rule of RULES) evaluations += report.evaluations[rule]
      if (report.violations.length > 0) failed.push(report)
    },
    get seeds() {
      return seeds
    },
    get replayed() {
      return replayed
    },
    unreached: () => ({
      faults: ALL.filter((fault) => faults[fault] === 0),
      transitions: DOCUMENTED.filter((name) => transitions.get(name) === 0),
    }),
    lines(seconds: number): readonly string[] {
      const reached = DOCUMENTED.filter((name) => (transitions.get(name) ?? 0) > 0).length
      const rows: (readonly [string, string])[] = [
        ['seeds', `${count(seeds)} in ${seconds.toFixed(0)} s`],
        ['simulated days', count(Math.floor(days))],
        ['payments', count([...stories.values()].reduce((sum, one) => sum + one, 0))],
        ['steps', count(steps)],
        ['invariant evaluations', count(evaluations)],
        ['faults', count(OF_WORLD.reduce((sum, fault) => sum + faults[fault], 0))],
        ...OF_WORLD.map((fault) => [`  ${fault}`, count(faults[fault])] as const),
        ['acts of people', count(OF_PEOPLE.reduce((sum, act) => sum + faults[act], 0))],
        ...OF_PEOPLE.map((act) => [`  ${act}`, count(faults[act])] as const),
        ['acts of strangers', count(OF_STRANGERS.reduce((sum, act) => sum + faults[act], 0))],
        ...OF_STRANGERS.map((act) => [`  ${act}`, count(faults[act])] as const),
        ['reading blocks', count(BLOCKS.reduce((sum, one) => sum + faults[one], 0))],
        ...BLOCKS.map((one) => [`  ${one}`, count(faults[one])] as const),
        ['events of subscriptions', count(SUBSCRIPTIONS.reduce((sum, one) => sum + faults[one], 0))],
        ...SUBSCRIPTIONS.map((one) => [`  ${one}`, count(faults[one])] as const),
        ['transitions reached', `${reached} of ${DOCUMENTED.length}`],
        ...[...transitions].map(([name, times]) => [`  ${name}`, count(times)] as const),
        ['replayed', `${replayed}, of which ${differing.length} differed`],
        ['failed seeds', count(failed.length)],
        ['lost', count(violations(LOST))],
        ['double-paid', count(violations(DOUBLE))],
        ['pulled too early', count(violations(EARLY))],
        ['stuck', count(violations(STUCK))],
      ]
      const width = Math.max(...rows.map(([name]) => name.length))
      return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`)
    },
  }
}

const count = (value: number): string => value.toLocaleString('en-US')
