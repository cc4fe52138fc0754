// The README's payment by hand is there to be pasted: it is run here as it stands, with a stand-in for curl and npm.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'

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
