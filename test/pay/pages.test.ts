// What every page promises over HTTP: who gets it, what it may do, and that what comes from outside stays text.
import { readFileSync } from 'node:fs'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { NO_BRAND } from '#core/accounts/brand.ts'
import { type ErrorCode, ServiceError } from '#core/errors.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import { DEFAULT_RATE_LIMITS } from '#graphql/limits.ts'
import { GROUNDS } from '#pay/files.ts'
import type { CheckoutView } from '#services/billing/checkout/checkout-services.ts'
import { exampleCheckout, examplePortal, PORTAL_TOKEN } from '../support/example-billing.ts'
import { pendingIntent } from '../support/example-intent.ts'
import { choice, SOL_TOKEN } from '../support/payment.ts'
import { askRaw } from '../support/raw-connections.ts'
import { type Answer, CLIENT_SECRET, startTestService, type TestService } from '../support/services.ts'

const HOSTILE = '</script><script>alert(1)</script><img src=x onerror=alert(1)>'
const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
const VARY = 'Accept-Language, Accept-Encoding'
const PAYMENT = `/pay/i/${CLIENT_SECRET}`
const CHECKOUT = '/pay/s/co_token'
const PORTAL = `/pay/m/${PORTAL_TOKEN}`

let service: TestService
let payeeLabel = HOSTILE
let selection: PaymentIntent['selection'] = null
/** Why the pages of subscriptions are refused; null while they are shown. */
let refusal: ErrorCode | null = null
/** A checkout instead of the usual one. */
let shown: CheckoutView | null = null
let successUrl = 'https://shop.example/thanks'
/** The accent color of the business. */
let accentColor: string | null = null
beforeAll(async () => {
  service = await startTestService({
    services: {
      intents: {
        checkoutStatus: async (secret) => {
          if (secret !== CLIENT_SECRET) throw new ServiceError('invalid_client_secret')
          return { ...pendingIntent, payeeLabel, selection }
        },
        quote: async () => ({
          priceUsdCents: pendingIntent.priceUsdCents,
          expiresInSeconds: 600,
          quotes: [],
          unquoted: [],
        }),
      },
      tokens: { allowed: async () => [], known: async () => [SOL_TOKEN], tickerOf: async () => 'USDC' },
      billing: { now: () => pendingIntent.createdAt },
      catalogue: { mayEmbed: async (_business, origin) => origin === 'https://shop.example' },
      accounts: { brandOf: async () => ({ ...NO_BRAND, accentColor }) },
      subscriptionCheckout: {
        async readCheckout() {
          if (refusal !== null) throw new ServiceError(refusal)
          const product = { ...exampleCheckout.product, name: HOSTILE }
          return shown ?? { ...exampleCheckout, product, intent: { ...exampleCheckout.intent, successUrl } }
        },
      },
      subscriptionPortal: {
        async readPortal() {
          if (refusal !== null) throw new ServiceError(refusal)
          return examplePortal
        },
        recovery: () => ({ challengeUrl: 'https://pay.example.com/pay/manage/challenge', verifyUrl: '' }),
      },
    },
  })
})
afterAll(() => service.close())

const open = (path: string, headers: Record<string, string> = {}): Promise<Answer> =>
  service.get(path, { ...BROWSER, ...headers })
const policyOf = ({ headers }: Answer): string[] => (headers.get('content-security-policy') ?? '').split('; ')

