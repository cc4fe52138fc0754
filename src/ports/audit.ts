// What an audit reads of the records, a page of addresses at a time.
import type { AddressBooks } from '#core/audit/audit.ts'
import type { Address, Asset, Network } from '#core/chain/types.ts'

/** A deposit address as it was handed out. Strings are as they stand in the database, whoever may have altered them. */
export type IssuedAddress = {
  readonly intentId: string
  readonly intentIndex: number
  readonly accountIndex: number
  readonly address: string
  readonly acceptedAssets: readonly Asset[]
  /** Accounts in which deposits or ledger entries say that money has been. */
  readonly places: readonly { readonly account: string; readonly asset: Asset }[]
}

export type RecordedBooks = Omit<AddressBooks, 'underWay'> & {
  /** Deposits that are not final yet, one by one. */
  readonly arriving: readonly { readonly account: string; readonly asset: Asset; readonly amount: bigint }[]
  /** What each live attempt takes out of the address. */
  readonly leaving: readonly { readonly asset: Asset; readonly tokenProgram: Address | null; readonly amount: bigint }[]
  /** In lamports: what its transactions took from the fee payer, and brought it. */
  readonly feePayer: { readonly spent: bigint; readonly collected: bigint }
}

export type AuditStore = {
  /** How many deposit addresses were ever handed out on the network. */
  countIssued(network: Network): Promise<number>
  /** Those after an intent's index, in its order. */
  issued(network: Network, page: { afterIndex: number; limit: number }): Promise<readonly IssuedAddress[]>
  /** The books of each intent as of a slot, all in one snapshot, by intent id. */
  books(
    asked: readonly { readonly intentId: string; readonly slot: bigint }[],
    feePayer: Address,
  ): Promise<ReadonlyMap<string, RecordedBooks>>
}
