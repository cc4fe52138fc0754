// What to do next with an obligation, from its live attempt and what the chain says of it. docs/money.md, "The protocol".
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
  /** No transaction could still land: make one. */
  | { readonly do: 'prepare' }
  /** Stored but not signed: sign these bytes, and only these. */
  | { readonly do: 'sign' }
  /** Not seen yet: send the same bytes to every provider once more. */
  | { readonly do: 'broadcast' }
  /** On chain but not final: look again. */
  | { readonly do: 'wait' }
  /** Final, for better or worse: read what it did and book it. */
  | { readonly do: 'book' }
  /** Too late to land, it seems; that is no proof yet. */
  | { readonly do: 'prove' }

/** How far the chain is, as far as one round of work has to know. */
export type ChainProgress = {
  /** The newest block height known, at any commitment. */
  readonly blockHeight: bigint
  /** The present value of each nonce account that was asked for; null for one that does not exist. */
  readonly nonces: ReadonlyMap<Address, Blockhash | null>
  /** What money acts on: finalized, but for a sandbox that cannot wait. */
  readonly commitment: Commitment
}

/** Past its lifetime there is no use in sending an attempt again, and only a proof lets another attempt be made. */
export function nextStep(live: Attempt | null, status: SignatureStatus | null, progress: ChainProgress): NextStep {
  if (live === null) return { do: 'prepare' }
  if (live.state === 'prepared') return { do: 'sign' }
  if (status !== null && hasReached(status.level, progress.commitment)) return { do: 'book' }
  if (status?.level === 'confirmed') return { do: 'wait' }
  return isPast(live.lifetime, progress) ? { do: 'prove' } : { do: 'broadcast' }
}

/** Whether a transaction of that lifetime seems to be too late: its blocks have passed, or its nonce was used. */
function isPast(lifetime: Lifetime, { blockHeight, nonces }: ChainProgress): boolean {
  switch (lifetime.kind) {
    case 'blockhash':
      return blockHeight > lifetime.lastValidBlockHeight
    case 'nonce': {
      const present = nonces.get(lifetime.account)
      return present !== undefined && present !== lifetime.nonce
    }
  }
}
