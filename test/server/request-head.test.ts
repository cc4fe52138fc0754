// The head of a request: whatever a client writes into it, the reply has the common shape.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROUTES } from '#rest/routes.ts'
import { isHost, judgeHead } from '#server/request-head.ts'
import { askRaw, type RawReply } from '../support/raw-connections.ts'
import { startTestService, type TestService } from '../support/services.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

const ask = (line: string, ...headers: string[]) =>
  askRaw(service.port, `${[`${line} HTTP/1.1`, ...headers, 'Connection: close'].join('\r\n')}\r\n\r\n`)
const ID = /^[0-9a-f-]{36}$/

/** Checks the common shape of a refusal: JSON with an error, and the id that the log has. */
function expectRefusal(reply: RawReply, status: number): void {
  expect(reply.status).toBe(status)
  expect(reply.headers.get('x-request-id')).toMatch(ID)
  expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(JSON.parse(reply.body)).toEqual({ error: expect.stringMatching(/^[^/\\]+$/) })
}

const TYPENAME = '/graphql?query={__typename}'
const WEBSOCKET = [
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
  'Sec-WebSocket-Protocol: graphql-transport-ws',
]
const BAD_HOSTS = [
  '',
  'a b',
  'x/y',
  'user@host',
  'ü.example',
  'a:99999',
  'a:b',
  'a:1:2',
  '::1',
  '[::1',
  '[bad]',
  '[fe80::1%25eth0]',
  '[::1]x',
  'a?b',
  'a#b',
  'a\\b',
  'a,b',
  'a%20b',
  '%',
  'a\tb',
  'a"b',
  'a'.repeat(256),
]

describe('a Host header', () => {
  it.each(BAD_HOSTS)('that is not valid is 400, before anything reads it: %j', async (host) => {
    for (const path of [TYPENAME, '/', '/health', '/nope']) {
      const reply = await ask(`GET ${path}`, `Host: ${host}`)
      expectRefusal(reply, 400)
      expect(reply.body).toBe('{"error":"the Host header is not valid"}')
    }
  })

  it.each(['a b', 'x/y', ''])('that is not valid opens no websocket: %j', async (host) => {
    const upgrade = WEBSOCKET.map((line) => `${line}\r\n`).join('')
    const request = `GET /graphql HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade, close\r\n${upgrade}\r\n`
    expectRefusal(await askRaw(service.port, request), 400)
  })

  it.each(['a', 'A'])('must be sent once: a second header is 400, with the same value or another', async (second) => {
    for (const path of [TYPENAME, '/']) expectRefusal(await ask(`GET ${path}`, 'Host: a', `HOST: ${second}`), 400)
  })

  it.each(['localhost', 'pay.example.com.', 'a_b-c.d', '127.0.0.1:4000', '[::1]:4000', '[::ffff:10.0.0.1]', 'a:'])(
    'that is a name or an address is accepted: %s',
    async (host) => {
      const reply = await ask(`GET ${TYPENAME}`, `Host: ${host}`)
      expect([reply.status, reply.body]).toEqual([200, '{"data":{"__typename":"Query"}}'])
    },
  )
})

