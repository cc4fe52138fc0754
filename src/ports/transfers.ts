// Obligations to move money out and their attempts, under leases.
import type { Address, Network, Signature } from '#core/chain/types.ts'
import type { Spend, Spender, Spending } from '#core/transfers/budget.ts'
import type { Attempt, AttemptState, Lease, LeasedTransfer, NewLedgerEntry } from '#core/transfers/transfer.ts'

export type TransferStore = {
  /**
   * Claims due obligations that no worker has leased, each with a new fence, for `leaseMs`: of each kind at most so many,
   * the longest due first. SKIP LOCKED.
   */
  claim(
    network: Network,
    options: {
      readonly now: Date
      readonly leaseMs: number
      readonly queues: readonly { readonly kind: string; readonly most: number }[]
    },
  ): Promise<readonly LeasedTransfer[]>
  /**
   * Stores an unsigned attempt. In one transaction: locks the obligation under its fence, checks that it still holds
   * and that no attempt of it, of its source or of its nonce is live, that its source is not halted, and that it stays
   * within its budget, whatever other workers store meanwhile. Null when any of that is no longer so.
   */
  prepareAttempt(
    lease: Lease,
    attempt: Omit<Attempt, 'state' | 'wire' | 'signature' | 'sentAt'> & { readonly spending?: Spending },
  ): Promise<Attempt | null>
  /** Returns what transfers of a kind have cost the fee payer, and those under way may still cost. */
  spendOf(spender: Spender): Promise<Spend>
  /** Why nothing leaves these addresses for now, by address; those that are not halted are left out. */
  haltsOn(sources: readonly Address[]): Promise<ReadonlyMap<Address, string>>
  /** Stores the signature and the bytes, before they are sent anywhere. False when the lease is lost. */
  recordSigned(lease: Lease, attemptId: string, wire: Uint8Array, signature: Signature): Promise<boolean>
  /** Moves a live attempt between live states, or to dead after proof. False when the lease is lost. */
  recordAttempt(
    lease: Lease,
    attemptId: string,
    state: Exclude<AttemptState, 'final_ok' | 'final_err' | 'prepared' | 'signed'>,
    details: { now: Date; error?: string },
  ): Promise<boolean>
  /** Gives obligations back, to be taken up again at `nextAttemptAt`. Lost leases are passed over. */
  release(leases: readonly Lease[], nextAttemptAt: Date): Promise<void>
  /** Gives it back for later because something outside must change first; `reason` says what, for people. */
  postpone(lease: Lease, reason: string, nextAttemptAt: Date): Promise<void>
  /** Sets it aside for a person, with the reason. */
  hold(lease: Lease, reason: string): Promise<void>
  /**
   * Returns, by obligation, a transaction that every provider must know before it is believed not to know an attempt that
   * is prepared now: the newest final transaction in the ledger of its network, which is mostly one that the fee payer
   * signed. It must be older than the attempt, because a provider that pruned its history may know every newer
   * transaction. It must be recent, because such a provider does not know an old one.
   */
  knownSignatures(transferIds: readonly string[]): Promise<ReadonlyMap<string, Signature>>
  /**
   * Ends an obligation whose subject has no state of its own to change, or plans it again after a failed attempt, with
   * its ledger entries, in one transaction.
   */
  finish(
    lease: Lease,
    outcome: {
      attemptId: string | null
      attemptState: 'final_ok' | 'final_err' | null
      status: 'done' | 'failed' | 'planned'
      reason: string | null
      signature: Signature | null
      slot: bigint | null
      at: Date
      ledger: readonly NewLedgerEntry[]
    },
  ): Promise<boolean>
}
