// docs/graphql.md: its operations fit the schema, and its code generation works with every scalar of it.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type CodegenConfig, generate } from '@graphql-codegen/cli'
import { isScalarType, isSpecifiedScalarType, parse, validate } from 'graphql'
import { afterAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { schema } from '#graphql/schema.ts'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/graphql.md'), 'utf8')
const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, text = '']) => text)

const scalars = Object.values(schema.getTypeMap())
  .filter((type) => isScalarType(type) && !isSpecifiedScalarType(type))
  .map(({ name }) => name)
  .toSorted()

const directory = mkdtempSync(join(tmpdir(), 'codegen-'))
afterAll(() => rmSync(directory, { recursive: true }))

describe('docs/graphql.md', () => {
  test.each(blocks('graphql'))('has operations that fit the schema: %s', (document) => {
    expect(validate(schema, parse(document))).toEqual([])
  })

  test('has operations of each kind', () => {
    const kinds = blocks('graphql').map((text) => text.split(' ', 1)[0])
    expect(new Set(kinds)).toEqual(new Set(['mutation', 'query', 'subscription']))
  })

  test('lists each scalar of the schema', () => {
    const section = page.slice(page.indexOf('## Scalars'), page.indexOf('## Code generation'))
    expect([...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)).toEqual(scalars)
  })

  test('has a configuration that generates code, and names no other scalars', async () => {
    const config = await configurationOfPage()
    const [entry] = Object.entries(config.generates)
    if (entry === undefined) throw new Error('the configuration generates nothing')
    const { scalars: named } = z.object({ scalars: z.record(z.string(), z.string()) }).parse(Object(entry[1]).config)
    expect(Object.keys(named)).toEqual(scalars)

    const files: { filename: string; content: string }[] = await generate(
      {
        ...config,
        schema: join(root, 'schema.graphql'),
        documents: blocks('graphql').map((text) => text),
        silent: true,
      },
      false,
    )
    const types = files.find(({ filename }) => filename.endsWith('graphql.ts'))?.content ?? ''
    expect(types).toMatch(/expectedAmount: string \| null/)
    expect(types).toMatch(/status: (IntentStatus|'cancelled')/)
    expect(types).not.toMatch(/\bany\b/)
  })
})

/** Imports the page's codegen.ts as a client would have it. */
async function configurationOfPage(): Promise<CodegenConfig> {
  const [text = ''] = blocks('ts')
  const file = join(directory, 'codegen.ts')
  writeFileSync(file, text)
  const { default: config } = await import(/* @vite-ignore */ pathToFileURL(file).href)
  return config
}
