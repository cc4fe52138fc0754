// Follows a signed transaction to its end: sends it again, books it when it is final, or proves that it cannot land. Attempts of
// transfers and approves of wallets are followed in the same way. docs/money.md, "The protocol" and "Proof of expiry".
import { didNotRun, type ObservedTransaction, type Signature, type SignatureStatus } from '#core/chain/types.ts'
import { hasCode } from '#core/errors.ts'
import { type Attempt, type ChainProgress, nextStep, type StoredTransaction } from '#core/transfers/transfer.ts'
import type { ExpiryProver, HistoryReader, Submitter } from '#ports/chain.ts'

export type FollowingChain = Pick<Submitter, 'broadcast'> & Pick<HistoryReader, 'transaction'> & ExpiryProver

/** A transaction that may land. Without its bytes, only the wallet that has the last signature sends it. */
export type Followed = StoredTransaction & Pick<Attempt, 'sentAt'> & { readonly signature: Signature }

/** The status of the transaction and the progress of the chain, as of `now`. */
export type Observed = { readonly status: SignatureStatus | null; readonly progress: ChainProgress; readonly now: Date }

/** `wait`: the transaction is checked again soon. `handled`: what follows is recorded. */
export type Outcome = 'wait' | 'handled'

/** Why a transaction counts neither as final nor as dead. `unagreed`: one provider calls it final, and a second does not yet. */
export type Doubt = { readonly because: 'unagreed' | 'not_yet' | 'unproven'; readonly detail: string }

/** What the end of a step means for the record of the transaction. */
export type Follower = {
  /** `refusal`: why every provider refused the bytes. That is no proof: one may have forwarded them before. */
  sent(refusal: string | null): Promise<Outcome>
  book(transaction: ObservedTransaction): Promise<Outcome>
  /** `expired`: proved. `did_not_run`: it is in a block and moved nothing; a chain takes each transaction once. */
  dead(because: 'expired' | 'did_not_run'): Promise<Outcome>
  doubted(doubt: Doubt): Promise<Outcome>
}

/** Takes one step: broadcast, wait, book or prove. */
export async function follow(
  chain: FollowingChain,
  one: Followed,
  { status, progress, now }: Observed,
  follower: Follower,
): Promise<Outcome> {
  switch (nextStep(one, status, progress, now)) {
    case 'book':
      return await book(chain, one, follower)
    case 'prove':
      return await prove(chain, one, follower)
    case 'broadcast':
      return one.wire === null ? 'wait' : await follower.sent(await broadcast(chain, one.wire))
    case 'wait':
      return status?.doubt == null ? 'wait' : await follower.doubted({ because: 'unagreed', detail: status.doubt })
  }
}

/** Sends the bytes to every provider. Returns why every provider refused them; null when one took them. */
export async function broadcast(chain: Pick<Submitter, 'broadcast'>, wire: Uint8Array): Promise<string | null> {
  try {
    await chain.broadcast(wire)
    return null
  } catch (error) {
    if (!hasCode(error, 'transaction_refused')) throw error
    return String(error.context.reason)
  }
}

async function book(chain: FollowingChain, { signature }: Followed, follower: Follower): Promise<Outcome> {
  const transaction = await chain.transaction(signature)
  // The provider that reported the status may not be the provider that was asked for the transaction.
  if (transaction === null) return 'wait'
  return didNotRun(transaction) ? await follower.dead('did_not_run') : await follower.book(transaction)
}

async function prove(chain: FollowingChain, one: Followed, follower: Follower): Promise<Outcome> {
  const proof = await chain.proveExpired(one)
  if (proof.expired) return await follower.dead('expired')
  const { because, detail } = proof
  return because === 'landed' ? await book(chain, one, follower) : await follower.doubted({ because, detail })
}

/** Returns the statuses of transactions: null for one that no provider knows, and for one that is not signed. */
export async function readStatuses(
  chain: Pick<Submitter, 'signatureStatuses'>,
  given: readonly (Signature | null)[],
): Promise<(signature: Signature | null) => SignatureStatus | null> {
  const signatures = given.filter((signature) => signature !== null)
  if (signatures.length === 0) return () => null
  const statuses = await chain.signatureStatuses(signatures)
  const bySignature = new Map(signatures.map((signature, at) => [signature, statuses[at] ?? null]))
  return (signature) => (signature === null ? null : (bySignature.get(signature) ?? null))
}
