// The use cases of the audit and of halted addresses. For the operator.
import type { AuditedAddress, FeePayerSums } from '#core/audit/audit.ts'
import type { Address, Network } from '#core/chain/types.ts'
import type { Lamports } from '#core/money/amounts.ts'
import type { Halt } from '#ports/halts.ts'

export type AuditScope = {
  /** The number of deposit addresses that the network ever had. */
  readonly addresses: number
  readonly feePayer: Address
  readonly feePayerLamports: Lamports
}

export type AuditPage = {
  readonly addresses: readonly (AuditedAddress & {
    /** The rent in its token accounts, which goes to the fee payer when they are closed. */
    readonly tokenAccountLamports: Lamports
  })[]
  /** What the transactions of these addresses took from the fee payer, and paid to it. */
  readonly feePayer: FeePayerSums
  /** Where the next page begins; null at the end. */
  readonly nextIndex: number | null
}

/** Compares the books of every address with the chain. Every address is derived again. */
export type AuditServices = {
  /** Returns null where the deployment does not serve the network. Throws `chain_unavailable`. */
  scope(network: Network): Promise<AuditScope | null>
  /** Throws `network_unavailable`, `chain_unavailable`. */
  page(network: Network, page: { afterIndex: number; limit: number }): Promise<AuditPage>
  /** Returns halted addresses, the newest halt first; with `open: false` the cleared halts too. */
  halts(filter: { network: Network | null; open: boolean; limit: number }): Promise<readonly Halt[]>
  /**
   * Lets an address send again although its books differ from the chain. These differences do not halt it again. Throws `halt_not_found`, `invalid_request` without a reason.
   */
  clearHalt(id: string, reason: string): Promise<Halt>
}
