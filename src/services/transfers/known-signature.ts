// A transaction that every provider must know, so that it is believed when it does not know an attempt. docs/money.md, "Proof of
// expiry".
import type { Address, Signature } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import type { HistoryEntry, HistoryReader } from '#ports/chain.ts'
import type { KnownTransaction } from '#ports/transfers.ts'

type Lister = Pick<HistoryReader, 'signatures'>

/** Providers may keep little more than two days of history. */
const RECENT_MS = 24 * 60 * 60_000

/**
 * Returns the newest final transaction of the fee payer. A new fee payer has one when the first transaction to it is final;
 * until then, and when no provider lists one, it throws `chain_unavailable`.
 */
export async function newestSignature(chain: Lister, feePayer: Address): Promise<Signature> {
  const newest = await newestOf(chain, feePayer)
  if (newest === null)
    throw new ServiceError('chain_unavailable', {}, { cause: new Error('no final transaction of the fee payer') })
  return newest.signature
}

/**
 * Returns the transaction for an attempt that is prepared now. This is the newest of the ledger while it is recent. On a
 * network that was idle, providers may have pruned it: then it is the newest of the fee payer, when that is newer. An attempt keeps
 * its transaction, because only a transaction that is older than the attempt proves anything about it.
 */
export async function knownSignatureOf(
  chain: Lister,
  feePayer: Address,
  booked: KnownTransaction | null,
  now: Date,
): Promise<Signature> {
  if (booked === null) return await newestSignature(chain, feePayer)
  if (now.getTime() - booked.at.getTime() <= RECENT_MS) return booked.signature
  const newest = await newestOf(chain, feePayer)
  return newest !== null && newest.slot > booked.slot ? newest.signature : booked.signature
}

async function newestOf(chain: Lister, feePayer: Address): Promise<HistoryEntry | null> {
  const { entries } = await chain.signatures(feePayer, {})
  return entries[0] ?? null
}
