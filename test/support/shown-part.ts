// Examples of the documentation that show a part of an answer.
const WIDTH = 110

/** Prints what the page shows of an answer. A list or an object without others inside is one line where it fits. */
export const printed = (answer: unknown, shown: string): string =>
  `${JSON.stringify(shownOf(answer, JSON.parse(shown)), null, 2)}\n`.replace(
    /([{[])\n\s+([^{}[\]]*?)\n\s*([}\]])/g,
    (all, open, inside, close) => {
      const line = `${open}${inside.replace(/\n\s+/g, ' ')}${close}`
      return line.length > WIDTH ? all : line
    },
  )

const REST = '…'
const fieldsOf = (value: unknown) => new Map(Object.entries(Object(value)))

/** Returns what the page shows of an answer: a key `…`, or an entry `…` at the end of a list, stands for the rest. */
function shownOf(answer: unknown, shown: unknown): unknown {
  if (Array.isArray(answer)) {
    const entries = Array.isArray(shown) ? shown : []
    const isPart = entries.at(-1) === REST
    const part = isPart ? answer.slice(0, entries.length - 1) : answer
    return [...part.map((entry, at) => shownOf(entry, entries[at])), ...(isPart ? [REST] : [])]
  }
  if (typeof answer !== 'object' || answer === null) return answer
  const [fields, those] = [fieldsOf(answer), fieldsOf(shown)]
  const names = those.has(REST) ? [...those.keys()] : [...fields.keys()]
  return Object.fromEntries(
    names.map((name) => [name, name === REST ? those.get(REST) : shownOf(fields.get(name), those.get(name))]),
  )
}
