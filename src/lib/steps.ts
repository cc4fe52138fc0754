// Work in steps: between two of them the process answers others.

export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Maps a long list, at most `size` items in one turn of the event loop. */
export async function mapInSteps<Item, Result>(
  items: readonly Item[],
  size: number,
  map: (item: Item) => Result,
): Promise<Result[]> {
  const results: Result[] = []
  for (const item of items) {
    if (results.length > 0 && results.length % size === 0) await nextTurn()
    results.push(map(item))
  }
  return results
}

/** Makes work wait for its turn, in order: at most `size` of it is done in one turn of the event loop. */
export function doneInSteps<Given extends readonly unknown[]>(
  size: number,
  work: (...given: Given) => void,
): (...given: Given) => void {
  const waiting: Given[] = []
  const step = (): void => {
    // Decided before the work, which may add to what waits.
    if (waiting.length > size) setImmediate(step)
    for (const given of waiting.splice(0, size)) work(...given)
  }
  return (...given) => {
    waiting.push(given)
    if (waiting.length === 1) setImmediate(step)
  }
}

// A large value as JSON, written in steps: between two of them the process answers others.

/** Characters in one turn of the event loop. JSON.stringify writes them in about a third of a millisecond. */
const STEP = 32_768

/**
 * Returns the text that JSON.stringify gives for plain data. The entries of a list are written whole, so a turn ends at most one
 * entry after its step.
 */
export async function jsonInSteps(data: unknown): Promise<string> {
  let text = ''
  let end = STEP
  for (const part of partsOf(data)) {
    if (text.length >= end) {
      end = text.length + STEP
      await nextTurn()
    }
    text += part
  }
  return text
}

function* partsOf(data: unknown): Generator<string> {
  if (Array.isArray(data)) {
    yield '['
    for (const [at, entry] of data.entries()) yield `${at === 0 ? '' : ','}${JSON.stringify(entry)}`
    yield ']'
  } else if (typeof data === 'object' && data !== null) {
    yield '{'
    let before = ''
    for (const [name, value] of Object.entries(data)) {
      yield `${before}${JSON.stringify(name)}:`
      yield* partsOf(value)
      before = ','
    }
    yield '}'
  } else yield JSON.stringify(data)
}