describe.each([
  ['a payment', PAYMENT],
  ['a checkout', CHECKOUT],
  ['a portal', PORTAL],
  ['the recovery of links', '/pay/manage'],
])('the page of %s', (_name, path) => {
  it('is HTML for a browser, and is kept by no cache', async () => {
    const { status, headers, text } = await open(path)
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(text).toMatch(/^<!doctype html><html lang="en" dir="ltr">/)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('vary')).toBe(path === PAYMENT ? VARY : `Accept, ${VARY}`)
  })

  it.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const)('is the same in less than half of the bytes by %s', async (encoding, decompress) => {
    const head = `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAccept: text/html\r\n`
    const plain = await askRaw(service.port, `${head}\r\n`, 'latin1')
    const { headers, body } = await askRaw(service.port, `${head}Accept-Encoding: ${encoding}\r\n\r\n`, 'latin1')
    expect(headers.get('content-encoding')).toBe(encoding)
    expect(decompress(Buffer.from(body, 'latin1')).toString('latin1')).toBe(plain.body)
    expect(body.length).toBeLessThan(plain.body.length / 2)
  })

  it('loads nothing but files of this service, and has no script or style inside', async () => {
    const answer = await open(path)
    expect(policyOf(answer)).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data: https://pay.example.com",
      "connect-src 'self' https://pay.example.com wss://pay.example.com",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ])
    const scripts = [...answer.text.matchAll(/<script[^>]*>/g)].map(([tag]) => tag)
    expect(scripts.filter((tag) => !/ src="[^"]+"/.test(tag))).toEqual(['<script type="application/json" id="input">'])
    expect(answer.text).not.toMatch(/<style| style=| on\w+="/)
  })

  it('tells its address to no other site, and lets none show it', async () => {
    const { headers } = await open(path)
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('x-frame-options')).toBe('SAMEORIGIN')
    expect(headers.get('access-control-allow-origin')).toBeNull()
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })

  it('refers to files that are there, which every cache may keep', async () => {
    const { text } = await open(path)
    const files = [...text.matchAll(/(?:src|href)="((?:\.\.\/)*files\/[^"]+)"/g)].map(([, file = '']) => file)
    expect(files.length).toBeGreaterThan(1)
    for (const file of files) {
      const answer = await service.get(new URL(file, `https://pay.example.com${path}`).pathname, {
        'accept-encoding': 'br',
      })
      expect([file, answer.status, answer.headers.get('cache-control')]).toEqual([
        file,
        200,
        'public, max-age=31536000, immutable',
      ])
    }
  })

  it.each(['de', 'es', 'ja', 'ar'])('is in %s for a browser that prefers it, and by its address', async (language) => {
    const preferred = await open(path, { 'accept-language': `${language}, en;q=0.5` })
    expect(preferred.headers.get('content-language')).toBe(language)
    expect(preferred.text).toContain(`<html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">`)
    const chosen = await open(`${path}?lang=${language}`, { 'accept-language': 'en' })
    expect(chosen.headers.get('content-language')).toBe(language)
  })
})

const WITH_JSON = [CHECKOUT, PORTAL, '/pay/manage']
const DOES_NOT_PREFER_A_PAGE = [
  null,
  '',
  '*/*',
  'application/json',
  'application/json, text/plain, */*',
  'text/html;q=0.5, application/json',
  'text/html;q=0',
]
const PREFERS_A_PAGE = ['text/html', 'text/*', 'text/html, */*;q=0.1', 'application/json;q=0.5, text/html;q=0.9']

/** Returns the form of the reply to a request with this header `Accept`, or with none. */
async function formOf(method: string, path: string, accept: string | null) {
  const head = `${method} ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n`
  const reply = await askRaw(service.port, `${head}${accept === null ? '' : `Accept: ${accept}\r\n`}\r\n`)
  return { accept, status: reply.status, type: reply.headers.get('content-type') }
}
const JSON_REPLY = { status: 200, type: 'application/json; charset=utf-8' }
const PAGE_REPLY = { status: 200, type: 'text/html; charset=utf-8' }

describe.each(['GET', 'HEAD'])('%s', (method) => {
  it.each(WITH_JSON)('%s is JSON for every client that does not prefer a page', async (path) => {
    for (const accept of DOES_NOT_PREFER_A_PAGE)
      expect(await formOf(method, path, accept)).toEqual({ accept, ...JSON_REPLY })
  })

  it.each(WITH_JSON)('%s is the page for every client that prefers it', async (path) => {
    for (const accept of PREFERS_A_PAGE) expect(await formOf(method, path, accept)).toEqual({ accept, ...PAGE_REPLY })
  })

  test('the page of a payment has no other form, and is for every client', async () => {
    for (const accept of [...DOES_NOT_PREFER_A_PAGE, ...PREFERS_A_PAGE, 'image/png'])
      expect(await formOf(method, PAYMENT, accept)).toEqual({ accept, ...PAGE_REPLY })
  })
})

it.each(WITH_JSON)('the reply of %s depends on what the client accepts, for caches too', async (path) => {
  expect((await service.get(path)).headers.get('vary')).toContain('Accept')
})

