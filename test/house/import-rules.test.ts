// Who may import whom is a rule of the house only if breaking it fails the lint. Each rule is broken here once,
// in a copy of the project that holds nothing but its lint, and each neighbouring legal import is seen to pass.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

type Planted = { readonly rule?: string; readonly file: string; readonly code: string; readonly category: string }
type Diagnostic = { readonly category: string; readonly path: string }

const IMPORT = 'lint/style/noRestrictedImports'
const imports = (from: string) => `import { x } from '${from}'\n\nexport const y = x\n`

/** Room → imports that must fail in it. */
const FORBIDDEN: Readonly<Record<string, readonly string[]>> = {
  core: [
    '#ports/clock.ts',
    '#services/a.ts',
    '#adapters/a.ts',
    '#config/config.ts',
    'node:crypto',
    'zod',
    '@solana/kit/x',
    '../a.ts',
  ],
  config: ['#ports/clock.ts', '#services/a.ts', '#lib/a.ts', '../core/a.ts'],
  ports: ['#services/a.ts', '#adapters/a.ts', '#graphql/a.ts', 'node:fs', '../core/a.ts'],
  services: [
    '#adapters/prisma/a.ts',
    '#graphql/a.ts',
    '#rest/a.ts',
    '#workers/a.ts',
    '#config/config.ts',
    'node:fs',
    'pg',
    '../ports/a.ts',
  ],
  'adapters/solana': ['#services/a.ts', '#graphql/a.ts', '#main.ts', '@prisma/client', 'pg', '../../core/a.ts'],
  'adapters/prisma': ['#services/a.ts', '#rest/a.ts', '#adapters/solana/a.ts', '@solana/kit', '../solana/a.ts'],
  graphql: [
    '#adapters/prisma/payments/payment-store.ts',
    '#adapters/solana/a.ts',
    '#ports/payments.ts',
    '#rest/a.ts',
    '#workers/a.ts',
    '#main.ts',
    'pg',
    '@solana/kit',
    '../services/a.ts',
    '#graphql/operator/a.ts',
  ],
  'graphql/operator': [
    '#graphql/builder.ts',
    '#graphql/network.ts',
    '#graphql/payments/a.ts',
    '#adapters/prisma/generated/client.ts',
    '#ports/payments.ts',
    '#rest/a.ts',
    'pg',
    '../builder.ts',
  ],
  rest: [
    '#services/a.ts',
    '#core/a.ts',
    '#ports/clock.ts',
    '#adapters/prisma/a.ts',
    '#graphql/schema.ts',
    '@prisma/client',
    '../graphql/a.ts',
  ],
  http: ['#services/a.ts', '#ports/clock.ts', '#adapters/prisma/a.ts', '#graphql/schema.ts', '#rest/a.ts', 'pg'],
  lib: ['#core/a.ts', '#ports/clock.ts', '#services/a.ts', '../core/a.ts'],
  pay: ['#services/a.ts', '#core/a.ts', '#adapters/prisma/a.ts', '#graphql/schema.ts', '@solana/kit'],
  dashboard: ['#services/a.ts', '#core/a.ts', '#graphql/executor.ts', '#rest/a.ts', '@solana/kit'],
  workers: ['#adapters/prisma/a.ts', '#graphql/a.ts', '#rest/a.ts', '#main.ts', 'pg', '../services/a.ts'],
  sandbox: ['#services/a.ts', '#graphql/a.ts', '#rest/a.ts', '#workers/a.ts', '@electric-sql/pglite'],
  server: [
    '#services/payments/a.ts',
    '#adapters/prisma/a.ts',
    '#workers/a.ts',
    '#config/config.ts',
    'pg',
    '../graphql/a.ts',
  ],
  compose: ['pg', '@prisma/client', '../adapters/a.ts'],
  demo: ['#services/a.ts', '#graphql/a.ts', '#rest/a.ts', '#adapters/prisma/a.ts', 'pg'],
  operator: ['#services/a.ts', '#adapters/prisma/a.ts', '#graphql/a.ts', '@solana/kit', 'pg'],
}

