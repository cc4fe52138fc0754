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
  /** Returns how many transfers of these kinds use or need an account. One that is due after `until` waits for something else. */
  demand(network: Network, kinds: readonly string[], until: Date): Promise<number>
  /** Returns the state of the pool. `kinds`: the kinds of transfers that use the pool; `until` as for `demand`. */
  state(network: Network, kinds: readonly string[], until: Date): Promise<PoolState>
  /**
   * Adds an account to the pool with the transfer that creates it, or another round for an account whose creation failed, in
   * one transaction. Returns false, with nothing written, when another worker was first.
   */
  plan(creation: { readonly index: number; readonly transfer: NewTransfer; readonly at: Date }): Promise<boolean>
  /** Plans a failed creation again, with its own rent. Returns false when it is not failed any more. */
  planAgain(transferId: string, now: Date): Promise<boolean>
  /**
   * Leases an account to each transfer: the account that it has leased before, or else the ones that were leased the longest
   * time ago. Passes over accounts with a live attempt, and accounts whose transfer a worker prepares at this moment. Returns
   * the accounts by transfer; the last transfers have none when there are too few.
   */
  lease(network: Network, transferIds: readonly string[], now: Date): Promise<ReadonlyMap<string, Address>>
  /**
   * Returns the slot of the newest final transaction that has used the given value of an account, also a failed one, by
   * account. An account whose value no transaction has used is absent.
   */
  usedIn(values: ReadonlyMap<Address, Blockhash>): Promise<ReadonlyMap<Address, bigint>>
  /** Ends a creation, with its ledger entries. Returns false when the lease on the transfer is lost. */
  finish(lease: Lease, outcome: CreationOutcome): Promise<boolean>
}
