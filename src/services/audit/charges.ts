// The audit of recurring billing, one page at a time: charges, subscriptions and delegations.
import {
  auditCharge,
  auditDelegation,
  auditSubscription,
  type BillingFinding,
  type BillingRecord,
} from '#core/audit/charges.ts'
import type { Charge } from '#core/billing/charge.ts'
import type { Address, Network } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import { sumOf } from '#core/money/amounts.ts'
import type { Transfer } from '#core/transfers/transfer.ts'
import type { ChargeAuditStore } from '#ports/audit.ts'
import type { DepositKeys } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'

const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/** The amounts of charges in one token, in base units: `pulled = paidOut + fees + difference`. */
export type ChargeTotal = {
  readonly mint: Address
  readonly charges: number
  readonly pulled: bigint
  readonly paidOut: bigint
  readonly fees: bigint
  readonly difference: bigint
}

export type BillingAuditPage = {
  readonly records: number
  /** The charges that succeeded, with what their transfers moved. Empty for other records. */
  readonly totals: readonly ChargeTotal[]
  readonly findings: readonly BillingFinding[]
  /** What charges, or approves of delegations, took from the fee payer, in lamports. */
  readonly feePayerSpent: bigint
  /** The next page's `after`; null at the end. */
  readonly next: string | null
}

export type BillingAuditServices = {
  /** Throws `network_unavailable`. */
  page(
    network: Network,
    page: { readonly record: BillingRecord; readonly after: string | null; readonly limit: number },
  ): Promise<BillingAuditPage>
}

export type BillingAuditDeps = {
  readonly chargeAudit: ChargeAuditStore
  readonly keys: Pick<DepositKeys, 'addressOf' | 'tokenAccountOf'>
  readonly clock: Clock
  /** Null where the deployment does not serve the network. */
  readonly networks: Readonly<Record<Network, { readonly feePayer: Address } | null>>
}

export function createBillingAudit(deps: BillingAuditDeps): BillingAuditServices {
  return {
    async page(network, { record, after, limit }) {
      const served = deps.networks[network]
      if (served === null) throw new ServiceError('network_unavailable', { network })
      return await PAGES[record](deps, network, { after: after ?? FIRST_ID, limit }, served.feePayer)
    },
  }
}

type Page = Parameters<ChargeAuditStore['charges']>[1]
type ReadPage = (deps: BillingAuditDeps, network: Network, page: Page, feePayer: Address) => Promise<BillingAuditPage>

const PAGES: Readonly<Record<BillingRecord, ReadPage>> = {
  charge: async (deps, network, page, feePayer) => {
    const books = await deps.chargeAudit.charges(network, page, feePayer)
    const findings: BillingFinding[] = []
    for (const one of books) findings.push(...auditCharge(one, await accountsOf(deps, one.transfers)))
    const paid = books.flatMap(({ charge, transfers: [transfer] }) =>
      charge.status === 'succeeded' && transfer !== undefined ? [{ charge, transfer }] : [],
    )
    return {
      ...pageOf(books, page, ({ charge }) => charge.id),
      totals: totalsOf(paid),
      findings,
      feePayerSpent: sumOf(books.map((one) => one.feePayerSpent)),
    }
  },

  subscription: async ({ chargeAudit }, network, page) => {
    const books = await chargeAudit.subscriptions(network, page)
    return {
      ...pageOf(books, page, ({ subscription }) => subscription.id),
      totals: [],
      findings: books.flatMap(auditSubscription),
      feePayerSpent: 0n,
    }
  },

  delegation: async ({ chargeAudit, keys, clock }, network, page, feePayer) => {
    const books = await chargeAudit.delegations(network, page, feePayer)
    const delegate = keys.addressOf({ network, branch: 'delegate' })
    return {
      ...pageOf(books, page, ({ delegation }) => delegation.id),
      totals: [],
      findings: books.flatMap((one) => auditDelegation(one, delegate, clock.now())),
      feePayerSpent: sumOf(books.map((one) => one.feePayerSpent)),
    }
  },
}

function pageOf<Books>(
  books: readonly Books[],
  { limit }: Page,
  idOf: (one: Books) => string,
): Pick<BillingAuditPage, 'records' | 'next'> {
  const last = books.at(-1)
  return { records: books.length, next: books.length < limit || last === undefined ? null : idOf(last) }
}

/** Returns the token account of each wallet that a transfer pays, by wallet. */
async function accountsOf(
  { keys }: Pick<BillingAuditDeps, 'keys'>,
  transfers: readonly Transfer[],
): Promise<ReadonlyMap<Address, Address>> {
  const accounts = new Map<Address, Address>()
  for (const { legs, asset, tokenProgram } of transfers)
    for (const { destination } of legs)
      if (asset !== 'SOL' && tokenProgram !== null)
        accounts.set(destination, await keys.tokenAccountOf(destination, asset, tokenProgram))
  return accounts
}

function totalsOf(paid: readonly { charge: Charge; transfer: Transfer }[]): readonly ChargeTotal[] {
  return [...Map.groupBy(paid, ({ charge }) => charge.mint)].map(([mint, own]) => {
    const movedTo = (role: string) =>
      sumOf(
        own.flatMap(({ transfer: { legs, moved } }) =>
          legs.flatMap((leg, at) => (leg.role === role ? [moved[at] ?? 0n] : [])),
        ),
      )
    const [pulled, paidOut, fees] = [
      sumOf(own.map(({ charge }) => charge.amount)),
      movedTo('payout'),
      movedTo('platform'),
    ]
    return { mint, charges: own.length, pulled, paidOut, fees, difference: pulled - paidOut - fees }
  })
}
