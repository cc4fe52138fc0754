// Decides the next step of a transaction that may land, from its record and from the state of the chain. docs/money.md, "The protocol".
import type { SignatureStatus } from '#core/chain/types.ts'
import type { Attempt } from '#core/transfers/transfer.ts'

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

/** Returns the time of the next check of an attempt that waits. One call checks all that are due at the same time. */
export const nextCheck = (now: Date): Date => new Date(Math.ceil(now.getTime() / CHECK_AGAIN_MS + 0.5) * CHECK_AGAIN_MS)
