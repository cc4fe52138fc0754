// The texts of the REST interface in parts: what docs/rest.md says of every endpoint, and of src/rest/reference.md the groups and
// the section of each endpoint with its refusals and examples.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

export const PAGE = resolve(import.meta.dirname, '../../src/rest/reference.md')
export const page = readFileSync(PAGE, 'utf8')
export const guide = readFileSync(resolve(import.meta.dirname, '../../docs/rest.md'), 'utf8')

const partsOf = (text: string): readonly string[] => text.split(/^(?=## )/m)
const [, ...sections] = partsOf(page)
const [introduction = '', ...general] = partsOf(guide)
export const titleOf = (section: string): string => section.slice(3, section.indexOf('\n'))
export const isOfEndpoint = (section: string): boolean => /^## (?:GET|POST|PUT|PATCH|DELETE) /.test(section)
export const ofEndpoints = sections.filter(isOfEndpoint)

/** Returns the section of an endpoint, and that of its group. Throws where there is none. */
export function sectionsOf(title: string): { readonly section: string; readonly group: string } {
  const at = sections.findIndex((section) => titleOf(section) === title)
  const section = sections[at]
  const group = sections.slice(0, Math.max(0, at)).findLast((one) => !isOfEndpoint(one))
  if (section === undefined || group === undefined) throw new Error(`src/rest/reference.md has no section ${title}`)
  return { section, group }
}

export const EXAMPLE = /```sh\n((?:curl|api) .*?)```\n\n```(?:json|csv)\n(.*?)```/gs
const CODE = /```\w*\n.*?```\n?/gs
const TABLE = /^\|.*\|\n/gm
const REFUSALS = /^- .*?[45]\d\d `\w+`.*(?:\n {2}.*)*\n/gm
const LINK = /\[([^\]]*)\]\([^)]*\)/g

/** Returns the prose of a part of the page, as Markdown without links: what is no example, no refusal and no table. */
export const proseOf = (section: string): string =>
  section
    .replace(/^#+ .*\n/, '')
    .replace(CODE, '')
    .replace(REFUSALS, '')
    .replace(TABLE, '')
    .replace(/Credential: [^.]*\.(?= |\n)/g, '')
    .replace(LINK, '$1')
    .replace(/\n(?=[^\n-])(?<!\n\n)/g, ' ')
    .replace(/ {2,}/g, ' ')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^ +| +$/gm, '')
    .trim()

/** Returns what holds for every endpoint: the list at the beginning of the guide. */
export const introductionOf = (): string => proseOf(introduction.slice(introduction.indexOf('\n- ')))

/** Returns the refusals of every endpoint. */
export const generalRefusals = (): readonly Stated[] =>
  refusalsIn(general.find((one) => titleOf(one) === 'Answers of every endpoint') ?? '')

/** Returns the first sentence of a text without its end, in plain words. */
export const summaryOf = (prose: string): string => (/^.*?[.:](?=\s|$)/.exec(prose)?.[0] ?? '').replace(/[.:]$|`/g, '')

/** Returns a group with the group whose refusals its endpoints have as well: `as in [recurring billing](#recurring-billing)`. */
export function withOther(group: string): string {
  const [, slug] = /[Rr]efusals as in \[[^\]]*\]\(#([\w-]+)\)/.exec(group) ?? []
  const other = sections.find((one) => titleOf(one).toLowerCase().replaceAll(' ', '-') === slug)
  return `${group}\n${other ?? ''}`
}

/** Refusals as the page states them: a status, codes, and what it says of a code alone. */
export type Stated = { readonly status: number; readonly code: string; readonly note: string | null }

const STATED = /\b([45]\d\d)(?: \||:)?\s((?:`\w+`(?:,\s|\sor\s)?)+)(?:: ((?:(?!; \d\d\d).)*))?/g

export function refusalsIn(section: string): readonly Stated[] {
  const text = section
    .replace(CODE, '')
    .replace(/\n(?![-|\n])\s*/g, ' ')
    .replace(LINK, '$1')
  return [...text.matchAll(STATED)].flatMap(([, status, codes = '', note]) => {
    const named = codes.match(/\w+/g) ?? []
    return named.map((code) => ({ status: Number(status), code, note: named.length === 1 ? (note ?? null) : null }))
  })
}

/** Returns the body of the first example of a request that is JSON; undefined where there is none. */
export function requestExampleIn(section: string): unknown {
  for (const [, request = ''] of section.matchAll(EXAMPLE)) {
    const [, body] = /-d '([^']*)'/.exec(request) ?? []
    if (body !== undefined) return JSON.parse(body)
  }
  return undefined
}

/** Returns the first example of a request as a command of its own: `api` is a call with an API key. */
export function commandIn(section: string): string {
  const [, request = ''] = /```sh\n((?:curl|api) .*?)\n```/s.exec(section) ?? []
  return request
    .replace(/^api\b(.*?)("?)(\/\S*)(?<!")\2/, 'curl -s$1$2localhost:4000$3$2 -H "Authorization: Bearer $KEY"')
    .replace(/^(?!.*Content-Type)(.*?)(?= -d )/s, "$1 -H 'Content-Type: application/json'")
    .replace(/ (?:\\\n *)?(?=-[HXd] )/g, ' \\\n  ')
}

/** Returns the first answer that is shown as a whole; undefined where there is none. */
export function answerExampleIn(section: string): unknown {
  for (const [, , answer = ''] of section.matchAll(EXAMPLE))
    if (answer.startsWith('{') && !answer.includes('"…"')) return JSON.parse(answer)
  return undefined
}
