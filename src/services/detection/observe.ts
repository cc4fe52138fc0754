// An address was touched: what really moved is read from the chain, and the intent machine decides what it means.

import type { Address, Asset, Network, Signature } from '#core/chain/types.ts'
import type { BaseUnits } from '#core/money/amounts.ts'
import { bySlot, inboundOf, isAsBooked, isExplained } from '#core/payments/deposits/inbound.ts'
import { divideArrivals } from '#core/payments/deposits/unaccepted.ts'
import type { IntentFacts } from '#core/payments/machine/change.ts'
import {
  decideDeposits,
  MOST_DEPOSITS_A_CHANGE,
  needsRateFor,
  newDeposits,
  type ObservedDeposit,
} from '#core/payments/machine/deposits.ts'
import type { Selection } from '#core/payments/payment-intent.ts'
import { forEachParallel } from '#lib/parallel.ts'
import { createTurns } from '#lib/turns.ts'
import type { HistoryReader } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { IntentWorkStore } from '#ports/stores.ts'
import { decideAndApply } from '#services/payments/decide.ts'
import type { ReadDecisionContext } from '#services/payments/decision-context.ts'
import type { LockRate } from '#services/payments/select-token.ts'
import { createHistoryMemory, type HistoryMemory } from './polling/history-memory.ts'
import type { StepBudget, WalkSource } from './polling/history-walk.ts'

/** What a look costs at most for each account that it reads, in the job that detects payments for everybody. */
export const QUICK_CHECK: StepBudget = { pages: 2, transactions: 8, ms: 2_000 }

/** An account of an intent and the balance that it was just seen to have. */
export type ChangedAccount = { readonly account: Address; readonly asset: Asset; readonly balance: BaseUnits }

export type Observed = {
  /** False while the chain's history does not yet tell where a balance came from: look again soon. */
  readonly explained: boolean
  /** Whether there is more history than the budget allowed to read: the next look goes on where this one ended. */
  readonly unfinished: boolean
  /** Assets of which a transfer is under way: what explains their balances may have left already. */
  readonly leaving: ReadonlySet<Asset>
}

/**
 * Reads the history of an intent's touched accounts, except those that hold what the books say, and takes in every
 * deposit that is new. Reads the newest transactions first and stops when they explain the balance, or when the budget
 * is spent. Safe to repeat.
 */
export type ObserveDeposits = (
  intentId: string,
  touched: readonly ChangedAccount[],
  budget?: StepBudget,
) => Promise<Observed>

export function createDepositObserver(deps: {
  chainOf: (network: Network) => HistoryReader
  store: Pick<IntentWorkStore, 'facts' | 'apply' | 'recordUnaccepted'>
  decisionContext: ReadDecisionContext
  lockRate: LockRate
  clock: Clock
}): ObserveDeposits {
  const memory = createHistoryMemory()
  const observe = async (intentId: string, touched: readonly ChangedAccount[], budget: StepBudget) => {
    let found: Observed = { explained: true, unfinished: false, leaving: new Set() }
    // What the chain says does not depend on the row, so a lost race decides anew without reading it again.
    let reading: Reading | null = null
    let unaccepted: readonly ObservedDeposit[] = []
    let now = new Date(0)
    let hasMore = false
    const decide = async (facts: IntentFacts) => {
      reading ??= await readInbound({ ...deps, memory, budget }, facts, touched)
      const { observed, others, unfinished } = reading
      const context = await deps.decisionContext(facts.intent.network)
      now = context.now
      unaccepted = divideArrivals([...observed, ...others], facts.intent, context.tokens).unaccepted
      hasMore = newDeposits(facts, observed, context).length > MOST_DEPOSITS_A_CHANGE
      const explained = !unfinished && touched.every((account) => isExplained(facts, observed, account))
      found = { explained, unfinished, leaving: leavingOf(facts) }
      const choice = needsRateFor(facts, observed)
      const token = choice === null ? undefined : context.tokens.get(choice)
      const selection: Selection | null = token === undefined ? null : await deps.lockRate(facts.intent, token)
      return decideDeposits(facts, observed, selection, context)
    }
    do await decideAndApply(deps.store, intentId, decide)
    while (hasMore)
    if (unaccepted.length > 0) await deps.store.recordUnaccepted(intentId, unaccepted, now)
    return found
  }
  // The watcher and the reconciler may see one payment at the same moment; its history is read once.
  const turns = createTurns()
  return (intentId, touched, budget = QUICK_CHECK) =>
    turns(intentId, async () => {
      try {
        return await observe(intentId, touched, budget)
      } catch (error) {
        // What was found and not taken in is found again from the newest transaction on.
        for (const { account } of touched) memory.walkOf(account).restart()
        throw error
      } finally {
        memory.trim()
      }
    })
}