describe('a request target', () => {
  it.each(['http://a', 'HTTPS://pay.example:443', 'http://[::1]:4000'])(
    'in absolute form is read as its path: %s',
    async (origin) => {
      const reply = await ask(`GET ${origin}${TYPENAME}`, 'Host: a')
      expect([reply.status, reply.body]).toEqual([200, '{"data":{"__typename":"Query"}}'])
      expect((await ask(`GET ${origin}`, 'Host: a')).body).toContain('"service":"payments"')
      expectRefusal(await ask(`GET ${origin}/nope`, 'Host: a'), 404)
    },
  )

  it('in absolute form opens a websocket', async () => {
    const upgrade = WEBSOCKET.map((line) => `${line}\r\n`).join('')
    const request = `GET http://a/graphql HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\n${upgrade}\r\n`
    const CLOSE_FRAME = '\x88\x80\0\0\0\0'
    expect((await askRaw(service.port, request + CLOSE_FRAME)).status).toBe(101)
  })

  it.each([
    'http://[bad/graphql',
    'http://a:b/health',
    'http://user:secret@a/health',
    'http:///health',
    'http://a%20b/health',
    'ftp://a/health',
    'mailto:a',
    '*',
    '/health#x',
    '/%',
    '/%zz',
    '/intents/%ff',
    '/graphql%e0%80%80',
  ])('that is not valid is 400: %s', async (target) => {
    expectRefusal(await ask(`GET ${target}`, 'Host: a'), 400)
  })

  it.each([
    '/GRAPHQL',
    '/Health',
    '/STATUS',
    '//',
    '//graphql',
    '///',
    '//evil.example/graphql',
    '/%00',
    '/%2e%2e',
    '/\\',
  ])('without a route is 404: %s', async (target) => {
    expectRefusal(await ask(`GET ${target}`, 'Host: a'), 404)
  })

  it('of many kilobytes is 431, and a shorter target without a route is 404', async () => {
    expectRefusal(await ask(`GET /${'a'.repeat(20_000)}`, 'Host: a'), 431)
    expectRefusal(await ask(`GET /${'a'.repeat(10_000)}`, 'Host: a'), 404)
  })

  it('with a NUL byte is 400', async () => {
    expectRefusal(await ask('GET /\0', 'Host: a'), 400)
  })

  it.each(['a:443', '/', '*'])('of a tunnel is 501: %s', async (target) => {
    expectRefusal(await ask(`CONNECT ${target}`, 'Host: a'), 501)
  })

  it('of OPTIONS may be the whole server', async () => {
    expect((await ask('OPTIONS *', 'Host: a')).status).toBe(204)
  })
})

describe('a judged head', () => {
  const head = { method: 'GET', httpVersion: '1.1', rawHeaders: ['Host', 'a'] }

  it('of any target is a fault or a path that every router can read', () => {
    const part = fc.constantFrom(
      'http://',
      '[',
      ']',
      '/',
      '%',
      '%2f',
      '?',
      '#',
      '@',
      ':',
      '*',
      '\\',
      'a',
      '\u0000',
      'é',
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.webUrl(),
          fc.array(part).map((parts) => parts.join('')),
        ),
        (url) => {
          const judged = judgeHead({ ...head, url })
          if ('fault' in judged) return
          expect(judged.path).toMatch(/^\//)
          expect(new URL(`http://localhost${judged.path}`).host).toBe('localhost')
          expect(decodeURIComponent(judged.path.split('?', 1)[0] ?? '')).toBeTypeOf('string')
        },
      ),
    )
  })

  it('has a Host from which a URL can be built', () => {
    const part = fc.constantFrom('a', '1', '.', '-', '_', ':', '[', ']', '80', '::', '@', '%', ' ', '/', 'ü')
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(part).map((parts) => parts.join('')),
        ),
        (host) => {
          // A name of digits and dots that is no IPv4 address is valid by RFC 3986, and invalid for URL.
          if (!isHost(host) || /[\d.]$|[\d.]:\d*$/.test(host)) return
          expect(new URL(`http://${host}/x`).pathname).toBe('/x')
        },
      ),
    )
  })
})

describe('every route', () => {
  const paths = ['/', '/graphql', '/metrics', ...new Set(ROUTES.map(({ path }) => path))]
  const methods = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'QUERY']

  it.each(paths)('answers every method in the common shape: %s', async (path) => {
    for (const method of methods) {
      const { status, headers, body } = await ask(`${method} ${path}`, 'Host: a', 'Content-Length: 0')
      expect(headers.get('x-request-id')).toMatch(ID)
      expect(headers.get('cache-control')).toBe('no-store')
      if (method === 'HEAD') expect(body).toBe('')
      else if (method === 'OPTIONS') expect([status, body]).toEqual([204, ''])
      else expect(Object.keys(JSON.parse(body)).length).toBeGreaterThan(0)
      if (status === 405) expect(headers.get('allow')).toMatch(/^(?:PUT|GET|POST|DELETE)/)
    }
  })

  it.each(['text/csv', '', '*/*;q=0', '\u00ff', 'application/x;;q=zzz', 'a'.repeat(5_000)])(
    'answers JSON whatever the Accept header: %j',
    async (accept) => {
      for (const path of ['/', '/status', '/nope']) {
        const { headers, body } = await ask(`GET ${path}`, 'Host: a', `Accept: ${accept}`)
        expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
        expect(JSON.parse(body)).toBeTypeOf('object')
      }
    },
  )
})
