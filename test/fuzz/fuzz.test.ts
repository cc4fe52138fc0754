// A short run of `npm run fuzz`, and tests of its judge.
import { describe, expect, test } from 'vitest'
import type { Answer } from './connection.ts'
import { createJudge } from './judge.ts'
import { fuzz } from './run.ts'
import { startFuzzedService } from './service.ts'

const REQUESTS = 2_500
const TIMEOUT_MS = 240_000

test(
  'strange requests to every route and operation get documented replies, and no business sees data of another business',
  async () => {
    const service = await startFuzzedService()
    try {
      const { port, world } = service
      const options = { port, world, requests: REQUESTS, seed: 'short', connections: 8, onProgress: () => {} }
      const { findings, statuses } = await fuzz(options)
      expect(findings).toEqual([])
      // Some requests are valid and reach the services.
      expect(statuses.get('200')).toBeGreaterThan(REQUESTS / 5)
    } finally {
      await service.stop()
    }
  },
  TIMEOUT_MS,
)

describe('the judge', () => {
  const amber = {
    name: 'amber',
    apiKey: 'sk_live_amber',
    session: 'session=ss_amber',
    payments: [],
    hidden: [],
    things: [],
    secrets: ['secret-of-amber'],
  }
  const judge = createJudge({ host: 'pay.example', tenants: [amber], operatorToken: 'op_token' })
  const asked = (request: string) => ({ bytes: Buffer.from(request), isHead: false, isWhole: true })
  const GET = asked('GET /elsewhere HTTP/1.1\r\n\r\n')
  const reply = (status: number, body: string, type = 'application/json', code = 'not_found'): Answer => ({
    status,
    headers: new Map([
      ['content-type', type],
      ['x-request-id', '1'],
      ...(status < 400 ? [] : [['error-code', code] as const]),
    ]),
    body,
  })

  test('accepts data, documented errors and errors of GraphQL', () => {
    const graphql = '{"errors":[{"message":"no","extensions":{"code":"forbidden"}}]}'
    for (const answer of [reply(200, '{"a":1}'), reply(404, '{"error":"not found"}'), reply(200, graphql)]) {
      expect(judge(GET, answer)).toBeNull()
    }
  })

  test.each([
    ['a server error', reply(500, '{"error":"internal error"}')],
    ['an upstream failure that is not documented', reply(502, '{"error":"x"}')],
    ['a page', reply(404, '<h1>Not found</h1>', 'text/html')],
    ['an empty body', reply(415, '')],
    ['an error of another shape', reply(400, '{"message":"no"}')],
    ['an error without a code of the table', reply(400, '{"error":"no"}', 'application/json', 'oops')],
    ['an error of GraphQL without a code', reply(200, '{"errors":[{"message":"no"}]}')],
    [
      'an error with a code of a library',
      reply(200, '{"errors":[{"message":"no","extensions":{"code":"BAD_REQUEST"}}]}'),
    ],
    ['a stack trace', reply(400, '{"error":"at parse (/app/src/rest/routes.ts:3)"}')],
    ['a text of another business', reply(200, '{"reference":"secret-of-amber"}')],
    ['silence', 'silent'],
    ['a connection that is closed without a reply', 'closed'],
  ] as const)('refuses %s', (_name, answer) => {
    expect(judge(GET, answer)).not.toBeNull()
  })

  test('refuses a reply that openapi.json does not state for its endpoint', () => {
    const status = asked('GET /status?index=1 HTTP/1.1\r\n\r\n')
    const of = (code: string) => reply(404, '{"error":"no"}', 'application/json', code)
    expect(judge(status, reply(200, '{"reference":"a"}'))).toContain('required property')
    expect([judge(status, of('intent_not_found')), judge(status, of('seller_not_found'))]).toEqual([
      null,
      'the code seller_not_found for 404 is not stated',
    ])
  })

  test('lets a session see it on the pages of the service alone', () => {
    const shown = reply(200, '{"reference":"secret-of-amber"}')
    const from = (origin: string) =>
      asked(`GET /elsewhere HTTP/1.1\r\nCookie: session=ss_amber\r\nOrigin: ${origin}\r\n\r\n`)
    expect(judge(from('http://pay.example'), shown)).toBeNull()
    expect(judge(from('https://other.example'), shown)).not.toBeNull()
  })

  test('lets the business itself and the operator see it', () => {
    const shown = reply(200, '{"reference":"secret-of-amber"}')
    const by = (token: string, path: string) => asked(`GET ${path} HTTP/1.1\r\nAuthorization: Bearer ${token}\r\n\r\n`)
    expect(judge(by('sk_live_amber', '/elsewhere'), shown)).toBeNull()
    expect(judge(by('op_token', '/operator/graphql'), shown)).toBeNull()
    expect(judge(by('op_token', '/elsewhere'), shown)).not.toBeNull()
  })
})
