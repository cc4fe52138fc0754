// What the engine of transfers asks of the room that a transfer is for. Each room registers its subjects; the engine knows
// none of them by name.
import type { AccountState, Lifetime, Network, ObservedTransaction, Signature } from '#core/chain/types.ts'
import type { SpendBudget } from '#core/transfers/budget.ts'
import type { Delay, TransferView } from '#core/transfers/preflight.ts'
import type { Attempt, LeasedTransfer, Transfer } from '#core/transfers/transfer.ts'

/** A claimed transfer, as far as a subject needs to know it. */
export type Claimed = Pick<LeasedTransfer, 'transfer' | 'lease'>

export type SignedAttempt = Attempt & { readonly signature: Signature; readonly wire: Uint8Array }

/**
 * What follows from a check: `go` makes an attempt, a delay gives the transfer back for later, and `handled` says that the
 * subject has released it itself, because it is done, held or withdrawn.
 */
export type Check = 'go' | 'handled' | Delay

/** How many transfers of a kind one round claims, and what they may cost the fee payer; no limit where none is set. */
export type Queue = { readonly most: number; readonly budget?: SpendBudget }

export type TransferSubject = {
  /** As `subject.kind` of its transfers. */
  readonly kind: string
  /** By kind of transfer. Each is claimed by itself, so that a burst of one kind does not starve another. */
  readonly queues: Readonly<Record<string, Queue>>
  /** `legs` moves the asset along the legs; `close` closes the emptied token account of the source. */
  readonly action: 'legs' | 'close'
  /**
   * Reads what the checks of these transfers need, in as few calls as possible, and returns the check of one of them.
   * A check is made before each attempt, from one look at the chain.
   */
  look(network: Network, claimed: readonly Claimed[]): Promise<(one: Claimed, view: TransferView) => Promise<Check>>
  /** The lifetime of the next attempt; where it is left out, the newest blockhash. */
  readonly lifetime?: (transfer: Transfer) => Promise<Lifetime>
  /** Decides on a transfer whose subject has cost as much as it may. Hours and days end by themselves. */
  overBudget(one: Claimed): Promise<Check>
  /** Whether the account that the asset leaves looks as if no transaction of the transfer had landed. docs/money.md, "Proof of expiry". */
  isUntouched(source: AccountState | null, transfer: Transfer): boolean
  /** Books a final transaction, whatever it did: attempt, transfer, ledger and what the subject says of it, at once. */
  book(one: Claimed, attempt: SignedAttempt, transaction: ObservedTransaction): Promise<void>
  /** Too many attempts came to nothing, each with proof: ends the last one, and the transfer waits for a person. */
  giveUp(one: Claimed, attempt: Attempt, reason: string): Promise<void>
}

export type Subjects = {
  /** Throws for a transfer of a subject that is not registered; none is claimed. */
  of(transfer: Pick<Transfer, 'subject'>): TransferSubject
  /** Of all subjects, by kind of transfer. */
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
