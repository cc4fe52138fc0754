// The interface between the engine of transfers and the subjects of transfers. Each room registers its subjects; the engine
// knows none of them by name.
import type { AccountState, Network, ObservedTransaction, Signature } from '#core/chain/types.ts'
import type { SpendBudget } from '#core/transfers/budget.ts'
import type { TransactionPlan } from '#core/transfers/plan.ts'
import type { Delay, TransferView } from '#core/transfers/preflight.ts'
import type { Attempt, LeasedTransfer, Transfer } from '#core/transfers/transfer.ts'

/** A claimed transfer, with the fields that a subject needs. */
export type Claimed = Pick<LeasedTransfer, 'transfer' | 'lease'>

export type SignedAttempt = Attempt & { readonly signature: Signature; readonly wire: Uint8Array }

/**
 * The result of a check: `go` makes an attempt, and a delay gives the transfer back for later. `handled` means that the
 * subject has ended the lease, because the transfer is done, held or withdrawn.
 */
export type Check = 'go' | 'handled' | Delay

/** The most transfers of a kind that one round claims, and their budget; without a budget there is no limit on cost. */
export type Queue = { readonly most: number; readonly budget?: SpendBudget }

export type TransferSubject = {
  /** The `subject.kind` of its transfers. */
  readonly kind: string
  /** By kind of transfer. Each kind has its own queue, so that a burst of one kind does not delay another. */
  readonly queues: Readonly<Record<string, Queue>>
  /** `legs` moves the asset along the legs; `close` closes the emptied token account of the source. */
  readonly action: TransactionPlan['kind']
  /**
   * Reads the facts for the checks of these transfers, in as few calls as possible. Returns a function that checks one of
   * them, before each attempt, against the accounts as they were read. `lostBefore`: as in `Aftermath`.
   */
  readChecks(
    network: Network,
    claimed: readonly Claimed[],
    lostBefore: bigint | null,
  ): Promise<(one: Claimed, view: TransferView) => Promise<Check>>
  /**
   * Checks a transfer again whose attempt was stored some time ago, and not signed yet: its worker died. Without it, such an
   * attempt is signed.
   */
  readonly recheck?: (network: Network, one: Claimed) => Promise<Check>
  /** Decides on a transfer whose subject has reached its limit. The engine delays transfers over an hour's or a day's limit. */
  overBudget(one: Claimed): Promise<Check>
  /** Returns whether the source account shows no effect of the transfer. docs/money.md, "Proof of expiry". */
  isUntouched(source: AccountState | null, transfer: Transfer): boolean
  /** Books a final transaction, also a failed one: attempt, transfer, ledger and the state of the subject, at once. */
  book(one: Claimed, attempt: SignedAttempt, transaction: ObservedTransaction): Promise<void>
  /** Ends the last attempt, after proof, and leaves the transfer to a person. */
  giveUp(one: Claimed, attempt: Attempt, reason: string): Promise<void>
}

export type Subjects = {
  /** Returns the subject of a transfer. Throws when its kind is not registered; such transfers are never claimed. */
  of(transfer: Pick<Transfer, 'subject'>): TransferSubject
  /** The queues of all subjects, by kind of transfer. */
  readonly queues: Readonly<Record<string, Queue>>
}

/** Throws when two subjects, or two of their kinds of transfer, have one name. */
export function registerSubjects(subjects: readonly TransferSubject[]): Subjects {
  const byKind = new Map(subjects.map((subject) => [subject.kind, subject]))
  const queues = subjects.flatMap((subject) => Object.entries(subject.queues))
  if (byKind.size !== subjects.length || new Set(queues.map(([kind]) => kind)).size !== queues.length)
    throw new Error('two subjects of transfers, or two of their kinds, have one name')
  return {
    of({ subject: { kind } }) {
      const subject = byKind.get(kind)
      if (subject === undefined) throw new Error(`no subject ${kind} is registered`)
      return subject
    },
    queues: Object.fromEntries(queues),
  }
}
