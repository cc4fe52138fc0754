// The table of CONTRIBUTING.md for a field of a payment names every module that lists the fields, so that a place more fails here.
import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { FIELD_NAMES, isWritten } from '#core/payments/codec.ts'

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')

const modules = globSync('src/**/*.ts', { cwd: root }).filter((path) => !path.includes('generated'))
const modulesWith = (passes: (words: ReadonlySet<string>) => boolean): readonly string[] =>
  modules.filter((path) => passes(new Set(read(path).match(/\w+/g))))

it('an optional field of a payment takes the modules that CONTRIBUTING.md names', () => {
  const [, section = ''] = read('CONTRIBUTING.md').split('### Add an optional field to POST /intents')
  const named = section.split('###')[0]?.match(/(?<=^\| `)src\/[^`]+\.ts/gm) ?? []

  // A module that names most fields of a creation lists them; one that works with a payment names a few.
  const fields = FIELD_NAMES.filter((name) => isWritten(name, 'once'))
  const listing = modulesWith((words) => fields.filter((name) => words.has(name)).length > (fields.length * 2) / 3)
  // A field that is read and not stored, and that nothing else is named after.
  const reading = modulesWith((words) => words.has('applicationFeeBps'))

  expect([...new Set([...listing, ...reading])].toSorted()).toEqual(named.toSorted())
})
