// The sandbox clock, moved through the interface: repeatedly, far, and by concurrent requests.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSolanaRpc } from '@solana/kit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { copyEmbeddedTemplate } from '../support/database.ts'
import { freePort } from '../support/free-port.ts'
import {
  type Json,
  openIntent,
  type ServiceProcess,
  STORY_TIMEOUT_MS,
  type Story,
  startProcess,
  storyTools,
  untilStatus,
} from '../support/running-service.ts'

let dataDir: string
let port: number
let service: ServiceProcess
let story: Story
const start = async (): Promise<void> => {
  service = await startProcess(dataDir, port)
  story = await storyTools(dataDir)
}
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'clock-story-'))
  await copyEmbeddedTemplate(join(dataDir, 'database'))
  port = await freePort()
  await start()
}, STORY_TIMEOUT_MS)
afterAll(async () => {
  await service?.stop()
  await rm(dataDir, { recursive: true, force: true })
})

async function ask(query: string): Promise<Json> {
  const response = await fetch(`${story.facts.operator_url}/operator/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${story.operatorToken}` },
    body: JSON.stringify({ query }),
  })
  const answer: Json = await response.json()
  expect(answer.errors).toBeUndefined()
  return answer.data
}

/** Resolves to the service's time after the move. */
const advance = async (seconds: number): Promise<number> =>
  Date.parse((await ask(`mutation { advanceClock(seconds: ${seconds}) { now } }`)).advanceClock.now)

async function newestBlock(): Promise<{ slot: bigint; timeMs: number }> {
  const rpc = createSolanaRpc(story.facts.rpc_url)
  const slot = await rpc.getSlot({ commitment: 'processed' }).send()
  return { slot, timeMs: Number(await rpc.getBlockTime(slot).send()) * 1000 }
}

async function expectPaymentsToBecomeFinal(): Promise<void> {
  const { index, deposit, expected } = await openIntent(story, 'SOL')
  await story.pay(deposit, 'SOL', expected)
  await untilStatus(story, index, 'swept')
  const health = await story.rest('GET', '/health')
  expect(health.body.checks.chain).toBe('ok')
}

it(
  'after a whole retry schedule and a day, the chain follows the service’s time and payments become final',
  async () => {
    let before = await newestBlock()
    for (const seconds of [340, 2_000, 8_000, 20_000, 40_000, 56_000, 80_000, 96_000, 86_500, 1]) {
      const now = await advance(seconds)
      const block = await newestBlock()
      expect(block.slot).toBeGreaterThan(before.slot)
      expect(block.timeMs).toBeGreaterThanOrEqual(Math.floor(now / 1000) * 1000)
      before = block
    }
    await expectPaymentsToBecomeFinal()
  },
  STORY_TIMEOUT_MS,
)

it(
  'concurrent moves add up, also to years, and survive a restart',
  async () => {
    const { timeMs } = await newestBlock()
    const moves = [86_400, 1, 315_360_000, 600, 31_536_000, 5]
    const now = Math.max(...(await Promise.all(moves.map(advance))))
    expect(now - timeMs).toBeGreaterThanOrEqual(moves.reduce((sum, seconds) => sum + seconds, 0) * 1000 - 3_000)
    expect((await newestBlock()).timeMs).toBeGreaterThanOrEqual(Math.floor(now / 1000) * 1000)
    await expectPaymentsToBecomeFinal()

    const before = await newestBlock()
    await service.stop()
    await start()
    const block = await newestBlock()
    expect(block.slot).toBeGreaterThan(before.slot)
    expect(block.timeMs).toBeGreaterThanOrEqual(before.timeMs)
    await expectPaymentsToBecomeFinal()
    await advance(5)
  },
  STORY_TIMEOUT_MS,
)
