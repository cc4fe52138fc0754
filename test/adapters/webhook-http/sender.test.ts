import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer as createTlsServer } from 'node:https'
import { createServer as createTcpServer, type Socket } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterEach, describe, expect, test } from 'vitest'
import { createPublicResolver, createWebhookSender, type WebhookSenderOptions } from '#adapters/webhook-http/sender.ts'
import { LOCALHOST_CERTIFICATE, LOCALHOST_KEY } from '../../support/localhost-certificate.ts'
import { type Answer, answerWith, listen, startReceiver } from '../../support/receiver.ts'

const toClose: (() => unknown)[] = []
afterEach(async () => {
  for (const close of toClose.splice(0).reverse()) await close()
})

function newSender(options: Partial<WebhookSenderOptions> = {}) {
  const sender = createWebhookSender({ allowPrivate: true, timeoutMs: 5_000, ...options })
  toClose.push(() => sender.close())
  return sender
}

async function receiverThat(answer: Answer) {
  const receiver = await startReceiver(answer)
  toClose.push(() => receiver.close())
  return receiver
}

/** A server that speaks for itself, byte by byte; `closed` resolves when its first connection is gone. */
async function rawServer(onRequest: (socket: Socket, count: number) => void) {
  let connections = 0
  let requests = 0
  let firstClosed = () => {}
  const closed = new Promise<void>((resolve) => {
    firstClosed = resolve
  })
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => {
      sockets.delete(socket)
      firstClosed()
    })
    socket.on('data', () => {
      requests += 1
      onRequest(socket, requests)
    })
  })
  const port = await listen(server)
  toClose.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { url: `http://127.0.0.1:${port}/`, port, connections: () => connections, closed }
}

const request = (url: string) => ({ url, headers: { 'webhook-id': 'evt_1' }, body: '{"käse":"💶"}' })

/** Writes a piece every few milliseconds for as long as the socket lives. */
function drip(socket: Socket, piece: string): void {
  const timer = setInterval(() => socket.write(piece), 20)
  socket.once('close', () => clearInterval(timer))
}

/** Writes a piece again and again, as fast as the other side reads. Returns the megabytes that were written so far. */
function pour(socket: Socket, piece: string): () => number {
  const chunk = Buffer.from(piece.repeat(Math.ceil(65_536 / piece.length)))
  const push = () => {
    while (!socket.destroyed && socket.write(chunk));
  }
  socket.on('drain', push)
  push()
  return () => socket.bytesWritten / 2 ** 20
}

describe('what goes out', () => {
  test('one POST with the headers, the body to the byte and its length', async () => {
    const receiver = await receiverThat(answerWith(200))
    expect(await newSender().send(request(`${receiver.url}?shop=7`))).toMatchObject({
      kind: 'answered',
      statusCode: 200,
    })
    const [got] = receiver.received
    expect(receiver.received).toHaveLength(1)
    expect(got).toMatchObject({ method: 'POST', url: '/hook?shop=7', body: '{"käse":"💶"}' })
    expect(got?.headers).toMatchObject({
      'webhook-id': 'evt_1',
      'content-length': '16',
    })
  })

  test('a connection is used again', async () => {
    const receiver = await receiverThat((response) => response.end('thank you'))
    const sender = newSender()
    for (const _ of [1, 2, 3]) await sender.send(request(receiver.url))
    expect(receiver.received).toHaveLength(3)
    expect(receiver.connections()).toBe(1)
  })

  test('a kept connection that the receiver had closed costs no attempt', async () => {
    const server = await rawServer((socket, count) => {
      if (count === 2) socket.destroy()
      else socket.write('HTTP/1.1 204 No Content\r\n\r\n')
    })
    const sender = newSender()
    await sender.send(request(server.url))
    expect(await sender.send(request(server.url))).toMatchObject({ statusCode: 204 })
    expect(server.connections()).toBe(2)
  })

  test('a fresh connection that the receiver closes is a failure', async () => {
    const server = await rawServer((socket) => socket.destroy())
    expect(await newSender().send(request(server.url))).toEqual({
      kind: 'unanswered',
      reason: 'no connection: ECONNRESET',
    })
    expect(server.connections()).toBe(1)
  })
})

