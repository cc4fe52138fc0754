// A wrong setting stops the start with one line that names it: as who started the program sees it.
// What each setting may lead to is in compose/start.test.ts, without a process for each.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Outcome, spawnProgram } from './support/spawned-program.ts'

/** Longer than any start that is refused takes on a busy machine. */
const GIVE_UP_MS = 14_000

let directory: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'start-'))
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** The program that `npm start` runs, in an empty directory and with these settings only. */
const start = (settings: Readonly<Record<string, string>>): Promise<Outcome> =>
  spawnProgram('src/main.ts', [], { cwd: directory, env: settings, timeout: GIVE_UP_MS })

/** Refused with this one line, and before anything was started that would have said so. */
async function expectRefused(settings: Readonly<Record<string, string>>, line: RegExp): Promise<void> {
  const { code, out, err } = await start(settings)
  expect(err.trimEnd()).toMatch(line)
  expect([code, out, err.trimEnd().split('\n').length]).toEqual([1, '', 1])
}

describe('a start is refused in one line', () => {
  it('by settings that cannot be used, or do not go together', async () => {
    await expectRefused(
      { PRICE_FEEDS: 'pyth,fixed:SOL=1' },
      /^PRICE_FEEDS: fixed prices stand alone; write fixed:SOL=150/,
    )
  })

  it('by what is found where a setting leads', async () => {
    await expectRefused(
      { MASTER_SEED_FILE: '/nowhere' },
      /^MASTER_SEED_FILE: there is no file \/nowhere; write the path/,
    )
  })
})
