// Sums up the pages of an audit: totals by asset, and each difference with what to do about it.

import type { Network } from './arguments.ts'
import type { AuditPageQuery, AuditScopeQuery } from './documents.generated.ts'

type Page = AuditPageQuery['audit']
type Audited = Page['addresses'][number]
type Scope = NonNullable<AuditScopeQuery['auditScope']>

const FLOW = ['received', 'settled', 'returned'] as const
const BALANCE = ['ledger', 'chain', 'inFlight', 'unbooked', 'difference'] as const
const NOTHING = {
  addresses: 0,
  received: 0n,
  settled: 0n,
  returned: 0n,
  ledger: 0n,
  chain: 0n,
  inFlight: 0n,
  unbooked: 0n,
  difference: 0n,
}

/** In base units; `ledger + inFlight + unbooked + difference = chain`. */
export type AssetTotal = typeof NOTHING & { readonly asset: string }

/** A surplus in an account that is not watched. */
export type Unbooked = {
  readonly network: Network
  readonly intentIndex: number
  readonly account: string
  readonly asset: string
  /** In base units. */
  readonly amount: bigint
}

export type Finding = {
  readonly network: Network
  readonly intentIndex: number
  readonly address: string
  readonly kind: 'address' | 'balance' | 'flow'
  readonly account: string | null
  readonly asset: string | null
  readonly difference: bigint | null
  /** What to do. */
  readonly next: string
}

export type NetworkReport = {
  readonly network: Network
  readonly addresses: number
  readonly assets: readonly AssetTotal[]
  /** Rent in the deposit addresses' token accounts, in lamports. */
  readonly tokenAccountLamports: bigint
  /**
   * In lamports: `lamports = funded - spent + repaid + rentReturned`. `funded` is what the operator has sent in all: the part of
   * the balance that no transaction explains. The fees of closing token accounts are taken off `rentReturned`.
   */
  readonly feePayer: {
    readonly address: string
    readonly lamports: bigint
    readonly spent: bigint
    readonly repaid: bigint
    readonly rentReturned: bigint
    readonly funded: bigint
  }
}

export type Tally = {
  add(page: Page): void
  /** Addresses so far. */
  readonly done: number
  readonly findings: readonly Finding[]
  readonly unbooked: readonly Unbooked[]
  /** `billingSpent`: what recurring billing took from the fee payer, in lamports. */
  report(billingSpent: bigint): NetworkReport
}

export function createTally(network: Network, scope: Scope): Tally {
  const assets = new Map<string, AssetTotal>()
  const findings: Finding[] = []
  const unbooked: Unbooked[] = []
  const sums = { addresses: 0, rent: 0n, spent: 0n, repaid: 0n, rentReturned: 0n }
  const totalOf = (asset: string): AssetTotal => {
    const total = assets.get(asset) ?? { asset, ...NOTHING }
    assets.set(asset, total)
    return total
  }

  return {
    add({ addresses, feePayer }) {
      sums.spent += BigInt(feePayer.spent)
      sums.repaid += BigInt(feePayer.repaid)
      sums.rentReturned += BigInt(feePayer.rent)
      for (const one of addresses) {
        sums.addresses += 1
        sums.rent += BigInt(one.tokenAccountLamports)
        findings.push(...findingsOf(network, one))
        for (const balance of one.balances) {
          const { account, asset } = balance
          const amount = BigInt(balance.unbooked)
          if (amount > 0n) unbooked.push({ network, intentIndex: one.intentIndex, account, asset, amount })
          const total = totalOf(asset)
          total.addresses += 1
          for (const name of BALANCE) total[name] += BigInt(balance[name])
        }
        for (const flow of one.flows) {
          const total = totalOf(flow.asset)
          for (const name of FLOW) total[name] += BigInt(flow[name])
        }
      }
    },
    get done() {
      return sums.addresses
    },
    findings,
    unbooked,
    report(billingSpent) {
      const lamports = BigInt(scope.feePayerLamports)
      const { repaid, rentReturned } = sums
      const spent = sums.spent + billingSpent
      return {
        network,
        addresses: sums.addresses,
        assets: [...assets.values()],
        tokenAccountLamports: sums.rent,
        feePayer: {
          address: scope.feePayer,
          lamports,
          spent,
          repaid,
          rentReturned,
          funded: lamports + spent - repaid - rentReturned,
        },
      }
    },
  }
}

function findingsOf(network: Network, audited: Audited): readonly Finding[] {
  const { intentIndex, address, derivedAddress, balances, flows } = audited
  const about = { network, intentIndex, address }
  const differs = ({ difference }: { difference: string }) => BigInt(difference) !== 0n
  return [
    ...(address === derivedAddress
      ? []
      : [{ ...about, kind: 'address', account: null, asset: null, difference: null, next: strange(audited) } as const]),
    ...balances.filter(differs).map(({ account, asset, difference }): Finding => {
      const amount = BigInt(difference)
      return { ...about, kind: 'balance', account, asset, difference: amount, next: unbooked(account, amount) }
    }),
    ...flows.filter(differs).map(({ asset, difference }): Finding => {
      const next =
        'What was received is not what left and what remains: compare the deposits and transfers of payment ' +
        `${intentIndex} with its ledger entries.`
      return { ...about, kind: 'flow', account: null, asset, difference: BigInt(difference), next }
    }),
  ]
}

const strange = ({ address, derivedAddress }: Audited): string =>
  `The seed gives ${derivedAddress} for this payment, so what is paid to ${address} cannot be moved: ` +
  'restore the row, or the seed, from a backup.'

const unbooked = (account: string, difference: bigint): string =>
  difference > 0n
    ? 'The chain holds more than the ledger says: a payment that was not booked. The workers observe it when they ' +
      `come to it: audit again after a minute; if it stands, compare the transactions of ${account} with its ledger ` +
      'entries.'
    : 'The chain holds less than the ledger says: money left without an entry, or an entry is wrong. The workers ' +
      `send nothing from there any more (\`halt list\`): compare the transactions of ${account} with its ledger entries. ` +
      'When many differ at once, stop the workers (ROLE=api) until the cause is known.'
