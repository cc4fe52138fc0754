import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROUTES } from '#rest/routes.ts'
import { isHost, judgeHead } from '#server/request-head.ts'
import { pendingIntent } from '../support/example-intent.ts'
import { askRaw, type RawReply, sendRaw } from '../support/raw-connections.ts'
import { asOperator, startTestService, type TestService, withKey } from '../support/services.ts'

let service: TestService

// Rules for every request, whatever its route.
describe('every request', () => {
  const halt = {
    id: pendingIntent.id,
    network: 'live',
    address: pendingIntent.address,
    intentId: pendingIntent.id,
    intentIndex: 42,
    reason: 'The chain holds less.',
    faults: [],
    haltedAt: new Date(0),
    clearedAt: null,
    clearedBy: null,
    clearedReason: null,
  } as const

  beforeAll(async () => {
    service = await startTestService({
      services: {
        intents: { findByIndex: async () => pendingIntent },
        audit: { halts: async () => [halt, halt] },
      },
    })
  })
  afterAll(() => service.close())

  const raw = (request: string) => sendRaw(service.port, request)

  describe('a request id', () => {
    it('is on every reply, and new each time', async () => {
      const ids = await Promise.all(
        ['/', '/nope', '/status'].map(async (path) => (await service.get(path)).headers.get('x-request-id')),
      )
      expect(new Set(ids).size).toBe(3)
      for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/)
    })

    it('of the client is used when it is a plain word', async () => {
      expect((await service.get('/', { 'x-request-id': 'order-7:try.2' })).headers.get('x-request-id')).toBe(
        'order-7:try.2',
      )
    })

    it.each(['with space', 'a'.repeat(129), '<script>', 'ü'])(
      'of the client is replaced when it is not: %s',
      async (id) => {
        expect((await service.get('/', { 'x-request-id': id })).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
      },
    )
  })

  describe('CORS', () => {
    it('lets any page read, without credentials', async () => {
      const { headers } = await service.get('/nope', { origin: 'https://shop.example' })
      expect(headers.get('access-control-allow-origin')).toBe('*')
      expect(headers.get('access-control-allow-credentials')).toBeNull()
      const exposed = headers.get('access-control-expose-headers')?.split(', ')
      expect(exposed).toEqual(
        expect.arrayContaining([
          'x-request-id',
          'Retry-After',
          'RateLimit-Policy',
          'RateLimit',
          'Error-Code',
          'Api-Version',
          'Idempotent-Replayed',
          'Ignored-Fields',
        ]),
      )
    })

    it.each(['/intents', '/graphql', '/intents/select-token', '/nope'])('answers a preflight for %s', async (path) => {
      const response = await fetch(`${service.url}${path}`, {
        method: 'OPTIONS',
        headers: {
          origin: 'https://shop.example',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization, content-type, x-platform-on-behalf-of, x-tool-of-theirs',
        },
      })
      expect(response.status).toBe(204)
      expect(response.headers.get('access-control-allow-methods')).toContain('POST')
      for (const name of ['authorization', 'content-type', 'x-platform-on-behalf-of', 'x-tool-of-theirs']) {
        expect(response.headers.get('access-control-allow-headers')).toContain(name)
      }
    })
  })

  describe('security headers', () => {
    it.each(['/status?index=42', '/graphql?query={__typename}', '/nope', '/'])('are on %s', async (path) => {
      const { headers } = await service.get(path, withKey())
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('content-security-policy')).toContain("default-src 'none'")
      expect(headers.get('strict-transport-security')).toContain('max-age=')
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('x-powered-by')).toBeNull()
    })
  })

  describe('an unknown path', () => {
    it.each(['/nope', '/intents/nope', '/.env', '/status/1'])('%s is 404', async (path) => {
      const { status, headers, body } = await service.get(path)
      expect([status, headers.get('error-code'), body]).toEqual([404, 'not_found', { error: 'not found' }])
    })
  })

  describe('an offer to upgrade to another protocol', () => {
    const OFFER =
      'Host: a\r\nConnection: Upgrade, HTTP2-Settings, close\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n'

    it('is ignored: the request is answered as without the offer', async () => {
      const reply = await raw(`GET / HTTP/1.1\r\n${OFFER}Upgrade: h2c\r\n\r\n`)
      expect(reply).toMatch(/^HTTP\/1.1 200 .*x-request-id: .*"service":"payments"/s)
    })

    it('is ignored with a body, which is read', async () => {
      const [unread, read] = await Promise.all(
        ['{', '{}'].map((body) => {
          const head = `POST /intents/details HTTP/1.1\r\n${OFFER}Upgrade: h2c\r\nContent-Type: application/json\r\n`
          return raw(`${head}Content-Length: ${body.length}\r\n\r\n${body}`)
        }),
      )
      expect(unread).toMatch(/^HTTP\/1.1 400 .*{"error":"the body is not valid JSON"}$/s)
      expect(read).toMatch(/^HTTP\/1.1 400 .*{"error":"client_secret must be a string"}$/s)
    })

    it('to a websocket is ignored too, except on /graphql', async () => {
      const reply = await raw(`GET /nope HTTP/1.1\r\n${OFFER}Upgrade: websocket\r\n\r\n`)
      expect(reply).toMatch(/^HTTP\/1.1 404 .*x-request-id: .*{"error":"not found"}$/s)
    })
  })

  describe('a request that reaches no route', () => {
    it.each([
      [400, 'that is not HTTP', 'NONSENSE\r\n\r\n'],
      [431, 'with headers that are too large', `GET / HTTP/1.1\r\nHost: a\r\nX-Big: ${'a'.repeat(20_000)}\r\n\r\n`],
      [400, 'without a host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n'],
      [
        417,
        'with an Expect header that cannot be met',
        'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nExpect: tea\r\n\r\n',
      ],
    ])('is %d for a request %s, in the common error shape, with an id that the log has', async (status, _, request) => {
      const reply = await raw(request)
      expect(reply).toMatch(new RegExp(`^HTTP/1.1 ${status} .*\r\n\r\n{"error":".+"}$`, 's'))
      expect(reply).toMatch(/\r\ncache-control: no-store\r\n/i)
      expect(reply).toMatch(/\r\nerror-code: invalid_request\r\n/i)
      const id = /\r\nx-request-id: ([0-9a-f-]{36})\r\n/.exec(reply)?.[1] ?? 'none'
      await expect.poll(() => service.logLines.some((line) => line.includes(id))).toBe(true)
    })

    it('is answered where HTTP requires nothing more', async () => {
      const older = await raw('GET / HTTP/1.0\r\n\r\n')
      const patient = await raw('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nExpect: 100-continue\r\n\r\n')
      expect([older, patient]).toEqual([expect.stringMatching(/ 200 OK/), expect.stringMatching(/ 200 OK/)])
    })
  })

  describe('GET /', () => {
    it('lists the paths, as JSON for a program and as a page for a person', async () => {
      const program = await service.get('/')
      expect(program.body.endpoints).toHaveProperty('/graphql')
      const person = await service.get('/', { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' })
      expect(person.text).toContain('<a href="/graphql">')
    })
  })

  describe('GET /metrics', () => {
    it('is for the operator', async () => {
      const { status, headers } = await service.get('/metrics')
      expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="payments"'])
      expect((await service.get('/metrics', withKey())).status).toBe(401)
    })

    it('counts by the route, never by the values in the path or the query', async () => {
      await service.get('/status?index=42', withKey())
      await service.get('/secret-path-cs_0123456789')
      const { text } = await service.get('/metrics', asOperator)
      expect(text).toContain('http_request_duration_seconds_count{method="GET",route="/status",status="200"}')
      expect(text).toContain('route="unmatched",status="404"')
      expect(text).not.toContain('secret-path')
      expect(text).toContain('process_cpu_seconds_total')
    })

    it('counts items that wait for a person, and shows the other figures when they cannot be read', async () => {
      const { text } = await service.get('/metrics', asOperator)
      expect(text).toContain('halted_addresses 2')
      // No service answers for it here.
      expect(text).toContain('held_payments Nan')
      expect(text).toContain('websocket_connections 0')
      expect(text).not.toContain('approval_ends{')
    })

    it('counts how approves have ended', async () => {
      const approvalEnds = async () => ({ landed: 7, failed: 1, expired: 2, unsigned: 0 })
      const other = await startTestService({ services: { operatorBilling: { approvalEnds } } })
      const { text } = await other.get('/metrics', asOperator).finally(() => other.close())
      const series = text.split('\n').filter((line) => line.startsWith('approval_ends'))
      expect(series).toEqual([
        'approval_ends{end="landed"} 7',
        'approval_ends{end="failed"} 1',
        'approval_ends{end="expired"} 2',
        'approval_ends{end="unsigned"} 0',
      ])
    })
  })
})

// The head of a request: whatever a client writes into it, the reply has the common shape.
describe('the head of a request', () => {
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
})
