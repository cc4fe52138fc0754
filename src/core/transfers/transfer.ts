// The three records of money out: a transfer, its attempts, and the ledger entries of what happened. docs/money.md,
// "The three records".
import type { Authority } from '#core/chain/keys.ts'
import type { Address, Asset, Lifetime, Network, Signature, SignatureStatus } from '#core/chain/types.ts'
import type { BaseUnits } from '#core/money/amounts.ts'
import type { Leg } from './plan.ts'

export const TRANSFER_STATUSES = ['planned', 'in_progress', 'done', 'failed', 'held'] as const
export type TransferStatus = (typeof TRANSFER_STATUSES)[number]

/** The subject of a transfer: a payment, or another thing of a kind that is registered. */
export type SubjectRef = { readonly kind: string; readonly id: string }

/**
 * A transfer: a movement of money that must happen exactly once. Its legs are frozen when it is planned. The subject
 * defines `Kind` and `Role`; the engine of transfers gives them no meaning.
 */
export type NewTransfer<Kind extends string = string, Role extends string = string> = {
  /** Unique. No rule reads the parts of the key: the other fields contain the same facts. */
  readonly key: string
  readonly network: Network
  readonly subject: SubjectRef
  /** Each kind has its own queue, and a budget when its subject sets one. */
  readonly kind: Kind
  /** The business; null for a transfer of the service itself. */
  readonly accountId: string | null
  /** The wallet whose asset moves. */
  readonly source: Address
  /** The token account of the source; null for its associated one, and for SOL. */
  readonly sourceAccount: Address | null
  /** Signs for the source: the source itself, or for a token its delegate. */
  readonly authority: Authority
  readonly asset: Asset
  readonly decimals: number
  readonly tokenProgram: Address | null
  readonly round: number
  readonly portion: TransferPortion
  readonly legs: readonly Leg<Role>[]
}

/**
 * The part of the asset that a transfer moves: `rent_reserve` is the rent minimum that an earlier transfer left, and has its
 * own rounds; `main` is any other money.
 */
export const TRANSFER_PORTIONS = ['main', 'rent_reserve'] as const
export type TransferPortion = (typeof TRANSFER_PORTIONS)[number]

export type Transfer<Kind extends string = string, Role extends string = string> = NewTransfer<Kind, Role> & {
  readonly id: string
  /** By leg position: the received amount; null until final. */
  readonly moved: readonly (BaseUnits | null)[]
  readonly status: TransferStatus
  /** Why the transfer waits, failed or is held, for people. */
  readonly reason: string | null
  readonly attemptCount: number
  /** Grows with every claim: a worker whose lease has another fence has lost the transfer. */
  readonly fence: bigint
  readonly signature: Signature | null
  readonly createdAt: Date
  /** The version of the subject that planned the transfer. */
  readonly plannedVersion: number
  readonly doneAt: Date | null
}

/** The states of a live attempt. A transfer and a source each have at most one live attempt. */
export const LIVE_ATTEMPT_STATES = ['prepared', 'signed', 'sent', 'unknown'] as const
export type AttemptState = (typeof LIVE_ATTEMPT_STATES)[number] | 'final_ok' | 'final_err' | 'dead'

/** A transaction as it is stored, from before it is signed until its end: an attempt, or an approve of recurring billing. */
export type StoredTransaction = {
  readonly message: Uint8Array
  /** By the fee payer: the id of the transaction. null until it has signed. */
  readonly signature: Signature | null
  /** The bytes to send. null until every signer has signed: the owner of a wallet signs an approve after the fee payer. */
  readonly wire: Uint8Array | null
  readonly lifetime: Lifetime
  /**
   * A transaction that became final shortly before this one was prepared. A provider that knows it has a history that
   * covers the lifetime of this one; another provider is not believed when it does not know this one.
   */
  readonly knownSignature: Signature
  readonly createdAt: Date
}

export type Attempt = StoredTransaction & {
  readonly id: string
  readonly transferId: string
  readonly number: number
  readonly state: AttemptState
  readonly source: Address
  /** Part of the plan of a close: whether withheld fees in the account are collected first. */
  readonly harvestWithheld: boolean
  /** When it was sent last. */
  readonly sentAt: Date | null
}

/** A worker's lease on a transfer. Writes name its fence, and change nothing after another worker has taken over. */
export type Lease = { readonly transferId: string; readonly fence: bigint }

/** Returns whether the lease is the last on the transfer, and the transfer is in progress. */
export const isLeasedBy = <T extends Pick<Transfer, 'status' | 'fence'>>(
  { fence }: Pick<Lease, 'fence'>,
  transfer: T | undefined,
): transfer is T => transfer?.status === 'in_progress' && transfer.fence === fence

export type LeasedTransfer = {
  readonly transfer: Transfer
  readonly live: Attempt | null
  readonly lease: Lease
}

