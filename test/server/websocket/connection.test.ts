import { EventEmitter, once } from 'node:events'
import { createServer, IncomingMessage } from 'node:http'
import { connect, Socket } from 'node:net'
import fc from 'fast-check'
import { GraphQLError } from 'graphql'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { WebSocket } from 'ws'
import { nextTurn } from '#lib/steps.ts'
import { Addresses } from '#server/websocket/budget.ts'
import { Connection, type Host } from '#server/websocket/connection.ts'
import { DEFAULT_WEBSOCKET_LIMITS } from '#server/websocket/limits.ts'
import type { Preparation } from '#server/websocket/operation.ts'
import { REFUSED_IN_A_TURN, Upgrades } from '#server/websocket/upgrades.ts'
import { Usage } from '#server/websocket/usage.ts'
import { handshake } from '../../support/raw-connections.ts'
import { metric, startTestService, type TestService } from '../../support/services.ts'

// One connection under any order of messages of the client and results of the service: each operation ends once, frees
// its resources, and sends nothing after its end.
describe('one connection', () => {
  const MAX = 4
  const limits = { ...DEFAULT_WEBSOCKET_LIMITS, maxOperationsPerConnection: MAX }

  /** A message of the service, or an action of the test between them. */
  type Entry = { type: string; id?: string; payload?: unknown; operation?: number }

  /** The part of a websocket that a connection uses. Messages are sent at once. */
  class FakeSocket extends EventEmitter {
    readonly OPEN = 1
    readyState = 1
    readonly bufferedAmount = 0
    readonly sent: Entry[] = []

    send(text: string, taken: () => void): void {
      this.sent.push(JSON.parse(text))
      setImmediate(taken)
    }

    receive(message: object): void {
      this.emit('message', Buffer.from(JSON.stringify(message)), false)
    }

    close(): void {
      this.readyState = 3
      this.emit('close')
    }
  }

  type Result = { data: { operation: number } }

  /** A stream that a test drives. Records whether it was closed. */
  class FakeStream implements AsyncIterableIterator<Result> {
    isReturned = false
    isOver = false
    readonly operation: number
    readonly #results: IteratorResult<Result>[] = []
    #wake: (() => void) | null = null

    constructor(operation: number) {
      this.operation = operation
    }

    push(result: IteratorResult<Result>): void {
      this.#results.push(result)
      this.#wake?.()
    }

    async next(): Promise<IteratorResult<Result>> {
      while (this.#results.length === 0 && !this.isReturned)
        await new Promise<void>((resolve) => (this.#wake = resolve))
      const result = this.isReturned ? undefined : this.#results.shift()
      this.isOver = result?.done === true
      return result ?? { done: true, value: undefined }
    }

    async return(): Promise<IteratorResult<Result>> {
      this.isReturned = true
      this.#wake?.()
      return { done: true, value: undefined }
    }

    [Symbol.asyncIterator]() {
      return this
    }
  }

  type Outcome = 'stream' | 'result' | 'errors' | 'failure'

  const opened: FakeSocket[] = []
  // A connection that stays open keeps its timers.
  afterEach(() => {
    for (const socket of opened.splice(0)) socket.close()
  })

  /** A connection, and the operations that the service prepared for it. */
  function connect() {
    const socket = new FakeSocket()
    opened.push(socket)
    const pending: ((outcome: Outcome) => void)[] = []
    const streams: FakeStream[] = []
    let prepared = 0
    const host: Host = {
      limits,
      now: () => 0,
      newId: () => 'nonce',
      sentWith: () => null,
      admit: async (_params, upgrade) => ({ ...upgrade, accountId: null }),
      prepare: () =>
        new Promise<Preparation>((resolve) => {
          const operation = prepared++
          pending.push((outcome) => resolve(preparationOf(outcome, operation, streams)))
        }),
      show: () => new GraphQLError('shown'),
      reports: { refused: () => undefined, ended: () => undefined },
    }
    const usage = new Usage(new Addresses(limits), '10.0.0.1', 0)
    const connection = new Connection(
      socket as unknown as WebSocket,
      { sent: null, address: '10.0.0.1' },
      usage,
      host,
      () => undefined,
    )
    return { socket, use: usage.use, connection, streams, pending, prepared: () => prepared }
  }

  function preparationOf(outcome: Outcome, operation: number, streams: FakeStream[]): Preparation {
    if (outcome === 'errors') return [new GraphQLError('refused')]
    return async () => {
      if (outcome === 'failure') throw new Error('broken')
      if (outcome === 'result') return { data: { operation } }
      const stream = new FakeStream(operation)
      streams.push(stream)
      return stream
    }
  }

  const tick = () => new Promise((resolve) => setImmediate(resolve))
  const settle = async () => {
    for (let turn = 0; turn < 5; turn++) await tick()
  }

  const id = fc.constantFrom('a', 'b')
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('subscribe' as const), id }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('complete' as const), id }) },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('prepared' as const),
        which: fc.nat(5),
        outcome: fc.constantFrom<Outcome>('stream', 'result', 'errors', 'failure'),
      }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('push' as const), which: fc.nat(5) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('finish' as const), which: fc.nat(5) }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const) }) },
  )

  type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

  describe('a connection', () => {
    it('frees the resources of all operations, in any order of events', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
          const world = connect()
          world.socket.receive({ type: 'connection_init' })
          await settle()
          for (const one of steps) {
            if (world.socket.readyState !== world.socket.OPEN) break
            await act(world, one)
            expect(world.use.preparing).toBeLessThanOrEqual(MAX)
          }
          await settle()
          expectOrder(world.socket.sent)
          world.socket.close()
          const last = world.socket.sent.length
          for (const resolve of world.pending.splice(0)) resolve('stream')
          await settle()
          expect(world.streams.every(({ isReturned, isOver }) => isReturned || isOver)).toBe(true)
          expect(world.use.preparing).toBe(0)
          expect(world.use.connections.size).toBe(0)
          expect(world.socket.sent.length).toBe(last)
        }),
        { numRuns: 300 },
      )
    })

    async function act({ socket, pending, streams, prepared }: ReturnType<typeof connect>, one: Step): Promise<void> {
      if (one.do === 'wait') return void (await settle())
      if (one.do === 'prepared') return pending.splice(one.which % Math.max(1, pending.length), 1)[0]?.(one.outcome)
      if (one.do === 'subscribe') {
        const operation = prepared()
        socket.receive({ type: 'subscribe', id: one.id, payload: { query: '{ a }' } })
        if (prepared() > operation) socket.sent.push({ type: 'begins', id: one.id, operation })
        // There was no place for it.
        else
          expect(socket.sent.pop()).toMatchObject({
            type: socket.readyState === socket.OPEN ? 'error' : expect.any(String),
          })
      } else if (one.do === 'complete') {
        socket.sent.push({ type: 'completed by the client', id: one.id })
        socket.receive({ type: 'complete', id: one.id })
      } else {
        const stream = streams[one.which % Math.max(1, streams.length)]
        if (one.do === 'finish') stream?.push({ done: true, value: undefined })
        else stream?.push({ value: { data: { operation: stream.operation } } })
      }
    }

    /** A message about an id belongs to the operation with the id at that time. */
    function expectOrder(sent: readonly Entry[]): void {
      const current = new Map<string, number>()
      for (const { type, id = '', operation, payload } of sent) {
        if (type === 'begins' && operation !== undefined) current.set(id, operation)
        else if (type === 'completed by the client') current.delete(id)
        else if (type === 'next') expect(payload).toEqual({ data: { operation: current.get(id) } })
        else if (type === 'complete' || type === 'error') expect(current.delete(id)).toBe(true)
      }
    }

    it('sends nothing more about an operation that its client completed', async () => {
      const { socket, pending, streams } = connect()
      socket.receive({ type: 'connection_init' })
      await settle()
      socket.receive({ type: 'subscribe', id: 'a', payload: { query: '{ a }' } })
      pending.shift()?.('stream')
      await settle()
      streams[0]?.push({ value: { data: { operation: 0 } } })
      await settle()
      socket.receive({ type: 'complete', id: 'a' })
      streams[0]?.push({ value: { data: { operation: 0 } } })
      await settle()
      expect(socket.sent.map(({ type }) => type)).toEqual(['connection_ack', 'next'])
      expect(streams[0]?.isReturned).toBe(true)
    })

    it('gives an operation that reuses an id its own results', async () => {
      const { socket, pending, streams } = connect()
      socket.receive({ type: 'connection_init' })
      await settle()
      for (let time = 0; time < 2; time++) {
        socket.receive({ type: 'subscribe', id: 'a', payload: { query: '{ a }' } })
        if (time === 0) socket.receive({ type: 'complete', id: 'a' })
      }
      // The first operation is prepared after the second.
      pending[1]?.('stream')
      await settle()
      pending[0]?.('errors')
      await settle()
      streams[0]?.push({ value: { data: { operation: 1 } } })
      await settle()
      expect(socket.sent.slice(1)).toEqual([{ type: 'next', id: 'a', payload: { data: { operation: 1 } } }])
      expect(streams[0]?.isReturned).toBe(false)
    })

    it('still ends the operation with an id after an earlier operation with that id is over', async () => {
      const { socket, pending, streams } = connect()
      socket.receive({ type: 'connection_init' })
      await settle()
      socket.receive({ type: 'subscribe', id: 'a', payload: { query: '{ a }' } })
      socket.receive({ type: 'complete', id: 'a' })
      socket.receive({ type: 'subscribe', id: 'a', payload: { query: '{ a }' } })
      pending[0]?.('errors')
      pending[1]?.('stream')
      await settle()
      socket.receive({ type: 'complete', id: 'a' })
      await settle()
      expect(streams[0]?.isReturned).toBe(true)
    })
  })
})

