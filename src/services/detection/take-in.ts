// Takes in the deposits of final transactions, whichever way they were found: they are stored, booked and decided about in
// one step.
import { type Address, type Asset, type ObservedTransaction, SOL } from '#core/chain/types.ts'
import type { IntentFacts } from '#core/payments/change.ts'
import type { DecisionContext } from '#core/payments/decision-context.ts'
import { bySlot, inboundOf, type ObservedDeposit } from '#core/payments/deposits/inbound.ts'
import { divideArrivals } from '#core/payments/deposits/unaccepted.ts'
import { decideDeposits, MAX_DEPOSITS_PER_CHANGE, newDeposits } from '#core/payments/machine/deposits.ts'
import type { DepositKeys } from '#ports/chain.ts'
import type { IntentWorkStore } from '#ports/payments.ts'
import { decideAndApply, type ReadDecisionContext } from '#services/payments/decide.ts'
import { arrivalSelection, type LockRate } from '#services/payments/lock-rate.ts'

/**
 * Takes in and books an intent's deposits in final transactions, in changes of bounded size. Deposits of tokens that
 * are not allowed are only recorded. Safe to repeat.
 */
export type TakeIn = (intentId: string, transactions: readonly ObservedTransaction[]) => Promise<void>

export type TakeInDeps = {
  readonly store: Pick<IntentWorkStore, 'facts' | 'apply' | 'recordUnaccepted'>
  readonly keys: Pick<DepositKeys, 'tokenAccountOf'>
  readonly decisionContext: ReadDecisionContext
  readonly lockRate: LockRate
}

export const createTakeIn =
  (deps: TakeInDeps): TakeIn =>
  (intentId, transactions) =>
    new Intake(deps, intentId, transactions).run()

/** The intake of one intent's final transactions. A decision that loses a race is made again from the same deposits. */
class Intake {
  readonly #deps: TakeInDeps
  readonly #intentId: string
  readonly #transactions: readonly ObservedTransaction[]
  #inbound: readonly ObservedDeposit[] | null = null
  #unaccepted: readonly ObservedDeposit[] = []
  #now = new Date(0)
  /** Whether one change could not take in every deposit. */
  #hasMore = false

  constructor(deps: TakeInDeps, intentId: string, transactions: readonly ObservedTransaction[]) {
    this.#deps = deps
    this.#intentId = intentId
    this.#transactions = transactions
  }

  async run(): Promise<void> {
    const { store } = this.#deps
    do await decideAndApply(store, this.#intentId, (facts) => this.#decide(facts))
    while (this.#hasMore)
    if (this.#unaccepted.length > 0) await store.recordUnaccepted(this.#intentId, this.#unaccepted, this.#now)
  }

  async #decide(facts: IntentFacts) {
    const { decisionContext, keys, lockRate } = this.#deps
    const context = await decisionContext(facts.intent.network)
    this.#now = context.now
    this.#inbound ??= await readInbound(keys, facts, this.#transactions, context)
    const own = new Set(facts.transfers.map(({ signature }) => signature))
    const inbound = this.#inbound.filter(({ signature }) => !own.has(signature))
    this.#unaccepted = divideArrivals(inbound, facts.intent, context.tokens).unaccepted
    const fresh = newDeposits(facts, inbound, context)
    this.#hasMore = fresh.length > MAX_DEPOSITS_PER_CHANGE
    const selection = await arrivalSelection(lockRate, facts, fresh, context)
    return decideDeposits(facts, fresh, selection, context)
  }
}

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
 * Returns whether an account is the one that settlements and refunds draw from. Anyone can make another token account for an address: a
 * deposit there would count as paid and could not be moved.
 */
async function isUsualAccount(
  keys: Pick<DepositKeys, 'tokenAccountOf'>,
  address: Address,
  { account, asset }: { readonly account: Address; readonly asset: Asset },
  { tokens }: DecisionContext,
): Promise<boolean> {
  if (asset === SOL) return account === address
  const program = tokens.get(asset)?.tokenProgram ?? null
  // Tokens of a mint that is not listed are never moved.
  return program === null || account === (await keys.tokenAccountOf(address, asset, program))
}
