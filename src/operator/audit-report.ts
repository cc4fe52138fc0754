// Sums up the pages of an audit: totals by asset, and each difference with what to do about it.

import type { Network } from './arguments.ts'
import type { AuditPageQuery, AuditScopeQuery } from './documents.generated.ts'

type Page = AuditPageQuery['audit']
type Audited = Page['addresses'][number]
type Scope = NonNullable<AuditScopeQuery['auditScope']>

/** In base units; `ledger + inFlight + unbooked + difference = chain`. */
export type AssetTotal = {
  readonly asset: string
  readonly addresses: number
  readonly received: bigint
  readonly settled: bigint
  readonly returned: bigint
  readonly ledger: bigint
  readonly chain: bigint
  readonly inFlight: bigint
  readonly unbooked: bigint
  readonly difference: bigint
}

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
  const count = (asset: string, more: Partial<Omit<AssetTotal, 'asset'>>) =>
    assets.set(asset, addTo(assets.get(asset) ?? nothingOf(asset), more))

  return {
    add({ addresses, feePayer }) {
      sums.spent += BigInt(feePayer.spent)
      sums.repaid += BigInt(feePayer.repaid)
      sums.rentReturned += BigInt(feePayer.rent)
      for (const one of addresses) {
        sums.addresses += 1
        sums.rent += BigInt(one.tokenAccountLamports)
        findings.push(...findingsOf(network, one))
        for (const { account, asset, ledger, chain, inFlight, difference, unbooked: more } of one.balances) {
          const amount = BigInt(more)
          if (amount > 0n) unbooked.push({ network, intentIndex: one.intentIndex, account, asset, amount })
          count(asset, {
            addresses: 1,
            ledger: BigInt(ledger),
            chain: BigInt(chain),
            inFlight: BigInt(inFlight),
            unbooked: amount,
            difference: BigInt(difference),
          })
        }
        for (const { asset, received, settled, returned } of one.flows)
          count(asset, { received: BigInt(received), settled: BigInt(settled), returned: BigInt(returned) })
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

const nothingOf = (asset: string): AssetTotal => ({
  asset,
  addresses: 0,
  received: 0n,
  settled: 0n,
  returned: 0n,
  ledger: 0n,
  chain: 0n,
  inFlight: 0n,
  unbooked: 0n,
  difference: 0n,
})

const addTo = (total: AssetTotal, more: Partial<Omit<AssetTotal, 'asset'>>): AssetTotal => ({
  asset: total.asset,
  addresses: total.addresses + (more.addresses ?? 0),
  received: total.received + (more.received ?? 0n),
  settled: total.settled + (more.settled ?? 0n),
  returned: total.returned + (more.returned ?? 0n),
  ledger: total.ledger + (more.ledger ?? 0n),
  chain: total.chain + (more.chain ?? 0n),
  inFlight: total.inFlight + (more.inFlight ?? 0n),
  unbooked: total.unbooked + (more.unbooked ?? 0n),
  difference: total.difference + (more.difference ?? 0n),
})

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
