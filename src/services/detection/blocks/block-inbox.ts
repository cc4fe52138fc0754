// Transactions of final blocks that are not in the database yet: kept until they are, or until their payment is set
// aside and read by its address.
import type { Network, ObservedTransaction, Signature } from '#core/chain/types.ts'
import { forEachParallel } from '#lib/parallel.ts'
import type { BlockNotice } from '#ports/blocks.ts'
import type { HistoryReader } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { DepositSourceStore } from '#ports/deposit-sources.ts'
import { SET_ASIDE_AFTER_MS, type SetAsidePayments } from '#services/detection/set-aside-payments.ts'
import type { TakeFinal } from '#services/detection/take-final.ts'

const INTENTS_AT_ONCE = 8
/** Transactions of one payment that one round takes in. Other payments wait no longer than that takes. */
const MAX_PER_PAYMENT = 1_000
/** A payment whose transactions take longer than this to take in is set aside, even while it makes progress. */
const MAX_INTAKE_MS = 5 * 60_000

export type BlockInboxDeps = {
  readonly network: Network
  readonly chain: Pick<HistoryReader, 'transaction'>
  readonly store: Pick<DepositSourceStore, 'intentsAt'>
  readonly take: TakeFinal
  readonly setAside: Pick<SetAsidePayments, 'put' | 'ids'>
  /** Real time. */
  readonly wallClock: Clock
  readonly onError: (error: unknown, context: Readonly<Record<string, string>>) => void
}

export type BlockInbox = {
  add(notices: readonly BlockNotice[]): void
  /**
   * Takes in the transactions that are left, a bounded number for each payment. Throws when the intents cannot be read.
   * A payment that fails stays, and is set aside when it has failed for `SET_ASIDE_AFTER_MS`.
   */
  takeIn(): Promise<void>
  /** Intents with transactions that are not taken in yet. */
  readonly unfinished: readonly string[]
}

export const createBlockInbox = (deps: BlockInboxDeps): BlockInbox => new BlockInboxState(deps)

/** The transactions of one intent that are not taken in yet, with real times in milliseconds. */
type Pending = {
  readonly notices: Map<Signature, BlockNotice>
  readonly since: number
  /** When a transaction of the intent was last taken in. */
  progressAt: number
}

const TOO_MANY = 'It has more deposits than could be taken in meanwhile.'

const describeFailure = (error: unknown): string => `Its deposits cannot be taken in: ${error}`.slice(0, 300)

class BlockInboxState implements BlockInbox {
  readonly #deps: BlockInboxDeps
  /** Notices whose intents are not known yet. */
  #unsorted: readonly BlockNotice[] = []
  readonly #byIntent = new Map<string, Pending>()

  constructor(deps: BlockInboxDeps) {
    this.#deps = deps
  }

  add(notices: readonly BlockNotice[]): void {
    this.#unsorted = [...this.#unsorted, ...notices]
  }

  async takeIn(): Promise<void> {
    await this.#sort()
    await forEachParallel([...this.#byIntent], INTENTS_AT_ONCE, async ([intent, pending]) => {
      try {
        await this.#takeInIntent(intent, pending)
      } catch (error) {
        this.#deps.onError(error, { intent })
      }
    })
  }

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
    const now = this.#now()
    const pending = this.#byIntent.get(intent) ?? { notices: new Map(), since: now, progressAt: now }
    pending.notices.set(notice.signature, notice)
    this.#byIntent.set(intent, pending)
  }

  async #takeInIntent(intent: string, pending: Pending): Promise<void> {
    const { setAside, onError } = this.#deps
    const failure = await this.#takeSome(intent, pending).then(
      () => null,
      (error: unknown) => ({ error }),
    )
    if (failure === null) pending.progressAt = this.#now()
    else onError(failure.error, { intent })
    if (pending.notices.size === 0) this.#byIntent.delete(intent)
    else if (setAside.ids.has(intent) || this.#isOverdue(pending)) {
      // Stored before it is dropped here: from then on the cursor passes its blocks.
      await setAside.put([intent], failure === null ? TOO_MANY : describeFailure(failure.error))
      this.#byIntent.delete(intent)
    }
  }

  async #takeSome(intent: string, { notices }: Pending): Promise<void> {
    const some = [...notices.values()].slice(0, MAX_PER_PAYMENT)
    await this.#deps.take(intent, await readTransactions(this.#deps.chain, some))
    for (const { signature } of some) notices.delete(signature)
  }

  #isOverdue({ since, progressAt }: Pending): boolean {
    const now = this.#now()
    return now - progressAt >= SET_ASIDE_AFTER_MS || now - since >= MAX_INTAKE_MS
  }
}

/**
 * Returns the transactions of notices. Reads a transaction by its signature when its block does not contain it exactly.
 */
async function readTransactions(
  chain: Pick<HistoryReader, 'transaction'>,
  notices: readonly BlockNotice[],
): Promise<readonly ObservedTransaction[]> {
  const transactions: ObservedTransaction[] = []
  for (const { signature, transaction } of notices) {
    const exact = transaction ?? (await chain.transaction(signature, 'finalized'))
    if (exact === null) throw new Error(`transaction ${signature} is in a final block, but not known by itself yet`)
    transactions.push(exact)
  }
  return transactions
}
