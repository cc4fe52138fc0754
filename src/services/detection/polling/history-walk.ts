// Reads the history of one account, newest first, until the account's balance is explained. A walk advances in steps
// that a budget bounds, because anyone can write into the history of a public address. docs/how-it-works.md, "History
// walks".
import type { Signature } from '#core/chain/types.ts'
import { forEachParallel } from '#lib/parallel.ts'
import { msSince } from '#lib/time.ts'
import type { HistoryEntry, HistoryPage } from '#ports/chain.ts'

// The signatures that a history walk has read, so that each is read once.

/** Signatures that one walk remembers. The oldest are forgotten first, and cost one more read in a later pass. */
const MAX_EXAMINED = 10_000
/** A listed transaction that the provider does not know is read again in this many steps, and then in a later pass. */
const MAX_TRIES = 5
const MAX_MISSED = 100

/** `deposit`: it brought something into this account. `unknown`: the provider does not know the transaction yet. */
export type Examination = 'nothing' | 'deposit' | 'unknown'

class ExaminedSignatures {
  /** The signature that was read last is at the end. */
  readonly #examined = new Set<Signature>()
  readonly #missed = new Map<Signature, { readonly entry: HistoryEntry; readonly tries: number }>()

  /** Returns whether an entry needs no further read. */
  has({ signature }: HistoryEntry): boolean {
    return this.#examined.has(signature)
  }

