// The document of the REST interface and its page, as browsers and tools get them.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { OPENAPI_FILE } from '#http/reply-check.ts'
import { CHROMIUM, DESKTOP, openBrowser } from '../support/browser.ts'
import { credential, startTestService, TEST_PAY, type TestService, withKey } from '../support/services.ts'

/** The page is compressed once, which takes seconds of a busy machine. */
const GENEROUS_MS = 120_000

let service: TestService
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
