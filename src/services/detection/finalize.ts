// Books confirmed deposits once they are final. Each is read again from its final transaction.

import type { Network, ObservedTransaction, Signature } from '#core/chain/types.ts'
import { inboundOf } from '#core/payments/deposits/inbound.ts'
import { decideFinality } from '#core/payments/machine/deposits.ts'
import type { Deposit } from '#core/payments/payment-intent.ts'
import { forEachParallel } from '#lib/parallel.ts'
import type { ChainClock, HistoryReader, Submitter } from '#ports/chain.ts'
import type { IntentWorkStore } from '#ports/payments.ts'
import { decideAndApply } from '#services/payments/decide.ts'
import type { ReadDecisionContext } from '#services/payments/decision-context.ts'
import type { FinalityWatch } from './finality-watch.ts'

/** Deposits in one run. One status call holds 256 signatures, so a run needs a few calls. */
const BATCH = 1_024
/** Deposits of one payment in a run, so that a payment with thousands of deposits leaves room for the others. */
const OF_ONE_PAYMENT = 64
const CONCURRENT_INTENTS = 8

/** A transaction is dropped when the final chain is this many slots past it without it: twice the depth of a fork. */
const DROPPED_AFTER_SLOTS = 64n

type FinalityChain = Pick<Submitter, 'signatureStatuses'> & Pick<HistoryReader, 'transaction'> & ChainClock
type OnError = (error: unknown, context: Readonly<Record<string, string>>) => void
type Verdict = { readonly deposit: Deposit; readonly state: 'final' | 'dropped' }

/**
 * Books the deposits that have become final. Returns how many deposits are still waited for, and the intents that lost
 * a deposit: their balances have to be checked again.
 */
export type FinalizeDeposits = (network: Network) => Promise<{ waiting: number; dropped: readonly string[] }>

export function createFinalizer(deps: {
  chainOf: (network: Network) => FinalityChain
  store: Pick<IntentWorkStore, 'facts' | 'apply' | 'unfinalDeposits'>
  decisionContext: ReadDecisionContext
  /** Deposits in later slots are booked by the reader of blocks; null while nothing waits for blocks. */
  readTo?: () => bigint | null
  /** Says which deposits cannot be final yet. Without it, every run asks for all deposits. */
  finality?: Pick<FinalityWatch, 'expect' | 'newest'>
  onError: OnError
}): FinalizeDeposits {
  return async (network) => {
    const unfinal = await deps.store.unfinalDeposits(network, { inAll: BATCH, ofOnePayment: OF_ONE_PAYMENT })
    const readTo = deps.readTo?.() ?? null
    const deposits = readTo === null ? unfinal : unfinal.filter(({ slot }) => slot <= readTo)
    const newest = deps.finality?.newest() ?? null
    const due = newest === null ? deposits : deposits.filter(({ slot }) => slot <= newest)
    const verdicts = due.length === 0 ? [] : await judgeAll(deps.chainOf(network), due, deps.onError)
    deps.finality?.expect(firstSlot(deposits, verdicts))
    const byIntent = Map.groupBy(verdicts, ({ deposit }) => deposit.intentId)
    await forEachParallel([...byIntent], CONCURRENT_INTENTS, async ([intent, settled]) => {
      try {
        const context = await deps.decisionContext(network)
        await decideAndApply(deps.store, intent, (facts) => decideFinality(facts, settled, context))
      } catch (error) {
        deps.onError(error, { intent })
      }
    })
    const dropped = verdicts.filter(({ state }) => state === 'dropped').map(({ deposit }) => deposit.intentId)
    return { waiting: deposits.length - verdicts.length, dropped }
  }
}

/** Returns the slot of the oldest deposit that is still waited for; null when there is none. */
function firstSlot(deposits: readonly Deposit[], verdicts: readonly Verdict[]): bigint | null {
  const decided = new Set(verdicts.map(({ deposit }) => deposit.signature))
  const slots = deposits.filter(({ signature }) => !decided.has(signature)).map(({ slot }) => slot)
  return slots.reduce<bigint | null>((first, slot) => (first === null || slot < first ? slot : first), null)
}

async function judgeAll(
  chain: FinalityChain,
  deposits: readonly Deposit[],
  onError: OnError,
): Promise<readonly Verdict[]> {
  const signatures = [...new Set(deposits.map(({ signature }) => signature))]
  const statuses = await chain.signatureStatuses(signatures)
  const statusOf = new Map(signatures.map((signature, at) => [signature, statuses[at] ?? null]))
  // An unknown signature is old, or dropped, or the provider lags: the finalized history decides.
  const doubtful = signatures.filter((signature) => statusOf.get(signature) === null)
  const finalSlot = doubtful.length === 0 ? 0n : (await chain.blockTime('finalized')).slot
  const asked = signatures.filter((signature) => statusOf.get(signature)?.final !== false)
  const transactions = new Map<Signature, ObservedTransaction | null>()
  await forEachParallel(asked, CONCURRENT_INTENTS, async (signature) => {
    try {
      const transaction = await chain.transaction(signature, 'finalized')
      // One provider that knows it, at any level, outweighs the others: then it is not dropped, only not final yet.
      if (transaction === null && (await chain.transaction(signature, 'confirmed')) !== null) return
      transactions.set(signature, transaction)
    } catch (error) {
      // A transaction that cannot be read keeps its own deposits waiting, and no others.
      onError(error, { signature })
    }
  })
  return deposits.flatMap((deposit) => {
    const transaction = transactions.get(deposit.signature)
    if (transaction === undefined) return []
    if (transaction !== null) return [asFinal(deposit, transaction)]
    const dropped = statusOf.get(deposit.signature) === null && finalSlot > deposit.slot + DROPPED_AFTER_SLOTS
    return dropped ? [{ deposit, state: 'dropped' as const }] : []
  })
}

/** Returns the deposit as its final transaction shows it: a fork may have moved it to another slot, or undone it. */
export function asFinal(deposit: Deposit, transaction: ObservedTransaction): Verdict {
  // By asset too: a token account that the payment itself made also shows its rent, in lamports, with itself as owner.
  const change = transaction.changes.find(
    ({ account, asset }) => account === deposit.account && asset === deposit.asset,
  )
  const address = change?.owner ?? deposit.account
  const inbound = inboundOf(transaction, { id: deposit.intentId, network: deposit.network, address })
  const same = inbound.find(({ account, asset }) => account === deposit.account && asset === deposit.asset)
  return same === undefined ? { deposit, state: 'dropped' } : { deposit: { ...deposit, ...same }, state: 'final' }
}
