// The pool of durable nonce accounts.
import type { PoolState } from '#core/billing/nonce-pool.ts'
import type { Address, Blockhash, Network, Signature } from '#core/chain/types.ts'
import type { Lease, NewLedgerEntry, NewTransfer } from '#core/transfers/transfer.ts'

/** The end of a creation. `isReady`: the account exists. */
export type CreationOutcome = {
  /** null when no attempt was needed. */
  readonly attempt: { readonly id: string; readonly state: 'final_ok' | 'final_err' } | null
  readonly isReady: boolean
  readonly reason: string | null
  readonly signature: Signature | null
  readonly slot: bigint | null
  readonly at: Date
  readonly ledger: readonly NewLedgerEntry[]
}

export type NoncePoolStore = {
  /** `kinds`: the kinds of transfers that use the pool. A creation that failed at `failedBefore` or earlier is `failed`. */
  state(network: Network, kinds: readonly string[], failedBefore: Date): Promise<PoolState>
  /**
   * Adds an account to the pool with the transfer that creates it, or another round for an account whose creation failed, in
   * one transaction. Returns false, with nothing written, when another worker was first.
   */
  plan(creation: { readonly index: number; readonly transfer: NewTransfer; readonly at: Date }): Promise<boolean>
  /**
   * Leases an account to a transfer: the account that it has leased before, or the one that was leased the longest time
   * ago. Passes over accounts with a live attempt, and accounts whose transfer a worker prepares at this moment. Returns
   * null when there is none.
   */
  lease(network: Network, transferId: string, now: Date): Promise<Address | null>
  /** Returns the slot of the newest final transaction with this value of the account, also a failed one; null for none. */
  usedIn(account: Address, value: Blockhash): Promise<bigint | null>
  /** Ends a creation, with its ledger entries. Returns false when the lease on the transfer is lost. */
  finish(lease: Lease, outcome: CreationOutcome): Promise<boolean>
}
