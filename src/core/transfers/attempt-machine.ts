// Decides the next step of an obligation from its live attempt and from the state of the chain. docs/money.md, "The protocol".
import type { SignatureStatus } from '#core/chain/types.ts'
import type { Attempt } from '#core/transfers/transfer.ts'

export type NextStep =
  /** No live attempt: prepare one. */
  | { readonly do: 'prepare' }
  /** Stored but not signed: sign the stored bytes. */
  | { readonly do: 'sign' }
  /** No provider knows it: send the same bytes to every provider once more. */
  | { readonly do: 'broadcast' }
  /** Known and not final, or sent a moment ago: check again. */
  | { readonly do: 'wait' }
  /** Final, as a success or a failure: read the transaction and book it. */
  | { readonly do: 'book' }
  /** Probably too late to land: prove it. */
  | { readonly do: 'prove' }

/** The progress of the chain, read once for a round of work. */
export type ChainProgress = {
  /** The newest known block height; null when no attempt of the round is overdue. */
  readonly blockHeight: bigint | null
}

/** An attempt that no provider knows is sent again this long after it was sent last. */
const SEND_AGAIN_MS = 2_000

/** Returns the next step. After the lifetime of the attempt, only a proof of its expiry permits another attempt. */
export function nextStep(
  live: Attempt | null,
  status: SignatureStatus | null,
  progress: ChainProgress,
  now: Date,
): NextStep {
  if (live === null) return { do: 'prepare' }
  if (live.state === 'prepared') return { do: 'sign' }
  if (status?.final === true) return { do: 'book' }
  if (!isOverdue(live, status, now)) return { do: 'wait' }
  const { blockHeight } = progress
  const isPast = blockHeight !== null && blockHeight > live.lifetime.lastValidBlockHeight
  return isPast ? { do: 'prove' } : { do: 'broadcast' }
}

/** Returns whether an attempt is signed, unknown to the providers, and not sent lately. Only its step needs the progress of the chain. */
export const isOverdue = (live: Attempt | null, status: SignatureStatus | null, now: Date): boolean =>
  live !== null &&
  live.state !== 'prepared' &&
  status === null &&
  (live.sentAt === null || Math.abs(now.getTime() - live.sentAt.getTime()) >= SEND_AGAIN_MS)

/** A transaction that became final is noticed within this time. */
const CHECK_AGAIN_MS = 500

/** Returns the time of the next check of an attempt that waits. One call checks all that are due at the same time. */
export const nextCheck = (now: Date): Date => new Date(Math.ceil(now.getTime() / CHECK_AGAIN_MS + 0.5) * CHECK_AGAIN_MS)
