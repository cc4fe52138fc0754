// Transfers of money out and their attempts, under leases.
import type { Address, Network, Signature } from '#core/chain/types.ts'
import type { Lamports } from '#core/money/amounts.ts'
import type { CostlySubjects, Spend, Spender, Spending } from '#core/transfers/budget.ts'
import type { PayoutClaim, PayoutCreation } from '#core/transfers/payout-creation.ts'
import type { Attempt, AttemptState, Lease, LeasedTransfer, NewLedgerEntry } from '#core/transfers/transfer.ts'

/** A final transaction, by which a provider proves that it kept its history. `at`: when it was booked. */
export type KnownTransaction = { readonly signature: Signature; readonly slot: bigint; readonly at: Date }

/** `amount`: in base units. `since`: the slot of the oldest entry. */
export type BookedBalance = { readonly amount: bigint; readonly since: bigint }

export type TransferStore = {
  /**
   * Claims due transfers that no worker has leased, each with a new fence, for `leaseMs` milliseconds. Each queue gives at
   * most `most` transfers of its kind, the longest due first. Skips rows that another claim has locked.
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
   * Stores an unsigned attempt, in one transaction. Locks the transfer under its fence. Checks that the lease is
   * valid, that no attempt of the transfer or of its source is live, that the source is not halted, and
   * that the cost stays within the budget, together with the attempts of other workers. Returns null when a check fails.
   */
  prepareAttempt(
    lease: Lease,
    attempt: Omit<Attempt, 'state' | 'wire' | 'signature' | 'sentAt'> & { readonly spending?: Spending },
  ): Promise<Attempt | null>
  /** Returns what transfers of a kind have cost the fee payer, and what live attempts may still cost. */
  spendOf(spender: Spender): Promise<Spend>
  /**
   * Returns the subjects with a final transfer of the kind in the last day, whose final transfers have cost the fee payer at
   * least this much in all; null when there is none. Compares the 1,000 subjects that cost the most in the last day.
   */
  costlySubjects(spender: Omit<Spender, 'subjectId' | 'before'>, least: Lamports): Promise<CostlySubjects | null>
  /** Returns the reasons of the halts on these addresses. An address that is not halted has no entry. */
  haltsOn(sources: readonly Address[]): Promise<ReadonlyMap<Address, string>>
  /**
   * Returns, by transfer, what the ledger has on its source account. `accounts`: the source accounts, by transfer.
   * A transfer has no entry without a ledger, when its source is the wallet of a subscriber, of which the ledger has only pulls,
   * and when the operator has ended a halt of its source in spite of a difference.
   */
  booked(accounts: ReadonlyMap<string, Address>): Promise<ReadonlyMap<string, BookedBalance>>
  /** Returns those of the transactions that the ledger has for this account. */
  bookedOf(account: Address, signatures: readonly Signature[]): Promise<ReadonlySet<Signature>>
  /** Stores the signature and the bytes, before they are sent. Returns false when the lease is lost. */
  recordSigned(lease: Lease, attemptId: string, wire: Uint8Array, signature: Signature): Promise<boolean>
  /** Moves a live attempt between live states, or to dead after proof. Returns false when the lease is lost. */
  recordAttempt(
    lease: Lease,
    attemptId: string,
    state: Exclude<AttemptState, 'final_ok' | 'final_err' | 'prepared' | 'signed'>,
    details: { now: Date; error?: string },
  ): Promise<boolean>
  /** Ends leases. The transfers are due again at `nextAttemptAt`. Skips lost leases. */
  giveBack(leases: readonly Lease[], nextAttemptAt: Date): Promise<void>
  /**
   * Ends leases, for a cause outside the service that must change first; `reason` describes the cause, for people. With
   * `budgetWaitCost` they wait for a budget, of which so many lamports are kept for each before later transfers.
   */
  postpone(
    leases: readonly Lease[],
    reason: string,
    nextAttemptAt: Date,
    budgetWaitCost?: Lamports | null,
  ): Promise<void>
  /** Gives the transfer the status `held`: a person has to look at it. `reason` is for people. Returns false when the lease is lost. */
  hold(lease: Lease, reason: string): Promise<boolean>
  /**
   * Returns, by transfer, a transaction by which a provider proves that it kept its history: a provider that does not
   * know it is not believed when it does not know an attempt that is prepared now. This is the newest final transaction
   * in the ledger of the network; the fee payer signed most of them. It must be older than the attempt, because a provider
   * that pruned its history may know every newer transaction. It must be recent, because such a provider does not know an old
   * one.
   */
  knownTransactions(transferIds: readonly string[]): Promise<ReadonlyMap<string, KnownTransaction>>
  /**
   * Ends a transfer whose subject has no state of its own, or plans it again after a failed attempt. Writes the ledger
   * entries in the same transaction. Returns false when the lease is lost.
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
  /**
   * Claims the creation of the token account of a business for the next attempt of a transfer. `spent` when the attempt of the last
   * claim succeeded after `since`, `pending` while it may be stored or may land. An attempt that failed or is dead created
   * nothing. One of several claims at one moment is `allowed`; a repeat for the same attempt is allowed again.
   * `spent`, too, when the seller limit of the claim is reached: each claim counts every earlier one.
   */
  claimPayoutCreation(claim: PayoutClaim, since: Date): Promise<PayoutCreation>
}
