import fc from 'fast-check'
import { getIntrospectionQuery } from 'graphql'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { ServiceError } from '#core/errors.ts'
import { nextTurn } from '#lib/steps.ts'
import { Addresses, Budget } from '#server/websocket/budget.ts'
import { DEFAULT_WEBSOCKET_LIMITS, type WebSocketLimits } from '#server/websocket/limits.ts'
import { Usage } from '#server/websocket/usage.ts'
import { BEGUN_IN_A_TURN } from '#server/websocket.ts'
import { pendingIntent } from '../../support/example-intent.ts'
import { handshake, openWebSocket, type RawWebSocket } from '../../support/raw-connections.ts'
import {
  API_KEY,
  CLIENT_SECRET,
  metric,
  startTestService,
  type TestOptions,
  type TestService,
  withKey,
} from '../../support/services.ts'
import { until } from '../../support/until.ts'

// One hostile client: messages that it sends, replies that it does not read, and the memory that the service keeps for
// it.
describe('floods', () => {
  const KB = 1_024
  const MB = 1_024 * KB
  const UNLIMITED = { messages: 1e9, bytes: 1e12, windowMs: 1_000 }
  const unlimited = { connectionAllowance: UNLIMITED, addressAllowance: UNLIMITED }

  const open: { close(): unknown }[] = []
  afterEach(async () => {
    for (const thing of open.splice(0).reverse()) await thing.close()
  })

  async function start(options: TestOptions = {}): Promise<TestService> {
    const service = await startTestService(options)
    open.push(service)
    return service
  }

  /** A short timeout for a client that does not close its side. */
  const withLimits = (webSockets: Partial<WebSocketLimits> = {}) =>
    start({ settings: { webSockets: { closeTimeoutMs: 200, ...webSockets } } })

  async function dial(service: TestService, headers: Record<string, string> = {}): Promise<RawWebSocket> {
    const raw = await openWebSocket(service, headers)
    open.push({ close: () => raw.socket.terminate() })
    return raw
  }

  async function connect(service: TestService): Promise<RawWebSocket> {
    const raw = await dial(service)
    await raw.init()
    return raw
  }

  const ended = (service: TestService, reason: string) => metric(service, `websocket_ended_total{reason="${reason}"}`)

  const ping = { type: 'ping' }
  const LARGE = getIntrospectionQuery()
  const largePing = JSON.stringify({ type: 'ping', payload: { filler: 'x'.repeat(60 * KB) } })

  /** Sends as fast as the service reads, until the connection is closed. Returns the number of messages. */
  async function flood({ socket }: RawWebSocket, send: (taken: () => void) => void, most = 1_000_000): Promise<number> {
    let count = 0
    for (; count < most && socket.readyState === socket.OPEN; count++) await new Promise<void>(send)
    return count
  }

  /** Measures the bytes of the service that wait to be read; `most` is the largest total so far. */
  function watchBuffers(clients: readonly RawWebSocket[]): { most(): number } {
    const own = new Set(clients.map(({ socket }) => socket))
    const served = new Set<WebSocket>()
    let most = 0
    for (const method of ['send', 'pong'] as const) {
      const original = WebSocket.prototype[method]
      const watched = vi.spyOn(WebSocket.prototype, method).mockImplementation(function (
        this: WebSocket,
        ...args: unknown[]
      ) {
        Reflect.apply(original, this, args)
        if (own.has(this)) return
        let waiting = 0
        for (const socket of served.add(this)) if (socket.readyState === socket.OPEN) waiting += socket.bufferedAmount
        most = Math.max(most, waiting)
      })
      open.push({ close: () => watched.mockRestore() })
    }
    return { most: () => most }
  }

  it('of the operations of clients without a key at most 10 begin in one turn of the event loop', async () => {
    let begun = 0
    const checkoutStatus = async () => {
      begun += 1
      return pendingIntent
    }
    const service = await start({ services: { intents: { checkoutStatus } } })
    const clients = await Promise.all(Array.from({ length: 30 }, () => connect(service)))
    const each = 5
    for (const [place, client] of clients.entries())
      for (let id = 0; id < each; id++) {
        const query = `{ checkout(clientSecret: "cs_${place}_${id}") { status } }`
        client.send({ type: 'subscribe', id: String(id), payload: { query } })
      }
    let most = 0
    for (let before = 0; before < clients.length * each; before = begun) {
      await nextTurn()
      most = Math.max(most, begun - before)
    }
    expect(most).toBeLessThanOrEqual(BEGUN_IN_A_TURN)
    expect(BEGUN_IN_A_TURN).toBe(10)
  })

  describe('a client that does not read', () => {
    /** Requests the schema again and again. */
    const askMuch = (raw: RawWebSocket) => {
      let id = 0
      return flood(raw, (taken) => {
        raw.socket.send(JSON.stringify({ type: 'subscribe', id: String(id++), payload: { query: LARGE } }), taken)
      })
    }

    it('has at most 1 MB and one message waiting for it, whatever it requests', async () => {
      const service = await withLimits(unlimited)
      const reply = JSON.stringify((await service.graphql(LARGE)).body).length
      const raw = await connect(service)
      const buffers = watchBuffers([raw])
      raw.socket.pause()
      await askMuch(raw)
      expect(await ended(service, 'slow_reader')).toBe(1)
      expect(buffers.most()).toBeGreaterThan(MB)
      expect(buffers.most()).toBeLessThan(MB + 2 * reply)
      expect(await metric(service, 'websocket_buffered_bytes')).toBe(0)
    })

    it('is cut off for the pongs that it does not read', async () => {
      const service = await withLimits({ ...unlimited, maxBufferedBytes: 16 * KB })
      const raw = await connect(service)
      const buffers = watchBuffers([raw])
      raw.socket.pause()
      await flood(raw, (taken) => raw.socket.ping('x'.repeat(125), undefined, taken))
      expect(await ended(service, 'slow_reader')).toBe(1)
      expect(buffers.most()).toBeLessThan(17 * KB)
    })

    it('shares a limit with all connections of its address', async () => {
      const perAddress = { maxConnectionsPerAddress: 10, maxBufferedBytesPerAddress: 2 * MB }
      const service = await withLimits({ ...unlimited, ...perAddress, maxBufferedBytes: 100 * MB })
      const reply = JSON.stringify((await service.graphql(LARGE)).body).length
      const readers = await Promise.all(Array.from({ length: 3 }, () => connect(service)))
      const buffers = watchBuffers(readers)
      for (const { socket } of readers) socket.pause()
      await Promise.race(readers.map(askMuch))
      expect(await ended(service, 'slow_reader')).toBeGreaterThan(0)
      expect(buffers.most()).toBeLessThan(2 * MB + 2 * reply)
    })
  })

  describe('a ping', () => {
    it('is answered without its payload', async () => {
      const raw = await connect(await start())
      raw.socket.send(largePing)
      await until(() => raw.received.length === 2)
      expect(raw.received.at(-1)).toEqual({ type: 'pong' })
    })

    it('of the websocket protocol is answered with its own payload of at most 125 bytes', async () => {
      const raw = await connect(await start())
      const answer = new Promise((resolve) => raw.socket.once('pong', (data) => resolve(String(data))))
      raw.socket.ping('are you there?')
      expect(await answer).toBe('are you there?')
    })
  })

  describe('a client that sends too much', () => {
    it('is closed with 4429 when it sends too many bytes, and nothing more is read', async () => {
      const service = await withLimits({ connectionAllowance: { messages: 1_000, bytes: 4 * MB, windowMs: 3_600_000 } })
      const raw = await connect(service)
      const sent = await flood(raw, (taken) => raw.socket.send(largePing, taken))
      // Most bytes are in the buffers of the connection, outside this process.
      expect(sent * largePing.length).toBeLessThan(32 * MB)
      expect(await raw.closed).toEqual({ code: 4429, reason: 'too many messages' })
      expect(raw.received.filter(({ type }) => type === 'pong')).toHaveLength(68)
    })

    it('is closed with 4429 when it sends too many messages', async () => {
      const service = await withLimits({ connectionAllowance: { messages: 50, bytes: MB, windowMs: 3_600_000 } })
      const raw = await connect(service)
      for (let sent = 0; sent < 60; sent++) raw.send(ping)
      expect(await raw.closed).toEqual({ code: 4429, reason: 'too many messages' })
      expect(raw.received.filter(({ type }) => type === 'pong')).toHaveLength(49)
      expect(await ended(service, 'too_many_messages')).toBe(1)
    })

    it('is closed for frames that are no messages, too', async () => {
      for (const send of [(raw: RawWebSocket) => raw.socket.ping('x'), (raw: RawWebSocket) => raw.socket.pong('x')]) {
        const service = await withLimits({ connectionAllowance: { messages: 50, bytes: MB, windowMs: 3_600_000 } })
        const raw = await connect(service)
        for (let sent = 0; sent < 60; sent++) send(raw)
        expect((await raw.closed).code).toBe(4429)
      }
    })

    it('is cut off when it continues to send after it was closed for another reason', async () => {
      const service = await withLimits({ connectionAllowance: { messages: 50, bytes: MB, windowMs: 3_600_000 } })
      const raw = await connect(service)
      // A client that never answers a close frame.
      raw.socket.close = () => undefined
      raw.socket.send('nonsense')
      for (let sent = 0; sent < 60; sent++) raw.send(ping)
      await until(async () => (await metric(service, 'websocket_connections')) === 0)
      expect(await ended(service, 'invalid_message')).toBe(1)
    })

    it('lets other clients be served between any two of its messages', async () => {
      const service = await withLimits(unlimited)
      const [many, one] = await Promise.all([connect(service), connect(service)])
      const pongs = () => many.received.filter(({ type }) => type === 'pong').length
      for (let sent = 0; sent < 1_000; sent++) many.send(ping)
      one.send(ping)
      const answered = new Promise<number>((resolve) => one.socket.once('message', () => resolve(pongs())))
      expect(await answered).toBeLessThan(500)
      await until(() => pongs() === 1_000)
    })

    it('shares the limit of its address over all its connections, and after it reconnects', async () => {
      const service = await withLimits({ addressAllowance: { messages: 100, bytes: MB, windowMs: 3_600_000 } })
      const all = await Promise.all(Array.from({ length: 3 }, () => connect(service)))
      for (const raw of all) for (let sent = 0; sent < 40; sent++) raw.send(ping)
      await Promise.race(all.map(({ closed }) => closed))
      for (const raw of all) raw.socket.ping()
      for (const { closed } of all) expect((await closed).code).toBe(4429)
      const refused = await handshake(service)
      expect(refused.status).toBe(429)
      expect(refused.headers['retry-after']).toBe('10')
      expect(JSON.parse(refused.text)).toEqual({ error: 'too many messages' })
    })
  })

  describe('the allowance of an address', () => {
    const addressAllowance = { messages: 50, bytes: MB, windowMs: 3_600_000 }
    const query = 'query Checkout($secret: String!) { checkout(clientSecret: $secret) { status } }'

    const crowded = () =>
      start({
        services: {
          intents: {
            checkoutStatus: async (secret) => {
              if (secret.startsWith(CLIENT_SECRET)) return pendingIntent
              throw new ServiceError('invalid_client_secret')
            },
          },
        },
        settings: { webSockets: { closeTimeoutMs: 200, addressAllowance } },
      })
    const ask = async (raw: RawWebSocket, secret: string) => {
      raw.send({ type: 'subscribe', id: secret, payload: { query, variables: { secret } } })
      await until(() => raw.received.some(({ id }) => id === secret))
    }
    /** Uses up the allowance, as a stranger does. */
    const useUp = async (stranger: RawWebSocket) => {
      for (let sent = 0; sent < 60; sent++) stranger.send(ping)
      expect((await stranger.closed).code).toBe(4429)
    }
    const isAnswered = async (raw: RawWebSocket) => {
      raw.socket.pong('x')
      const before = raw.received.length
      raw.send(ping)
      await until(() => raw.received.length > before)
      expect(raw.received.at(-1)).toEqual({ type: 'pong' })
    }

    it('that strangers used up ends no connection with a key or an accepted client secret', async () => {
      const service = await crowded()
      const [byHeader, byInit, bySecret, stranger] = await Promise.all([
        dial(service, withKey()),
        dial(service),
        connect(service),
        connect(service),
      ])
      await byHeader.init()
      await byInit.init(withKey())
      await ask(bySecret, CLIENT_SECRET)
      await useUp(stranger)
      for (const raw of [byHeader, byInit, bySecret]) await isAnswered(raw)
      expect(await ended(service, 'too_many_messages')).toBe(1)
    })

    it('does not refuse a connection_init, and counts a connection whose client secret was wrong', async () => {
      const service = await crowded()
      const [late, wrong, stranger] = await Promise.all([dial(service), connect(service), connect(service)])
      await ask(wrong, 'cs_wrong')
      await useUp(stranger)
      await late.init(withKey())
      await isAnswered(late)
      wrong.send(ping)
      expect((await wrong.closed).code).toBe(4429)
    })

    it('refuses no upgrade with a key, and refuses one with a wrong key', async () => {
      const service = await crowded()
      await useUp(await connect(service))
      expect((await handshake(service)).status).toBe(429)
      expect((await handshake(service, { headers: withKey('sk_live_wrong') })).status).toBe(429)
      const business = await dial(service, withKey())
      await business.init()
      await isAnswered(business)
    })

    it('is also that of one key and of one client secret, over all its connections at the address', async () => {
      const service = await crowded()
      for (const prove of [
        (raw: RawWebSocket) => raw.init(withKey()),
        async (raw: RawWebSocket) => {
          await raw.init()
          await ask(raw, CLIENT_SECRET)
        },
      ]) {
        const all = await Promise.all(Array.from({ length: 3 }, () => dial(service)))
        for (const raw of all) await prove(raw)
        for (const raw of all) for (let sent = 0; sent < 20; sent++) raw.send(ping)
        expect(await Promise.race(all.map(({ closed }) => closed))).toMatchObject({ code: 4429 })
      }
      const stranger = await connect(service)
      await isAnswered(stranger)
    })
  })

  describe('before connection_ack', () => {
    it('a client may send ten messages', async () => {
      const authenticate = () => new Promise<never>(() => undefined)
      const service = await start({ services: { accounts: { authenticate } } })
      const raw = await dial(service)
      raw.send({ type: 'connection_init', payload: { authorization: `Bearer ${API_KEY}` } })
      for (let sent = 0; sent < 20; sent++) raw.send(ping)
      expect(await raw.closed).toEqual({ code: 4429, reason: 'too many messages before connection_ack' })
      expect(raw.received).toHaveLength(9)
    })

    it('a client has limited time to authenticate, and so has the check of its credential', async () => {
      const authenticate = () => new Promise<never>(() => undefined)
      const service = await start({
        services: { accounts: { authenticate } },
        settings: { webSockets: { initTimeoutMs: 50 } },
      })
      const [silent, unproved] = await Promise.all([dial(service), dial(service)])
      unproved.send({ type: 'connection_init', payload: { authorization: `Bearer ${API_KEY}` } })
      for (const { closed } of [silent, unproved]) expect((await closed).code).toBe(4408)
    })

    it('an operation ends the connection', async () => {
      const raw = await dial(await start())
      raw.send({ type: 'subscribe', id: '1', payload: { query: '{ config { cluster } }' } })
      expect((await raw.closed).code).toBe(4401)
    })
  })

  describe('operations that are being prepared', () => {
    it('are limited for each address, over its connections and after they close', async () => {
      let asked = 0
      const checkoutStatus = () => {
        asked++
        return new Promise<never>(() => undefined)
      }
      const service = await start({
        services: { intents: { checkoutStatus } },
        settings: { webSockets: { maxPreparingPerAddress: 3 } },
      })
      const query = `{ checkout(clientSecret: "${CLIENT_SECRET}") { status } }`
      const ask = (raw: RawWebSocket, id: string) => raw.send({ type: 'subscribe', id, payload: { query } })
      const first = await connect(service)
      for (const id of ['1', '2']) ask(first, id)
      await until(() => asked === 2)
      first.socket.close()
      await first.closed
      const second = await connect(service)
      for (const id of ['3', '4']) ask(second, id)
      await until(() => second.received.length === 2)
      expect(asked).toBe(3)
      expect(second.received.at(-1)).toMatchObject({
        type: 'error',
        id: '4',
        payload: [{ extensions: { code: 'rate_limited' } }],
      })
    })
  })
})

