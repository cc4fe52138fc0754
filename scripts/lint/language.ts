// Checks the words of comments, messages, test names and documentation. Run it alone: node scripts/lint/language.ts [path
// …]
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { proseOfMarkdown, proseOfTypeScript } from './prose.ts'

type Rule = { readonly words: RegExp; readonly write: string }

const rule = (words: string, write: string): Rule => ({ words: new RegExp(`\\b(?:${words})\\b`, 'giu'), write })

export const RULES: readonly Rule[] = [
  rule('anew|afresh', 'again'),
  rule('beside', 'next to, at the same time as'),
  rule('told', 'emitted, shown, reported, distinguished'),
  rule('(?:tell|tells|telling|hear|hears|heard|speak|speaks|spoken) of', 'report, show, describe'),
  rule('whoever|whosever', 'every caller that, the person who'),
  rule(
    'nobody|nobody’s|somebody|everybody|anybody',
    'no one, someone, everyone, anyone (people only), or name the thing',
  ),
  rule('(?:come|comes|came|coming) to (?:its|their|an|the) end', 'finish, end'),
  rule('(?:come|comes|came) to nothing', 'fail'),
  rule('for good', 'permanently'),
  rule('for ever', 'permanently, without end'),
  rule('in earnest', 'in production'),
  rule('around', 'context, about'),
  rule('(?<!zero-width )joiners?', 'late addresses'),
  rule('news', 'change notice, change'),
  rule('standings?', 'return state'),
  rule('(?:a|one|each|every|another|first|next|quick|last|its) looks?(?!-)', 'balance check, reading'),
  rule('(?:its|their|no|other|that) claims?|claimed by (?:no|another|other)', 'reservation, reserved by'),
  rule('(?:those|these|ones) (?:who|whose|whom)', 'the addresses that, the people who'),
  rule('hither|thereof|therein|whereof|wherein|lest|whilst|amongst|thence|hence', 'a common word'),
]

/** A sentence that begins with "Of": `Of SOL the fee comes out of …`. */
const INVERTED: Rule = { words: /(?<=(?:^|[.:;?!)]\s+|\n\s*\n\s*|\|\s*))Of\s/gu, write: 'the subject first' }

export type Finding = { readonly line: number; readonly found: string; readonly write: string }

/** Returns the words of a file that are not to be used. Markdown, TypeScript or Prisma, by the file's name. */
export function findWords(path: string, source: string): readonly Finding[] {
  const prose = path.endsWith('.md') ? proseOfMarkdown(source) : proseOfTypeScript(source)
  const findings = [...RULES, INVERTED].flatMap(({ words, write }) =>
    [...prose.matchAll(phrases(words))].map(({ index, 0: found }) => ({
      line: prose.slice(0, index).split('\n').length,
      found: found.trim().replace(/\s+/g, ' '),
      write,
    })),
  )
  return findings.sort((a, b) => a.line - b.line)
}

/** Lets a phrase continue on the next line. */
const phrases = ({ source, flags }: RegExp): RegExp => new RegExp(source.replaceAll(' ', '\\s+'), flags)

const FILES = [
  '{src,test,bench,scripts,sdk/src}/**/*.{ts,tsx}',
  'prisma/schema.prisma',
  '*.md',
  'docs/**/*.md',
  'src/**/*.md',
  'sdk/*.md',
]
const GENERATED = ['**/generated/**', '**/*.generated.ts']
/** They name the words. */
const EXEMPT: readonly string[] = ['scripts/lint/language.ts', 'test/house/house.test.ts']

const isWithin = (path: string, directory: string): boolean => path === directory || path.startsWith(`${directory}/`)

const root = resolve(import.meta.dirname, '../..')
const findingsOf = (path: string): readonly string[] =>
  findWords(path, readFileSync(join(root, path), 'utf8')).map(
    ({ line, found, write }) => `${path}:${line}: "${found}"; write: ${write}`,
  )

/** Returns one line for each word that is not to be used, in these files and directories; in all without any. */
function check(paths: readonly string[]): readonly string[] {
  const files = globSync(FILES, { cwd: root, exclude: GENERATED })
    .filter((path) => !EXEMPT.includes(path))
    .sort()
  const isAsked = (path: string) => paths.length === 0 || paths.some((asked) => isWithin(path, asked))
  return files.filter(isAsked).flatMap(findingsOf)
}

if (import.meta.main) {
  const lines = check(process.argv.slice(2))
  for (const line of lines) console.error(line)
  if (lines.length > 0) process.exitCode = 1
}
