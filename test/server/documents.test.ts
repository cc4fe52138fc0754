import { readFileSync } from 'node:fs'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { parse, validate } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DEFAULT_RATE_LIMITS } from '#graphql/limits.ts'
import { operatorSchema } from '#graphql/operator/schema.ts'
import { schema } from '#graphql/schema.ts'
import { OPENAPI_FILE } from '#http/reply-check.ts'
import { OPERATOR_PAGE, PUBLIC_PAGE } from '#server/graphiql.ts'
import { CHROMIUM, DESKTOP, openBrowser } from '../support/browser.ts'
import { askRaw } from '../support/raw-connections.ts'
import { credential, startTestService, TEST_PAY, type TestService, withKey } from '../support/services.ts'

let service: TestService

// The document of the REST interface and its page, as browsers and tools get them.
describe('the reference', () => {
  /** The page is compressed once, which takes seconds of a busy machine. */
  const GENEROUS_MS = 120_000

  beforeAll(async () => {
    service = await startTestService()
  })
  afterAll(() => service.close())

  describe('GET /openapi.json', () => {
    it('answers the committed document, to pages of every origin', async () => {
      const { status, headers, text } = await service.get('/openapi.json')
      expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
      expect(headers.get('access-control-allow-origin')).toBe('*')
      expect(text).toBe(readFileSync(OPENAPI_FILE, 'utf8'))
    })
  })

  describe('GET /docs', () => {
    it('runs and loads files of this service only', async () => {
      const policy = (await service.get('/docs')).headers.get('content-security-policy')
      expect(policy).toContain("default-src 'none'; script-src 'self'; ")
      expect(policy).not.toMatch(/unsafe|https?:|\*/)
    })

    it.runIf(CHROMIUM !== null)(
      'shows every group of endpoints in a browser, without a request to another site and without an error',
      async () => {
        await using browser = await openBrowser()
        const page = await browser.newPage({ viewport: DESKTOP })
        page.setDefaultTimeout(GENEROUS_MS)
        const faults: string[] = []
        page.on('pageerror', (error) => faults.push(String(error)))
        page.on('console', (message) => {
          if (message.type() === 'error') faults.push(message.text())
        })
        page.on('request', (request) => {
          if (!request.url().startsWith(service.url) && !request.url().startsWith('data:')) faults.push(request.url())
        })
        await page.goto(`${service.url}/docs`)
        const { tags } = JSON.parse(readFileSync(OPENAPI_FILE, 'utf8'))
        for (const { name } of tags) await page.getByText(name, { exact: true }).first().waitFor()
        await page.getByText('Recurring billing', { exact: true }).first().click()
        await page.getByText('Creates a product').first().waitFor()
        expect(faults).toEqual([])
      },
    )
  })

  it('a sandbox sends no reply that the document does not state, and logs it', async () => {
    const { key } = credential('live')
    await using cleanup = new AsyncDisposableStack()
    const sandbox = await startTestService({
      settings: { pay: { ...TEST_PAY, isSandbox: true } },
      services: { keys: { list: async () => [{ ...key, id: 'not a UUID' }] } },
    })
    cleanup.defer(() => sandbox.close())
    const { status, body } = await sandbox.get('/api-keys', withKey())
    expect([status, body]).toEqual([500, { error: 'internal error' }])
    expect(sandbox.logLines.join()).toContain(
      'a reply is not what openapi.json says: data/api_keys/0/id must match format',
    )
  })
})

// The page for a browser: one buffer for all clients, compressed once, cached by the browser.
describe('the page of GraphiQL', () => {
  const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

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
        const response = await fetch(`${limited.url}/graphql`, {
          headers: { ...browser, 'accept-encoding': 'identity' },
        })
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
})
