// The effects of a final transaction on our addresses, from its balances before and after. docs/money.md,
// "The three records".
import type { Address, ObservedTransaction } from '#core/chain/types.ts'
import { SOL } from '#core/chain/types.ts'
import { type BaseUnits, makeBaseUnits, smaller, ZERO } from '#core/money/amounts.ts'
import type { NewLedgerEntry, Transfer } from '#core/transfers/transfer.ts'

/** Returns an entry for every effect of a final transaction on our addresses. A failed one moved only its fee: its kind is `fee`. */
export function ledgerOf(
  transaction: ObservedTransaction,
  ours: ReadonlySet<Address>,
  about: Pick<NewLedgerEntry, 'network' | 'kind' | 'subjectId' | 'transferId' | 'sponsoredId'>,
): readonly NewLedgerEntry[] {
  return transaction.changes
    .filter((change) => ours.has(change.owner) && change.after !== change.before)
    .map((change) => ({
      ...about,
      kind: transaction.error === null ? about.kind : 'fee',
      address: change.owner,
      account: change.account,
      asset: change.asset,
      delta: change.after - change.before,
      signature: transaction.signature,
      slot: transaction.slot,
    }))
}

/** Returns the entries of the final transaction of a transfer. */
export const ledgerOfTransfer = (
  { network, kind, source, subject, id }: Transfer,
  transaction: ObservedTransaction,
): readonly NewLedgerEntry[] =>
  ledgerOf(transaction, new Set([source, transaction.feePayer]), {
    network,
    kind,
    subjectId: subject.id,
    transferId: id,
  })

/** Returns the received amount of each leg, in leg order. It is less than the sent amount where the mint takes a fee. */
export function movedByLegs(
  transfer: Pick<Transfer, 'asset' | 'source' | 'legs'>,
  transaction: ObservedTransaction,
): readonly BaseUnits[] {
  const arrived = new Map<Address, bigint>()
  for (const change of transaction.changes) {
    if (change.asset !== transfer.asset || change.owner === transfer.source) continue
    const fee = change.asset === SOL && change.owner === transaction.feePayer ? transaction.fee : ZERO
    arrived.set(change.owner, (arrived.get(change.owner) ?? 0n) + change.after - change.before + fee)
  }
  // When the fee payer receives exactly its fee, its balance does not change.
  if (transfer.asset === SOL && !arrived.has(transaction.feePayer)) arrived.set(transaction.feePayer, transaction.fee)
  return transfer.legs.map((leg) => {
    const left = arrived.get(leg.destination) ?? 0n
    const share = left > 0n ? smaller(leg.amount, makeBaseUnits(left)) : ZERO
    arrived.set(leg.destination, left - share)
    return share
  })
}
