// Pages of a history, as a provider returns them. The test keeps the whole history.
import type { Signature } from '#core/chain/types.ts'
import type { HistoryEntry, HistoryPage } from '#ports/chain.ts'

/**
 * Returns one page of `all`, newest first. A provider that does not know `until` lists everything, and nothing after an
 * unknown `before`.
 */
export function pageOf(
  all: readonly HistoryEntry[],
  range: { readonly before?: Signature | null; readonly until?: Signature | null },
  limit = 100,
): HistoryPage {
  const positionOf = (wanted: Signature) => all.findIndex(({ signature }) => signature === wanted)
  const start = range.before == null ? 0 : positionOf(range.before) + 1
  const end = range.until == null ? -1 : positionOf(range.until)
  if (range.before != null && start === 0) return { entries: [], next: null }
  const listed = all.slice(start, end === -1 ? all.length : end)
  const entries = listed.slice(0, limit)
  return { entries, next: entries.length < limit ? null : (entries.at(-1)?.signature ?? null) }
}
