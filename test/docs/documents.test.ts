// The README's payment by hand is there to be pasted: it is run here as it stands, with a stand-in for curl and npm.
import { spawnSync } from 'node:child_process'
import { chmodSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest'
import { FIELD_NAMES, isWritten } from '#core/payments/payment-intent.ts'
import { TRANSITIONS } from '#core/payments/transitions.ts'

describe('readme', () => {
  let home: string
  let clone: string
  let programs: string
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'readme-'))
    clone = join(home, 'clone')
    programs = join(home, 'programs')
    for (const directory of [clone, programs, join(clone, '.data')]) mkdirSync(directory)
  })
  afterEach(() => rmSync(home, { recursive: true }))

  /** A program that notes what it was called with and answers by what its arguments hold. */
  function standIn(name: string, answers: Readonly<Record<string, object>> = {}): void {
    const cases = Object.entries(answers).map(([part, answer]) => `*'${part}'*) echo '${JSON.stringify(answer)}';;`)
    const script = `#!/bin/sh\necho "${name} $*" >>'${join(home, 'calls')}'\ncase "$*" in\n${cases.join('\n')}\nesac\n`
    writeFileSync(join(programs, name), script)
    chmodSync(join(programs, name), 0o755)
  }

  function walk(): string {
    const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
    const [, section = ''] = readme.split('## A payment by hand')
    return /```sh\n(.*?)```/s.exec(section)?.[1] ?? ''
  }

  it.skipIf(process.platform === 'win32')('a payment by hand works as pasted, and leaves no secret behind', () => {
    writeFileSync(join(clone, '.data/demo.json'), JSON.stringify({ api_key: 'sk_live_demo' }))
    standIn('curl', {
      'localhost:4000/intents/select-token': { expected_lamports: 133_266_667, payment_uri: 'solana:DEPOSIT' },
      'localhost:4000/intents/quote': { quotes: [] },
      'localhost:4000/intents ': { client_secret: 'cs_hush', derivation_index: 7, address: 'DEPOSIT' },
      'localhost:4000/status': { status: 'paid' },
    })
    standIn('npm')
    const PATH = [programs, dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter)
    const { status, stderr } = spawnSync('sh', ['-e'], { cwd: clone, input: walk(), env: { PATH }, encoding: 'utf8' })
    expect([status, stderr]).toEqual([0, ''])
    const calls = readFileSync(join(home, 'calls'), 'utf8')
    expect(calls).toContain('/intents/quote?client_secret=cs_hush')
    expect(calls).toContain('{"client_secret": "cs_hush", "mint": null}')
    expect(calls).toContain('npm run -s operator -- faucet DEPOSIT 133266667')
    expect(calls).toContain('/status?index=7 -H Authorization: Bearer sk_live_demo')
    expect(readdirSync(clone)).toEqual(['.data'])
  })
})

// docs/contract.md has the transitions of the code, with the same origin.
describe('contract', () => {
  const page = readFileSync(new URL('../../docs/contract.md', import.meta.url), 'utf8')

  test('the table of transitions is the one that the code enforces', () => {
    const [, rest = ''] = page.split('<!-- transitions -->\n')
    const [table = ''] = rest.split('\n\n')
    const rows = table.split('\n').slice(2)
    const documented = rows.map((row) =>
      row
        .split('|')
        .slice(1, 4)
        .map((cell) => cell.trim()),
    )
    const enforced = Object.entries(TRANSITIONS).flatMap(([from, targets]) =>
      Object.entries(targets).map(([to, origin]) => [from, to, origin]),
    )
    expect(documented.toSorted()).toEqual(enforced.toSorted())
  })
})

// The table of CONTRIBUTING.md for a field of a payment names every module that lists the fields, so that a place more fails here.
describe('contributing', () => {
  const root = new URL('../..', import.meta.url)
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
})
