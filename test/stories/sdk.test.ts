// The client and the program that `npm start` runs.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { SolanaPayments, verifyWebhook } from '../../sdk/src/index.ts'
import { copyEmbeddedTemplate } from '../support/database.ts'
import { freePort } from '../support/free-port.ts'
import { answerWith, startReceiver } from '../support/receiver.ts'
import {
  type ServiceProcess,
  STORY_TIMEOUT_MS,
  type Story,
  startProcess,
  storyTools,
} from '../support/running-service.ts'

vi.setConfig({ testTimeout: STORY_TIMEOUT_MS, hookTimeout: STORY_TIMEOUT_MS })

let dataDir: string
let service: ServiceProcess
let story: Story
let options: { apiKey: string; baseUrl: string }
let client: SolanaPayments
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'sdk-'))
  await copyEmbeddedTemplate(join(dataDir, 'database'))
  service = await startProcess(dataDir, await freePort(), { WEBHOOK_ALLOW_PRIVATE: '1' })
  story = await storyTools(dataDir)
  options = { apiKey: story.facts.api_key, baseUrl: story.facts.base_url }
  client = new SolanaPayments(options)
})
afterAll(async () => {
  await service?.stop()
  await rm(dataDir, { recursive: true, force: true })
})

const createPayment = (reference?: string) =>
  client.payments.create({ amount_usd_cents: 1_500, accepted_tokens: [{ kind: 'sol' }], reference })

const pay = (index: number) =>
  client.graphql('mutation ($index: Int!) { simulateDeposit(index: $index, kind: exact) { signature } }', { index })

describe('a payment', () => {
  it('is awaited until it is swept: over the websocket, and by asking, by the backend and by the page of the buyer', async () => {
    const { derivation_index: index, client_secret: secret } = await createPayment()
    const polls = new SolanaPayments({ ...options, WebSocket: null })
    const page = new SolanaPayments({ baseUrl: options.baseUrl })
    const reads: string[] = []
    const counting = new SolanaPayments({
      ...options,
      fetch: (...request) => {
        reads.push(String(request[0]))
        return fetch(...request)
      },
    })
    const waits = [counting.waitFor(index, 'swept'), polls.waitFor(index, 'swept'), page.waitFor(secret ?? '', 'swept')]
    await pay(index)
    for (const { status } of await Promise.all(waits)) expect(status).toBe('swept')
    // The websocket shows the changes: the first status, and at most the four that follow a deposit.
    expect(reads.length).toBeLessThanOrEqual(5)
  })

  it('that is cancelled will not be swept, and the wait says so at once', async () => {
    const { derivation_index: index } = await createPayment()
    const ended = expect(client.waitFor(index, 'swept')).rejects.toMatchObject({ code: 'payment_ended' })
    await client.payments.cancel({ index })
    await ended
  })

  it('is created once for an idempotency key, and shows its secret again', async () => {
    const create = (reference: string) =>
      client.payments.create(
        { amount_usd_cents: 900, accepted_tokens: [{ kind: 'sol' }], reference },
        { idempotencyKey: 'one' },
      )
    const first = await create('a')
    expect(await create('a')).toEqual(first)
    await expect(create('b')).rejects.toMatchObject({ status: 409, code: 'idempotency_key_reused' })
  })
})

describe('a list', () => {
  it('yields every payment over several pages', async () => {
    const references = ['r-1', 'r-2', 'r-3']
    for (const reference of references) await createPayment(reference)
    const listed: unknown[] = []
    for await (const { reference } of client.payments.list({ search: 'r-', limit: 2 })) listed.push(reference)
    expect(listed).toEqual(references.toReversed())
  })

  it('of a file comes as a stream', async () => {
    const text = await new Response(await client.exports.payments()).text()
    expect(text).toMatch(/^id,derivation_index,/)
  })
})

describe('events', () => {
  it('are those of the log, with amounts as bigints, over a connection that is lost', async () => {
    let connections = 0
    const cutting = new SolanaPayments({
      ...options,
      // The first connection ends after the first event.
      async fetch(...request) {
        const response = await fetch(...request)
        if (response.headers.get('content-type') !== 'text/event-stream' || connections++ > 0) return response
        const reader = response.body?.getReader()
        return new Response(
          new ReadableStream({
            async pull(controller) {
              const { value } = (await reader?.read()) ?? {}
              controller.enqueue(value)
              if (new TextDecoder().decode(value).includes('data:')) controller.error(new TypeError('terminated'))
            },
          }),
        )
      },
    })
    const { next_cursor: after } = await newestPage()
    const seen: string[] = []
    const { derivation_index: index } = await createPayment()
    await pay(index)
    for await (const { event } of cutting.followEvents({ after: after ?? undefined })) {
      if (!('derivation_index' in event.data) || event.data.derivation_index !== index) continue
      seen.push(event.type)
      if (event.type !== 'intent.swept') continue
      expect(event.data.received_lamports).toBeTypeOf('bigint')
      break
    }
    expect(connections).toBe(2)
    expect(seen).toEqual(['intent.created', 'intent.token_selected', 'intent.paid', 'intent.settling', 'intent.swept'])
  })

  async function newestPage() {
    let newest = await client.events.list().page()
    for await (const page of client.events.list().pages()) if (page.next_cursor !== null) newest = page
    return newest
  }

  it('that are refused end with the refusal', async () => {
    const following = client.followEvents({ after: 'nowhere' })
    await expect(following.next()).rejects.toMatchObject({ code: 'invalid_request' })
  })
})

describe('a webhook', () => {
  it('of an endpoint is verified with the secret that its creation showed', async () => {
    const receiver = await startReceiver(answerWith(204))
    const { id, secret } = await client.webhookEndpoints.create({ url: receiver.url })
    await client.webhookEndpoints.test(id)
    await expect.poll(() => receiver.received.length).toBeGreaterThan(0)
    const [request] = receiver.received
    expect(verifyWebhook(request?.body ?? '', request?.headers ?? {}, secret)).toMatchObject({ type: 'webhook.test' })
    await client.webhookEndpoints.delete(id)
    await receiver.close()
  })
})
