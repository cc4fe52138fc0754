// The packed client, as a program gets it that installs it.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { publint } from 'publint'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildClient } from '../../scripts/sdk/build.ts'

const root = resolve(import.meta.dirname, '../..')
const NAME = 'solana-payments-client'
let home: string
let tarball: string
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'sdk-package-'))
  buildClient()
  tarball = join(home, run('npm', ['pack', '--silent', '--pack-destination', home], join(root, 'sdk')).trim())
  const installed = join(home, 'node_modules', NAME)
  mkdirSync(installed, { recursive: true })
  run('tar', ['-xzf', tarball, '--strip-components=1', '-C', installed])
  for (const name of ['standardwebhooks', '@types', 'undici-types'])
    symlinkSync(join(root, 'node_modules', name), join(home, 'node_modules', name))
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

function run(program: string, args: readonly string[], cwd = home): string {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8' })
  expect(`${stdout}${stderr} exit ${status}`).toMatch(/exit 0$/)
  return stdout
}

it('is clean for publint, and has what it exports and nothing of its sources', async () => {
  const { messages, pkg } = await publint({ pkgDir: join(home, 'node_modules', NAME), pack: false, strict: true })
  expect(messages).toEqual([])
  expect(pkg?.dependencies).toEqual({ standardwebhooks: expect.any(String) })
  expect(run('tar', ['-tzf', tarball])).not.toMatch(/src\/|test/)
})

it('is clean for attw: its types resolve as its code does', () => {
  const attw = join(root, 'node_modules/@arethetypeswrong/cli/dist/index.js')
  run(process.execPath, [attw, tarball, '--profile', 'esm-only'])
})

it('brings the command, which runs as it is packed', () => {
  const installed = join(home, 'node_modules', NAME)
  const { bin } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  expect(Object.keys(bin)).toEqual(['solana-payments'])
  expect(run(process.execPath, [join(installed, bin['solana-payments']), '--help'])).toContain('listen')
})

const USE = `
import { type Event, SolanaPayments, SolanaPaymentsError, verifyWebhook } from '${NAME}'
const client = new SolanaPayments({ apiKey: 'sk_test_x' })
export const received: bigint = (await client.payments.get('1')).received_lamports
export const fee: bigint | undefined = (await client.waitFor(1, 'swept')).settlement?.platform_fee_amount
for await (const { status } of client.payments.list({ status: ['swept'] })) void (status satisfies string)
const event: Event = verifyWebhook('', new Headers(), 'whsec_')
if (event.type === 'intent.swept') void (event.data.received_lamports satisfies bigint)
if (event.type === 'charge.failed') void (event.data.failure_code satisfies string | null)
export const code = (error: unknown) => error instanceof SolanaPaymentsError && error.code === 'rate_limited'
// @ts-expect-error -- a status that no payment has
client.payments.list({ status: ['done'] })
// @ts-expect-error -- a price is required
client.payments.create({})
// @ts-expect-error -- only endpoints that create take a key
client.payments.sweep({ index: 1 }, { idempotencyKey: 'x' })
// @ts-expect-error -- a test has no payment
if (event.type === 'webhook.test') event.data.received_lamports
`
/** The code of the page about the client, as one module. */
const PAGE = [...readFileSync(join(root, 'sdk/README.md'), 'utf8').matchAll(/```ts\n(.*?)```/gs)]
  .map(([, code]) => code)
  .join('\n')
const newest = join(root, 'node_modules/typescript/bin/tsc')
/** The check of the types brings TypeScript 5. */
const five = createRequire(join(root, 'node_modules/@arethetypeswrong/core/package.json')).resolve('typescript/bin/tsc')

it.each([
  ['TypeScript 5, in a browser', five, ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'], []],
  ['TypeScript 7, in a browser', newest, ['es2022', 'dom'], []],
  ['TypeScript 7, in Node, as sdk/README.md shows it', newest, ['es2024'], ['node']],
])('its types are strict in %s', (_what, tsc, lib, types) => {
  const compilerOptions = {
    ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: false },
    ...{ target: 'es2022', module: 'nodenext', noEmit: true, lib, types },
  }
  writeFileSync(join(home, 'package.json'), '{"type": "module"}')
  writeFileSync(join(home, 'use.ts'), USE)
  writeFileSync(join(home, 'page.ts'), PAGE)
  writeFileSync(
    join(home, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: types.length > 0 ? ['use.ts', 'page.ts'] : ['use.ts'] }),
  )
  run(process.execPath, [tsc, '--project', home])
})

it('takes at most 12 KB of a page, compressed, with everything that it exports', async () => {
  const contents = `export * from '${NAME}'`
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: home },
    ...{ bundle: true, minify: true, format: 'esm', platform: 'browser', write: false },
  })
  expect(gzipSync(outputFiles[0]?.contents ?? '').length).toBeLessThanOrEqual(12 * 1_024)
})