it.each([PAYMENT, CHECKOUT])('on %s, what comes from outside is text and never markup', async (path) => {
  const { text } = await open(path)
  expect(text).not.toContain('<script>alert')
  expect(text).not.toContain('<img src=x')
  expect(text).toContain('&lt;/script')
  const [, json = ''] = /id="input">(.*?)<\/script>/s.exec(text) ?? []
  expect(JSON.stringify(JSON.parse(json))).toContain('alert(1)')
})

test('every label of a business has a page with a QR code', async () => {
  selection = choice('SOL', 25_000_000n)
  const label = fc.string({
    unit: fc.constantFrom('\u{1f6d2}', '\u0301', '\ud800', '<', 'a', '\u05db'),
    maxLength: 500,
  })
  await fc.assert(
    fc.asyncProperty(fc.oneof(label, fc.constant('\u{1f6d2}'.repeat(190))), async (text) => {
      payeeLabel = text
      const { status, text: html } = await open(PAYMENT)
      expect([status, html.includes('<svg class="qr"')]).toEqual([200, true])
    }),
    { numRuns: 30 },
  )
  payeeLabel = HOSTILE
  selection = null
})

test('a name of another direction than the page is isolated, in an element and in a sentence', async () => {
  const titleOf = (text: string) => /<title>(.*?)<\/title>/.exec(text)?.[1]
  payeeLabel = 'כהן (VIP)'
  const hebrew = await open(PAYMENT)
  payeeLabel = 'Corner Shop'
  const [english, arabic] = [await open(PAYMENT), await open(`${PAYMENT}?lang=ar`)]
  payeeLabel = HOSTILE
  expect(hebrew.text).toContain('<bdi>כהן (VIP)</bdi>')
  expect(titleOf(hebrew.text)).toContain('\u2068כהן (VIP)\u2069')
  expect(titleOf(english.text)).toMatch(/Corner Shop(?!\u2069)/)
  expect(titleOf(arabic.text)).toContain('\u2068Corner Shop\u2069')
})

test.each([
  ['the portal that has expired', PORTAL, 'portal_session_expired', true],
  ['a portal that does not exist', '/pay/m/po_unknown', 'portal_not_found', true],
  ['a checkout that does not exist', '/pay/s/co_unknown', 'checkout_not_found', true],
  ['a payment that does not exist', '/pay/i/cs_unknown', null, false],
] as const)('the link to %s leads to /manage where that has other links, and offers no reload', async (...one) => {
  const [, path, code, leads] = one
  refusal = code
  const { status, text } = await open(`${path}?lang=de`)
  refusal = null
  expect(status).toBeGreaterThanOrEqual(400)
  expect(text.includes('href="../manage?lang=de"')).toBe(leads)
  expect(text).not.toContain('Neu laden</a>')
})

test('a checkout whose first charge is made leads to /manage, also without a place to return to', async () => {
  const firstCharge = {
    status: 'succeeded',
    failureCode: null,
    failureMessage: null,
    recoveryAction: null,
    isGivenUp: false,
    signature: null,
    explorerUrl: null,
  } as const
  const intent = { ...exampleCheckout.intent, successUrl: null }
  shown = { ...exampleCheckout, intent, status: 'completed', firstCharge }
  const { text } = await open(CHECKOUT)
  shown = null
  expect(text).toContain('You are subscribed')
  expect(text).toContain('href="../manage?lang=en"')
})

test('a refusal is a page with its status that says what to do', async () => {
  const unknown = await open('/pay/i/cs_unknown')
  expect([unknown.status, unknown.headers.get('content-type')]).toEqual([401, 'text/html; charset=utf-8'])
  expect(unknown.text).toContain('This link does not work')
  expect(unknown.text).not.toContain('cs_unknown')
})

describe('requests of strangers at the same address', () => {
  const PUBLIC_REQUESTS = 3
  let limited: TestService
  beforeAll(async () => {
    limited = await startTestService({
      services: {
        tokens: { allowed: async () => [], tickerOf: async () => 'USDC' },
        billing: { now: () => exampleCheckout.intent.createdAt },
        subscriptionCheckout: { readCheckout: async () => exampleCheckout },
        subscriptionPortal: { readPortal: async () => examplePortal },
      },
      settings: { rateLimits: { ...DEFAULT_RATE_LIMITS, publicAddressPerMinute: PUBLIC_REQUESTS } },
    })
    for (let sent = 0; sent < PUBLIC_REQUESTS; sent += 1) await limited.get('/allowed-tokens')
  })
  afterAll(() => limited.close())

  it.each([CHECKOUT, PORTAL])('refuse %s no page', async (path) => {
    const { status, headers, text } = await limited.get(path, BROWSER)
    expect([status, headers.get('ratelimit-policy')]).toEqual([200, '"token";q=30;w=60'])
    expect(text).toContain('USDC')
  })

  it('refuse a public page, with the time to wait', async () => {
    const { status, headers } = await limited.get('/pay/manage', BROWSER)
    expect([status, headers.get('content-type')]).toEqual([429, 'text/html; charset=utf-8'])
    expect(headers.get('ratelimit')).toBe(`"address";r=0;t=${headers.get('retry-after')}`)
  })
})

