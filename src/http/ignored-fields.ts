// Names the fields of a body that its endpoint does not read: docs/contract.md, "JSON and amounts".
import { isRecord } from '#core/json.ts'

const MOST_FIELDS = 20
const MOST_CHARACTERS = 1_000

/**
 * Returns the header that names the fields of `given` that are missing in `read`, as paths; null when there are none. Names
 * are percent-encoded. A list that is too long ends with `...`.
 */
export function ignoredFields(given: unknown, read: unknown): string | null {
  const named: string[] = []
  let characters = 0
  for (const path of missing(given, read, '')) {
    characters += path.length
    const isFull = named.length === MOST_FIELDS || characters > MOST_CHARACTERS
    named.push(isFull ? '...' : path)
    if (isFull) break
  }
  return named.length === 0 ? null : named.join(', ')
}

function* missing(given: unknown, read: unknown, path: string): Generator<string> {
  if (given === read) return
  if (Array.isArray(given) && Array.isArray(read)) {
    for (const [at, item] of given.entries()) yield* missing(item, read[at], `${path}[${at}]`)
  } else if (isRecord(given) && isRecord(read)) {
    for (const [name, value] of Object.entries(given)) {
      const own = `${path}${path === '' ? '' : '.'}${encodeURIComponent(name.toWellFormed())}`
      if (Object.hasOwn(read, name)) yield* missing(value, read[name], own)
      else yield own
    }
  }
}
