// The wallets that a payment may reach, and the current sweep destination of a business.
import type { Address } from '#core/chain/types.ts'
import type { IntentChange } from '#core/payments/change.ts'
import type { Stage } from '../stage.ts'
import { virtualNow } from '../virtual-time.ts'
import type { Findings } from './findings.ts'
import type { Memory } from './memory.ts'

/** How long a decision may take from its reading to its writing. */
const UNDER_WAY_MS = 60_000

export type Parties = {
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
