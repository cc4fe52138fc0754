// The three records of money out: an obligation, its attempts, and what the ledger says really happened. docs/money.md,
// "The three records".
import type { Authority } from '#core/chain/keys.ts'
import type { Address, Asset, Lifetime, Network, Signature } from '#core/chain/types.ts'
import type { BaseUnits } from '#core/money/amounts.ts'
import type { Leg } from '#core/transfers/plan.ts'

export const TRANSFER_STATUSES = ['planned', 'in_progress', 'done', 'failed', 'held'] as const
export type TransferStatus = (typeof TRANSFER_STATUSES)[number]

/** What a transfer is for: one thing of a room that is registered under `kind`. */
export type SubjectRef = { readonly kind: string; readonly id: string }

/**
 * An obligation: what must happen exactly once. Its legs are frozen when it is planned. `Kind` and `Role` are words of the
 * subject's; this room gives them no meaning.
 */
export type NewTransfer<Kind extends string = string, Role extends string = string> = {
  /** Unique. No rule reads it: whatever it says is in the other fields as well. */
  readonly key: string
  readonly network: Network
  readonly subject: SubjectRef
  /** Each kind has a queue of its own, and a budget where its subject sets one. */
  readonly kind: Kind
  readonly accountId: string
  /** The wallet whose asset moves. */
  readonly source: Address
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
 * Which part of the asset at the source a transfer moves: `main` is what arrived; `rent_reserve` is the rent minimum that
 * an earlier transfer left there; `unaccepted` is what nobody accepted. Each part has rounds of its own.
 */
export type TransferPortion = 'main' | 'rent_reserve' | 'unaccepted'

export type Transfer<Kind extends string = string, Role extends string = string> = NewTransfer<Kind, Role> & {
  readonly id: string
  /** By leg position: what arrived; null until final. */
  readonly moved: readonly (BaseUnits | null)[]
  readonly status: TransferStatus
  /** Why it waits, failed or is held, for people. */
  readonly reason: string | null
  readonly attemptCount: number
  /** Grows with every claim: a worker whose lease has another fence has lost the transfer. */
  readonly fence: bigint
  readonly signature: Signature | null
  readonly createdAt: Date
  /** The version of its subject that first had it. */
  readonly plannedVersion: number
  readonly doneAt: Date | null
}

/** States in which a transaction may still land; at most one such attempt per obligation and per source. */
export const LIVE_ATTEMPT_STATES = ['prepared', 'signed', 'sent', 'seen', 'unknown'] as const
export type AttemptState = (typeof LIVE_ATTEMPT_STATES)[number] | 'final_ok' | 'final_err' | 'dead'

export type Attempt = {
  readonly id: string
  readonly transferId: string
  readonly number: number
  readonly state: AttemptState
  readonly source: Address
  readonly message: Uint8Array
  /** Part of a closing plan: whether fees kept back in the account are collected first. */
  readonly harvestWithheld: boolean
  /** null until signed. */
  readonly wire: Uint8Array | null
  readonly signature: Signature | null
  readonly lifetime: Lifetime
  /**
   * A transaction that every provider must know before it is believed not to know this one: a final one from just before
   * this attempt was prepared, so that the provider's history covers the whole time in which this one could land.
   */
  readonly knownSignature: Signature
  readonly createdAt: Date
  readonly sentAt: Date | null
}

/** A worker's lease of an obligation: writes carry its fence and find no row once another worker has taken over. */
export type Lease = { readonly transferId: string; readonly fence: bigint }

/** Returns whether the transfer still is the one that was claimed under the lease, and under way. */
export const isLeasedBy = <T extends Pick<Transfer, 'status' | 'fence'>>(
  { fence }: Pick<Lease, 'fence'>,
  transfer: T | undefined,
): transfer is T => transfer?.status === 'in_progress' && transfer.fence === fence

export type LeasedTransfer = {
  readonly transfer: Transfer
  readonly live: Attempt | null
  readonly lease: Lease
}

/** What a final transaction did to one of our addresses, in signed base units. */
export type NewLedgerEntry = {
  readonly network: Network
  /** The wallet: an issued address or the fee payer. */
  readonly address: Address
  /** The account that holds the asset: the wallet itself for SOL. */
  readonly account: Address
  readonly asset: Asset
  /** Signed. */
  readonly delta: bigint
  readonly signature: Signature
  readonly slot: bigint
  /** A transfer's kind, `deposit`, or `fee` for a failed transaction, which moved nothing but that. */
  readonly kind: string
  readonly subjectId: string | null
  readonly transferId: string | null
}

/** A turn of an obligation that no transaction of it made: put aside, given up, or taken up again. */
export type StatusOverride = {
  readonly transferId: string
  readonly status: 'planned' | 'held' | 'failed'
  readonly reason: string | null
  /** Of the lease of the worker that puts it aside; null where a person takes it up, or withdraws it while it is held. */
  readonly fence: bigint | null
}

/** How one attempt ended, with what it moved; applied together with ledger, subject and event. */
export type AttemptOutcome = {
  readonly attemptId: string
  readonly transferId: string
  /** Of the lease under which the outcome was observed: a worker that lost its lease writes nothing. */
  readonly fence: bigint
  /** `dead` only after proof, and when no further attempt is to be made. */
  readonly attemptState: 'final_ok' | 'final_err' | 'dead'
  /** `held` keeps its reservation: nothing else may take it. */
  readonly transferStatus: 'done' | 'failed' | 'held'
  readonly reason: string | null
  /** null for one that the signer refused. */
  readonly signature: Signature | null
  /** null for a transaction that never landed. */
  readonly slot: bigint | null
  /** By leg position: what arrived; empty on an error. */
  readonly moved: readonly BaseUnits[]
  readonly at: Date
}
