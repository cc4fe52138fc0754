// The service keeps up its embedded database by itself.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openDatabase } from '#adapters/prisma/engine/database.ts'
import { copyEmbeddedTemplate } from '../support/database.ts'
import { freePort } from '../support/free-port.ts'
import { STORY_TIMEOUT_MS, startProcess, storyTools } from '../support/running-service.ts'

const PAYMENTS = 60

it(
  'a running service reads statistics of a table that has grown, at most 3,000 rows of it',
  async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'upkeep-story-'))
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
    await copyEmbeddedTemplate(join(dataDir, 'database'))
    const service = await startProcess(dataDir, await freePort())
    const { facts, operatorToken, rest } = await storyTools(dataDir)
    const body = { amount_usd_cents: 1_500, accepted_tokens: [{ kind: 'sol' }] }
    await Promise.all(Array.from({ length: PAYMENTS }, () => rest('POST', '/intents', { key: facts.api_key, body })))
    // A move of the clock wakes every job. The answer to the second move comes after the notice of the first.
    for (let move = 0; move < 2; move += 1) {
      const response = await fetch(`${facts.operator_url}/operator/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${operatorToken}` },
        body: JSON.stringify({ query: 'mutation { advanceClock(seconds: 1) { now } }' }),
      })
      expect(await response.json()).not.toHaveProperty('errors')
    }
    await service.stop()

    const database = await openDatabase({ kind: 'embedded', dataDir: join(dataDir, 'database') })
    onTestFinished(() => database.close())
    type Statistics = { readonly reltuples: number }
    const [payments] = await database.query<Statistics>(
      "SELECT reltuples FROM pg_class WHERE relname = 'payment_intents'",
    )
    // A table without statistics has -1 rows. They may be read as soon as 50 rows are there.
    expect(payments?.reltuples).toBeGreaterThan(50)
    expect(await database.query('SHOW default_statistics_target')).toEqual([{ default_statistics_target: '10' }])
  },
  STORY_TIMEOUT_MS,
)