// Accepted and refused handshakes of a websocket.
describe('handshakes', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
  })
  afterAll(() => service.close())

  function upgradesOf(refused: () => void): Upgrades {
    const parts = { limits: DEFAULT_WEBSOCKET_LIMITS, now: () => 0, newId: () => 'r-8', sentWith: () => null }
    const reports = { refused, ended: () => undefined }
    const never = () => new Promise<never>(() => undefined)
    return new Upgrades({ ...parts, reports, admit: never, prepare: never, show: () => new GraphQLError('') }, false)
  }

  it('thousands of handshakes at one moment are refused at most 50 in one turn of the event loop', async () => {
    let refused = 0
    const upgrades = upgradesOf(() => {
      refused += 1
    })
    const server = createServer()
    upgrades.listen(server)
    const count = 3 * REFUSED_IN_A_TURN + 1
    for (let sent = 0; sent < count; sent += 1) {
      const socket = new Socket()
      server.emit('upgrade', new IncomingMessage(socket), socket, Buffer.alloc(0))
    }
    let most = 0
    for (let before = 0; before < count; before = refused) {
      await nextTurn()
      most = Math.max(most, refused - before)
    }
    expect(most).toBe(REFUSED_IN_A_TURN)
    expect(REFUSED_IN_A_TURN).toBe(50)
    await upgrades.close()
  })

  it('a handshake with a stopping service is refused like every other request', async () => {
    const upgrades = upgradesOf(() => undefined)
    const server = createServer().listen(0, '127.0.0.1')
    upgrades.listen(server)
    await once(server, 'listening')
    await upgrades.close()
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : 0
    const answer = await handshake({ url: `http://127.0.0.1:${port}` })
    server.close()
    expect(answer).toMatchObject({ status: 503, text: '{"error":"the service is going away"}' })
    expect(answer.headers['x-request-id']).toBe('r-8')
  })

  describe('a handshake', () => {
    it('is accepted with the subprotocol graphql-transport-ws', async () => {
      const { status, headers } = await handshake(service)
      expect(status).toBe(101)
      expect(headers['sec-websocket-protocol']).toBe('graphql-transport-ws')
      const several = await handshake(service, {
        headers: { 'sec-websocket-protocol': 'graphql-ws, graphql-transport-ws' },
      })
      expect(several.headers['sec-websocket-protocol']).toBe('graphql-transport-ws')
    })

    it.each([
      ['another method', { method: 'POST' }, 405, { allow: 'GET' }],
      ['no version', { headers: { 'sec-websocket-version': undefined } }, 426, { 'sec-websocket-version': '13' }],
      ['another version', { headers: { 'sec-websocket-version': '12' } }, 426, { 'sec-websocket-version': '13' }],
      ['no key', { headers: { 'sec-websocket-key': undefined } }, 400, {}],
      ['an invalid key', { headers: { 'sec-websocket-key': 'short' } }, 400, {}],
      ['no subprotocol', { headers: { 'sec-websocket-protocol': undefined } }, 400, {}],
      ['an older subprotocol', { headers: { 'sec-websocket-protocol': 'graphql-ws' } }, 400, {}],
      ['a malformed subprotocol', { headers: { 'sec-websocket-protocol': 'graphql-transport-ws, ,' } }, 400, {}],
    ])('with %s is refused like every other request', async (_what, sent, status, expected) => {
      const headers = { 'x-request-id': 'r-7', ...('headers' in sent ? sent.headers : {}) }
      const answer = await handshake(service, { ...sent, headers })
      expect(answer.status).toBe(status)
      expect(answer.headers).toMatchObject({
        'x-request-id': 'r-7',
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'no-store',
        ...expected,
      })
      expect(JSON.parse(answer.text)).toEqual({ error: expect.any(String) })
    })

    it('that is refused gets an id when the client sends none', async () => {
      const { headers } = await handshake(service, { method: 'POST' })
      expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
    })

    it('that is refused leaves no connection behind, though the client never closes its side', async () => {
      const socket = connect({ port: service.port, host: '127.0.0.1', allowHalfOpen: true })
      socket.on('data', () => undefined)
      const ended = new Promise((resolve) => socket.once('end', resolve))
      const cut = new Promise((resolve) => socket.once('error', resolve))
      socket.write('GET /graphql HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
      await ended
      // The system answers bytes for a destroyed connection with a reset.
      const more = setInterval(() => socket.write('x'), 50)
      await cut
      clearInterval(more)
      socket.destroy()
    })

    it('that is refused is counted, and logged in one line each, up to a limit', async () => {
      const before = await metric(service, 'websocket_refused_total{status="426"}')
      for (let asked = 0; asked < 30; asked++) await handshake(service, { headers: { 'sec-websocket-version': '99' } })
      expect(await metric(service, 'websocket_refused_total{status="426"}')).toBe(before + 30)
      const lines = service.logLines.filter((line) => line.includes('Sec-WebSocket-Version'))
      expect(lines).toHaveLength(10)
      expect(JSON.parse(lines[0] ?? '')).toMatchObject({
        level: 30,
        msg: 'websocket refused',
        requestId: expect.any(String),
        status: 426,
        address: '127.0.0.1',
      })
    })
  })
})