/** Room → neighbouring imports that must pass in it. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  config: ['#core/money/amounts.ts', './setting.ts', 'zod'],
  core: ['#core/money/amounts.ts', './b.ts', 'temporal-polyfill'],
  ports: ['#core/money/amounts.ts', '#ports/clock.ts'],
  services: ['#core/errors.ts', '#ports/clock.ts', '#lib/a.ts', '#services/a.ts', 'node:crypto'],
  'adapters/solana': ['#core/errors.ts', '#ports/chain.ts', '@solana/kit', 'node:fs'],
  'adapters/prisma': ['#core/errors.ts', '#ports/clock.ts', '#adapters/prisma/generated/client.ts', 'pg'],
  graphql: ['#services/a.ts', '#core/errors.ts', '#adapters/prisma/generated/client.ts', '@pothos/core'],
  'graphql/operator': [
    '#services/a.ts',
    '#core/errors.ts',
    '#graphql/scalars.ts',
    '#graphql/operator/a.ts',
    '@pothos/core',
  ],
  rest: ['#graphql/executor.ts', '#rest/a.ts', '#http/a.ts', 'express'],
  http: ['#core/text.ts', '#graphql/executor.ts', '#http/b.ts', '#lib/a.ts', 'express'],
  lib: ['#lib/b.ts', './b.ts'],
  pay: ['#graphql/executor.ts', '#rest/a.ts', '#pay/a.ts', 'preact', 'express'],
  dashboard: ['#pay/a.ts', '#http/a.ts', '#dashboard/a.ts', 'preact', '@urql/core'],
  workers: ['#services/a.ts', '#ports/clock.ts', '#core/errors.ts', 'node-cron'],
  sandbox: ['#adapters/solana/a.ts', '#ports/chain.ts', '@solana/kit'],
  server: ['#graphql/schema.ts', '#rest/routes.ts', '#server/app.ts', 'express'],
  compose: ['#adapters/prisma/a.ts', '#services/a.ts', '#workers/a.ts', './b.ts'],
  demo: ['#sandbox/demo-facts.ts', '#adapters/node/random.ts', '@solana/kit'],
  operator: ['#core/errors.ts', '#config/config.ts', 'commander'],
}

const plantAll = (rules: Readonly<Record<string, readonly string[]>>, kind: string): Planted[] =>
  Object.entries(rules).flatMap(([room, sources]) =>
    sources.map((from, index) => ({
      rule: `${room} ${kind} ${from}`,
      file: `src/${room}/${kind.replaceAll(' ', '-')}-${index}.ts`,
      code: imports(from),
      category: IMPORT,
    })),
  )

const forbiddenImports = plantAll(FORBIDDEN, 'may not import')
const allowedImports = plantAll(ALLOWED, 'may import')
const ambient = (name: string, expression: string): Planted => ({
  file: `src/services/ambient-${name}.ts`,
  code: `export const a = () => ${expression}\n`,
  category: 'plugin',
})
const otherRules: readonly Planted[] = [
  ambient('date-now', 'Date.now()'),
  ambient('new-date', 'new Date()'),
  ambient('math-random', 'Math.random()'),
  ambient('random-uuid', 'globalThis.crypto.randomUUID()'),
  ambient('temporal-now', 'Temporal.Now.instant()'),
  {
    file: 'src/services/ambient-random-bytes.ts',
    code: "import { randomBytes } from 'node:crypto'\n\nexport const a = () => randomBytes(8)\n",
    category: 'plugin',
  },
  {
    file: 'src/services/ambient-env.ts',
    code: 'export const a = () => process.env.HOME\n',
    category: 'lint/style/noProcessEnv',
  },
  { file: 'src/graphql/cast.ts', code: 'export const a = (b: unknown) => b as string\n', category: 'plugin' },
  {
    file: 'src/graphql/insist.ts',
    code: 'export const a = (b?: string) => b!.length\n',
    category: 'lint/style/noNonNullAssertion',
  },
  {
    file: 'src/graphql/any.ts',
    code: 'export const a = (b: any) => b\n',
    category: 'lint/suspicious/noExplicitAny',
  },
  {
    file: 'src/graphql/floating.ts',
    code: 'const a = async () => 1\n\nexport function b() {\n  a()\n}\n',
    category: 'lint/nursery/noFloatingPromises',
  },
  { file: 'src/graphql/print.ts', code: "console.log('a')\n", category: 'lint/suspicious/noConsole' },
  {
    file: 'src/core/dynamic.ts',
    code: "export const a = () => import('#adapters/a.ts')\n",
    category: IMPORT,
  },
  { file: 'src/core/re-export.ts', code: "export * from '#adapters/a.ts'\n", category: IMPORT },
  { file: 'src/core/kit-value.ts', code: imports('@solana/kit'), category: 'plugin' },
  {
    file: 'src/core/circle-a.ts',
    code: "import { b } from '#core/circle-b.ts'\n\nexport const a = () => b\n",
    category: 'lint/suspicious/noImportCycles',
  },
]
const clean: readonly Planted[] = [
  { file: 'src/services/given-date.ts', code: 'export const a = (b: number) => new Date(b)\n', category: '' },
  { file: 'src/graphql/constant.ts', code: "export const a = ['b'] as const\n", category: '' },
  {
    file: 'src/graphql/excused.ts',
    code: '// biome-ignore lint/plugin: the library types its own answer as unknown\nexport const a = (b: unknown) => b as string\n',
    category: '',
  },
  { file: 'src/adapters/system/clock.ts', code: 'export const a = () => new Date()\n', category: '' },
  { file: 'src/adapters/system/random.ts', code: 'export const a = () => Math.random()\n', category: '' },
  { file: 'src/config/environment.ts', code: 'export const a = () => process.env\n', category: '' },
  {
    file: 'src/core/kit-type.ts',
    code: "import type { Address } from '@solana/kit'\n\nexport type A = Address\n",
    category: '',
  },
]
/** The other half of the planted circle. */
const circle: Planted = {
  file: 'src/core/circle-b.ts',
  code: "import { a } from './circle-a.ts'\n\nexport const b = a\n",
  category: 'lint/suspicious/noImportCycles',
}

