// The page for a browser: one buffer for all clients, compressed once, cached by the browser.
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { parse, validate } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DEFAULT_RATE_LIMITS } from '#graphql/limits.ts'
import { operatorSchema } from '#graphql/operator/schema.ts'
import { schema } from '#graphql/schema.ts'
import { OPERATOR_PAGE, PUBLIC_PAGE } from '#server/graphiql.ts'
import { askRaw } from '../support/raw-connections.ts'
import { startTestService, type TestService } from '../support/services.ts'

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

async function pageAs(encoding: string): Promise<Response> {
  return await fetch(`${service.url}/graphql`, { headers: { ...browser, 'accept-encoding': encoding } })
}

describe('GraphiQL', () => {
  it.each([
    ['public', PUBLIC_PAGE, schema],
    ['operator', OPERATOR_PAGE, operatorSchema],
  ])('begins with a query that the %s schema answers', (_name, { query }, ofPage) => {
    expect(validate(ofPage, parse(query))).toEqual([])
  })

  it('is a page where it is enabled, with a policy of its own', async () => {
    const { headers, text } = await service.get('/graphql?query={a}', browser)
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(text.includes('<html')).toBe(true)
  })

  it('is another page for the operator, which the public page does not mention', async () => {
    const [own, other] = await Promise.all([
      service.get('/graphql', browser),
      service.get('/operator/graphql', browser),
    ])
    expect([own.status, other.status]).toEqual([200, 200])
    expect(other.text).toContain('operatorStatus')
    expect(own.text).not.toMatch(/operator token|operatorStatus/)
  })

  it('does not exist where it is disabled', async () => {
    const closed = await startTestService({ settings: { graphiql: false } })
    for (const path of ['/graphql', '/operator/graphql']) {
      const { headers, text } = await closed.get(path, browser)
      expect(headers.get('content-type')).not.toContain('text/html')
      expect(text.includes('<html')).toBe(false)
    }
    await closed.close()
  })

  it.each([
    ['br, gzip', 'br'],
    ['gzip', 'gzip'],
    ['identity', null],
    ['x-unknown', null],
  ])('is sent compressed to a client that accepts %s', async (accepted, encoding) => {
    const { headers } = await pageAs(accepted)
    expect(headers.get('content-encoding')).toBe(encoding)
    expect(headers.get('vary')).toBe('Accept, Accept-Encoding')
    expect(Number(headers.get('content-length'))).toBeLessThan(encoding === null ? 10_000_000 : 2_600_000)
  })

  it('is the same page in every encoding', async () => {
    const raw = async (encoding: string) => {
      const head = `GET /graphql HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAccept: text/html\r\n`
      const { body } = await askRaw(service.port, `${head}Accept-Encoding: ${encoding}\r\n\r\n`, 'latin1')
      return Buffer.from(body, 'latin1')
    }
    const [identity, gzip, br] = await Promise.all([raw('identity'), raw('gzip'), raw('br')])
    expect(gunzipSync(gzip).equals(identity)).toBe(true)
    expect(brotliDecompressSync(br).equals(identity)).toBe(true)
  })

  it('costs its address a point for each megabyte, so that no client can ask for thousands of pages', async () => {
    const limited = await startTestService({ settings: { rateLimits: DEFAULT_RATE_LIMITS } })
    const statuses: number[] = []
    for (let asked = 0; asked < 9; asked += 1) {
      const response = await fetch(`${limited.url}/graphql`, { headers: { ...browser, 'accept-encoding': 'identity' } })
      await response.arrayBuffer()
      statuses.push(response.status)
      if (response.status === 429) expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    }
    expect(statuses.slice(0, 5)).toEqual([200, 200, 200, 200, 200])
    expect(statuses.slice(-2)).toEqual([429, 429])
    await limited.close()
  })

  it('is cached by the browser for an hour, and not sent again while it is unchanged', async () => {
    const { headers } = await pageAs('gzip')
    expect(headers.get('cache-control')).toBe('public, max-age=3600')
    const tag = headers.get('etag') ?? ''
    expect((await pageAs('br')).headers.get('etag')).not.toBe(tag)
    // Without fetch, which adds Cache-Control: no-cache to a conditional request.
    const ifNot = async (condition: string) => {
      const head =
        'GET /graphql HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAccept: text/html\r\nAccept-Encoding: gzip\r\n'
      const { status, headers, body } = await askRaw(service.port, `${head}If-None-Match: ${condition}\r\n\r\n`)
      return [status, headers.get('etag'), body.length > 0]
    }
    expect(await ifNot(tag)).toEqual([304, tag, false])
    expect(await ifNot('"another"')).toEqual([200, tag, true])
  })

  it('is refused in the common shape when no encoding is accepted', async () => {
    const reply = await pageAs('identity;q=0, *;q=0')
    expect([reply.status, await reply.json()]).toEqual([406, { error: expect.any(String) }])
  })

  it('has a length that HEAD shows', async () => {
    const head = await fetch(`${service.url}/graphql`, { method: 'HEAD', headers: browser })
    expect([head.status, Number(head.headers.get('content-length')) > 1_000_000]).toEqual([200, true])
  })

  it('leaves requests for JSON to GraphQL, which no cache stores', async () => {
    const { headers, body } = await service.get('/graphql?query={__typename}', { accept: 'application/json' })
    expect([headers.get('cache-control'), body]).toEqual(['no-store', { data: { __typename: 'Query' } }])
  })
})
