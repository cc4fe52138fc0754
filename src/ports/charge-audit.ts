// The records of recurring billing that an audit compares, one page at a time, each page in one snapshot.
import type { ChargeBooks, DelegationBooks, SubscriptionBooks } from '#core/audit/charges.ts'
import type { Address, Network } from '#core/chain/types.ts'

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