describe('what comes back', () => {
  test.each([201, 400, 410, 500])('%i is reported as it is', async (statusCode) => {
    const receiver = await receiverThat(answerWith(statusCode))
    expect(await newSender().send(request(receiver.url))).toMatchObject({ kind: 'answered', statusCode })
  })

  test('a redirect is reported and not followed', async () => {
    const elsewhere = await receiverThat(answerWith(200))
    const receiver = await receiverThat(answerWith(301, { location: elsewhere.url }))
    expect(await newSender().send(request(receiver.url))).toMatchObject({ statusCode: 301 })
    expect(elsewhere.connections()).toBe(0)
  })

  test('its headers and its body are kept, as far as they go', async () => {
    const receiver = await receiverThat((response) => {
      response.writeHead(429, { 'retry-after': '120', 'Set-Cookie': ['a=1', 'b=2'] }).end('slow down, käse\0')
    })
    expect(await newSender().send(request(receiver.url))).toMatchObject({
      kind: 'answered',
      statusCode: 429,
      headers: { 'retry-after': '120', 'set-cookie': 'a=1,b=2' },
      body: 'slow down, käse\ufffd',
    })
  })

  test('at most 2 KB of a body are kept, in whole characters, and 4 KB of headers', async () => {
    const receiver = await receiverThat((response) => {
      const headers = Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`x-${at}`, 'v'.repeat(1_000)]))
      response.writeHead(500, headers).end(`a${'💶'.repeat(900)}`)
    })
    const answer = await newSender().send(request(receiver.url))
    if (answer.kind !== 'answered') throw new Error('an answer was expected')
    expect(answer.body).toBe(`a${'💶'.repeat(511)}`)
    expect(Object.keys(answer.headers)).toEqual(['x-0', 'x-1', 'x-2', 'x-3'])
  })

  test('an endless answer is cut off after a few kilobytes, and its status stands', async () => {
    let megabytes = 0
    const receiver = await receiverThat((response) => {
      const push = () => {
        megabytes += 1
        if (megabytes < 300) response.write(Buffer.alloc(2 ** 20), push)
        else response.end()
      }
      push()
    })
    expect(await newSender().send(request(receiver.url))).toMatchObject({ statusCode: 200 })
    // The buffers on the way take some megabytes before the cut is felt.
    expect(megabytes).toBeLessThan(30)
  })
})

describe('what comes before an answer', () => {
  const HINT = 'HTTP/1.1 103 Early Hints\r\n\r\n'

  test('an answer after some early hints stands', async () => {
    const server = await rawServer((socket) => socket.write(`${HINT.repeat(10)}HTTP/1.1 204 No Content\r\n\r\n`))
    expect(await newSender().send(request(server.url))).toMatchObject({ kind: 'answered', statusCode: 204 })
  })

  test.each([
    ['early hints', HINT],
    ['short early hints', 'HTTP/1.1 103\r\n\r\n'],
    ['empty lines', '\r\n'],
  ])('a receiver that streams %s is cut off at once, and one connection is all it gets', async (_name, piece) => {
    let written = () => 0
    const server = await rawServer((socket, count) => {
      if (count === 1) written = pour(socket, piece)
    })
    const answer = await newSender({ timeoutMs: 60_000 }).send(request(server.url))
    expect(answer).toEqual({ kind: 'unanswered', reason: 'too much data before an answer' })
    await server.closed
    expect(server.connections()).toBe(1)
    // The buffers on the way take some megabytes before the cut is felt.
    expect(written()).toBeLessThan(30)
  })

  test('a receiver that streams early hints on a connection that it has answered on gets no further one', async () => {
    const server = await rawServer((socket, count) => {
      if (count === 1) socket.write('HTTP/1.1 204 No Content\r\n\r\n')
      else pour(socket, HINT)
    })
    const sender = newSender()
    await sender.send(request(server.url))
    expect(await sender.send(request(server.url))).toEqual({
      kind: 'unanswered',
      reason: 'too much data before an answer',
    })
    expect(server.connections()).toBe(1)
  })
})

describe('one deadline for everything', () => {
  const within = async (timeoutMs: number, url: string) => {
    const started = performance.now()
    const answer = await newSender({ timeoutMs }).send(request(url))
    const took = performance.now() - started
    expect(took).toBeGreaterThan(timeoutMs * 0.9)
    expect(took).toBeLessThan(timeoutMs + 1_000)
    return answer
  }

  test('a receiver that never answers is left at the deadline, and its connection is closed', async () => {
    const server = await rawServer(() => {})
    expect(await within(300, server.url)).toEqual({ kind: 'unanswered', reason: 'no answer within 0.3 s' })
    await server.closed
  })

  test('a receiver that drips its header is left at the deadline: activity buys no time', async () => {
    const server = await rawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      drip(socket, 'x: y\r\n')
    })
    expect(await within(300, server.url)).toEqual({ kind: 'unanswered', reason: 'no answer within 0.3 s' })
    await server.closed
  })

  test('a receiver that drips its body is cut off at the deadline, and its status stands', async () => {
    const server = await rawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n')
      drip(socket, '.')
    })
    expect(await within(300, server.url)).toMatchObject({
      kind: 'answered',
      statusCode: 200,
      body: expect.stringMatching(/^\.+$/),
    })
    await server.closed
  })

  test('a name that does not resolve in time is left at the deadline', async () => {
    const sender = newSender({ allowPrivate: false, timeoutMs: 100, resolve: () => new Promise(() => {}) })
    expect(await sender.send(request('https://slow.example/'))).toEqual({
      kind: 'unanswered',
      reason: 'no answer within 0.1 s',
    })
  })
})

