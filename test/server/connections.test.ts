import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { nextTurn } from '#lib/steps.ts'
import type { LiveEvents } from '#ports/live.ts'
import { DEFAULT_TIMEOUTS } from '#server/listening.ts'
import { LATE_IN_A_TURN } from '#server/refusals.ts'
import { pendingIntent } from '../support/example-intent.ts'
import {
  API_KEY,
  CLIENT_SECRET,
  createTestFeed,
  startTestService,
  type TestOptions,
  type TestService,
  withKey,
} from '../support/services.ts'

const open: { close(): unknown }[] = []

// Connections: slow connections, connections under way when the service stops, and later connections.
describe('connections', () => {
  afterEach(async () => {
    for (const thing of open.splice(0)) await thing.close()
  })

  async function start(options: TestOptions): Promise<TestService> {
    const service = await startTestService(options)
    open.push(service)
    return service
  }

  /** A connection, the bytes received so far, and its end. */
  function dial(
    service: TestService,
    options: { readonly allowHalfOpen?: boolean } = {},
  ): { socket: Socket; received(): string; ended: Promise<void> } {
    let text = ''
    const socket = connect({ port: service.port, host: '127.0.0.1', ...options })
    socket.on('data', (chunk) => {
      text += chunk
    })
    const ended = new Promise<void>((resolve) => socket.on('close', () => resolve()))
    socket.on('error', () => undefined)
    open.push({ close: () => socket.destroy() })
    return { socket, received: () => text, ended }
  }

  const impatient = {
    ...DEFAULT_TIMEOUTS,
    headersTimeout: 100,
    requestTimeout: 200,
    keepAliveTimeout: 100,
    connectionsCheckingInterval: 20,
  }

  describe('a client that sends too slowly', () => {
    it('is cut off within its headers', async () => {
      const { socket, received, ended } = dial(await start({ settings: { timeouts: impatient } }))
      socket.write('GET /config HTTP/1.1\r\nHost: a\r\nX-Slow: ')
      await ended
      expect(received()).toMatch(/^HTTP\/1.1 408 .*{"error":".+"}$/s)
    })

    it('is one of at most 50 clients that are cut off in one turn of the event loop', async () => {
      const timeouts = { ...impatient, connectionsCheckingInterval: 400 }
      const service = await start({ settings: { timeouts } })
      const refused = () => service.logLines.filter((line) => line.includes('broken request')).length
      const clients = Array.from({ length: 3 * LATE_IN_A_TURN + 1 }, () => dial(service))
      await Promise.all(clients.map(({ socket }) => once(socket, 'connect')))
      let most = 0
      for (let before = 0; before < clients.length; before = refused()) {
        await nextTurn()
        most = Math.max(most, refused() - before)
      }
      expect(most).toBe(LATE_IN_A_TURN)
      await Promise.all(clients.map(({ ended }) => ended))
      for (const { received } of clients) expect(received()).toMatch(/^HTTP\/1.1 408 .*{"error":".+"}$/s)
    })

    it('is cut off within its body', async () => {
      const { socket, ended } = dial(await start({ settings: { timeouts: impatient } }))
      const head = `POST /intents HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${API_KEY}\r\nContent-Type: application/json\r\n`
      socket.write(`${head}Content-Length: 1000\r\n\r\n{"amount`)
      await ended
    })

    const head = `Host: a\r\nAuthorization: Bearer ${API_KEY}\r\n`
    const body = JSON.stringify({ amount_usd_cents: 2_500, accepted_tokens: [{ kind: 'sol' }] })
    const begun = `POST /intents HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
    it.each([
      ['sends nothing', '', begun + body],
      ['sends a part of the head', begun.slice(0, 40), begun.slice(40) + body],
      ['sends a part of the body', begun + body.slice(0, 5), body.slice(5)],
    ])('%s, and has nothing carried out that it sends after its refusal', async (_case, before, after) => {
      let created = 0
      const create = () => Promise.reject(new Error(`created ${++created}`))
      const service = await start({ settings: { timeouts: impatient }, services: { intents: { create } } })
      const { socket, received, ended } = dial(service, { allowHalfOpen: true })
      socket.write(before)
      await once(socket, 'end')
      expect(received()).toMatch(/^HTTP\/1.1 408 /)
      socket.end(after)
      await ended
      // A request of another client comes behind it.
      expect((await service.get('/')).status).toBe(200)
      expect(created).toBe(0)
    })

    it('is cut off when it is idle after a reply', async () => {
      const { socket, received, ended } = dial(await start({ settings: { timeouts: impatient } }))
      socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
      await ended
      expect(received()).toMatch(/^HTTP\/1.1 200 /)
    })
  })

  describe('requests that a client sends without waiting for replies', () => {
    it('are handled one after the other, and answered in order', async () => {
      const asked: number[] = []
      const answers: (() => void)[] = []
      const service = await start({
        services: {
          intents: {
            findByIndex: async (_tenant, index) => {
              asked.push(index)
              await new Promise<void>((resolve) => answers.push(resolve))
              return { ...pendingIntent, derivationIndex: index }
            },
          },
        },
      })
      const { socket, received, ended } = dial(service)
      const ask = (index: number) =>
        `GET /status?index=${index} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${API_KEY}\r\n\r\n`
      socket.write(ask(1) + ask(2) + ask(3))
      for (const index of [1, 2]) {
        await expect.poll(() => answers.length).toBe(index)
        expect(asked).toHaveLength(index)
        answers[index - 1]?.()
        await expect.poll(received).toContain(`"derivation_index":${index}`)
      }
      // The last request is under way when the client leaves, and the next request is not handled any more.
      await expect.poll(() => answers.length).toBe(3)
      socket.write(ask(4))
      const logged = service.logLines.length
      socket.destroy()
      await ended
      await expect.poll(() => service.logLines.length).toBeGreaterThan(logged)
      answers[2]?.()
      expect((await service.get('/')).status).toBe(200)
      expect(asked).toEqual([1, 2, 3])
    })
  })

  describe('the service stopping', () => {
    it('lets a reply under way finish, and accepts nothing new', async () => {
      let answer: () => void = () => undefined
      const asked = Promise.withResolvers<void>()
      const service = await startTestService({
        services: {
          intents: {
            findByIndex: async () => {
              asked.resolve()
              await new Promise<void>((resolve) => {
                answer = resolve
              })
              return pendingIntent
            },
          },
        },
      })
      const reply = service.get('/status?index=42', withKey())
      await asked.promise
      const closed = service.close()
      await expect(service.get('/config')).rejects.toThrow()
      answer()
      const started = performance.now()
      expect((await reply).status).toBe(200)
      await closed
      // The client keeps its connection alive; the service does not wait for it.
      expect(performance.now() - started).toBeLessThan(1_000)
    })

    it('cuts off replies that do not finish in time', async () => {
      const asked = Promise.withResolvers<void>()
      const service = await startTestService({
        services: {
          intents: {
            findByIndex: () => {
              asked.resolve()
              return new Promise(() => undefined)
            },
          },
        },
      })
      const reply = service.get('/status?index=42', withKey())
      await asked.promise
      await Promise.all([service.close(50), expect(reply).rejects.toThrow()])
    })

    it('does not wait for idle connections', async () => {
      const service = await startTestService()
      const { socket, received } = dial(service)
      socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
      await expect.poll(received).toContain('200 OK')
      const started = performance.now()
      await service.close()
      expect(performance.now() - started).toBeLessThan(1_000)
    })
  })

  it('a port in use is an error at once', async () => {
    const service = await start({})
    const { startServer } = await import('#server/server.ts')
    const at = { port: service.port, host: '127.0.0.1', operatorPort: null }
    await expect(startServer(service.parts, at)).rejects.toMatchObject({ code: 'EADDRINUSE' })
  })
})

// Clients that send requests and do not read the replies.
describe('slow readers', () => {
  const WRITE_TIMEOUT_MS = 400
  const timeouts = { ...DEFAULT_TIMEOUTS, writeTimeout: WRITE_TIMEOUT_MS }
  const LONGER_MS = 1.5 * WRITE_TIMEOUT_MS

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
})
