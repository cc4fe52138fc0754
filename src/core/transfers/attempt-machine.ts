// Decides the next step of an obligation from its live attempt and from the state of the chain. docs/money.md, "The protocol".
import {
  type Address,
  type Blockhash,
  type Commitment,
  hasReached,
  type Lifetime,
  type SignatureStatus,
} from '#core/chain/types.ts'
import type { Attempt } from '#core/transfers/transfer.ts'

export type NextStep =
  /** No live attempt: prepare one. */
  | { readonly do: 'prepare' }
  /** Stored but not signed: sign the stored bytes. */
  | { readonly do: 'sign' }
  /** Not seen yet: send the same bytes to every provider once more. */
  | { readonly do: 'broadcast' }
  /** On chain but not final: check again. */
  | { readonly do: 'wait' }
  /** Final, as a success or a failure: read the transaction and book it. */
  | { readonly do: 'book' }
  /** Probably too late to land: prove it. */
  | { readonly do: 'prove' }

/** The progress of the chain, read once for a round of work. */
export type ChainProgress = {
  /** The newest known block height, at any commitment; null when no attempt of the round may be too late. */
  readonly blockHeight: bigint | null
  /** The present value of each requested nonce account; null for an account that does not exist. */
  readonly nonces: ReadonlyMap<Address, Blockhash | null>
  /** The commitment at which transactions are booked: finalized, except in a sandbox that cannot wait. */
  readonly commitment: Commitment
}

/** Returns the next step. After the lifetime of the attempt, only a proof of its expiry permits another attempt. */
export function nextStep(live: Attempt | null, status: SignatureStatus | null, progress: ChainProgress): NextStep {
  if (live === null) return { do: 'prepare' }
  if (live.state === 'prepared') return { do: 'sign' }
  if (status !== null && hasReached(status.level, progress.commitment)) return { do: 'book' }
  if (!mayBeTooLate(live, status)) return { do: 'wait' }
  return isPast(live.lifetime, progress) ? { do: 'prove' } : { do: 'broadcast' }
}

/** Returns whether an attempt may be past its lifetime: it was sent, and no provider has confirmed it. Only its step needs the height. */
export const mayBeTooLate = (live: Attempt | null, status: SignatureStatus | null): boolean =>
  live !== null && live.state !== 'prepared' && (status === null || status.level === 'processed')

/** Returns whether a lifetime is probably over: its blocks have passed, or its nonce was used. */
function isPast(lifetime: Lifetime, { blockHeight, nonces }: ChainProgress): boolean {
  switch (lifetime.kind) {
    case 'blockhash':
      return blockHeight !== null && blockHeight > lifetime.lastValidBlockHeight
    case 'nonce': {
      const present = nonces.get(lifetime.account)
      return present !== undefined && present !== lifetime.nonce
    }
  }
}

/** The interval at which an attempt is checked, and sent again while no provider has seen it. */
const CHECK_AGAIN_MS = 2_000
/** A confirmed transaction may vanish. Then it is sent again at the next check. */
const MAX_CHECK_AGAIN_MS = 8_000
/** A transaction is final under so many slots, or more. */
const FINAL_UNDER_SLOTS = 32

/** The part of the estimate after which a confirmed attempt is checked: the estimate counts the time to land as well. */
const PART_OF_ESTIMATE = 2 / 3

/**
 * Returns the time of the next check of an attempt that waits. A confirmed one is checked shortly before it can be final, by
 * the speed of the slots since it was sent. All times are multiples of the interval, so that one call checks many attempts.
 */
export function nextCheck(live: Attempt | null, status: SignatureStatus | null, now: Date): Date {
  const sinceSent = live?.sentAt == null ? 0 : now.getTime() - live.sentAt.getTime()
  const wait = status?.level === 'confirmed' ? PART_OF_ESTIMATE * timeToFinality(status, sinceSent) : 0
  const bounded = Math.min(Math.max(wait, CHECK_AGAIN_MS), MAX_CHECK_AGAIN_MS)
  return new Date(Math.ceil((now.getTime() + bounded) / CHECK_AGAIN_MS - 0.5) * CHECK_AGAIN_MS)
}

/** Returns an estimate in milliseconds, from the slots that followed the transaction in `sinceSent` milliseconds or less. */
function timeToFinality({ slot, newestSlot }: SignatureStatus, sinceSent: number): number {
  const passed = Number(newestSlot - slot)
  const missing = FINAL_UNDER_SLOTS - passed
  return passed <= 0 || missing <= 0 ? 0 : (sinceSent / passed) * missing
}