test('the log has no secret of a page', async () => {
  await open(PAYMENT)
  await open(PORTAL)
  const log = service.logLines.join('')
  expect(log).toContain('/pay/i/:client_secret')
  expect(log).not.toContain(CLIENT_SECRET)
  expect(log).not.toContain(PORTAL_TOKEN)
})

describe('a payment in a frame', () => {
  const ancestorsOf = async (parent: string) =>
    policyOf(await open(`${PAYMENT}?parent=${encodeURIComponent(parent)}`)).at(-1)

  it('is shown by the registered domain that asks, and by no other', async () => {
    expect(await ancestorsOf('https://shop.example')).toBe('frame-ancestors https://shop.example')
    expect(await ancestorsOf('https://other.example')).toBe("frame-ancestors 'none'")
    expect(await ancestorsOf("https://shop.example; script-src 'unsafe-inline'")).toBe("frame-ancestors 'none'")
  })
})

describe('an accent color', () => {
  it.each([PAYMENT, CHECKOUT, PORTAL])('of %s is a style of its own, and the policy stays', async (path) => {
    const before = await open(path)
    accentColor = '#00aa77'
    const after = await open(path)
    accentColor = null
    expect(policyOf(after)).toEqual(policyOf(before))
    const [, file = ''] = /href="(?:\.\.\/)*(files\/accent-[^"]+)"/.exec(after.text) ?? []
    expect(file).toBe('files/accent-00aa77.css')
    const style = await service.get(`/pay/${file}`)
    expect([style.headers.get('content-type'), style.headers.get('cache-control')]).toEqual([
      'text/css; charset=utf-8',
      // Its name has no hash: a later version may make another style of the color.
      'public, max-age=300',
    ])
  })

  it('has no other style', async () => {
    for (const name of ['accent-0a7', 'accent-00AA77', 'accent-00aa7g', 'accent-00aa77%7D'])
      expect((await service.get(`/pay/files/${name}.css`)).status).toBe(404)
  })

  it('is compared with the grounds of the style', () => {
    const style = readFileSync(new URL('../../src/pay/tokens.css', import.meta.url), 'utf8')
    for (const [at, name] of ['ground', 'card'].entries())
      expect(style).toContain(`--${name}: light-dark(${GROUNDS.light[at]}, ${GROUNDS.dark[at]})`)
  })
})

describe('the return to a business', () => {
  const linkOf = async (url: string): Promise<boolean> => {
    successUrl = url
    return (await open(CHECKOUT)).text.includes(JSON.stringify(url).slice(1, -1))
  }

  it('is a link to https without port and user name; another URL is left out, wherever it comes from', async () => {
    expect(await linkOf('https://shop.example/thanks')).toBe(true)
    expect(await linkOf('javascript:alert(1)')).toBe(false)
    expect(await linkOf('https://user@shop.example/')).toBe(false)
    expect(await linkOf('http://shop.example/')).toBe(false)
    // A sandbox stores such a URL, and nothing else does.
    expect(await linkOf('http://localhost:3000/thanks')).toBe(true)
  })
})

it.each([PAYMENT, CHECKOUT, PORTAL, '/pay/manage'])(
  '%s refuses another method, with those that it answers',
  async (path) => {
    for (const method of ['POST', 'DELETE']) {
      const { status, headers } = await service.ask(method, path)
      expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
    }
  },
)

test('a file that is not there is 404, and a page answers no other method than its JSON', async () => {
  expect((await service.get('/pay/files/none.js')).status).toBe(404)
  expect((await service.get('/pay/files/..%2f..%2fpackage.json')).status).toBe(404)
})
