// Reads the history of one account, newest first, until the account's balance is explained. A walk advances in steps that
// a budget bounds, because anybody can write into the history of a public address. See docs/how-it-works.md.
import type { Signature } from '#core/chain/types.ts'
import { forEachParallel } from '#lib/parallel.ts'
import type { HistoryEntry, HistoryPage } from '#ports/chain.ts'

/**
 * What one step may cost. The time is checked before each call. However slow the provider is, every step reads or lists
 * something, so that a walk always comes to its end.
 */
export type StepBudget = { readonly pages: number; readonly transactions: number; readonly ms: number }

/** Transactions that are read at the same time. */
const CONCURRENT = 8
/** Signatures that one walk remembers. The oldest are forgotten first, and cost one more read in a later pass. */
const MOST_EXAMINED = 10_000
/** A listed transaction that the provider does not know yet is read again in so many steps, and then in a later pass. */
const MOST_TRIES = 5
const MOST_MISSED = 100
const SECOND = 1_000
/** A pass over the whole history rests twice as long each time, up to this much for each page that it listed. */
const MOST_REST_A_PAGE_MS = 60 * SECOND

/** `deposit`: it brought something into this account. `unknown`: the provider does not know the transaction yet. */
export type Examination = 'nothing' | 'deposit' | 'unknown'

/** What a walk needs for one step. */
export type WalkSource = {
  /** Lists signatures older than `before`, newest first, down to but without `until`. */
  list(range: { before: Signature | null; until: Signature | null }): Promise<HistoryPage>
  /** Whether a listed transaction may have brought something that is not known. */
  isCandidate(touch: HistoryEntry): boolean
  read(signature: Signature): Promise<Examination>
  /** Whether what is known and what was read accounts for the balance to the unit. */
  isExplained(): boolean
  now(): number
}

/** `exhausted`: everything that the provider lists was read. `unfinished`: the budget ended first. */
export type StepResult = 'explained' | 'exhausted' | 'unfinished'

export type HistoryWalk = {
  /**
   * Reads on until the balance is explained, the history is exhausted or the budget is spent. `known` is the newest
   * deposit that is known permanently: older signatures are listed only when the newer ones explain nothing.
   */
  step(source: WalkSource, known: Signature | null, budget: StepBudget): Promise<StepResult>
  /** Starts again at the newest signature with the next step. What was examined stays examined. */
  restart(): void
  /** Signatures that are remembered. */
  readonly size: number
}

/** One way down the history, from the signature that was the newest when it began. */
type Pass = {
  readonly until: Signature | null
  readonly top: Signature | null
  /** Whether it began at `until` because older signatures were read before, in a pass of several pages. */
  readonly continues: boolean
  pending: readonly HistoryEntry[]
  next: Signature | null
  pages: number
  /** Whether signatures came after `top`. The first page of them is read at once; a later pass reads the others. */
  hasNews: boolean
}

