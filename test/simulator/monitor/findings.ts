import { Died } from '../carrier.ts'
import type { Ground } from '../world.ts'

// The findings of the monitor: each checked rule, how often it was checked, and its violations.
export const RULES = [
  'the ledger contains the effects of final transactions',
  'a transfer succeeds once',
  'no attempt while an older attempt may land',
  'one live attempt a source',
  'a deposit agrees with the chain',
  'legs never change',
  'a transaction does what its plan says and nothing else',
  'nothing is sent from an address below its books',
  'an address below its books is halted',
  'nothing is sent that is not stored',
  'nothing is signed that is not stored',
  'a transfer is planned from final money only',
  'a lost lease changes nothing',
  'only documented transitions',
  'one event for each transition',
  'an event shows something new',
  'what is new has an event',
  'versions grow',
  'a window ends by the chain’s clock',
  'a rate is a market rate, rounded up',
  'every final deposit is known',
  'the ledger of an address agrees with the chain',
  'an intent’s money adds up',
  'the ledger of the fee payer agrees with the chain',
  'the fee payer spends in proportion to payments',
  'a transfer of SOL repays its cost',
  'a refund is worth its fee',
  'the refunds of a payment cost no more than their budget',
  'refunds cost no more than the budget of an hour and a day',
  'no account is made for a refund',
  'a business gets one account for each token',
  'no wallet gets back more than it sent',
  'nothing goes back to a custodian automatically',
  'refunds by a business are at most what settled',
  'a refund by a business is what the chain paid for it',
  'a receipt of what settled adds up, and says what the ledger says',
  'a refund by a business goes to a wallet that paid, or that the business named',
  'held money goes where the business approved',
  'a business gets its price',
  'a price that is paid in time settles',
  'only a price that is paid in time settles',
  'a cut has the agreed rate',
  'money goes to a wallet that its owner named',
  'events are delivered',
  'a marketplace is shown the present state',
  'everything ends',
  'a transaction that is signed without faults lands',
  'held money has a reason',
  'the reason for held money is true',
  'money that went back is shown as returned',
  'received money arrived',
  'held money is at its address',
  'shown data belongs to its payment',
  'a delivered event is the stored event',
  'an answer shows the newest state',
  'a status agrees with its amounts',
  'the terms of a payment do not change',
  'a payment has the ordered terms',
  'a payment can be paid for ten minutes',
  'an amount has the decimals of its asset',
  'a refund sender is a wallet that paid',
  'a payment link asks for what is due',
  'the answer of a sweep agrees with the chain',
  'a settlement agrees with the chain',
  'a leg’s moved amount is the amount that arrived',
  'the records of a payment agree with the chain',
  'late payments agree with the chain',
  'the stats of a marketplace agree with the chain',
  'the audit of a marketplace agrees with the chain',
  'token refunds agree with the chain',
  'a refund agrees with the chain',
  'every deposit is shown',
  'only tokens that are not allowed are unaccepted',
  'a landed payment wins against a selection',
  'no tenant reaches a payment of another',
  'a marketplace sells for its own sellers',
  'a period is pulled once',
  'a pull is the agreed amount',
  'a coupon is used as often as its business permits',
  'pulls stay within the authorization',
  'nothing is pulled before its period begins',
  'nothing is pulled before a trial ends',
  'a wallet has one trial of a product',
  'who has never paid is entitled no longer than the trial',
  'the end of a trial is announced once, three days before',
  'nothing is pulled for a time in which billing was stopped',
  'nothing is pulled once its time is over',
  'what a subscriber stopped, only the subscriber starts again',
  'payout and fee arrive where the tier says',
  'missed periods are charged one a day',
  'failed charges are retried at the documented times',
  'an approve is for everything outstanding and the new slice',
  'a signed text is used once, for what it states',
  'the sponsor signs nothing but stored approves',
  'the sponsor stays within its budget',
  'the allowance covers what is outstanding',
  'a charge takes what its own subscription is covered by',
  'a subscription stops for a documented reason',
  'a subscription makes documented transitions only',
  'one event for each step of a subscription',
  'one event for each step of a charge',
  'an authorization changes with the consent of the wallet',
  'an event of a subscription agrees with the chain',
  'charges agree with the chain',
  'the audit of charges finds nothing',
  'what is due is charged',
  'no tenant reaches a subscription of another',
  'no secret is stored',
  'work is bounded',
  'nothing fails unexpectedly',
] as const
export type Rule = (typeof RULES)[number]

type Violation = { readonly rule: Rule; readonly what: string }

export type Findings = {
  /** Records a check of a rule, and a violation unless it `holds`. */
  check(rule: Rule, holds: boolean, what: () => string): void
  readonly evaluations: Readonly<Record<Rule, number>>
  readonly violations: readonly Violation[]
}

export function createFindings(note: (line: string) => void): Findings {
  const evaluations = Object.fromEntries(RULES.map((rule) => [rule, 0])) as Record<Rule, number>
  const violations: Violation[] = []
  return {
    evaluations,
    violations,
    check(rule, holds, what) {
      evaluations[rule] += 1
      if (holds) return
      const violation = { rule, what: what() }
      violations.push(violation)
      note(`VIOLATION of “${rule}”: ${violation.what}`)
    },
  }
}

/** Returns a value as JSON, with each bigint as its digits, so that two values can be compared and shown. */
export const textOf = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? part.toString() : part))

// The errors of a day: those that its faults explain, and all others, which are mistakes of the program.

/** Notes an error of a job or of a request. A day has many errors, but no programming mistake. */
export function noteError(
  { trace, failedAt }: Pick<Ground, 'trace' | 'failedAt'>,
  findings: Pick<Findings, 'check'>,
  error: unknown,
  context: string,
): void {
  const text = error instanceof Error ? `${error.name}: ${error.message.split('\n').at(-1)}` : String(error)
  trace.note(`error in ${context}: ${text}`)
  failedAt.add(context)
  findings.check(
    'nothing fails unexpectedly',
    isExpected(error),
    () => `${context}: ${error instanceof Error ? error.stack : text}`,
  )
}

const isExpected = (error: unknown): boolean =>
  error instanceof Died || (error instanceof Error && (EXPECTED.has(error.name) || NOT_YET.test(error.message)))

const EXPECTED: ReadonlySet<string> = new Set(['ServiceError', 'DatabaseUnavailableError', 'ProviderFault'])
/** Blocks and transactions that a provider lacks for a moment. */
const NOT_YET =
  /no final block can be read|is in a final block, but not known by itself yet|a transfer follows a final transaction/
