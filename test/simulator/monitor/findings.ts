// What the monitor holds against a run: each rule that was looked at, how often, and where it did not hold.
export const RULES = [
  'the ledger tells what final transactions did',
  'an obligation is fulfilled once',
  'no attempt while an older one could land',
  'one live attempt a source',
  'a deposit is what the chain says',
  'legs never change',
  'a transaction does what its plan says and nothing else',
  'nothing is sent that is not stored',
  'nothing is signed that is not stored',
  'nothing is planned that is not there, final',
  'a lost lease changes nothing',
  'only documented transitions',
  'one event for each transition',
  'versions grow',
  'a window ends by the chain’s clock',
  'a rate is a true one, rounded up',
  'every final deposit is known',
  'an address’s books are the chain’s',
  'an intent’s money adds up',
  'the fee payer’s books are the chain’s',
  'the fee payer spends in proportion to payments',
  'the refunds of a payment cost no more than their budget',
  'no account is made for less than its rent',
  'nobody gets back more than was sent',
  'nothing goes back to a custodian by itself',
  'a business gets what it is owed',
  'a cut is what was agreed',
  'money goes where its owner said',
  'events are delivered',
  'everything ends',
  'what is signed in peace lands',
  'what is held says why',
  'what is told is true',
  'what is told as received arrived',
  'what is told as held is there',
  'what is told belongs to its payment',
  'what is delivered is what was written',
  'an answer is what was written last',
  'a status is what its figures say',
  'the terms of a payment do not change',
  'a refund sender is a wallet that paid',
  'a settlement is what the chain did',
  'a leg’s moved amount is what arrived',
  'late payments are what the chain says',
  'returns of tokens are what the chain says',
  'a refund is what the chain did',
  'every deposit is told',
  'only what is not allowed is held as strange',
  'no tenant reaches another’s',
  'no secret is kept',
  'work is bounded',
  'nothing fails unexpectedly',
] as const
export type Rule = (typeof RULES)[number]

export type Violation = { readonly rule: Rule; readonly what: string }

export type Findings = {
  /** Looks at a rule: `holds` or not. */
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
