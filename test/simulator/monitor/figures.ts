// The common parts of the checks of shown amounts: the evidence, the terms of a payment, and the check of a rule.
import type { Address, Asset, Signature } from '#core/chain/types.ts'
import type { IntentChange } from '#core/payments/change.ts'
import type { Faults } from '../faults.ts'
import type { Stage } from '../stage.ts'
import { virtualNow } from '../virtual-time.ts'
import type { Evidence } from './evidence.ts'
import type { Findings, Rule } from './findings.ts'
import type { Memory } from './memory.ts'
import type { Paid } from './monitor.ts'
import type { Reported } from './reported.ts'

// The wallets that a payment may reach, and the current sweep destination of a business.

/** How long a decision may take from its reading to its writing. */
const UNDER_WAY_MS = 60_000

type Parties = {
  /** Every wallet that the business or seller has named. */
  readonly business: ReadonlySet<Address>
  /** The wallets for the cut of a marketplace. */
  readonly marketplace: ReadonlySet<Address>
  readonly platform: ReadonlySet<Address>
}

export function partiesOf({ payees, terms }: Pick<Stage, 'payees' | 'terms'>, accountId: string): Parties {
  const walletsOf = (id: string): readonly Address[] =>
    payees.filter((one) => one.accountId === id).flatMap(({ wallets }) => wallets.map(({ address }) => address))
  const payee = payees.find((one) => one.accountId === accountId)
  const feeWallet = payee?.terms?.feeWallet ?? null
  const cuts = payee === undefined || payee.terms === null ? [] : walletsOf(payee.caller.accountId)
  return {
    business: new Set(walletsOf(accountId)),
    marketplace: new Set(feeWallet === null ? cuts : [feeWallet]),
    platform: new Set(terms.platformWallet === null ? [] : [terms.platformWallet]),
  }
}

/** A sweep that is planned from facts read after the business named a wallet goes to that wallet. */
export function watchDestinations(findings: Findings, memory: Memory) {
  const named = memory.map<string, { readonly wallet: Address; readonly since: number }>()
  const reads = new Map<string, number[]>()
  return {
    onNamed: (accountId: string, wallet: Address): void => {
      if (named.get(accountId)?.wallet !== wallet) named.set(accountId, { wallet, since: virtualNow() })
    },
    /** A decision about an intent begins with reading its facts. */
    onRead(intentId: string): void {
      const recent = (reads.get(intentId) ?? []).filter((time) => virtualNow() - time < UNDER_WAY_MS)
      reads.set(intentId, [...recent, virtualNow()])
    },
    onApplied({ after, transfers }: IntentChange): void {
      const now = named.get(after.accountId)
      const isFromBefore = (time: number): boolean => now !== undefined && time <= now.since
      if (now === undefined || reads.get(after.id)?.some(isFromBefore) === true) return
      for (const { key, legs } of transfers) {
        const own = legs.filter(({ role }) => role === 'merchant' || role === 'seller')
        findings.check(
          'money goes to a wallet that its owner named',
          own.every(({ destination }) => destination === now.wallet),
          () => `${key} to ${own.map(({ destination }) => destination).join(', ')}, and not to ${now.wallet}`,
        )
      }
    },
  }
}

/** The terms of the payment, which never change. */
export type Terms = {
  readonly accountId: string
  readonly address: Address
  readonly priceUsdCents: bigint
  readonly feeBps: number | null
  readonly toleranceBps: number | null
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
/** Returns the least amount that counts as the whole price. */
export const leastOf = ({ expected, toleranceBps }: Pick<Reported, 'expected' | 'toleranceBps'>): bigint =>
  (expected ?? 0n) - shareOf(expected ?? 0n, toleranceBps ?? 0)
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