const projectRoot = resolve(import.meta.dirname, '../..')
const categoriesOf = new Map<string, Set<string>>()
let copy = ''

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'import-rules-'))
  for (const name of ['biome.json', '.gitignore', 'package.json', 'scripts/lint']) {
    cpSync(join(projectRoot, name), join(copy, name), { recursive: true })
  }
  symlinkSync(join(projectRoot, 'node_modules'), join(copy, 'node_modules'))
  for (const { file, code } of [...forbiddenImports, ...otherRules, ...allowedImports, ...clean, circle]) {
    mkdirSync(dirname(join(copy, file)), { recursive: true })
    writeFileSync(join(copy, file), code)
  }
  for (const { category, path } of lint(copy)) {
    categoriesOf.set(path, (categoriesOf.get(path) ?? new Set()).add(category))
  }
})
afterAll(() => rmSync(copy, { recursive: true, force: true }))

function lint(directory: string): Diagnostic[] {
  const biome = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome')
  const args = [biome, 'lint', '--reporter=json', '--max-diagnostics=none', '.']
  const { stdout } = spawnSync(process.execPath, args, { cwd: directory, encoding: 'utf8' })
  const report: { diagnostics: { category: string; location: { path: string | { file: string } } }[] } =
    JSON.parse(stdout)
  return report.diagnostics.map(({ category, location }) => ({
    category,
    path: typeof location.path === 'string' ? location.path : location.path.file,
  }))
}

describe('an import that leaves its room the wrong way fails the lint', () => {
  it.each(forbiddenImports)('$rule', ({ file, category }) => {
    expect([...(categoriesOf.get(file) ?? [])]).toContain(category)
  })
})

describe('a broken habit fails the lint', () => {
  it.each(otherRules)('$file', ({ file, category }) => {
    expect([...(categoriesOf.get(file) ?? [])]).toContain(category)
  })
})

describe('what is allowed passes', () => {
  it.each(allowedImports)('$rule', ({ file }) => {
    expect([...(categoriesOf.get(file) ?? [])]).toEqual([])
  })
  it.each(clean)('$file', ({ file }) => {
    expect([...(categoriesOf.get(file) ?? [])]).toEqual([])
  })
})

it('every room has its import rule, and breaks it here', () => {
  const rooms = readdirSync(join(projectRoot, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const ruled = new Set(Object.keys(FORBIDDEN).map((room) => room.split('/')[0]))
  expect(rooms.map(({ name }) => name).filter((name) => !ruled.has(name))).toEqual([])
})