describe('what is no HTTP', () => {
  test('a closed port', async () => {
    const server = createTcpServer()
    const port = await listen(server)
    await new Promise((resolve) => server.close(resolve))
    expect(await newSender().send(request(`http://127.0.0.1:${port}/`))).toEqual({
      kind: 'unanswered',
      reason: 'no connection: ECONNREFUSED',
    })
  })

  test('an answer that is gibberish', async () => {
    const server = await rawServer((socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'))
    expect(await newSender().send(request(server.url))).toMatchObject({ kind: 'unanswered' })
  })

  test('a switch to another protocol is an answer that is no success, and ends the connection', async () => {
    const closed = Promise.withResolvers<void>()
    const server = await rawServer((socket) => {
      socket.on('close', () => closed.resolve())
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n')
    })
    expect(await newSender().send(request(server.url))).toMatchObject({ kind: 'answered', statusCode: 101, body: '' })
    await closed.promise
  })
})

describe('only https, and only to the public internet', () => {
  const sending = async (url: string, addresses: readonly { address: string; family: number }[]) => {
    let asked = 0
    const sender = newSender({
      allowPrivate: false,
      resolve: async () => {
        asked += 1
        return addresses
      },
    })
    return { answer: await sender.send(request(url)), asked }
  }
  const refused = { kind: 'unanswered', reason: 'refused: the address is not on the public internet' }

  test.each([
    ['IPv4 loopback', [{ address: '127.0.0.1', family: 4 }]],
    ['IPv6 loopback', [{ address: '::1', family: 6 }]],
    ['IPv4 loopback within IPv6', [{ address: '::ffff:127.0.0.1', family: 6 }]],
    [
      'a public address and a private one',
      [
        { address: '8.8.8.8', family: 4 },
        { address: '127.0.0.1', family: 4 },
      ],
    ],
  ])('a name that resolves to %s is refused without a connection', async (_, addresses) => {
    const server = await rawServer(() => {})
    const { answer, asked } = await sending(`https://hooks.example:${server.port}/`, addresses)
    expect(answer).toEqual(refused)
    // Asked once, for the connection itself: there is no earlier look that a changing name could satisfy.
    expect(asked).toBe(1)
    expect(server.connections()).toBe(0)
  })

  test('a name that a real name server leads to 127.0.0.1 is refused without a connection', async () => {
    const server = await rawServer(() => {})
    const dns = await nameServerThatSays([127, 0, 0, 1])
    const sender = newSender({ allowPrivate: false, resolve: createPublicResolver([dns]) })
    expect(await sender.send(request(`https://rebound.example:${server.port}/`))).toEqual(refused)
    expect(server.connections()).toBe(0)
  })

  test('a name that does not exist is a failure', async () => {
    const dns = await nameServerThatSays(null)
    const sender = newSender({ allowPrivate: false, resolve: createPublicResolver([dns]) })
    expect(await sender.send(request('https://nobody.example/'))).toEqual({
      kind: 'unanswered',
      reason: 'no connection: ENOTFOUND',
    })
  })

  test.each([
    ['https://127.0.0.1:PORT/', 'private_address'],
    ['https://[::1]:PORT/', 'private_address'],
    ['https://localhost:PORT/', 'private_address'],
    ['http://hooks.example:PORT/', 'not_https'],
  ])('%s is refused although it was stored: %s', async (template, why) => {
    const server = await rawServer(() => {})
    const url = template.replace('PORT', String(server.port))
    const { answer, asked } = await sending(url, [{ address: '127.0.0.1', family: 4 }])
    expect(answer).toEqual({ kind: 'unanswered', reason: `the URL is refused: ${why}` })
    expect(asked).toBe(0)
    expect(server.connections()).toBe(0)
  })
})

describe('https', () => {
  async function tlsReceiver() {
    const server = createTlsServer({ key: LOCALHOST_KEY, cert: LOCALHOST_CERTIFICATE }, (_, response) => response.end())
    const port = await listen(server)
    toClose.push(() => server.close())
    toClose.push(() => server.closeAllConnections())
    return `https://localhost:${port}/`
  }

  test('a certificate without a trusted issuer is refused', async () => {
    expect(await newSender().send(request(await tlsReceiver()))).toEqual({
      kind: 'unanswered',
      reason: 'no connection: DEPTH_ZERO_SELF_SIGNED_CERT',
    })
  })

  test('a trusted certificate is accepted', async () => {
    const trusted = getCACertificates()
    setDefaultCACertificates([...trusted, LOCALHOST_CERTIFICATE])
    toClose.push(() => setDefaultCACertificates(trusted))
    expect(await newSender().send(request(await tlsReceiver()))).toMatchObject({ statusCode: 200 })
  })
})

/** A name server for every name: one A record, or no such name. Answers AAAA with nothing. */
async function nameServerThatSays(address: readonly number[] | null): Promise<string> {
  const socket = createSocket('udp4')
  socket.on('message', (query, from) => {
    const question = query.subarray(12, query.indexOf(0, 12) + 5)
    const isA = question.at(-3) === 1
    const records = address !== null && isA ? 1 : 0
    const header = Buffer.from([0, 0, 0x81, address === null ? 0x83 : 0x80, 0, 1, 0, records, 0, 0, 0, 0])
    query.copy(header, 0, 0, 2)
    const answer = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...(address ?? [])])
    socket.send(Buffer.concat([header, question, ...(records === 1 ? [answer] : [])]), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  toClose.push(() => socket.close())
  return `127.0.0.1:${socket.address().port}`
}
