// Every page and heading that a comment or another page refers to exists.
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ROUTES } from '#rest/routes.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const filesIn = (...patterns: string[]): readonly string[] =>
  globSync(patterns, { cwd: root, exclude: ['**/generated/**'] }).sort()

const CODE = filesIn('{src,test,bench,scripts}/**/*.ts', 'prisma/schema.prisma')
const PAGES = new Map(filesIn('*.md', 'docs/**/*.md', 'src/**/*.md', 'sdk/*.md').map((path) => [path, read(path)]))

/** A comment is one text, however many lines it has. */
const joined = (text: string): string => text.replace(/\n\s*(?:\/\/+|\*) ?/g, ' ')

const withoutCode = (page: string): string => page.replace(/```.*?```/gs, '')
const headingsOf = (page = ''): readonly string[] =>
  [...withoutCode(page).matchAll(/^#+ (.*)$/gm)].flatMap(([, heading]) => heading ?? [])
/** Returns the anchor that GitHub gives a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

/** Returns what is wrong with the references of a file to pages: `docs/money.md, "The protocol"`. */
function brokenReferences(text: string): readonly string[] {
  return [...text.matchAll(/docs\/[\w/-]+\.md(?:, "([^"]+)")?/g)].flatMap(([reference, heading]) => {
    const page = PAGES.get(reference.split(',')[0] ?? '')
    if (page === undefined) return [`${reference}: no such page`]
    return heading === undefined || headingsOf(page).includes(heading) ? [] : [`${reference}: no such heading`]
  })
}

const contract = PAGES.get('docs/contract.md') ?? ''
const SECTIONS: ReadonlySet<string> = new Set(
  [...contract.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, section]) => section?.trim() ?? []),
)
const ENDPOINTS: ReadonlySet<string> = new Set(ROUTES.map(({ method, path }) => `${method} ${path}`))

/** Returns what is wrong with the references of a file to the spec: `Spec: "Quote"`, `Spec: POST /sweep`. */
function brokenSpecReferences(text: string): readonly string[] {
  return [...text.matchAll(/\bspec(?::|(?:'s)? section) ((?:"[^"]*"|[^.;")])*)/gi)].flatMap(
    ([reference, list = '']) => {
      const named = [...list.matchAll(/"([^"]+)"|[A-Z]+ \/[\w/-]*/g)]
      if (named.length === 0) return [`${reference}: names no section and no endpoint`]
      return named.flatMap(([endpoint, section]) => {
        const isKnown = section === undefined ? ENDPOINTS.has(endpoint) : SECTIONS.has(section)
        return isKnown ? [] : [`${reference}: docs/contract.md does not list ${section ?? endpoint}`]
      })
    },
  )
}

/** Returns the links of a page that lead to no file or no heading of this repository. */
function brokenLinks(path: string, page: string): readonly string[] {
  return [...withoutCode(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].flatMap(
    ([link, to, anchor]) => {
      const target = to === '' || to === undefined ? path : normalize(join(dirname(path), to))
      if (globSync(target, { cwd: root }).length === 0) return [`${link}: no such file`]
      if (anchor === undefined) return []
      return headingsOf(PAGES.get(target)).map(anchorOf).includes(anchor) ? [] : [`${link}: no such heading`]
    },
  )
}

const each = (files: readonly string[], check: (text: string) => readonly string[]): readonly string[] =>
  files.flatMap((path) => check(joined(read(path))).map((wrong) => `${path}: ${wrong}`))

describe('a comment refers', () => {
  const others = CODE.filter((path) => path !== 'test/docs/references.test.ts')

  test('to pages and headings that exist', () => {
    expect(each(others, brokenReferences)).toEqual([])
  })

  test('to sections and endpoints of the spec that docs/contract.md lists as implemented', () => {
    expect(each(others, brokenSpecReferences)).toEqual([])
  })

  test('to no page that is not in the repository', () => {
    const absent = /\b(?:CONTRACT|MONEY|BILLING|ARCHITECTURE)\b/
    expect(others.filter((path) => absent.test(read(path)))).toEqual([])
  })
})

test('a page links to files and headings that exist', () => {
  expect([...PAGES].flatMap(([path, page]) => brokenLinks(path, page).map((link) => `${path}: ${link}`))).toEqual([])
})

test('a page names npm scripts that exist', () => {
  const scriptsOf = (path: string): object => JSON.parse(read(path)).scripts
  const scripts = { ...scriptsOf('package.json'), ...scriptsOf('examples/node/package.json') }
  const absent = [...PAGES].flatMap(([path, page]) =>
    [...page.matchAll(/npm run (?:-s )?([\w-]+)/g)].flatMap(([, name = '']) =>
      name in scripts ? [] : [`${path}: ${name}`],
    ),
  )
  expect(absent).toEqual([])
})

test('a page names source files that exist; NAME and NOUN stand for a new one', () => {
  const named = (page: string) =>
    page.match(/\b(?:src|test|scripts|bench|prisma)\/[\w./-]+\.(?:ts|graphql|prisma)\b/g) ?? []
  const absent = [...PAGES].flatMap(([path, page]) =>
    named(page).flatMap((file) =>
      globSync(file.replaceAll(/NAME|NOUN/g, '*'), { cwd: root }).length === 0 ? [`${path}: ${file}`] : [],
    ),
  )
  expect(absent).toEqual([])
})

describe('the checks themselves', () => {
  test.each(['docs/absent.md', 'docs/money.md, "No such heading"'])('find %s', (reference) =>
    expect(brokenReferences(`See ${reference}.`)).toHaveLength(1),
  )
  test.each(['Spec: refunds', 'Spec: "No such section"', 'Spec: POST /nothing', 'spec section "Nothing"'])(
    'find %s',
    (reference) => expect(brokenSpecReferences(`A rule. ${reference}.`)).toHaveLength(1),
  )
  test.each(['[a](absent.md)', '[a](docs/money.md#nothing)', '[a](#nothing)'])('find %s', (link) =>
    expect(brokenLinks('README.md', `See ${link}.`)).toHaveLength(1),
  )
})
