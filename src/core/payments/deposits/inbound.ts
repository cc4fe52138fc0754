// What a transaction brought to a deposit address, and who sent it. docs/money.md, "Refund recipients".
import { type Address, type Asset, type Network, type ObservedTransaction, SOL } from '#core/chain/types.ts'
import { type BaseUnits, capAtU64, makeBaseUnits, sumOf } from '#core/money/amounts.ts'
import type { IntentFacts } from '#core/payments/change.ts'
import type { Deposit, Sender } from '#core/payments/payment-intent.ts'
import type { TransferStatus } from '#core/transfers/transfer.ts'

/**
 * A deposit as it was read from the chain, before its use is decided. It is out of reach when it is in another
 * token account than the associated one, from which only a release moves it.
 */
export type ObservedDeposit = Omit<Deposit, 'use' | 'seenAt' | 'seenVersion'> & {
  readonly outOfReach?: boolean
}

/** Returns every rise of a balance that the address owns, one for each account and asset; none from a failed transaction. */
export function inboundOf(
  transaction: ObservedTransaction,
  intent: { readonly id: string; readonly network: Network; readonly address: Address },
): readonly ObservedDeposit[] {
  if (transaction.error !== null) return []
  return transaction.changes
    .filter((change) => change.owner === intent.address && change.after > change.before)
    .map(({ account, asset, before, after }) => {
      const amount = makeBaseUnits(after - before)
      return {
        network: intent.network,
        intentId: intent.id,
        account,
        asset,
        amount,
        signature: transaction.signature,
        slot: transaction.slot,
        blockTime: transaction.blockTime,
        senders: sendersOf(transaction, { account, asset, amount }),
      }
    })
}

/**
 * Returns the signers that sent a deposit, the largest share first. A wallet that did not sign is no sender: a program's
 * vault, or a wallet that a delegate drew from, cannot be trusted to take a refund.
 *
 * A signer's share is what its balance of the asset fell by, less every other rise in the transaction: so much of it can
 * only have reached this account, whichever instruction moved it. A relayer that pays the network fee or the rent of a new
 * account is so never taken for the sender. Where that does not explain the whole deposit, the rest of each fall is kept
 * as `ambiguous`.
 */
function sendersOf(
  transaction: ObservedTransaction,
  deposit: Pick<Deposit, 'account' | 'asset' | 'amount'>,
): readonly Sender[] {
  const signers = new Set(transaction.signers)
  const falls = otherFallsOf(transaction, deposit)
  const otherRises = sumOf([...falls.values()].map((fall) => (fall < 0n ? -fall : 0n)))
  const fallen = [...falls].filter(([owner, fall]) => fall > 0n && signers.has(owner))
  const sure = fallen.map(([address, fall]) => ({ address, fall, amount: fall > otherRises ? fall - otherRises : 0n }))
  const isExplained = sumOf(sure.map(({ amount }) => amount)) >= deposit.amount
  const unsure = isExplained ? [] : sure.map((one) => ({ ...one, amount: one.fall - one.amount }))
  return [...inShares(sure), ...inShares(unsure).map((sender) => ({ ...sender, obstacle: 'ambiguous' as const }))]
}

/**
 * Returns, by owner, how much of the asset left its accounts other than that of the deposit, without the network fee. An
 * amount that arrived is negative.
 */
function otherFallsOf(
  { changes, feePayer, fee }: ObservedTransaction,
  deposit: Pick<Deposit, 'account' | 'asset'>,
): ReadonlyMap<Address, bigint> {
  const falls = new Map<Address, bigint>()
  if (deposit.asset === SOL) falls.set(feePayer, -fee)
  for (const { account, owner, asset, before, after } of changes) {
    if (asset !== deposit.asset || account === deposit.account) continue
    falls.set(owner, (falls.get(owner) ?? 0n) + before - after)
  }
  return falls
}

/** Sorts by amount, the largest first. Leaves out senders without an amount. */
const inShares = (list: readonly { readonly address: Address; readonly amount: bigint }[]): readonly Sender[] =>
  list
    .filter(({ amount }) => amount > 0n)
    .sort((a, b) => (a.amount === b.amount ? 0 : a.amount < b.amount ? 1 : -1))
    .map(({ address, amount }) => ({ address, amount: capAtU64(amount) }))

type Touched = {
  readonly account: Address
  readonly asset: Asset
  readonly balance: BaseUnits
  /** Set for another token account than the associated one. */
  readonly outOfReach?: true
}

/**
 * Returns whether what is known accounts for a balance that was seen. Less on the chain than is known is a sweep that landed
 * and is not booked yet; more is a deposit whose transaction the provider does not list yet.
 */
export const isExplained = (facts: IntentFacts, observed: readonly ObservedDeposit[], touched: Touched): boolean =>
  touched.balance <= bookedOf(facts, observed, touched)

/** The balances of accounts of an intent at a slot, and when they were read. */
export type ReadBalances = { readonly slot: bigint; readonly at: Date; readonly balances: readonly Touched[] }

/**
 * Returns whether the deposits up to the slot of a reading account for its balances. null when the reading is of no use any
 * more: a transfer of the intent has ended after it, and whether that left before or after the slot is not known.
 */
export function isExplainedAt(facts: IntentFacts, { slot, at, balances }: ReadBalances): boolean | null {
  if (facts.transfers.some(({ doneAt }) => doneAt !== null && doneAt > at)) return null
  const then = { ...facts, deposits: facts.deposits.filter((deposit) => deposit.slot <= slot) }
  return balances.every((touched) => isExplained(then, [], touched))
}

/**
 * Returns whether a balance is, to the unit, what the books and the deposits just observed say: before or after a transfer that
 * is under way. The account's history has nothing to add then.
 */
export function isAsBooked(facts: IntentFacts, observed: readonly ObservedDeposit[], touched: Touched): boolean {
  const booked = bookedOf(facts, observed, touched)
  return touched.balance === booked || touched.balance === booked - takenBy('in_progress', facts, touched)
}

/** Returns the known balance of an account: what arrived, less what booked transfers took away. */
function bookedOf(facts: IntentFacts, observed: readonly ObservedDeposit[], touched: Omit<Touched, 'balance'>): bigint {
  const known = new Map<string, bigint>()
  for (const { account, asset, signature, amount } of [...facts.deposits, ...observed]) {
    if (account === touched.account && asset === touched.asset) known.set(signature, amount)
  }
  return sumOf([...known.values()]) - takenBy('done', facts, touched)
}

function takenBy(status: TransferStatus, { transfers }: IntentFacts, { asset, outOfReach }: Omit<Touched, 'balance'>) {
  if (outOfReach === true) return 0n
  const taking = transfers.filter((transfer) => transfer.status === status && transfer.asset === asset)
  return sumOf(taking.flatMap(({ legs }) => legs).map(({ amount }) => amount))
}

/** Orders the oldest first. */
export const bySlot = (a: { readonly slot: bigint }, b: { readonly slot: bigint }): number =>
  a.slot === b.slot ? 0 : a.slot < b.slot ? -1 : 1