/** The effect of a final transaction on one of our addresses, in signed base units. */
export type NewLedgerEntry = {
  readonly network: Network
  /** The wallet: an issued address or the fee payer. */
  readonly address: Address
  /** The account that contains the asset: the wallet itself for SOL. */
  readonly account: Address
  readonly asset: Asset
  /** Signed. */
  readonly delta: bigint
  readonly signature: Signature
  readonly slot: bigint
  /** The kind of the transfer, `deposit`, or `fee` for a failed transaction, which moved only its fee. */
  readonly kind: string
  readonly subjectId: string | null
  readonly transferId: string | null
  /** The business in whose budget a cost of the fee payer counts. Without it, the entry counts in none. */
  readonly sponsoredId?: string | null
}

/** Why the operator releases held money: a text for people, or the reason of the transfer that a new round replaces. */
export type ReleaseReason = string | { readonly sameAs: string }

/** A change of the status of a transfer without a transaction: held, withdrawn, or planned again. */
export type StatusOverride = {
  readonly transferId: string
  readonly status: 'planned' | 'held' | 'failed'
  readonly reason: string | null
  /**
   * The fence of the worker's lease, under which no attempt is live. null when a transfer is planned again, or when its
   * subject or a person withdraws it: then no attempt may be live except an unsigned one, which the withdrawal ends.
   */
  readonly fence: bigint | null
}

/** The end of an attempt, with the moved amounts. It is written together with ledger, subject and event. */
export type AttemptOutcome = {
  /** null for a transaction that was found in the history: no attempt with it is live. */
  readonly attemptId: string | null
  readonly transferId: string
  /** The fence of the lease under which the outcome was observed: a worker that lost its lease writes nothing. */
  readonly fence: bigint
  /** `dead` only after proof, and when no further attempt follows. */
  readonly attemptState: 'final_ok' | 'final_err' | 'dead'
  /** A transfer with the status `held` keeps its reservation. */
  readonly transferStatus: 'done' | 'failed' | 'held'
  readonly reason: string | null
  /** null for an attempt that the signer refused. */
  readonly signature: Signature | null
  /** null for a transaction that never landed. */
  readonly slot: bigint | null
  /** By leg position: the received amount; empty on an error. */
  readonly moved: readonly BaseUnits[]
  readonly at: Date
}

// Decides the next step of a transaction that may land, from its record and from the state of the chain. docs/money.md, "The protocol".

export type NextStep =
  /** No provider knows it: send the same bytes to every provider once more. */
  | 'broadcast'
  /** Known and not final, or sent a moment ago: check again. */
  | 'wait'
  /** Final, as a success or a failure: read the transaction and book it. */
  | 'book'
  /** Probably too late to land: prove it. */
  | 'prove'

/** The progress of the chain, read once for a round of work. */
export type ChainProgress = {
  /** The newest known block height; null when no transaction of the round is overdue. */
  readonly blockHeight: bigint | null
}

/** A transaction that no provider knows is sent again this long after it was sent last. */
const SEND_AGAIN_MS = 2_000

/** Returns the next step. After the lifetime of the transaction, only a proof of its expiry permits another one. */
export function nextStep(
  live: Pick<Attempt, 'sentAt' | 'lifetime'>,
  status: SignatureStatus | null,
  { blockHeight }: ChainProgress,
  now: Date,
): NextStep {
  if (status?.final === true) return 'book'
  if (!isOverdue(live, status, now)) return 'wait'
  if (blockHeight !== null && blockHeight > live.lifetime.lastValidBlockHeight) return 'prove'
  return 'broadcast'
}

/** Returns whether a transaction is unknown to the providers, and not sent lately. Only its step needs the progress of the chain. */
export const isOverdue = ({ sentAt }: Pick<Attempt, 'sentAt'>, status: SignatureStatus | null, now: Date): boolean =>
  status === null && (sentAt === null || Math.abs(now.getTime() - sentAt.getTime()) >= SEND_AGAIN_MS)

/** A transaction that became final is noticed within this time. */
const CHECK_AGAIN_MS = 500

/** Providers that disagree may do so for hours. */
const SLOWEST_CHECK_MS = 10_000

/** Returns the time of the next check after one that failed: the longer ago the attempt was sent, the later. */
export function checkAfterFailure({ sentAt }: Pick<Attempt, 'sentAt'>, now: Date): Date {
  const age = sentAt === null ? 0 : now.getTime() - sentAt.getTime()
  return new Date(now.getTime() + Math.min(Math.max(age / 4, CHECK_AGAIN_MS), SLOWEST_CHECK_MS))
}

/** Returns the time of the next check of an attempt that waits. One call checks all that are due at the same time. */
export const nextCheck = (now: Date): Date => new Date(Math.ceil(now.getTime() / CHECK_AGAIN_MS + 0.5) * CHECK_AGAIN_MS)