const leavingOf = ({ transfers }: IntentFacts): ReadonlySet<Asset> =>
  new Set(transfers.filter(({ status }) => status === 'in_progress').map(({ asset }) => asset))

type ReadingDeps = {
  readonly chainOf: (network: Network) => HistoryReader
  readonly clock: Clock
  readonly memory: HistoryMemory
  readonly budget: StepBudget
}

type Reading = {
  readonly observed: readonly ObservedDeposit[]
  /** What the same transactions brought to other accounts of the address. */
  readonly others: readonly ObservedDeposit[]
  readonly unfinished: boolean
}

/** Walks down the history of each account by one step. Returns the deposits that were found, in the order of slots. */
async function readInbound(
  { chainOf, clock, memory, budget }: ReadingDeps,
  facts: IntentFacts,
  touched: readonly ChangedAccount[],
): Promise<Reading> {
  const chain = chainOf(facts.intent.network)
  const strange = touched.filter((account) => !isAsBooked(facts, [], account))
  const settled = touched.filter((account) => !strange.includes(account))
  // Only what came into the accounts that are swept: what lies in another token account of the address, which anybody
  // can make, would count as paid and could not be moved.
  const swept = new Set(strange.map(({ account }) => account))
  const observed = new Map<string, ObservedDeposit>()
  const others: ObservedDeposit[] = []
  const sweeps = new Set(facts.transfers.map(({ signature }) => signature))
  const known = new Set(facts.deposits.filter(({ state }) => state !== 'dropped').map(placeOf))

  const readOnce = oncePerKey(async (signature: Signature): Promise<readonly ObservedDeposit[] | null> => {
    const transaction = await chain.transaction(signature, 'confirmed')
    if (transaction === null) return null
    const all = inboundOf(transaction, facts.intent)
    const inbound = all.filter(({ account }) => swept.has(account))
    for (const deposit of inbound) if (!known.has(placeOf(deposit))) observed.set(placeOf(deposit), deposit)
    others.push(...all.filter(({ account }) => !swept.has(account)))
    return inbound
  })

  let unfinished = false
  await forEachParallel(strange, strange.length, async (touch) => {
    const { account } = touch
    const source: WalkSource = {
      list: (range) => chain.signatures(account, { commitment: 'confirmed', ...range }),
      isCandidate: ({ signature, failed }) =>
        !failed && !sweeps.has(signature) && !known.has(placeOf({ signature, account })),
      async read(signature) {
        const inbound = await readOnce(signature)
        if (inbound === null) return 'unknown'
        return inbound.some((deposit) => deposit.account === account) ? 'deposit' : 'nothing'
      },
      isExplained: () => isAsBooked(facts, [...observed.values()], touch),
      now: () => clock.now().getTime(),
    }
    const result = await memory.walkOf(account).step(source, newestOf(facts, account), budget)
    if (result === 'unfinished') unfinished = true
    if (result === 'explained') settled.push(touch)
  })
  for (const { account } of settled) memory.forget(account)
  return { observed: [...observed.values()].sort(bySlot), others, unfinished }
}

/** Runs the work for each key once and gives every caller the same answer. */
function oncePerKey<Key, Value>(work: (key: Key) => Promise<Value>): (key: Key) => Promise<Value> {
  const answers = new Map<Key, Promise<Value>>()
  return (key) => {
    const answer = answers.get(key) ?? work(key)
    answers.set(key, answer)
    return answer
  }
}

const placeOf = ({ signature, account }: { signature: Signature; account: Address }): string =>
  `${signature} ${account}`

/**
 * The newest deposit to the account that is known for good: nothing before it has to be listed again. What was taken for
 * dropped may have been forgotten by the providers that were asked, and is listed from before it.
 */
function newestOf({ deposits }: IntentFacts, account: Address): Signature | null {
  const own = deposits.filter((deposit) => deposit.account === account)
  const dropped = own.filter(({ state }) => state === 'dropped')
  const final = own.filter(({ state, slot }) => state === 'final' && dropped.every((lost) => slot < lost.slot))
  return (
    final.reduce<(typeof final)[number] | null>(
      (newest, deposit) => (newest === null || deposit.slot > newest.slot ? deposit : newest),
      null,
    )?.signature ?? null
  )
}
