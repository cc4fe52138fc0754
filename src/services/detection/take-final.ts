// Deposits out of final blocks: the block has the transaction itself, with its senders, so that it is taken in and booked
// without another question to the chain.
import { type Address, type Asset, type ObservedTransaction, type Signature, SOL } from '#core/chain/types.ts'
import { bySlot, inboundOf } from '#core/payments/deposits/inbound.ts'
import { divideArrivals } from '#core/payments/deposits/unaccepted.ts'
import type { IntentFacts } from '#core/payments/machine/change.ts'
import type { DecisionContext } from '#core/payments/machine/decision-context.ts'
import {
  decideDeposits,
  decideFinality,
  MOST_DEPOSITS_A_CHANGE,
  needsRateFor,
  newDeposits,
  type ObservedDeposit,
} from '#core/payments/machine/deposits.ts'
import type { Deposit } from '#core/payments/payment-intent.ts'
import type { DepositKeys } from '#ports/chain.ts'
import type { IntentWorkStore } from '#ports/stores.ts'
import { decideAndApply } from '#services/payments/decide.ts'
import type { ReadDecisionContext } from '#services/payments/decision-context.ts'
import type { LockRate } from '#services/payments/select-token.ts'
import { asFinal } from './finalize.ts'

/**
 * Takes in and books what final transactions brought to an intent, in changes of bounded size. Tokens that are not
 * allowed are only recorded. Safe to repeat.
 */
export type TakeFinal = (intentId: string, transactions: readonly ObservedTransaction[]) => Promise<void>

export function createTakeFinal(deps: {
  store: Pick<IntentWorkStore, 'facts' | 'apply' | 'recordUnaccepted'>
  keys: Pick<DepositKeys, 'tokenAccountOf'>
  decisionContext: ReadDecisionContext
  lockRate: LockRate
}): TakeFinal {
  return async (intentId, transactions) => {
    const bySignature = new Map(transactions.map((transaction) => [transaction.signature, transaction]))
    let read: readonly ObservedDeposit[] | null = null
    let unaccepted: readonly ObservedDeposit[] = []
    let now = new Date(0)
    /** Answers whether there is more to take in or to book. */
    const takeSome = async (): Promise<boolean> => {
      let hasMore = false
      await decideAndApply(deps.store, intentId, async (facts) => {
        const context = await deps.decisionContext(facts.intent.network)
        now = context.now
        read ??= await readInbound(deps.keys, facts, transactions, context)
        const own = new Set(facts.transfers.map(({ signature }) => signature))
        const inbound = read.filter(({ signature }) => !own.has(signature))
        unaccepted = divideArrivals(inbound, facts.intent, context.tokens).unaccepted
        const fresh = newDeposits(facts, inbound, context)
        // Mostly all of it was shown when it was confirmed, and only has to be booked.
        if (fresh.length === 0) {
          const settled = settledBy(bySignature, facts.deposits)
          hasMore = settled.length > MOST_DEPOSITS_A_CHANGE
          return decideFinality(facts, settled, context)
        }
        hasMore = true
        const choice = needsRateFor(facts, fresh)
        const token = choice === null ? undefined : context.tokens.get(choice)
        const selection = token === undefined ? null : await deps.lockRate(facts.intent, token)
        return decideDeposits(facts, fresh, selection, context)
      })
      return hasMore
    }
    while (await takeSome());
    if (unaccepted.length > 0) await deps.store.recordUnaccepted(intentId, unaccepted, now)
  }
}

const settledBy = (transactions: ReadonlyMap<Signature, ObservedTransaction>, deposits: readonly Deposit[]) =>
  deposits.flatMap((deposit) => {
    const transaction = transactions.get(deposit.signature)
    return deposit.state === 'confirmed' && transaction !== undefined ? [asFinal(deposit, transaction)] : []
  })

async function readInbound(
  keys: Pick<DepositKeys, 'tokenAccountOf'>,
  facts: IntentFacts,
  transactions: readonly ObservedTransaction[],
  context: DecisionContext,
): Promise<readonly ObservedDeposit[]> {
  const inbound = transactions.flatMap((transaction) => inboundOf(transaction, facts.intent))
  const seen: ObservedDeposit[] = []
  for (const deposit of inbound) {
    const isUsual = await isUsualAccount(keys, facts.intent.address, deposit, context)
    seen.push(isUsual ? deposit : { ...deposit, outOfReach: true })
  }
  return seen.sort(bySlot)
}

/**
 * Whether it is where transfers draw from. Anybody can make another token account for an address: what lies there would
 * count as paid and could not be moved.
 */
async function isUsualAccount(
  keys: Pick<DepositKeys, 'tokenAccountOf'>,
  address: Address,
  { account, asset }: { readonly account: Address; readonly asset: Asset },
  { tokens }: DecisionContext,
): Promise<boolean> {
  if (asset === SOL) return account === address
  const program = tokens.get(asset)?.tokenProgram ?? null
  // Of a mint that nobody listed nothing is moved anyway.
  return program === null || account === (await keys.tokenAccountOf(address, asset, program))
}
