// A large value as JSON, written in steps: between two of them the process answers others.
import { nextTurn } from '#lib/steps.ts'

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
