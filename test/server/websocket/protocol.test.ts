// graphql-transport-ws: the allowed messages of a client, and the answers and log lines for other messages.
import { connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openWebSocket, type RawWebSocket } from '../../support/raw-connections.ts'
import {
  API_KEY,
  credential,
  metric,
  startTestService,
  type TestOptions,
  type TestService,
} from '../../support/services.ts'
import { until } from '../../support/until.ts'

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close()
})

async function start(options: TestOptions = {}): Promise<TestService> {
  const service = await startTestService(options)
  open.push(service)
  return service
}

async function dial(service: TestService): Promise<RawWebSocket> {
  const raw = await openWebSocket(service)
  open.push({ close: () => raw.socket.terminate() })
  return raw
}

async function connected(service: TestService): Promise<RawWebSocket> {
  const raw = await dial(service)
  await raw.init()
  return raw
}

/** One frame of a client: RFC 6455, 5.2, with a mask of zeros. */
const frame = (opcode: number, payload: Buffer): Buffer =>
  Buffer.concat([Buffer.from([0x80 | opcode, 0x80 | payload.length, 0, 0, 0, 0]), payload])

const TEXT = 1
const RESERVED = 3

describe('a message that is not allowed', () => {
  let printed: string[]
  beforeEach(() => {
    printed = []
    for (const method of ['error', 'warn', 'log'] as const) {
      const spy = vi.spyOn(console, method).mockImplementation((...texts) => void printed.push(texts.join(' ')))
      open.push({ close: () => spy.mockRestore() })
    }
  })

  it.each<[what: string, send: (raw: RawWebSocket) => void, code: number, reason: string]>([
    ['text that is not JSON', ({ socket }) => socket.send('nonsense'), 4400, 'invalid_message'],
    ['JSON that is no message', ({ socket }) => socket.send('[]'), 4400, 'invalid_message'],
    ['an unknown type', ({ send }) => send({ type: 'start', id: '1' }), 4400, 'invalid_message'],
    ['a message of the server', ({ send }) => send({ type: 'connection_ack' }), 4400, 'invalid_message'],
    [
      'an operation without a document',
      ({ send }) => send({ type: 'subscribe', id: '1', payload: {} }),
      4400,
      'invalid_message',
    ],
    [
      'an id that is too long',
      ({ send }) => send({ type: 'complete', id: 'x'.repeat(1_000) }),
      4400,
      'invalid_message',
    ],
    ['a binary message', ({ socket }) => socket.send(Buffer.from('{"type":"ping"}')), 1003, 'binary_message'],
    ['connection_init again', ({ send }) => send({ type: 'connection_init' }), 4429, 'second_init'],
    ['a message that is too large', ({ socket }) => socket.send('x'.repeat(65_537)), 1009, 'broken_frame'],
  ])('%s ends the connection, with one line in the log and no other report', async (_what, send, code, reason) => {
    const service = await start()
    const raw = await connected(service)
    send(raw)
    expect((await raw.closed).code).toBe(code)
    await expectOneLine(service, reason)
  })

  it.each([
    ['text that is not UTF-8', frame(TEXT, Buffer.from([0xff, 0xfe])), 1007],
    ['a frame of an unknown kind', frame(RESERVED, Buffer.from('x')), 1002],
  ])('%s ends the connection, with one line in the log and no other report', async (_what, bytes, code) => {
    const service = await start()
    const raw = await dial(service)
    const socket = Reflect.get(raw.socket, '_socket')
    socket.write(bytes)
    expect((await raw.closed).code).toBe(code)
    await expectOneLine(service, 'broken_frame')
  })

  it('a message in more than a thousand parts ends the connection', async () => {
    const service = await start()
    const raw = await dial(service)
    const socket = Reflect.get(raw.socket, '_socket')
    socket.write(Buffer.from([TEXT, 0x80, 0, 0, 0, 0]))
    const part = Buffer.from([0, 0x80, 0, 0, 0, 0])
    socket.write(Buffer.concat(Array.from({ length: 1_024 }, () => part)))
    expect((await raw.closed).code).toBe(1008)
    await expectOneLine(service, 'broken_frame')
  })

  async function expectOneLine(service: TestService, reason: string): Promise<void> {
    await until(() => service.logLines.some((line) => line.includes('websocket ended')))
    const lines = service.logLines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'websocket ended')
    expect(lines).toEqual([expect.objectContaining({ level: 30, kind: reason, address: '127.0.0.1' })])
    expect(service.logLines.join('')).not.toContain('    at ')
    expect(printed).toEqual([])
    expect(await metric(service, `websocket_ended_total{reason="${reason}"}`)).toBe(1)
  }

  it('has its own metric, which begins at 0', async () => {
    const service = await start()
    expect(await metric(service, 'websocket_ended_total{reason="slow_reader"}')).toBe(0)
    expect(await metric(service, 'websocket_refused_total{status="429"}')).toBe(0)
  })

  it('is logged a few times, then counted', async () => {
    const service = await start()
    for (let time = 0; time < 15; time++) {
      const { socket, closed } = await dial(service)
      socket.send('nonsense')
      await closed
    }
    expect(service.logLines.filter((line) => line.includes('invalid_message'))).toHaveLength(10)
    await service.close()
    expect(JSON.parse(service.logLines.at(-1) ?? '')).toMatchObject({ kind: 'invalid_message', leftOut: 5 })
    expect(printed).toEqual([])
  })
})

