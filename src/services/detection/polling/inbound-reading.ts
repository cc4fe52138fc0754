// What arrived in the changed accounts of an intent: one step down the history of each account.
import type { Address, Asset, Network, Signature } from '#core/chain/types.ts'
import type { BaseUnits } from '#core/money/amounts.ts'
import { bySlot, inboundOf, isAsBooked } from '#core/payments/deposits/inbound.ts'
import type { IntentFacts } from '#core/payments/machine/change.ts'
import type { ObservedDeposit } from '#core/payments/machine/deposits.ts'
import { forEachParallel } from '#lib/parallel.ts'
import type { HistoryReader } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { HistoryMemory } from './history-memory.ts'
import type { StepBudget, WalkSource } from './history-walk.ts'

/** An account of an intent and the balance that was just read. */
export type ChangedAccount = {
  readonly account: Address
  readonly asset: Asset
  readonly balance: BaseUnits
  /** Set for another token account than the associated one: a deposit there counts for nothing, and is held. */
  readonly outOfReach?: true
}

export type ReadingDeps = {
  readonly chainOf: (network: Network) => HistoryReader
  readonly clock: Clock
  readonly memory: HistoryMemory
  readonly budget: StepBudget
}

export type Reading = {
  /** Deposits in the changed accounts, in the order of their slots. */
  readonly observed: readonly ObservedDeposit[]
  /** Deposits of the same transactions in other accounts of the address. */
  readonly others: readonly ObservedDeposit[]
  /** Whether the budget ended before a balance was explained. */
  readonly unfinished: boolean
}

/** Walks down the history of each changed account by one step, and returns the deposits that were found. */
export async function readInbound(
  deps: ReadingDeps,
  facts: IntentFacts,
  changed: readonly ChangedAccount[],
): Promise<Reading> {
  const unbooked = changed.filter((account) => !isAsBooked(facts, [], account))
  const reader = new InboundReader(deps, facts, unbooked)
  await forEachParallel(unbooked, unbooked.length, (account) => reader.walk(account))
  const asBooked = changed.filter((account) => !unbooked.includes(account))
  for (const { account } of [...asBooked, ...reader.explained]) deps.memory.forget(account)
  return reader.reading()
}

class InboundReader {
  readonly #deps: ReadingDeps
  readonly #facts: IntentFacts
  readonly #chain: HistoryReader
  readonly #changed: ReadonlySet<Address>
  /** Anyone can make another token account for the address: a deposit there would count as paid and could not be moved. */
  readonly #outOfReach: ReadonlySet<Address>
  readonly #transfers: ReadonlySet<Signature | null>
  readonly #known: ReadonlySet<string>
  readonly #observed = new Map<string, ObservedDeposit>()
  readonly #others: ObservedDeposit[] = []
  readonly #reads = new Map<Signature, Promise<readonly ObservedDeposit[] | null>>()
  #unfinished = false
  /** Accounts whose balance this reading explains. */
  readonly explained: ChangedAccount[] = []

  constructor(deps: ReadingDeps, facts: IntentFacts, unbooked: readonly ChangedAccount[]) {
    this.#deps = deps
    this.#facts = facts
    this.#chain = deps.chainOf(facts.intent.network)
    this.#changed = new Set(unbooked.map(({ account }) => account))
    this.#outOfReach = new Set(unbooked.flatMap(({ account, outOfReach }) => (outOfReach === true ? [account] : [])))
    this.#transfers = new Set(facts.transfers.map(({ signature }) => signature))
    this.#known = new Set(facts.deposits.filter(({ state }) => state !== 'dropped').map(placeOf))
  }

  async walk(changed: ChangedAccount): Promise<void> {
    const { memory, budget } = this.#deps
    const newest = newestPermanent(this.#facts, changed.account)
    const result = await memory.walkOf(changed.account).step(this.#sourceOf(changed), newest, budget)
    if (result === 'unfinished') this.#unfinished = true
    if (result === 'explained') this.explained.push(changed)
  }

  reading(): Reading {
    const observed = [...this.#observed.values()].sort(bySlot)
    return { observed, others: this.#others, unfinished: this.#unfinished }
  }

  #sourceOf(changed: ChangedAccount): WalkSource {
    const { account } = changed
    return {
      list: (range) => this.#chain.signatures(account, { commitment: 'confirmed', ...range }),
      isCandidate: ({ signature, failed }) =>
        !failed && !this.#transfers.has(signature) && !this.#known.has(placeOf({ signature, account })),
      read: async (signature) => {
        const inbound = await this.#readOnce(signature)
        if (inbound === null) return 'unknown'
        return inbound.some((deposit) => deposit.account === account) ? 'deposit' : 'nothing'
      },
      isExplained: () => isAsBooked(this.#facts, [...this.#observed.values()], changed),
      now: () => this.#deps.clock.now().getTime(),
    }
  }

  /** Reads a transaction once, for every account that it names. */
  #readOnce(signature: Signature): Promise<readonly ObservedDeposit[] | null> {
    const read = this.#reads.get(signature) ?? this.#read(signature)
    this.#reads.set(signature, read)
    return read
  }

  /** Returns the deposits of a transaction in the changed accounts; null when the provider does not know it. */
  async #read(signature: Signature): Promise<readonly ObservedDeposit[] | null> {
    const transaction = await this.#chain.transaction(signature, 'confirmed')
    if (transaction === null) return null
    const all = inboundOf(transaction, this.#facts.intent)
    const inbound = all
      .filter(({ account }) => this.#changed.has(account))
      .map((deposit) => (this.#outOfReach.has(deposit.account) ? { ...deposit, outOfReach: true } : deposit))
    for (const deposit of inbound) if (!this.#known.has(placeOf(deposit))) this.#observed.set(placeOf(deposit), deposit)
    this.#others.push(...all.filter(({ account }) => !this.#changed.has(account)))
    return inbound
  }
}

const placeOf = ({ signature, account }: { signature: Signature; account: Address }): string =>
  `${signature} ${account}`

/**
 * Returns the newest deposit to the account that is known permanently: older signatures need not be listed again. A
 * deposit that was taken for dropped may only be forgotten by the providers that were asked, so only final deposits
 * older than it count.
 */
function newestPermanent({ deposits }: IntentFacts, account: Address): Signature | null {
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
