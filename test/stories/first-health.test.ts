// A start script waits until the service is healthy, and then uses the demo business at once.
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { startService } from '#compose/service.ts'
import { parseConfig } from '#config/config.ts'
import { readDemoFacts } from '#sandbox/demo-facts.ts'
import { createLog } from '#server/log.ts'
import { copyEmbeddedTemplate } from '../support/database.ts'
import { freePort } from '../support/free-port.ts'
import { STORY_SLOT_MS, STORY_TIMEOUT_MS } from '../support/running-service.ts'

it(
  'the demo business and its key exist when GET /health is first answered',
  async () => {
    const DATA_DIR = await mkdtemp(join(tmpdir(), 'first-health-'))
    await copyEmbeddedTemplate(join(DATA_DIR, 'database'))
    const port = await freePort()
    const PORT = String(port)
    const config = parseConfig({ DATA_DIR, PORT, CHAIN_SLOT_MS: String(STORY_SLOT_MS), RATE_LIMITS: '0' })
    const starting = startService(config, { version: 'test', log: createLog('fatal'), progress: () => {} })
    let failure: unknown = null
    starting.catch((error: unknown) => {
      failure = error
    })
    let health: Response | null = null
    while (health === null && failure === null) {
      if (await accepts(port)) health = await fetch(`http://127.0.0.1:${PORT}/health`).catch(() => null)
      else await sleep(1)
    }
    expect([failure, health?.status]).toEqual([null, 200])
    const facts = await readDemoFacts(DATA_DIR)
    const paid = await fetch(`http://127.0.0.1:${PORT}/intents`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${facts?.api_key}` },
      body: JSON.stringify({ amount_usd_cents: 1_500, accepted_tokens: [{ kind: 'sol' }] }),
    })
    expect(paid.status).toBe(200)
    await (await starting).close()
    await rm(DATA_DIR, { recursive: true, force: true })
  },
  STORY_TIMEOUT_MS,
)

/** Returns whether a server accepts a connection. A request would take more of the processor, which the start needs. */
function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('error', () => resolve(false))
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
  })
}
