// A short run of the simulator by its command: it finds nothing, a second run is the same, and it finds planted bugs.
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { openSimulatedDatabase } from './database.ts'
import { PLANTS } from './plants/plants.ts'

const main = join(import.meta.dirname, 'main.ts')
const run = promisify(execFile)

async function simulate(...args: string[]): Promise<{ code: number; stdout: string }> {
  const traces = await mkdtemp(join(tmpdir(), 'simulator-'))
  onTestFinished(() => rm(traces, { recursive: true, force: true }))
  const given = ['--disable-warning=ExperimentalWarning', main, '--workers', '1', '--trace-dir', traces, ...args]
  try {
    const { stdout } = await run(process.execPath, given)
    return { code: 0, stdout }
  } catch (error) {
    if (error instanceof Error && 'stdout' in error && 'code' in error) {
      return { code: Number(error.code), stdout: String(error.stdout) }
    }
    throw error
  }
}

test('a few simulated days lose nothing, pay nothing twice and end; a repeated day is the same day', async () => {
  // The first reads addresses, the second reads blocks, and the third has subscriptions for seven months.
  const { code, stdout } = await simulate('--from', '28', '--seeds', '3', '--replay', '33')
  expect(stdout).toMatch(/^seeds +3 in/m)
  expect(stdout).toMatch(/^replayed +1, of which 0 differed$/m)
  for (const row of ['failed seeds', 'lost', 'double-paid', 'stuck'])
    expect(stdout).toMatch(new RegExp(`^${row} +0$`, 'm'))
  expect(code).toBe(0)
}, 240_000)

test('planted bugs are caught', async () => {
  const { code, stdout } = await simulate(
    '--seeds',
    '8',
    '--plant',
    'refund-to-wrong-sender,deposit-counted-twice,event-dropped',
  )
  expect(stdout).toContain('3 of 3 planted bugs caught')
  expect(code).toBe(0)
}, 240_000)

test('planted bugs of the database fit its schema', async () => {
  const { db } = await openSimulatedDatabase()
  onTestFinished(() => db.close())
  const altering = [...PLANTS.values()].flatMap(({ name, sql }) => (sql === undefined ? [] : [{ name, sql }]))
  expect(altering.length).toBeGreaterThan(0)
  for (const { name, sql } of altering)
    await expect(
      db.session((session) => session.script(`BEGIN; ${sql}; ROLLBACK`)),
      name,
    ).resolves.not.toThrow()
}, 60_000)
