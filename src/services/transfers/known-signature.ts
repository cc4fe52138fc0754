// A transaction that every provider must know, for a network whose ledger is still empty.
import type { Address, Signature } from '#core/chain/types.ts'
import type { HistoryReader } from '#ports/chain.ts'

/**
 * Returns the newest final transaction of the fee payer, which has one as soon as it has a balance. Throws when no provider
 * lists one. docs/money.md, "Proof of expiry".
 */
export async function newestSignature(chain: Pick<HistoryReader, 'signatures'>, feePayer: Address): Promise<Signature> {
  const { entries } = await chain.signatures(feePayer, { commitment: 'finalized' })
  const known = entries.find(({ final }) => final)
  if (known === undefined) throw new Error('a transfer follows a final transaction')
  return known.signature
}
