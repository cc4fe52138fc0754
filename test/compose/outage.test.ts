// What an instance answers and logs while its database is away.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startService } from '#compose/service.ts'
import { parseConfig } from '#config/config.ts'
import { createLog } from '#server/log.ts'
import { createPostgresDatabase } from '../support/database.ts'
import { freePort } from '../support/postgres-server.ts'
import { STORY_SLOT_MS, STORY_TIMEOUT_MS, storyTools } from '../support/running-service.ts'
import { startUnsteadyProxy } from '../support/unsteady-proxy.ts'
import { until } from '../support/until.ts'

const REQUESTS = 50

it('an outage of the database is one line for requests and one for jobs, then a count of each', async () => {
  const database = await createPostgresDatabase()
  const proxy = await startUnsteadyProxy(Number(new URL(database.url).port))
  const DATA_DIR = await mkdtemp(join(tmpdir(), 'outage-'))
  const url = Object.assign(new URL(database.url), { port: proxy.port })
  const settings = { PORT: String(await freePort()), CHAIN_SLOT_MS: String(STORY_SLOT_MS), RATE_LIMITS: '0' }
  const config = parseConfig({ ...settings, DATA_DIR, DATABASE_URL: url.href })
  const lines: { readonly msg: string; readonly kind?: string; readonly leftOut?: number; readonly err?: object }[] = []
  const log = createLog('warn', { write: (line) => void lines.push(JSON.parse(line)) })
  const service = await startService(config, { version: 'test', log, progress: () => {} })
  const { rest, facts } = await storyTools(DATA_DIR)
  const written = (message: string) => lines.filter(({ msg }) => msg === message)

  await proxy.cut()
  const answers = await Promise.all(
    Array.from({ length: REQUESTS }, () => rest('GET', '/status?index=1', { key: facts.api_key })),
  )
  const replies = answers.map(({ status, headers }) => `${status}, ${headers.get('retry-after')}`)
  expect(new Set(replies)).toEqual(new Set(['503, 5']))
  // The jobs that run each second fail again and again.
  await until(() => written('a job failed and will be tried again: lines left out').length > 0, STORY_TIMEOUT_MS / 2)
  await proxy.restore()
  await until(async () => (await rest('GET', '/status?index=1', { key: facts.api_key })).status === 404)
  await service.close()

  const outage = expect.objectContaining({ kind: 'database_unavailable', err: expect.anything() })
  expect(written('unexpected failure')).toEqual([outage])
  expect(written('a job failed and will be tried again')).toEqual([outage])
  const counts = written('unexpected failure: lines left out').map(({ leftOut = 0 }) => leftOut)
  expect(counts.reduce((sum, leftOut) => sum + leftOut, 0)).toBe(REQUESTS - 1)
  expect(lines.length).toBeLessThan(10)
  await Promise.all([proxy.close(), database.drop(), rm(DATA_DIR, { recursive: true, force: true })])
})
