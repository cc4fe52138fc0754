// Transactions of final blocks that are not in the database yet: kept until they are, or until their payment is set
// aside and read by its address. A flooded payment is taken in by another job, so that the other payments do not wait.
import type { Network, ObservedTransaction, Signature } from '#core/chain/types.ts'
import { createLru } from '#lib/lru.ts'
import { forEachParallel } from '#lib/parallel.ts'
import { msSince, startTimeLimit } from '#lib/time.ts'
import type { BlockNotice } from '#ports/blocks.ts'
import type { FinalityJudge, HistoryReader } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { DepositSourceStore } from '#ports/deposit-sources.ts'
import { SET_ASIDE_AFTER_MS, type SetAsidePayments } from '#services/detection/set-aside-payments.ts'
import type { TakeIn } from '#services/detection/take-in.ts'

const INTENTS_AT_ONCE = 8
/** Transactions of one payment that are read by their signatures at the same time. */
const READS_AT_ONCE = 8
/** A payment with more transactions than this is flooded. */
const QUICK_TRANSACTIONS = 64
/** A quick round starts no further read after this time. The payments that are left count as flooded. */
const QUICK_MS = 2_000
/** Flooded payments in one round, the transactions of each, and the time after which the round starts no further read. */
const FLOODED_AT_ONCE = 2
const FLOODED_TRANSACTIONS = 1_000
const FLOODED_MS = 5_000
/** The time of an intake grows with the deposits that the payment already has. One that takes this long is slow. */
const SLOW_MS = 500
const MAX_SLOW = 10_000
/** A payment whose transactions take longer than this to take in is set aside, even while it makes progress. */
const MAX_INTAKE_MS = 5 * 60_000

export type BlockInboxDeps = {
  readonly network: Network
  readonly chain: Pick<HistoryReader, 'transaction'> & Pick<FinalityJudge, 'finalDoubts'>
  readonly store: Pick<DepositSourceStore, 'intentsAt'>
  readonly takeIn: TakeIn
  readonly setAside: Pick<SetAsidePayments, 'put' | 'ids'>
  /** Real time. */
  readonly wallClock: Clock
  readonly onError: (error: unknown, context: Readonly<Record<string, string>>) => void
}

/** The transactions of one intent that are not taken in yet, with real times in milliseconds. */
type Pending = {
  readonly notices: Map<Signature, BlockNotice>
  readonly since: number
  /** Since when every attempt has failed; null when the last one did not fail. */
  failingSince: number | null
}

/** The most that one attempt takes in, and whether it has time for another read. */
type Limits = { readonly transactions: number; readonly hasTime: () => boolean }
/** By signature, why a transaction of a final block does not count as final yet. */
type Doubts = ReadonlyMap<Signature, string | null>

/** A second provider has not reported the transaction as final. The service can only ask again. */
class NotAgreed extends Error {
  override readonly name = 'NotAgreed'
}

const TOO_MANY = 'It has more deposits than could be taken in meanwhile.'

const describeFailure = (error: unknown): string => `Its deposits cannot be taken in: ${error}`.slice(0, 300)

export class BlockInbox {
  readonly #deps: BlockInboxDeps
  /** Notices whose intents are not known yet. */
  #unsorted: readonly BlockNotice[] = []
  readonly #byIntent = new Map<string, Pending>()
  /** In the order in which the intents are taken in. An intent stays until all of its transactions are taken in. */
  readonly #flooded = new Set<string>()
  /** Whether the last intake of an intent was slow. */
  readonly #slow = createLru<string, boolean>(MAX_SLOW)

  constructor(deps: BlockInboxDeps) {
    this.#deps = deps
  }

  add(notices: readonly BlockNotice[]): void {
    this.#unsorted = [...this.#unsorted, ...notices]
  }

