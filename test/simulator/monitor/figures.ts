// What the checks of told figures have in common: the evidence, the terms of a payment, and how a rule is looked at.
import type { Address } from '#core/chain/types.ts'
import type { Faults } from '../faults.ts'
import type { Stage } from '../stage.ts'
import type { Evidence } from './evidence.ts'
import type { Findings, Rule } from './findings.ts'
import type { Parties } from './parties.ts'
import type { Told } from './told.ts'

/** What was agreed when the intent was made, and never changes. */
export type Terms = {
  readonly accountId: string
  readonly address: Address
  readonly priceUsdCents: bigint
  readonly feeBps: number | null
  readonly expiresAt: number
}

export type Figures = {
  readonly evidence: Evidence
  readonly faults: Pick<Faults, 'counts'>
  readonly stage: Pick<Stage, 'custodians' | 'mints' | 'feePayer' | 'terms'>
  readonly findings: Findings
  readonly partiesOf: (accountId: string) => Parties
}

export type Check = (rule: Rule, holds: boolean, what: () => string) => void

export const checkerOf =
  ({ findings }: Pick<Figures, 'findings'>, told: Told, when: string): Check =>
  (rule, holds, what) =>
    findings.check(rule, holds, () => `intent ${told.index} (${told.status}), ${when}: ${what()}`)

export const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n)
/** More sums than these are not tried out. */
const MOST_SUMS = 5_000

/** Whether some of the amounts add up to it. A lower bound where there are too many to try. */
export function isSumOf(total: bigint, amounts: readonly bigint[]): boolean {
  let sums = new Set([0n])
  for (const amount of amounts) {
    const next = new Set(sums)
    for (const one of sums) next.add(one + amount)
    if (next.size > MOST_SUMS) return total <= sum(amounts)
    sums = next
  }
  return sums.has(total)
}

/** Wallets that signed a payment to the address and whose balance fell by it. */
export const payersOf = ({ evidence }: Pick<Figures, 'evidence'>, address: Address): ReadonlySet<Address> =>
  new Set(evidence.inflows(address).flatMap(({ payers }) => payers))