  /** Records what one read found. */
  record(entry: HistoryEntry, found: Examination): void {
    if (found === 'nothing') this.#remember(entry)
    const tries = (this.#missed.get(entry.signature)?.tries ?? 0) + 1
    this.#missed.delete(entry.signature)
    if (found !== 'unknown' || tries >= MAX_TRIES || this.#missed.size >= MAX_MISSED) return
    this.#missed.set(entry.signature, { entry, tries })
  }

  /** Returns entries that the provider listed and did not know. */
  missed(): readonly HistoryEntry[] {
    return [...this.#missed.values()].map(({ entry }) => entry)
  }

  /** Signatures that are remembered. */
  get size(): number {
    return this.#examined.size + this.#missed.size
  }

  #remember({ signature }: HistoryEntry): void {
    this.#examined.delete(signature)
    this.#examined.add(signature)
    for (const oldest of this.#examined) {
      if (this.#examined.size <= MAX_EXAMINED) return
      this.#examined.delete(oldest)
    }
  }
}

const SECOND = 1_000
/** After each pass over the whole history the pause doubles, up to this much for each page that the pass listed. */
const MAX_REST_PER_PAGE_MS = 60 * SECOND

/** `exhausted`: everything that the provider lists was read. `unfinished`: the budget ended first. */
type StepResult = 'explained' | 'exhausted' | 'unfinished'

/** One way down the history, from the signature that was the newest when the pass began. */
type Pass = {
  readonly until: Signature | null
  readonly top: Signature | null
  /** The provider whose view of the history is followed. Another one may not know `until` or `top`. */
  readonly firstProvider: number
  /** Whether `until` is where an earlier pass of several pages began, so that older signatures were read before. */
  readonly continues: boolean
  pending: readonly HistoryEntry[]
  next: Signature | null
  pages: number
  /** Whether signatures came after `top`. Their first page is read at once, the other pages by the next pass. */
  hasNewer: boolean
}

const isLong = ({ continues, pages }: Pass): boolean => continues || pages > 1

export class HistoryWalk {
  readonly #examined = new ExaminedSignatures()
  #pass: Pass | null = null
  /** Where the last pass of several pages began. Valid for the `known` of that pass. */
  #floor: { readonly top: Signature | null; readonly known: Signature | null; readonly firstProvider: number } | null =
    null
  /** The passes over the whole history. */
  #whole = { passes: 0, endedAt: 0, restMs: 0 }
  /** Each pass over the whole history asks another provider, because one may lack a part of it. */
  #firstProvider = 0

  /**
   * Reads on until the balance is explained, the history is exhausted or the budget is spent. `known` is the newest
   * deposit that is known: older signatures are listed only when the newer ones explain nothing.
   */
  async step(source: WalkSource, known: Signature | null, budget: StepBudget): Promise<StepResult> {
    const step = new WalkStep(source, this.#examined, budget)
    for (let pass = this.#pass === null ? await this.#start(step, known) : await readNewest(step, this.#pass); ; ) {
      const unread = await step.examine(pass.pending, step.transactions)
      if (unread.length < pass.pending.length) step.advance()
      pass.pending = unread
      if (source.isExplained()) return 'explained'
      if (unread.length > 0) return 'unfinished'
      const isAtBottom = pass.next === null
      if (isAtBottom && !pass.hasNewer) {
        this.#endPass(pass, known, source.now())
        if (pass.until === null || !this.#isWholeDue(source.now())) return 'exhausted'
      }
      if (step.pages === 0 || !step.hasTime) return 'unfinished'
      step.advance()
      if (!isAtBottom) await goDown(step, pass)
      else if (pass.hasNewer) pass = await this.#followNewer(step, pass, known, source.now())
      else pass = await this.#begin(step, null, false, this.#firstProvider)
    }
  }

  /** Starts again at the newest signature with the next step. Signatures that were read are not read again. */
  restart(): void {
    this.#pass = null
    this.#floor = null
  }

  /** Signatures that are remembered. */
  get size(): number {
    return this.#examined.size
  }

  /** Starts a pass that ends at `known`, or where an earlier long pass began. */
  async #start(step: WalkStep, known: Signature | null): Promise<Pass> {
    const read = this.#floor?.known === known ? this.#floor : null
    if (read === null || read.top === null)
      return await this.#begin(step, known, false, known === null ? this.#firstProvider : 0)
    const begun = await this.#begin(step, read.top, true, read.firstProvider)
    await step.retryMissed()
    return begun
  }

  async #begin(step: WalkStep, until: Signature | null, continues: boolean, firstProvider: number): Promise<Pass> {
    const { entries, next } = await step.list(null, until, firstProvider)
    const top = entries[0]?.signature ?? until
    const begun: Pass = { until, top, firstProvider, continues, pending: entries, next, pages: 1, hasNewer: false }
    this.#pass = begun
    return begun
  }

  /** Starts a pass over the signatures that came after the last pass began. */
  async #followNewer(step: WalkStep, ended: Pass, known: Signature | null, now: number): Promise<Pass> {
    if (ended.until === null) this.#endWhole(ended, known, now)
    return await this.#begin(step, ended.top, true, ended.firstProvider)
  }

  #endPass(ended: Pass, known: Signature | null, now: number): void {
    if (ended.until === null) this.#endWhole(ended, known, now)
    this.#floor = isLong(ended) ? { top: ended.top, known, firstProvider: ended.firstProvider } : null
    this.#pass = null
  }

  #endWhole(ended: Pass, known: Signature | null, now: number): void {
    this.#firstProvider += 1
    // A short history without a known deposit is listed again with every step in any case.
    if (known === null && !isLong(ended)) return
    const passes = this.#whole.passes + 1
    const restMs = Math.min(SECOND * 2 ** (passes - 1), MAX_REST_PER_PAGE_MS * ended.pages)
    this.#whole = { passes, endedAt: now, restMs }
  }

  #isWholeDue(now: number): boolean {
    return msSince(this.#whole.endedAt, now) >= this.#whole.restMs
  }
}

/** Reads the newest signatures since the pass began, with half of the budget: payments are new. */
async function readNewest(step: WalkStep, pass: Pass): Promise<Pass> {
  const newest = await step.list(null, pass.top, pass.firstProvider)
  pass.hasNewer ||= newest.entries.length > 0
  await step.examine(newest.entries, Math.floor(step.transactions / 2))
  await step.retryMissed()
  return pass
}

/** Lists the next older page of the pass. */
async function goDown(step: WalkStep, pass: Pass): Promise<void> {
  const { entries, next } = await step.list(pass.next, pass.until, pass.firstProvider)
  pass.pending = entries
  pass.next = next
  pass.pages += 1
}

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

class WalkStep {
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