export function createHistoryWalk(): HistoryWalk {
  const examined = new Map<Signature, { readonly slot: bigint; readonly final: boolean }>()
  const missed = new Map<Signature, { readonly touch: HistoryEntry; readonly tries: number }>()
  let pass: Pass | null = null
  /** Where the last pass of several pages began. Valid for the `known` of that pass. */
  let floor: { readonly top: Signature | null; readonly known: Signature | null } | null = null
  let whole = { passes: 0, endedAt: 0, restMs: 0 }

  /** A transaction that was examined before it was final is read once more: a fork may have changed it. */
  const isExamined = ({ signature, slot, final }: HistoryEntry): boolean => {
    const before = examined.get(signature)
    return before !== undefined && before.slot === slot && (before.final || !final)
  }

  const remember = ({ signature, slot, final }: HistoryEntry): void => {
    examined.delete(signature)
    examined.set(signature, { slot, final })
    for (const oldest of examined.keys()) {
      if (examined.size <= MOST_EXAMINED) return
      examined.delete(oldest)
    }
  }

  const examineOne = async (source: WalkSource, touch: HistoryEntry): Promise<void> => {
    const found = await source.read(touch.signature)
    if (found === 'nothing') remember(touch)
    const tries = (missed.get(touch.signature)?.tries ?? 0) + 1
    missed.delete(touch.signature)
    if (found !== 'unknown' || tries >= MOST_TRIES || missed.size >= MOST_MISSED) return
    missed.set(touch.signature, { touch, tries })
  }

  const isWholeDue = (now: number): boolean => {
    const rested = now - whole.endedAt
    // A clock that was put back must not stop it.
    return rested < 0 || rested >= whole.restMs
  }

  const isLong = ({ continues, pages }: Pass): boolean => continues || pages > 1

  const endWhole = (ended: Pass, known: Signature | null, now: number): void => {
    // A short history without a known deposit is listed anew with every step anyway.
    if (known === null && !isLong(ended)) return
    const passes = whole.passes + 1
    const restMs = Math.min(SECOND * 2 ** (passes - 1), MOST_REST_A_PAGE_MS * ended.pages)
    whole = { passes, endedAt: now, restMs }
  }

  const endPass = (ended: Pass, known: Signature | null, now: number): void => {
    if (ended.until === null) endWhole(ended, known, now)
    floor = isLong(ended) ? { top: ended.top, known } : null
    pass = null
  }

  return {
    async step(source, known, budget) {
      const startedAt = source.now()
      let { pages, transactions } = budget
      const hasTime = (): boolean => {
        const elapsed = source.now() - startedAt
        return elapsed >= 0 && elapsed < budget.ms
      }
      /** Whether this step has brought the pass further. */
      let moved = false
      const mayGoOn = (): boolean => !moved || hasTime()

      const list = async (before: Signature | null, until: Signature | null): Promise<HistoryPage> => {
        pages -= 1
        return await source.list({ before, until })
      }

      const begin = async (until: Signature | null, continues: boolean): Promise<Pass> => {
        const { touches, next } = await list(null, until)
        const top = touches[0]?.signature ?? until
        pass = { until, top, continues, pending: touches, next, pages: 1, hasNews: false }
        return pass
      }

      const goDown = async (current: Pass): Promise<void> => {
        const { touches, next } = await list(current.next, current.until)
        current.pending = touches
        current.next = next
        current.pages += 1
      }

      /** Reads transactions, newest first, `most` of them; returns those that are left to read. */
      const examine = async (touches: readonly HistoryEntry[], most: number): Promise<readonly HistoryEntry[]> => {
        const unread = touches.filter((touch) => source.isCandidate(touch) && !isExamined(touch))
        let done = 0
        while (done < unread.length && done < most && !source.isExplained() && mayGoOn()) {
          const wave = unread.slice(done, Math.min(done + CONCURRENT, most))
          await forEachParallel(wave, CONCURRENT, (touch) => examineOne(source, touch))
          done += wave.length
        }
        transactions -= done
        return unread.slice(done)
      }

      const retryMissed = async (): Promise<void> => {
        await examine(
          [...missed.values()].map(({ touch }) => touch),
          Math.floor(transactions / 4),
        )
      }

      /** Reads the newest of what came since the pass began, with half of the budget: payments are new. */
      const readNews = async (current: Pass): Promise<Pass> => {
        const news = await list(null, current.top)
        current.hasNews ||= news.touches.length > 0
        await examine(news.touches, Math.floor(transactions / 2))
        await retryMissed()
        return current
      }

      const followChangeNotices = async (ended: Pass): Promise<Pass> => {
        if (ended.until === null) endWhole(ended, known, source.now())
        return await begin(ended.top, true)
      }

      /** Where a pass begins: older signatures were read in a long pass before, or are known. */
      const start = async (): Promise<Pass> => {
        const read = floor?.known === known ? floor.top : null
        const begun = await begin(read ?? known, read !== null)
        if (read !== null) await retryMissed()
        return begun
      }

      for (let current = pass === null ? await start() : await readNews(pass); ; ) {
        const unread = await examine(current.pending, transactions)
        moved ||= unread.length < current.pending.length
        current.pending = unread
        if (source.isExplained()) return 'explained'
        if (unread.length > 0) return 'unfinished'
        const isAtBottom = current.next === null
        if (isAtBottom && !current.hasNews) {
          endPass(current, known, source.now())
          if (current.until === null || !isWholeDue(source.now())) return 'exhausted'
        }
        if (pages === 0 || !mayGoOn()) return 'unfinished'
        moved = true
        if (!isAtBottom) await goDown(current)
        else if (current.hasNews) current = await followChangeNotices(current)
        else current = await begin(null, false)
      }
    },
    restart() {
      pass = null
      floor = null
    },
    get size() {
      return examined.size + missed.size
    },
  }
}
