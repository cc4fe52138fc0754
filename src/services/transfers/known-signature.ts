// A transaction that every provider must know, for a network whose ledger is still empty.
import type { Address, Signature } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import type { HistoryReader } from '#ports/chain.ts'

/**
 * Returns the newest final transaction of the fee payer. A new fee payer has one when the first transaction to it is final;
 * until then, and when no provider lists one, it throws `chain_unavailable`. docs/money.md, "Proof of expiry".
 */
export async function newestSignature(chain: Pick<HistoryReader, 'signatures'>, feePayer: Address): Promise<Signature> {
  const { entries } = await chain.signatures(feePayer, { commitment: 'finalized' })
  const known = entries.find(({ final }) => final)
  if (known === undefined)
    throw new ServiceError('chain_unavailable', {}, { cause: new Error('no final transaction of the fee payer') })
  return known.signature
}