  /**
   * Takes in the transactions of payments that are not flooded. Throws when the intents cannot be read. A payment that
   * fails stays, and is set aside when it has failed for `SET_ASIDE_AFTER_MS`.
   */
  async takeIn(): Promise<void> {
    const hasTime = startTimeLimit(this.#deps.wallClock, QUICK_MS)
    await this.#sort()
    for (const [intent, pending] of this.#byIntent) if (this.#isFlood(intent, pending)) this.#flooded.add(intent)
    const quick = [...this.#byIntent.keys()].filter((intent) => !this.#flooded.has(intent))
    // Payments that need no call come first.
    quick.sort((one, other) => this.#rank(one) - this.#rank(other))
    const limits = { transactions: QUICK_TRANSACTIONS, hasTime }
    const doubts = await this.#judge(quick, limits)
    await this.#forEach(quick, INTENTS_AT_ONCE, (intent) => this.#takeInIntent(intent, limits, doubts))
    // The time ended before their transactions were read.
    for (const intent of quick) if (this.#byIntent.get(intent)?.failingSince === null) this.#flooded.add(intent)
  }

  /** Takes in a bounded number of transactions of the first flooded payments. Can run at the same time as `takeIn`. */
  async takeInFlooded(): Promise<void> {
    const hasTime = startTimeLimit(this.#deps.wallClock, FLOODED_MS)
    const flooded = [...this.#flooded]
    const first = flooded.slice(0, FLOODED_AT_ONCE)
    const limits = { transactions: FLOODED_TRANSACTIONS, hasTime }
    const doubts = await this.#judge(first, limits)
    await this.#forEach(first, FLOODED_AT_ONCE, (intent) => this.#takeInIntent(intent, limits, doubts))
    for (const intent of first) if (this.#flooded.delete(intent)) this.#flooded.add(intent)
    await this.#forEach(flooded.slice(FLOODED_AT_ONCE), 1, (intent) => this.#setAsideIfDue(intent, null))
  }

  /** Intents with transactions that are not taken in yet. */
  get unfinished(): readonly string[] {
    return [...this.#byIntent.keys()]
  }

  #now(): number {
    return this.#deps.wallClock.now().getTime()
  }

  /** Files the notices by intent. An account without an intent is not one of our addresses (fingerprint collision). */
  async #sort(): Promise<void> {
    if (this.#unsorted.length === 0) return
    const owners = [...new Set(this.#unsorted.flatMap((notice) => notice.owners))]
    const intents = await this.#deps.store.intentsAt(this.#deps.network, owners)
    for (const notice of this.#unsorted) for (const owner of notice.owners) this.#file(notice, intents.get(owner))
    this.#unsorted = []
  }

  #file(notice: BlockNotice, intent: string | undefined): void {
    if (intent === undefined) return
    const pending = this.#byIntent.get(intent) ?? { notices: new Map(), since: this.#now(), failingSince: null }
    pending.notices.set(notice.signature, notice)
    this.#byIntent.set(intent, pending)
  }

  /** Whether the intake of a payment would delay others. A payment that is set aside is tried at most once. */
  #isFlood(intent: string, { notices }: Pending): boolean {
    if (this.#deps.setAside.ids.has(intent)) return false
    return notices.size > QUICK_TRANSACTIONS || this.#slow.get(intent) === true
  }

  #rank(intent: string): number {
    const pending = this.#byIntent.get(intent)
    if (this.#deps.setAside.ids.has(intent)) return 2
    return pending?.notices.values().some(({ transaction }) => transaction === null) === true ? 1 : 0
  }

  /** Asks once for all intents. A transaction without an exact content is judged when it is read by its signature. */
  #judge(intents: readonly string[], { transactions }: Limits): Promise<Doubts> {
    const notices = intents.flatMap((intent) =>
      [...(this.#byIntent.get(intent)?.notices.values() ?? [])].slice(0, transactions),
    )
    const reported = notices.flatMap(({ transaction }) => {
      if (transaction === null) return []
      const { signature, slot, error } = transaction
      return [{ signature, slot, error, provider: null }]
    })
    return this.#deps.chain.finalDoubts(reported)
  }

  async #forEach(intents: readonly string[], atOnce: number, work: (intent: string) => Promise<void>): Promise<void> {
    await forEachParallel(intents, atOnce, async (intent) => {
      try {
        await work(intent)
      } catch (error) {
        this.#deps.onError(error, { intent })
      }
    })
  }

  async #takeInIntent(intent: string, limits: Limits, doubts: Doubts): Promise<void> {
    const pending = this.#byIntent.get(intent)
    if (pending === undefined) return
    const failure = await this.#takeSome(intent, pending, limits, doubts).then(
      () => null,
      (error: unknown) => ({ error }),
    )
    if (failure === null) pending.failingSince = null
    else {
      pending.failingSince ??= this.#now()
      if (!(failure.error instanceof NotAgreed)) this.#deps.onError(failure.error, { intent })
    }
    if (pending.notices.size > 0) await this.#setAsideIfDue(intent, failure)
    else {
      this.#byIntent.delete(intent)
      this.#flooded.delete(intent)
    }
  }

  async #takeSome(
    intent: string,
    { notices }: Pending,
    { transactions, hasTime }: Limits,
    doubts: Doubts,
  ): Promise<void> {
    const isSetAside = this.#deps.setAside.ids.has(intent)
    if (isSetAside && (this.#slow.get(intent) === true || !hasTime())) return
    const all = [...notices.values()].slice(0, transactions)
    const some = all.filter(({ signature }) => !doubts.has(signature))
    const { found, failures } = await readTransactions(this.#deps.chain, some, hasTime)
    if (found.length > 0) await this.#take(intent, found)
    for (const { signature } of found) notices.delete(signature)
    if (failures.length > 0) throw failures[0]
    const doubtful = all.find(({ signature }) => doubts.has(signature))
    if (doubtful !== undefined)
      throw new NotAgreed(`two providers have to agree (${doubts.get(doubtful.signature) ?? 'another one is behind'})`)
  }

  async #take(intent: string, transactions: readonly ObservedTransaction[]): Promise<void> {
    const startedAt = this.#now()
    try {
      await this.#deps.takeIn(intent, transactions)
    } finally {
      const isSlow = this.#now() - startedAt >= SLOW_MS
      if (isSlow || this.#slow.get(intent) === true) this.#slow.set(intent, isSlow)
    }
  }

  /** Sets a payment aside that has failed or received deposits for too long, or is set aside already. */
  async #setAsideIfDue(intent: string, failure: { readonly error: unknown } | null): Promise<void> {
    const { setAside } = this.#deps
    const pending = this.#byIntent.get(intent)
    if (pending === undefined || (!setAside.ids.has(intent) && !this.#isOverdue(pending, failure !== null))) return
    const { size } = pending.notices
    // Stored before it is dropped here: from then on the cursor passes its blocks.
    await setAside.put([intent], failure === null ? TOO_MANY : describeFailure(failure.error))
    this.#flooded.delete(intent)
    // Transactions that were filed meanwhile are tried in the next round.
    if (pending.notices.size === size) this.#byIntent.delete(intent)
  }

  #isOverdue({ since, failingSince }: Pending, fails: boolean): boolean {
    const now = this.#now()
    const hasFailedLong = fails && failingSince !== null && msSince(failingSince, now) >= SET_ASIDE_AFTER_MS
    return hasFailedLong || msSince(since, now) >= MAX_INTAKE_MS
  }
}

/**
 * Returns the transactions of notices, in their order. Reads a transaction by its signature when its block does not
 * contain it exactly, until one cannot be read or the time ends. The others are left out.
 */
async function readTransactions(
  chain: Pick<HistoryReader, 'transaction'>,
  notices: readonly BlockNotice[],
  hasTime: () => boolean,
): Promise<{ readonly found: readonly ObservedTransaction[]; readonly failures: readonly unknown[] }> {
  const read = new Map<Signature, ObservedTransaction>()
  const failures: unknown[] = []
  const unread = notices.filter(({ transaction }) => transaction === null)
  for (let at = 0; at < unread.length && failures.length === 0 && hasTime(); at += READS_AT_ONCE) {
    await forEachParallel(unread.slice(at, at + READS_AT_ONCE), READS_AT_ONCE, async ({ signature }) => {
      const exact = await chain.transaction(signature)
      if (exact === null) throw new Error(`transaction ${signature} is in a final block, but not known by itself yet`)
      read.set(signature, exact)
    }).catch((error: unknown) => failures.push(error))
  }
  const found = notices.flatMap(({ signature, transaction }) => transaction ?? read.get(signature) ?? [])
  return { found, failures }
}
