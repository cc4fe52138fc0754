// One step of a history walk: lists and reads within a budget.
import type { Signature } from '#core/chain/types.ts'
import { forEachParallel } from '#lib/parallel.ts'
import { msSince } from '#lib/time.ts'
import type { HistoryEntry, HistoryPage } from '#ports/chain.ts'
import type { Examination, ExaminedSignatures } from './examined-signatures.ts'

/** Transactions that are read at the same time. */
const CONCURRENT = 8

/**
 * The most that one step may cost. The time is checked before each call. However slow the provider is, every step reads
 * or lists something, so that every walk finishes.
 */
export type StepBudget = { readonly pages: number; readonly transactions: number; readonly ms: number }

/** The chain and the known deposits, as one step of a walk uses them. */
export type WalkSource = {
  /** Lists signatures older than `before`, newest first, down to but without `until`. `firstProvider`: as in `HistoryReader`. */
  list(range: { before: Signature | null; until: Signature | null; firstProvider: number }): Promise<HistoryPage>
  /** Returns whether a listed transaction may contain a deposit that is not known. */
  isCandidate(entry: HistoryEntry): boolean
  read(signature: Signature): Promise<Examination>
  /** Returns whether the known deposits and the deposits just read account for the balance to the unit. */
  isExplained(): boolean
  now(): number
}

export class WalkStep {
  readonly #source: WalkSource
  readonly #examined: ExaminedSignatures
  readonly #budgetMs: number
  readonly #startedAt: number
  #pages: number
  #transactions: number
  #hasAdvanced = false

  constructor(source: WalkSource, examined: ExaminedSignatures, budget: StepBudget) {
    this.#source = source
    this.#examined = examined
    this.#budgetMs = budget.ms
    this.#startedAt = source.now()
    this.#pages = budget.pages
    this.#transactions = budget.transactions
  }

  /** Transactions that the step may still read. */
  get transactions(): number {
    return this.#transactions
  }

  /** Pages that the step may still list. */
  get pages(): number {
    return this.#pages
  }

  /** Whether the time allows another call. A step that has not advanced the walk yet always has time for one. */
  get hasTime(): boolean {
    return !this.#hasAdvanced || msSince(this.#startedAt, this.#source.now()) < this.#budgetMs
  }

  /** Records that the step has advanced the walk. */
  advance(): void {
    this.#hasAdvanced = true
  }

  async list(before: Signature | null, until: Signature | null, firstProvider: number): Promise<HistoryPage> {
    this.#pages -= 1
    return await this.#source.list({ before, until, firstProvider })
  }

  /** Reads at most `most` of the entries, in their order. Returns the entries that are left to read. */
  async examine(entries: readonly HistoryEntry[], most: number): Promise<readonly HistoryEntry[]> {
    const unread = entries.filter((entry) => this.#source.isCandidate(entry) && !this.#examined.has(entry))
    let done = 0
    while (done < unread.length && done < most && !this.#source.isExplained() && this.hasTime) {
      const batch = unread.slice(done, Math.min(done + CONCURRENT, most))
      await forEachParallel(batch, CONCURRENT, async (entry) => {
        this.#examined.record(entry, await this.#source.read(entry.signature))
      })
      done += batch.length
    }
    this.#transactions -= done
    return unread.slice(done)
  }

  /** Reads again what the provider listed and did not know, with a quarter of the budget. */
  async retryMissed(): Promise<void> {
    await this.examine(this.#examined.missed(), Math.floor(this.#transactions / 4))
  }
}
