// The common parts of the checks of shown amounts: the evidence, the terms of a payment, and the check of a rule.
import type { Address, Asset, Signature } from '#core/chain/types.ts'
import type { Faults } from '../faults.ts'
import type { Stage } from '../stage.ts'
import type { Evidence } from './evidence.ts'
import type { Findings, Rule } from './findings.ts'
import type { Paid } from './monitor.ts'
import type { Parties } from './parties.ts'
import type { Reported } from './reported.ts'

/** The terms of the payment, which never change. */
export type Terms = {
  readonly accountId: string
  readonly address: Address
  readonly priceUsdCents: bigint
  readonly feeBps: number | null
  readonly createdAt: number
  readonly expiresAt: number
}

export type Figures = {
  readonly evidence: Evidence
  readonly faults: Pick<Faults, 'counts'>
  readonly stage: Pick<Stage, 'custodians' | 'mints' | 'feePayer' | 'terms'>
  readonly findings: Findings
  readonly partiesOf: (accountId: string) => Parties
  /** What people pay by a transaction of their own; undefined for a transaction of a stranger. */
  readonly meantBy: (signature: Signature) => readonly Paid[] | undefined
  /** The wallets to which the operator has released held money of an intent, by its index. */
  readonly releasedTo: (index: number) => ReadonlySet<Address>
  /** Money has left it that its ledger does not know. */
  readonly isBelowBooks: (address: Address) => boolean
}

export type Check = (rule: Rule, holds: boolean, what: () => string) => void

export const checkerOf =
  ({ findings }: Pick<Figures, 'findings'>, reported: Reported, when: string): Check =>
  (rule, holds, what) =>
    findings.check(rule, holds, () => `intent ${reported.index} (${reported.status}), ${when}: ${what()}`)

export const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n)
/** Returns the share of an amount, rounded down. */
export const shareOf = (whole: bigint, bps: number): bigint => (whole * BigInt(bps)) / 10_000n
/** The limit of sums that are tried. */
const MAX_SUMS = 5_000

/**
 * Returns true when some of the amounts add up to the sum. Checks only a lower bound where there are too many to try.
 */
export function isSumOf(total: bigint, amounts: readonly bigint[]): boolean {
  let sums = new Set([0n])
  for (const amount of amounts) {
    const next = new Set(sums)
    for (const one of sums) next.add(one + amount)
    if (next.size > MAX_SUMS) return total <= sum(amounts)
    sums = next
  }
  return sums.has(total)
}

/**
 * Returns the wallets that paid the address, in one asset or in any: those that meant to, and otherwise those that signed and
 * whose balance fell.
 */
export const payersOf = (
  { evidence, meantBy }: Pick<Figures, 'evidence' | 'meantBy'>,
  address: Address,
  asset: Asset | null = null,
): ReadonlySet<Address> =>
  new Set(
    evidence
      .inflows(address, asset ?? undefined)
      .flatMap(({ signature, payers }) => meantBy(signature)?.map(({ wallet }) => wallet) ?? payers),
  )