describe('an operation', () => {
  const ask = (id: string) => ({ type: 'subscribe', id, payload: { query: '{ __typename }' } })

  it('is answered and completed, and its id can be used again', async () => {
    const raw = await connected(await start())
    for (const round of [1, 2]) {
      raw.send(ask('a'))
      await until(() => raw.received.length === 1 + 2 * round)
    }
    const answer = { type: 'next', id: 'a', payload: { data: { __typename: 'Query' } } }
    const end = { type: 'complete', id: 'a' }
    expect(raw.received.slice(1)).toEqual([answer, end, answer, end])
  })

  it('may not use the id of a running operation', async () => {
    const authenticate = () => new Promise<never>(() => undefined)
    let isSlow = false
    const service = await start({
      services: { accounts: { authenticate: async () => (isSlow ? await authenticate() : credential('live')) } },
    })
    const raw = await dial(service)
    await raw.init({ authorization: `Bearer ${API_KEY}` })
    isSlow = true
    raw.send(ask('a'))
    raw.send(ask('a'))
    expect((await raw.closed).code).toBe(4409)
  })

  it('that names no operation of its document is an error of that operation', async () => {
    const raw = await connected(await start())
    raw.send({ type: 'subscribe', id: 'a', payload: { query: 'query A { __typename }', operationName: 'B' } })
    await until(() => raw.received.length === 2)
    expect(raw.received.at(-1)).toMatchObject({
      type: 'error',
      id: 'a',
      payload: [{ extensions: { code: 'invalid_request' } }],
    })
  })

  it('that is completed before it starts changes nothing', async () => {
    const raw = await connected(await start())
    raw.send({ type: 'complete', id: 'never' })
    raw.send(ask('a'))
    await until(() => raw.received.length === 3)
  })
})

describe('the heartbeat', () => {
  it('ends a connection whose client does not answer', async () => {
    const service = await start({ settings: { webSockets: { heartbeatMs: 50 } } })
    const socket = connect(service.port, '127.0.0.1')
    open.push({ close: () => socket.destroy() })
    socket.write(
      'GET /graphql HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n',
    )
    socket.on('data', () => undefined)
    await new Promise((resolve) => socket.once('close', resolve))
    expect(await metric(service, 'websocket_ended_total{reason="no_heartbeat"}')).toBe(1)
    expect(await metric(service, 'websocket_connections')).toBe(0)
  })

  it('is not answered by invented pongs', async () => {
    const service = await start({ settings: { webSockets: { heartbeatMs: 50 } } })
    const raw = await dial(service)
    Reflect.set(raw.socket, '_autoPong', false)
    const guess = setInterval(() => raw.socket.pong('anything'), 10)
    await raw.closed
    clearInterval(guess)
    expect(await metric(service, 'websocket_ended_total{reason="no_heartbeat"}')).toBe(1)
  })

  it('keeps a connection whose client answers', async () => {
    const service = await start({ settings: { webSockets: { heartbeatMs: 20 } } })
    const raw = await connected(service)
    let beats = 0
    raw.socket.on('ping', () => beats++)
    await until(() => beats === 5)
    expect(raw.socket.readyState).toBe(raw.socket.OPEN)
  })
})

describe('an operation', () => {
  it('gets no number that a double would round', async () => {
    const raw = await connected(await start())
    const query = 'query($index: Int!) { paymentIntent(index: $index) { id } }'
    raw.socket.send(
      `{"type":"subscribe","id":"x","payload":{"query":"${query}","variables":{"index":4.9999999999999999999}}}`,
    )
    await until(() => raw.received.some(({ id }) => id === 'x'))
    expect(JSON.stringify(raw.received.find(({ id }) => id === 'x'))).toContain('invalid_request')
  })
})
