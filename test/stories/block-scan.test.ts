// Payments found block by block, on a real Solana runtime, without polling an address.
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { openIntent, STORY_TIMEOUT_MS, type Story, startStory, untilStatus } from '../support/running-service.ts'
import { until } from '../support/until.ts'

vi.setConfig({ testTimeout: STORY_TIMEOUT_MS, hookTimeout: STORY_TIMEOUT_MS })

let story: Story & { stop(): Promise<void> }
beforeAll(async () => {
  story = await startStory({ DEPOSIT_SOURCE: 'blocks' })
})
afterAll(() => story?.stop())

it.concurrent.each(['SOL', 'USDD', 'DEMO'])('a payment in %s is found in its block, and swept', async (ticker) => {
  const intent = await openIntent(story, ticker)
  await story.pay(intent.deposit, ticker, intent.expected)
  const status = await untilStatus(story, intent.index, 'swept')
  expect(status.refund_sender).toBe(story.wallet.address)
  expect(status.received_lamports).toBe(Number(intent.expected))
})

it.concurrent('a payment long after the end is found as well', async () => {
  const intent = await openIntent(story, 'SOL')
  await story.rest('POST', '/intents/cancel', { body: { client_secret: intent.clientSecret } })
  await untilStatus(story, intent.index, 'cancelled')
  await story.pay(intent.deposit, 'SOL', intent.expected)
  await untilStatus(story, intent.index, 'refunded')
})

it.concurrent('an asset that was not requested is found by the owner of its account', async () => {
  const intent = await openIntent(story, 'SOL')
  await story.pay(intent.deposit, 'USDD', 5_000_000n)
  const returned = async () =>
    (await story.rest('GET', `/status?index=${intent.index}`, { key: story.facts.api_key })).body.token_refunds
  await until(async () => (await returned())?.[0]?.status === 'refunded', STORY_TIMEOUT_MS / 2)
  expect(await returned()).toMatchObject([{ status: 'refunded' }])
})
