// docs/graphql.md: its operations fit the schema, and its code generation works with every scalar of it.
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type CodegenConfig, generate } from '@graphql-codegen/cli'
import { isScalarType, isSpecifiedScalarType, parse, validate } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { isWallet } from '#core/chain/curve.ts'
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

  test('has only wallets that can sign in its requests', () => {
    const addresses = blocks('sh').flatMap((text) => text.match(/\b[1-9A-HJ-NP-Za-km-z]{43,44}\b/g) ?? [])
    expect(addresses.length).toBeGreaterThan(0)
    expect(addresses.filter((address) => !isWallet(address))).toEqual([])
  })

  test('has operations of each kind', () => {
    const kinds = blocks('graphql').map((text) => text.split(' ', 1)[0])
    expect(new Set(kinds)).toEqual(new Set(['mutation', 'query', 'subscription']))
  })

  test('lists each scalar of the schema', () => {
    const section = page.slice(page.indexOf('## Scalars'), page.indexOf('## Code generation'))
    expect([...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)).toEqual(scalars)
  })

  test('has a configuration that names each scalar', async () => {
    const config = await configurationOfPage()
    const [entry] = Object.entries(config.generates)
    if (entry === undefined) throw new Error('the configuration generates nothing')
    const { scalars: named } = z.object({ scalars: z.record(z.string(), z.string()) }).parse(Object(entry[1]).config)
    expect(Object.keys(named)).toEqual(scalars)
  })

  describe('generates code', () => {
    beforeAll(async () => {
      copyFileSync(join(root, 'schema.graphql'), join(directory, 'schema.graphql'))
      symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'))
      writeFileSync(join(directory, 'package.json'), '{ "type": "module" }')
      mkdirSync(join(directory, 'src'))
      writeFileSync(join(directory, 'src/operations.graphql'), blocks('graphql').join('\n'))
      writeFileSync(join(directory, 'src/received.ts'), blocks('ts')[1] ?? '')
      await generate({ ...(await configurationOfPage()), cwd: directory, silent: true }, true)
    })

    test('with the types of the wire, and none that is any', () => {
      const types = readFileSync(join(directory, 'src/gql/graphql.ts'), 'utf8')
      expect(types).toMatch(/expectedAmount: string \| null/)
      expect(types).toMatch(/status: (IntentStatus|'cancelled')/)
      expect(types).not.toMatch(/\bany\b/)
    })

    test.each([
      ['nodenext', 'nodenext'],
      ['esnext', 'bundler'],
    ])(
      'that strict TypeScript accepts, as the program does, with module %s resolved as %s',
      (module, moduleResolution) => {
        const compilerOptions = {
          strict: true,
          target: 'es2022',
          module,
          moduleResolution,
          noEmit: true,
          types: [],
          verbatimModuleSyntax: true,
          exactOptionalPropertyTypes: true,
          noUncheckedIndexedAccess: true,
        }
        writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }))
        const { stdout, status } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['--project', directory], {
          encoding: 'utf8',
        })
        expect([stdout, status]).toEqual(['', 0])
      },
    )
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
