// The document of the dashboard: one for every address in it, the same for everyone, and small.
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startTestService, TEST_PAY, type TestService } from '../support/services.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

const read = (path: string, init: RequestInit = {}) => fetch(service.url + path, init)
const scriptsOf = (html: string): readonly string[] =>
  [...html.matchAll(/(?:src|href)="([^"]+\.js)"/g)].flatMap(([, path]) => path ?? [])

it('every address of the dashboard is answered with the same document, with a key and without', async () => {
  const pages = await Promise.all([
    read('/dashboard'),
    read('/dashboard/payments/01a2293b-0dce-78d8-b125-78ad3e588302?x=1'),
    read('/dashboard/join', { headers: { authorization: 'Bearer wrong' } }),
  ])
  const bodies = await Promise.all(pages.map((page) => page.text()))
  expect(pages.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(new Set(bodies).size).toBe(1)
  expect((await read('/dashboards')).status).toBe(404)
})

it('runs no script but its own, cannot be embedded, and is kept by no cache', async () => {
  const { headers } = await read('/dashboard')
  const policy = headers.get('content-security-policy')
  expect(policy).toContain("script-src 'self'")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
})

it('another method than GET is refused, with those that are allowed', async () => {
  const response = await read('/dashboard/join', { method: 'POST' })
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
})

it('has the language that the browser prefers, and its direction', async () => {
  const html = await (await read('/dashboard', { headers: { 'accept-language': 'ar' } })).text()
  expect(html).toContain('<html lang="ar" dir="rtl">')
})

it('names files below the path of PUBLIC_URL', async () => {
  const html = await (await read('/dashboard')).text()
  const root = new URL(TEST_PAY.publicUrl).pathname.replace(/\/$/, '')
  for (const path of scriptsOf(html)) expect(path).toMatch(new RegExp(`^${root}/pay/files/`))
})

it('says whether the browser has the cookie of a session, so that the way in waits for no answer', async () => {
  const siteOf = async (headers: Record<string, string>) => {
    const response = await read('/dashboard', { headers })
    expect(response.headers.get('vary')).toContain('Cookie')
    return /"hasSession":(\w+)/.exec(await response.text())?.[1]
  }
  expect(await siteOf({})).toBe('false')
  expect(await siteOf({ cookie: 'other=1; unsession=2' })).toBe('false')
  expect(await siteOf({ cookie: 'a=1; session=ss_x' })).toBe('true')
  expect(await siteOf({ cookie: '__Host-session=ss_x' })).toBe('true')
})

it('asks the API for the start page before its script is there, only where there may be a session', async () => {
  const pageWith = async (headers: Record<string, string>) => await (await read('/dashboard', { headers })).text()
  const [known, unknown] = [await pageWith({ cookie: 'session=ss_x' }), await pageWith({})]
  const early = scriptsOf(known).filter((path) => !scriptsOf(unknown).includes(path))
  expect(early).toHaveLength(1)
  expect((await read(early[0] ?? '')).status).toBe(200)
  const asked = [...known.matchAll(/"operationName":"(\w+)"/g)].map(([, name]) => name)
  expect(asked).toEqual(['DashboardMe', 'DashboardPayments', 'DashboardNow'])
  expect(unknown).not.toContain('operationName')
})

/** The largest page: with a session, a script more asks early. */
const known = { headers: { cookie: 'session=ss_x' } }

it('loads few files, which a browser asks for at the same moment', async () => {
  expect(scriptsOf(await (await read('/dashboard', known)).text()).length).toBeLessThanOrEqual(7)
  expect(scriptsOf(await (await read('/dashboard')).text()).length).toBeLessThanOrEqual(6)
})

it('loads at most 90 KB of script, compressed', async () => {
  const html = await (await read('/dashboard', known)).text()
  const scripts = await Promise.all(
    scriptsOf(html).map(async (path) => Buffer.from(await (await read(path)).arrayBuffer())),
  )
  expect(scripts.length).toBeGreaterThan(0)
  expect(scripts.reduce((sum, script) => sum + gzipSync(script).length, 0)).toBeLessThan(90_000)
})

describe('the dashboard of the operator', () => {
  const PATH = '/operator/dashboard'

  it('is one document for every address in it, which loads and calls nothing of another origin', async () => {
    const pages = await Promise.all([read(PATH), read(`${PATH}/businesses/01a2293b?x=1`)])
    const bodies = await Promise.all(pages.map((page) => page.text()))
    expect(pages.map(({ status }) => status)).toEqual([200, 200])
    expect(new Set(bodies).size).toBe(1)
    expect(pages[0]?.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; " +
        "form-action 'none'; frame-ancestors 'none'",
    )
    expect(bodies[0]?.match(/https?:\/\//g)).toBeNull()
  })

  it('loads at most 90 KB of script, compressed', async () => {
    const scripts = scriptsOf(await (await read(PATH)).text())
    const sizes = await Promise.all(
      scripts.map(async (path) => gzipSync(Buffer.from(await (await read(path)).arrayBuffer())).length),
    )
    expect(sizes.length).toBeGreaterThan(0)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(90_000)
  })

  it('is at the port of the operator alone where there is one, with its files', async () => {
    const own = await startTestService({ at: { operatorPort: 0 } })
    onTestFinished(() => own.close())
    expect((await fetch(own.url + PATH)).status).toBe(404)
    const page = await fetch(`${own.operatorUrl}/dashboard`)
    expect([page.status, page.url]).toEqual([200, own.operatorUrl + PATH])
    const scripts = scriptsOf(await page.text())
    for (const path of scripts) expect((await fetch(own.operatorUrl + path)).status).toBe(200)
  })
})
