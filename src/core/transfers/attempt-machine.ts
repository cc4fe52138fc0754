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
