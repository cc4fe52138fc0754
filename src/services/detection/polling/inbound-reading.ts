// What arrived in the changed accounts of an intent: one step down the history of each account.
import type { Address, Asset, Network, ObservedTransaction, Signature } from '#core/chain/types.ts'
import type { BaseUnits } from '#core/money/amounts.ts'
import type { IntentFacts } from '#core/payments/change.ts'
import { bySlot, inboundOf, isAsBooked, type ObservedDeposit } from '#core/payments/deposits/inbound.ts'
import { forEachParallel } from '#lib/parallel.ts'
import type { HistoryReader } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import { HistoryWalk, type StepBudget, type WalkSource } from './history-walk.ts'

// The history walks under way, by account. Bounded: the walk of an evicted account starts again from the newest
// signature.

const MAX_WALKS = 2_000
/** Signatures that all walks together remember: some 30 MB. */
const MAX_SIGNATURES = 200_000

type HistoryMemory = {
  /** Returns the walk of an account. Makes a new walk when there is none. */
  walkOf(account: Address): HistoryWalk
  /** Drops the walk of an account whose balance is explained. */
  forget(account: Address): void
  /** Evicts the walks that were used longest ago until the bounds are kept. */
  trim(): void
}

export function createHistoryMemory(): HistoryMemory {
  const walks = new Map<Address, HistoryWalk>()
  return {
    walkOf(account) {
      const walk = walks.get(account) ?? new HistoryWalk()
      // A Map keeps the order of insertion: the walk that was used last is at the end.
      walks.delete(account)
      walks.set(account, walk)
      return walk
    },
    forget: (account) => void walks.delete(account),
    trim() {
      let signatures = [...walks.values()].reduce((sum, { size }) => sum + size, 0)
      for (const [account, { size }] of walks) {
        if (walks.size <= MAX_WALKS && signatures <= MAX_SIGNATURES) return
        signatures -= size
        walks.delete(account)
      }
    },
  }
}

/** An account of an intent and the balance that was just read. */
export type ChangedAccount = {
  readonly account: Address
  readonly asset: Asset
  readonly balance: BaseUnits
  /** Set for another token account than the associated one: a deposit there counts for nothing, and is held. */
  readonly outOfReach?: true
}

type ReadingDeps = {
  readonly chainOf: (network: Network) => HistoryReader
  readonly clock: Clock
  readonly memory: HistoryMemory
  readonly budget: StepBudget
}

type Reading = {
  /** The final transactions that brought something to the intent. */
  readonly transactions: readonly ObservedTransaction[]
  /** What they brought. */
  readonly observed: readonly ObservedDeposit[]
  /** Whether the budget ended before a balance was explained. */
  readonly unfinished: boolean
  /** Why transactions could not be read: two providers do not agree about one, for example. */
  readonly failures: readonly unknown[]
}

/** Walks down the history of each changed account by one step, and returns what was found. */
export async function readInbound(
  deps: ReadingDeps,
  facts: IntentFacts,
  changed: readonly ChangedAccount[],
): Promise<Reading> {
  const unbooked = changed.filter((account) => !isAsBooked(facts, [], account))
  const reader = new InboundReader(deps, facts)
  await forEachParallel(unbooked, unbooked.length, (account) => reader.walk(account))
  const asBooked = changed.filter((account) => !unbooked.includes(account))
  for (const { account } of [...asBooked, ...reader.explained]) deps.memory.forget(account)
  return reader
}

class InboundReader implements Reading {
  readonly #deps: ReadingDeps
  readonly #facts: IntentFacts
  readonly #chain: HistoryReader
  readonly #transfers: ReadonlySet<Signature | null>
  readonly #known: ReadonlySet<string>
  readonly #reads = new Map<Signature, Promise<readonly ObservedDeposit[] | null>>()
  readonly transactions: ObservedTransaction[] = []
  readonly observed: ObservedDeposit[] = []
  readonly failures: unknown[] = []
  unfinished = false
  /** Accounts whose balance this reading explains. */
  readonly explained: ChangedAccount[] = []

  constructor(deps: ReadingDeps, facts: IntentFacts) {
    this.#deps = deps
    this.#facts = facts
    this.#chain = deps.chainOf(facts.intent.network)
    this.#transfers = new Set(facts.transfers.map(({ signature }) => signature))
    this.#known = new Set(facts.deposits.map(placeOf))
  }

  async walk(changed: ChangedAccount): Promise<void> {
    const { memory, budget } = this.#deps
    const newest = newestKnown(this.#facts, changed.account)
    const result = await memory.walkOf(changed.account).step(this.#sourceOf(changed), newest, budget)
    if (result === 'unfinished') this.unfinished = true
    if (result === 'explained') this.explained.push(changed)
  }

  #sourceOf(changed: ChangedAccount): WalkSource {
    const { account } = changed
    return {
      list: (range) => this.#chain.signatures(account, range),
      isCandidate: ({ signature, failed }) =>
        !failed && !this.#transfers.has(signature) && !this.#known.has(placeOf({ signature, account })),
      read: async (signature) => {
        const inbound = await this.#readOnce(signature)
        if (inbound === null) return 'unknown'
        return inbound.some((deposit) => deposit.account === account) ? 'deposit' : 'nothing'
      },
      isExplained: () => isAsBooked(this.#facts, this.observed, changed),
      now: () => this.#deps.clock.now().getTime(),
    }
  }

  /** Reads a transaction once, for every account that it names. */
  #readOnce(signature: Signature): Promise<readonly ObservedDeposit[] | null> {
    const read = this.#reads.get(signature) ?? this.#read(signature)
    this.#reads.set(signature, read)
    return read
  }

  /** Returns what a transaction brought to the intent; null when it is not known to be final. */
  async #read(signature: Signature): Promise<readonly ObservedDeposit[] | null> {
    try {
      const transaction = await this.#chain.transaction(signature)
      if (transaction === null) return null
      const inbound = inboundOf(transaction, this.#facts.intent)
      if (inbound.length > 0) this.transactions.push(transaction)
      this.observed.push(...inbound)
      return inbound
    } catch (error) {
      // A transaction that cannot be read keeps its own deposits waiting, and no others.
      this.failures.push(error)
      return null
    }
  }
}

const placeOf = ({ signature, account }: { signature: Signature; account: Address }): string =>
  `${signature} ${account}`

/** Returns the newest deposit to the account that is known: older signatures are listed only when newer ones explain nothing. */
function newestKnown({ deposits }: IntentFacts, account: Address): Signature | null {
  const own = deposits.filter((deposit) => deposit.account === account).sort(bySlot)
  return own.at(-1)?.signature ?? null
}