// The allowance of a client, and how it refills.
describe('budgets', () => {
  const allowance = { messages: 10, bytes: 1_000, windowMs: 1_000 }

  describe('a budget', () => {
    it('allows its messages at once, and no more', () => {
      const budget = new Budget(allowance, 0)
      for (let message = 0; message < 10; message++) expect(budget.spend(1, 0)).toBe(true)
      expect(budget.spend(1, 0)).toBe(false)
    })

    it('allows its bytes at once, and no more', () => {
      const budget = new Budget(allowance, 0)
      expect(budget.spend(1_000, 0)).toBe(true)
      expect(budget.spend(1, 0)).toBe(false)
    })

    it('refills evenly', () => {
      const budget = new Budget(allowance, 0)
      for (let message = 0; message < 10; message++) budget.spend(100, 0)
      expect(budget.isFull(999)).toBe(false)
      expect(budget.isFull(1_000)).toBe(true)
      const half = new Budget(allowance, 0)
      for (let message = 0; message < 10; message++) half.spend(100, 0)
      for (let message = 0; message < 5; message++) expect(half.spend(100, 500)).toBe(true)
      expect(half.spend(100, 500)).toBe(false)
    })

    it('accepts at most two allowances in any window, whatever the client sends and when', () => {
      const sends = fc.array(fc.record({ wait: fc.nat(400), bytes: fc.nat(2_000) }), { maxLength: 200 })
      fc.assert(
        fc.property(sends, (all) => {
          const budget = new Budget(allowance, 0)
          let now = 0
          const passed: { at: number; bytes: number }[] = []
          for (const { wait, bytes } of all) {
            now += wait
            if (budget.spend(bytes, now)) passed.push({ at: now, bytes })
          }
          for (const { at } of passed) {
            const window = passed.filter((one) => one.at >= at && one.at <= at + allowance.windowMs)
            expect(window.length).toBeLessThanOrEqual(2 * allowance.messages)
            const total = window.reduce((sum, { bytes }) => sum + bytes, 0)
            expect(total).toBeLessThanOrEqual(2 * allowance.bytes)
          }
        }),
      )
    })
  })

  describe('the entry of a client address', () => {
    const limits = { ...DEFAULT_WEBSOCKET_LIMITS, addressAllowance: allowance }

    it('is kept while a part of it is in use, and removed after', () => {
      const addresses = new Addresses(limits)
      addresses.of('a', 0).sockets++
      addresses.of('b', 0).preparing++
      addresses.of('c', 0).budget.spend(1, 0)
      addresses.of('d', 0)
      addresses.forgetIdle(0)
      expect(addresses.size).toBe(3)
      addresses.forgetIdle(1_000)
      expect(addresses.size).toBe(2)
      addresses.of('a', 0).sockets--
      addresses.of('b', 0).preparing--
      addresses.forgetIdle(1_000)
      expect(addresses.size).toBe(0)
    })

    it('is shared by all IPv6 addresses of a /64', () => {
      const addresses = new Addresses(limits)
      expect(addresses.of('2001:db8:1:2::1', 0)).toBe(addresses.of('2001:db8:1:2:ffff::', 0))
      expect(addresses.of('2001:db8:1:2::1', 0)).not.toBe(addresses.of('2001:db8:1:3::1', 0))
      expect(addresses.of('203.0.113.7', 0)).not.toBe(addresses.of('203.0.113.8', 0))
    })

    it('is not reset by a client that reconnects', () => {
      const addresses = new Addresses(limits)
      for (let message = 0; message < 10; message++) addresses.of('a', 0).budget.spend(1, 0)
      addresses.forgetIdle(10)
      expect(addresses.of('a', 10).budget.spend(1, 10)).toBe(false)
    })
  })

  describe('what a connection counts against', () => {
    const limits = { ...DEFAULT_WEBSOCKET_LIMITS, addressAllowance: allowance }
    const steps = fc.array(fc.constantFrom('open', 'key', 'secret', 'attach', 'detach', 'close'), { maxLength: 20 })

    it('is free again after its end, in any order of events', () => {
      fc.assert(
        fc.property(steps, (all) => {
          const addresses = new Addresses(limits)
          const usage = new Usage(addresses, 'a', 0)
          const connection = { bufferedBytes: 1 }
          for (const step of all) {
            if (step === 'open') usage.open()
            if (step === 'key') usage.moveToBusiness('business', 1, 0)
            if (step === 'secret') usage.countMessagesFor('secret', 0)
            if (step === 'attach') usage.attach(connection)
            if (step === 'detach') usage.detach()
            if (step === 'close') usage.close()
          }
          usage.close()
          const uses = [null, 'business', 'secret'].map((holder) => addresses.of('a', 0, holder))
          expect(uses.map(({ sockets, connections }) => [sockets, connections.size])).toEqual(Array(3).fill([0, 0]))
        }),
      )
    })
  })
})
