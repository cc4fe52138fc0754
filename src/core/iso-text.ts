// Times as text. V8 writes one with the C library, which takes longer than all else that is done with it, and the times of
// a moment are written several times each: in a snapshot, in a reply, and in those of others.

const MAX_KEPT = 256

const kept = new Map<number, string>()

/** Returns a time as ISO 8601 in UTC, with milliseconds. Throws RangeError for an invalid one. */
export function isoText(time: Date): string {
  const ms = time.getTime()
  const known = kept.get(ms)
  if (known !== undefined) return known
  const text = time.toISOString()
  if (kept.size >= MAX_KEPT) kept.clear()
  kept.set(ms, text)
  return text
}
