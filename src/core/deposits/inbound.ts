// What a transaction brought to a deposit address, and who sent it. MONEY: refund only to a wallet that can take it.
import type { Address, Asset, Network, ObservedTransaction } from '#core/chain/types.ts'
import { SOL } from '#core/chain/types.ts'
import type { IntentFacts } from '#core/intents/change.ts'
import type { Sender } from '#core/intents/intent.ts'
import type { ObservedDeposit } from '#core/intents/intent-machine.ts'
import { type BaseUnits, capAtU64, makeBaseUnits, sumOf } from '#core/money/amounts.ts'
import type { TransferStatus } from '#core/transfers/transfer.ts'

/** Every rise of a balance that the address owns, one for each account and asset; none from a failed transaction. */
export function inboundOf(
  transaction: ObservedTransaction,
  intent: { readonly id: string; readonly network: Network; readonly address: Address },
): readonly ObservedDeposit[] {
  if (transaction.error !== null) return []
  return transaction.changes
    .filter((change) => change.owner === intent.address && change.after > change.before)
    .map((change) => ({
      network: intent.network,
      intentId: intent.id,
      account: change.account,
      asset: change.asset,
      amount: makeBaseUnits(change.after - change.before),
      signature: transaction.signature,
      slot: transaction.slot,
      blockTime: transaction.blockTime,
      senders: sendersOf(transaction, change.asset),
    }))
}

/**
 * Signers whose own balance of the asset fell, the largest share first. Who did not sign did not send: a program's
 * vault, or a wallet that a delegate drew from, is nobody that a refund could be trusted to reach.
 */
export function sendersOf(transaction: ObservedTransaction, asset: Asset): readonly Sender[] {
  const signers = new Set(transaction.signers)
  const fell = new Map<Address, bigint>()
  for (const change of transaction.changes) {
    if (change.asset !== asset || !signers.has(change.owner)) continue
    const fee = asset === SOL && change.owner === transaction.feePayer ? transaction.fee : 0n
    fell.set(change.owner, (fell.get(change.owner) ?? 0n) + change.before - change.after - fee)
  }
  return [...fell]
    .filter(([, amount]) => amount > 0n)
    .sort(([, a], [, b]) => (a === b ? 0 : a < b ? 1 : -1))
    .map(([address, amount]) => ({ address, amount: capAtU64(amount) }))
}

type Touched = { readonly account: Address; readonly asset: Asset; readonly balance: BaseUnits }

/**
 * Whether what is known accounts for a balance that was seen. Less on the chain than is known is a sweep that landed
 * and is not booked yet; more is a deposit whose transaction the provider does not list yet.
 */
export const isExplained = (facts: IntentFacts, observed: readonly ObservedDeposit[], touched: Touched): boolean =>
  touched.balance <= bookedOf(facts, observed, touched)

/**
 * Whether a balance is, to the unit, what the books say: before or after a transfer that is under way. The account's
 * history has nothing to add then.
 */
export function isAsBooked(facts: IntentFacts, touched: Touched): boolean {
  const booked = bookedOf(facts, [], touched)
  return touched.balance === booked || touched.balance === booked - takenBy('in_progress', facts, touched.asset)
}

/** What lies in an account, as far as is known: what arrived, less what booked transfers took away. */
function bookedOf(
  facts: IntentFacts,
  observed: readonly ObservedDeposit[],
  touched: Pick<Touched, 'account' | 'asset'>,
): bigint {
  const known = new Map<string, bigint>()
  for (const { account, asset, signature, amount } of [
    ...facts.deposits.filter(({ state }) => state !== 'dropped'),
    ...observed,
  ]) {
    if (account === touched.account && asset === touched.asset) known.set(signature, amount)
  }
  return sumOf([...known.values()]) - takenBy('done', facts, touched.asset)
}

const takenBy = (status: TransferStatus, { transfers }: IntentFacts, asset: Asset): bigint =>
  sumOf(
    transfers
      .filter((transfer) => transfer.status === status && transfer.asset === asset)
      .flatMap(({ legs }) => legs)
      .map(({ amount }) => amount),
  )

/** Oldest first. */
export const bySlot = (a: { readonly slot: bigint }, b: { readonly slot: bigint }): number =>
  a.slot === b.slot ? 0 : a.slot < b.slot ? -1 : 1
