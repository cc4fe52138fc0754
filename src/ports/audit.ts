// The records that an audit reads, one page of addresses at a time.
import type { AddressBooks, FeePayerSums } from '#core/audit/audit.ts'
import type { ChargeBooks, DelegationBooks, SubscriptionBooks } from '#core/audit/charges.ts'
import type { Address, Asset, Network } from '#core/chain/types.ts'

/** A deposit address as it was issued. Strings are as the database has them, and may be invalid. */
export type IssuedAddress = {
  readonly intentId: string
  readonly intentIndex: number
  readonly accountIndex: number
  readonly address: string
  readonly acceptedAssets: readonly Asset[]
  /** The accounts that deposits or ledger entries name. */
  readonly places: readonly { readonly account: string; readonly asset: Asset }[]
}

export type RecordedBooks = Omit<AddressBooks, 'underWay'> & {
  /** The movement of each live attempt from the address. */
  readonly leaving: readonly {
    /** Null for the associated account, and for SOL. */
    readonly sourceAccount: Address | null
    readonly asset: Asset
    readonly tokenProgram: Address | null
    readonly amount: bigint
  }[]
  readonly feePayer: FeePayerSums
}

export type AuditStore = {
  /** Returns the number of deposit addresses that the network ever had. */
  countIssued(network: Network): Promise<number>
  /** Returns the addresses after an intent index, in the order of the index. */
  issued(network: Network, page: { afterIndex: number; limit: number }): Promise<readonly IssuedAddress[]>
  /** Returns the books of each intent at its slot, by intent id, all in one snapshot. */
  books(
    asked: readonly { readonly intentId: string; readonly slot: bigint }[],
    feePayer: Address,
  ): Promise<ReadonlyMap<string, RecordedBooks>>
}

// The records of recurring billing that an audit compares, one page at a time, each page in one snapshot.

/** The records after an id, in the order of their ids. */
export type AuditPageOf = { readonly after: string; readonly limit: number }

/** What the transactions of a record took from the fee payer, in lamports. */
export type Paid<Books> = Books & { readonly feePayerSpent: bigint }

/** `feePayer`: its entries are those of the transactions. */
export type ChargeAuditStore = {
  charges(network: Network, page: AuditPageOf, feePayer: Address): Promise<readonly Paid<ChargeBooks>[]>
  subscriptions(network: Network, page: AuditPageOf): Promise<readonly SubscriptionBooks[]>
  /** Reads delegations with the approves of each. */
  delegations(network: Network, page: AuditPageOf, feePayer: Address): Promise<readonly Paid<DelegationBooks>[]>
}
