// The examples of src/rest/reference.md: their calls, and what they show of the answers.
import { EXAMPLE, ofEndpoints, sectionsOf, titleOf } from '../../scripts/openapi/page.ts'
import { API_KEY, CLIENT_SECRET } from './services.ts'

/** Returns what the section of an endpoint says of its credential, or else the section of its group. */
export function credentialOf(title: string): string {
  const { section, group } = sectionsOf(title)
  const [stated] = [section, group].flatMap((part) => /Credential: [^.]*\./.exec(part) ?? [])
  return stated ?? ''
}

/** The value of `$TOKEN` in the examples. */
export const CHECKOUT_TOKEN = `co_${'x'.repeat(43)}`

export type Example = { readonly title: string; readonly request: string; readonly answer: string }

export const examples = ofEndpoints.flatMap((section): readonly Example[] =>
  [...section.matchAll(EXAMPLE)].map(([, request = '', answer = '']) => ({ title: titleOf(section), request, answer })),
)

/** Reads a command as the shell would, with the variables of the page and its function `api`. */
export function readCurl(command: string) {
  const [name, ...words] = [...command.replaceAll('\\\n', ' ').matchAll(/'([^']*)'|"((?:[^"\\]|\\.)*)"|(\S+)/g)].map(
    ([, literal, quoted, bare]) =>
      literal ??
      (quoted?.replace(/\\(.)/g, '$1') ?? bare ?? '')
        .replace('$KEY', API_KEY)
        .replace('$SECRET', CLIENT_SECRET)
        .replace('$TOKEN', CHECKOUT_TOKEN),
  )
  const after = (flag: string): readonly string[] =>
    words.flatMap((word, at) => (word === flag ? [words[at + 1] ?? ''] : []))
  const [body] = [...after('-d'), ...after('--data-binary')]
  const [path] = words.filter((word) => word.startsWith(name === 'api' ? '/' : 'localhost:4000'))
  const withKey = { Authorization: `Bearer ${API_KEY}`, 'Content-Type': 'application/json' }
  return {
    method: after('-X')[0] ?? (body === undefined ? 'GET' : 'POST'),
    path: (path ?? '').replace('localhost:4000', ''),
    headers: name === 'api' ? withKey : Object.fromEntries(after('-H').map((header) => header.split(': '))),
    body,
  }
}

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
