// Clients that send requests and do not read the replies.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import type { LiveEvents } from '#ports/live.ts'
import { DEFAULT_TIMEOUTS } from '#server/listening.ts'
import { pendingIntent } from '../support/example-intent.ts'
import {
  CLIENT_SECRET,
  createTestFeed,
  startTestService,
  type TestOptions,
  type TestService,
  withKey,
} from '../support/services.ts'

const WRITE_TIMEOUT_MS = 400
const timeouts = { ...DEFAULT_TIMEOUTS, writeTimeout: WRITE_TIMEOUT_MS }
const LONGER_MS = 1.5 * WRITE_TIMEOUT_MS

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const thing of open.splice(0)) await thing.close()
})

async function start(options: TestOptions = {}): Promise<TestService> {
  const service = await startTestService({ ...options, settings: { timeouts } })
  open.push(service)
  return service
}

/** A connection that sends a request, reads the beginning of the reply, and stops. */
async function askAndStop(service: TestService, request: string): Promise<Socket> {
  const socket = connect(service.port, '127.0.0.1', () => socket.write(request))
  socket.on('error', () => undefined)
  open.push({ close: () => socket.destroy() })
  await once(socket, 'data')
  return socket.pause()
}

const PAGE = 'GET /graphql HTTP/1.1\r\nHost: a\r\nAccept: text/html\r\n\r\n'

function follow(): string {
  const body = JSON.stringify({
    query: `subscription { checkoutUpdated(clientSecret: "${CLIENT_SECRET}") { reference } }`,
  })
  const head = 'POST /graphql HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\nContent-Type: application/json\r\n'
  return `${head}Content-Length: ${body.length}\r\n\r\n${body}`
}

const intents = { checkoutStatus: async () => pendingIntent }
const cutOff = ({ logLines }: TestService): number => logLines.filter((line) => line.includes('"status":499')).length
const MANY = 20
const EVENT_BYTES = 100_000

describe('clients that do not read a large page', () => {
  it('share one buffer, and are cut off', async () => {
    const service = await start()
    await askAndStop(service, PAGE)
    const before = process.memoryUsage().external
    await Promise.all(Array.from({ length: MANY }, () => askAndStop(service, PAGE)))
    const bytesOfEach = (process.memoryUsage().external - before) / MANY
    expect(bytesOfEach).toBeLessThan(1_000_000)
    await expect.poll(() => cutOff(service)).toBe(MANY + 1)
  })
})

describe('a client that does not read its stream', () => {
  it('makes its source wait, and is cut off', async () => {
    let sent = 0
    const ended = Promise.withResolvers<void>()
    const live: LiveEvents = {
      async *follow() {
        try {
          for (; ; sent++) yield { ...pendingIntent, reference: 'x'.repeat(EVENT_BYTES) }
        } finally {
          ended.resolve()
        }
      },
    }
    const service = await start({ live, services: { intents } })
    await askAndStop(service, follow())
    await ended.promise
    expect(cutOff(service)).toBe(1)
    // The kernel buffers about 6 MB for a local connection. Without a limit the count would grow until the client is
    // cut off.
    expect(sent * EVENT_BYTES).toBeLessThan(16_000_000)
  })
})

describe('a reply that takes longer than the read timeout', () => {
  it('continues while it is read, however slowly', async () => {
    const service = await start()
    const socket = await askAndStop(service, PAGE.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))
    const started = performance.now()
    let bytes = 0
    let sinceRest = 0
    socket.on('data', (chunk) => {
      bytes += chunk.length
      sinceRest += chunk.length
      if (sinceRest < 500_000) return
      sinceRest = 0
      socket.pause()
      // Short rests: a busy machine makes them longer, and none may reach the timeout.
      void setTimeout(LONGER_MS / 12).then(() => socket.resume())
    })
    await once(socket.resume(), 'close')
    expect(performance.now() - started).toBeGreaterThan(LONGER_MS)
    expect(bytes).toBeGreaterThan(8_000_000)
  })

  it('continues while its handler works', async () => {
    const findByIndex = () => setTimeout(LONGER_MS, pendingIntent)
    const service = await start({ services: { intents: { findByIndex } } })
    expect((await service.get('/status?index=42', withKey())).status).toBe(200)
  })

  it('continues while a stream is silent', async () => {
    const live = createTestFeed()
    const service = await start({ live, services: { intents } })
    const socket = await askAndStop(service, follow())
    await expect.poll(live.followers).toBe(1)
    await setTimeout(LONGER_MS)
    live.push(pendingIntent)
    let text = ''
    for await (const chunk of socket) {
      text += chunk
      if (text.includes('checkoutUpdated')) break
    }
    expect(text).toContain('checkoutUpdated')
  })
})
