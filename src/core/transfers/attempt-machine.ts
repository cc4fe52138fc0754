// What to do next with an obligation, from its live attempt and what the chain says of it. docs/money.md, "The protocol".
import { type Commitment, hasReached, type SignatureStatus } from '#core/chain/types.ts'
import type { Attempt } from '#core/transfers/transfer.ts'

export type NextStep =
  /** No transaction could still land: make one. */
  | { readonly do: 'prepare' }
  /** Stored but not signed: sign these bytes, and only these. */
  | { readonly do: 'sign' }
  /** Not seen yet: the same bytes to everybody, once more. */
  | { readonly do: 'broadcast' }
  /** On chain but not final: look again. */
  | { readonly do: 'wait' }
  /** Final, for better or worse: read what it did and book it. */
  | { readonly do: 'book' }
  /** Too late to land, it seems; that is no proof yet. */
  | { readonly do: 'prove' }

/**
 * `blockHeight` is the newest height known, at any commitment: past the attempt's last valid one there is no use in
 * sending it again, and only a proof lets another attempt be made. `commitment` is what money acts on: finalized, but
 * for a sandbox that cannot wait.
 */
export function nextStep(
  live: Attempt | null,
  status: SignatureStatus | null,
  { blockHeight, commitment }: { readonly blockHeight: bigint; readonly commitment: Commitment },
): NextStep {
  if (live === null) return { do: 'prepare' }
  if (live.state === 'prepared') return { do: 'sign' }
  if (status !== null && hasReached(status.level, commitment)) return { do: 'book' }
  if (status?.level === 'confirmed') return { do: 'wait' }
  if (blockHeight > live.lifetime.lastValidBlockHeight) return { do: 'prove' }
  return { do: 'broadcast' }
}
