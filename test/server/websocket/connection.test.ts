// One connection under any order of messages of the client and results of the service: each operation ends once, frees
// its resources, and sends nothing after its end.
import { EventEmitter } from 'node:events'
import fc from 'fast-check'
import { GraphQLError } from 'graphql'
import { afterEach, describe, expect, it } from 'vitest'
import type { WebSocket } from 'ws'
import { Addresses } from '#server/websocket/budget.ts'
import { Connection, type Host } from '#server/websocket/connection.ts'
import { DEFAULT_WEBSOCKET_LIMITS } from '#server/websocket/limits.ts'
import type { Preparation } from '#server/websocket/operation.ts'
import { Usage } from '#server/websocket/usage.ts'

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
    while (this.#results.length === 0 && !this.isReturned) await new Promise<void>((resolve) => (this.#wake = resolve))
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
