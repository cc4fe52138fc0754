// Accepted and refused handshakes of a websocket.
import { once } from 'node:events'
import { createServer, IncomingMessage } from 'node:http'
import { connect, Socket } from 'node:net'
import { GraphQLError } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { nextTurn } from '#lib/steps.ts'
import { DEFAULT_WEBSOCKET_LIMITS } from '#server/websocket/limits.ts'
import { REFUSED_IN_A_TURN, Upgrades } from '#server/websocket/upgrades.ts'
import { handshake } from '../../support/raw-connections.ts'
import { metric, startTestService, type TestService } from '../../support/services.ts'

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
