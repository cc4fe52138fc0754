// What an instance answers and logs while its database or its chain is away.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { newMnemonic } from '#adapters/solana/keys/seed.ts'
import { startService } from '#compose/service.ts'
import { parseConfig } from '#config/config.ts'
import { createLog } from '#server/log.ts'
import { startBareSurfpool } from '../support/chain.ts'
import { copyEmbeddedTemplate, createPostgresDatabase } from '../support/database.ts'
import { startUnsteadyProxy, type UnsteadyProxy } from '../support/faulty-proxy.ts'
import { freePort } from '../support/free-port.ts'
import { STORY_SLOT_MS, STORY_TIMEOUT_MS, storyTools } from '../support/running-service.ts'
import { until } from '../support/until.ts'

const REQUESTS = 50
const JOB = 'a job failed and will be tried again'
const LEFT_OUT = ': lines left out'

type Line = { readonly msg: string; readonly kind?: string; readonly leftOut?: number; readonly err?: object }

let dataDir: string
let lines: Line[]
const ends: (() => Promise<unknown>)[] = []

beforeEach(async () => {
  lines = []
  dataDir = await mkdtemp(join(tmpdir(), 'outage-'))
  ends.push(() => rm(dataDir, { recursive: true, force: true }))
})
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

/** Returns the address through a proxy that the test can cut. */
async function unsteady(address: string): Promise<{ readonly url: string; readonly proxy: UnsteadyProxy }> {
  const url = new URL(address)
  const proxy = await startUnsteadyProxy(Number(url.port))
  ends.push(proxy.close)
  return { url: Object.assign(url, { port: proxy.port }).href, proxy }
}

async function start(settings: Readonly<Record<string, string>>): Promise<void> {
  const own = { DATA_DIR: dataDir, PORT: String(await freePort()), CHAIN_SLOT_MS: String(STORY_SLOT_MS) }
  const log = createLog('warn', { write: (line) => void lines.push(JSON.parse(line)) })
  const config = parseConfig({ ...own, RATE_LIMITS: '0', ...settings })
  const service = await startService(config, { version: 'test', log, progress: () => {} })
  ends.push(service.close)
}

const written = (message: string) => lines.filter(({ msg }) => msg === message)
/** Waits for the counts, which are written every ten seconds. Returns when they add up to `least` at least. */
const untilCounted = (message: string, least: number) => {
  const counted = () => written(message + LEFT_OUT).reduce((sum, { leftOut = 0 }) => sum + leftOut, 0)
  return until(() => counted() >= least, STORY_TIMEOUT_MS / 2)
}

it(
  'an outage of the database is one line for requests and one for jobs, then a count of each',
  async () => {
    const database = await createPostgresDatabase()
    ends.push(database.drop)
    const { url, proxy } = await unsteady(database.url)
    await start({ DATABASE_URL: url })
    const { rest, facts } = await storyTools(dataDir)
    const status = () => rest('GET', '/status?index=1', { key: facts.api_key })

    await proxy.cut()
    const answers = await Promise.all(Array.from({ length: REQUESTS }, status))
    const replies = answers.map((answer) => `${answer.status}, ${answer.headers.get('retry-after')}`)
    expect(new Set(replies)).toEqual(new Set(['503, 5']))
    await untilCounted('unexpected failure', REQUESTS - 1)
    await untilCounted(JOB, 10)

    const outage = expect.objectContaining({ kind: 'database_unavailable', err: expect.anything() })
    expect(written('unexpected failure')).toEqual([outage])
    expect(written(JOB)).toEqual([outage])
    expect(lines.length).toBeLessThan(10)
    await proxy.restore()
    await until(async () => (await status()).status === 404)
  },
  STORY_TIMEOUT_MS,
)

it(
  'an outage of a provider is one line for each kind of its faults, then a count of each',
  async () => {
    await copyEmbeddedTemplate(join(dataDir, 'database'))
    const chain = await startBareSurfpool(STORY_SLOT_MS)
    ends.push(chain.stop)
    const { url, proxy } = await unsteady(chain.rpcUrl)
    const secrets = { MASTER_SEED: newMnemonic(), OPERATOR_TOKEN: 'op_story_00000000000000000000000000000000' }
    const settings = { ...secrets, SANDBOX: '1', PRICE_FEEDS: 'fixed:SOL=150' }
    await start({ ...settings, SOLANA_RPC_URL: url, SOLANA_WS_URL: chain.wsUrl })
    lines = []

    await proxy.cut()
    await untilCounted('a provider failed', 1)

    expect(written('a provider failed')).toEqual([expect.objectContaining({ kind: 'live 1 failed', network: 'live' })])
  },
  STORY_TIMEOUT_MS,
)
