// Rules for every request, whatever its route.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pendingIntent } from '../support/example-intent.ts'
import { sendRaw } from '../support/raw-connections.ts'
import { asOperator, startTestService, type TestService, withKey } from '../support/services.ts'

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

let service: TestService
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
  const OFFER = 'Host: a\r\nConnection: Upgrade, HTTP2-Settings, close\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n'

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
