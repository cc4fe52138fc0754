// What the client sends, what it repeats, and how it reads answers. The service is a stand-in that answers as the test says.
import { createHmac } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it, test, vi } from 'vitest'
import { type ClientOptions, SolanaPayments, verifyWebhook } from '../../sdk/src/index.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

type Sent = { readonly url: string; readonly method: string; readonly headers: Headers; readonly body: unknown }
type Answer = Response | Error | 'never'

/** Answers each request with the next answer, and any further one with the last. */
function clientWith(answers: readonly (() => Answer)[], options: ClientOptions = {}) {
  const sent: Sent[] = []
  const times: number[] = []
  const fetch = (url: string | URL | Request, { method = '', headers, body, signal }: RequestInit = {}) => {
    sent.push({ url: String(url), method, headers: new Headers(headers), body })
    times.push(Date.now())
    const answer = (answers[sent.length - 1] ?? answers.at(-1))?.()
    return new Promise<Response>((resolve, reject) => {
      if (answer instanceof Response) resolve(answer)
      else if (answer instanceof Error) reject(answer)
      else signal?.addEventListener('abort', () => reject(signal.reason))
    })
  }
  const client = new SolanaPayments({ apiKey: 'sk_test_x', baseUrl: 'https://pay.example/', fetch, ...options })
  /** Resolves with the result of a call, or its error, while time passes. */
  const outcome = async <T>(call: Promise<T>): Promise<unknown> => {
    const ended = call.catch((error: unknown) => error)
    await vi.runAllTimersAsync()
    return await ended
  }
  return { client, sent, times, outcome }
}

const ok = (text: string) => () => new Response(text)
const refused =
  (status: number, headers: Record<string, string>, body: object = { error: 'no' }) =>
  () =>
    new Response(JSON.stringify(body), { status, headers })
const lost = () => new TypeError('fetch failed')
const busy = refused(429, { 'error-code': 'rate_limited', 'retry-after': '3' })
const down = refused(503, { 'error-code': 'database_unavailable', 'retry-after': '5' })
const proxy = () => new Response('<h1>Bad gateway</h1>', { status: 502 })

describe('a request', () => {
  it('has the key, the version of the interface, and its input in the path, the query or the body', async () => {
    const { client, sent } = clientWith([ok('{}')])
    await client.payments.list({ status: ['swept', 'paid'], metadata: { channel: 'web' }, limit: 2 }).page()
    await client.subscriptions.cancel('a/b', { at_period_end: true }, { onBehalfOf: 'seller-1' })
    await client.apiKeys.revoke('key-1')
    const [list, cancel, revoke] = sent
    expect(list?.url).toBe('https://pay.example/payments?status=swept%2Cpaid&metadata%5Bchannel%5D=web&limit=2')
    expect(Object.fromEntries(list?.headers ?? [])).toMatchObject({
      authorization: 'Bearer sk_test_x',
      'api-version': expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    })
    expect([cancel?.method, cancel?.url, cancel?.body]).toEqual([
      'POST',
      'https://pay.example/subscriptions/a%2Fb/cancel',
      '{"at_period_end":true}',
    ])
    expect(cancel?.headers.get('x-platform-on-behalf-of')).toBe('seller-1')
    expect([revoke?.method, revoke?.body]).toEqual(['DELETE', null])
  })

  it('has no credential without a key', async () => {
    const { client, sent } = clientWith([ok('{}')], { apiKey: undefined })
    await client.config()
    expect(sent[0]?.headers.has('authorization')).toBe(false)
  })
})

describe('a refusal', () => {
  it('is an error with its status, code, message, request and wait', async () => {
    const headers = { 'error-code': 'invalid_redirect_url', 'x-request-id': 'req-1' }
    const { client } = clientWith([refused(400, headers, { error: 'is no URL', field: 'success_url' })])
    await expect(client.payments.create({ amount_usd_cents: 1 })).rejects.toMatchObject({
      name: 'SolanaPaymentsError',
      message: 'is no URL',
      status: 400,
      code: 'invalid_redirect_url',
      requestId: 'req-1',
      retryAfter: null,
      body: { field: 'success_url' },
    })
  })

  it('of a proxy, which is no JSON, has a code too', async () => {
    const { client, outcome } = clientWith([proxy], { retries: 0 })
    expect(await outcome(client.health())).toMatchObject({ status: 502, code: 'unreadable_answer' })
  })
})

describe('a repeat', () => {
  const calls = {
    read: (client: SolanaPayments) => client.payments.get('1'),
    create: (client: SolanaPayments) => client.payments.create({ amount_usd_cents: 1 }),
    change: (client: SolanaPayments) => client.webhookEndpoints.rotateSecret('1'),
    remove: (client: SolanaPayments) => client.apiKeys.revoke('1'),
  }
  test.each([
    ['read', lost, 2],
    ['read', down, 2],
    ['read', proxy, 2],
    ['read', busy, 2],
    ['create', lost, 2],
    ['create', down, 2],
    ['create', busy, 2],
    ['change', busy, 2],
    ['change', lost, 1],
    ['change', down, 1],
    ['change', proxy, 1],
    ['remove', lost, 1],
    ['read', refused(500, { 'error-code': 'internal_error' }), 1],
    ['read', refused(502, { 'error-code': 'chain_unavailable' }), 1],
    ['create', refused(409, { 'error-code': 'sweep_destination_missing' }), 1],
  ] as const)('of a %s after %o: %i requests', async (kind, answer, requests) => {
    const { client, sent, outcome } = clientWith([answer, ok('{"id": "1"}')])
    const result = await outcome<object>(calls[kind](client))
    expect(sent).toHaveLength(requests)
    expect(result instanceof Error).toBe(requests === 1)
  })

  it('of a create has the same idempotency key, and another create another one', async () => {
    const { client, sent, outcome } = clientWith([lost, ok('{}')])
    await outcome(client.payments.create({ amount_usd_cents: 1 }))
    await client.payments.create({ amount_usd_cents: 1 })
    await client.payments.create({ amount_usd_cents: 1 }, { idempotencyKey: 'mine' })
    const [first, repeat, other, own] = sent.map(({ headers }) => headers.get('idempotency-key'))
    expect(first).toMatch(/^[\w-]{36}$/)
    expect([repeat === first, other === first, own]).toEqual([true, false, 'mine'])
  })

  it('waits as long as Retry-After says, and otherwise longer each time', async () => {
    const { client, times, outcome } = clientWith([busy, lost, lost, lost, ok('{}')])
    await outcome(client.health())
    const [asked = 0, first = 0, second = 0, third = 0] = times.slice(1).map((time, at) => time - (times[at] ?? 0))
    expect(asked).toBe(3_000)
    for (const [wait, most] of [
      [first, 1_000],
      [second, 2_000],
      [third, 4_000],
    ] as const) {
      expect(wait).toBeLessThanOrEqual(most)
      expect(wait).toBeGreaterThanOrEqual(most / 2)
    }
  })

  it('ends after four, and comes at once to an end where the wait is longer than a minute', async () => {
    const { client, sent, outcome } = clientWith([lost])
    expect(await outcome(client.health())).toMatchObject({ code: 'connection_failed', status: 0 })
    expect(sent).toHaveLength(5)
    const other = clientWith([refused(429, { 'error-code': 'rate_limited', 'retry-after': '600' })])
    expect(await other.outcome(other.client.health())).toMatchObject({ code: 'rate_limited', retryAfter: 600 })
    expect(other.sent).toHaveLength(1)
  })
})

describe('a call ends', () => {
  it('with the reason of its signal, before, during and between requests', async () => {
    const reason = new Error('the buyer left')
    const { client, sent } = clientWith([() => 'never' as const])
    await expect(client.health({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    expect(sent).toHaveLength(0)
    const during = new AbortController()
    const call = client.health({ signal: during.signal })
    during.abort(reason)
    await expect(call).rejects.toBe(reason)
    const between = new AbortController()
    const waiting = clientWith([busy])
    const second = waiting.client.health({ signal: between.signal })
    const ended = expect(second).rejects.toBe(reason)
    await vi.advanceTimersByTimeAsync(1_000)
    between.abort(reason)
    await ended
    expect(waiting.sent).toHaveLength(1)
  })

  it('when no answer comes in time', async () => {
    const { client, outcome } = clientWith([() => 'never' as const], { retries: 0, timeoutMs: 500 })
    expect(await outcome(client.health())).toMatchObject({ code: 'timed_out' })
  })
})

describe('an amount', () => {
  it('is an exact bigint, of any size, and nothing else is', async () => {
    const text = `{"received_lamports": 18446744073709551615, "expected_lamports": 5, "price_usd_cents": 2500,
      "settlement": {"destination_amount": 9007199254740993, "destination_ui": 0.1234567890123456789, "legs": [{"amount": 9007199254740995}]},
      "message": "9007199254740993, 18446744073709551615",
      "metadata": {"amount": 5, "big": 20000000000000000, "text": "\\"9007199254740993\\" 1"}}`
    const { client } = clientWith([ok(text)])
    expect(await client.payments.get('1')).toEqual({
      received_lamports: 18_446_744_073_709_551_615n,
      expected_lamports: 5n,
      price_usd_cents: 2500,
      settlement: {
        destination_amount: 9_007_199_254_740_993n,
        destination_ui: 0.123_456_789_012_345_68,
        legs: [{ amount: 9_007_199_254_740_995n }],
      },
      message: '9007199254740993, 18446744073709551615',
      metadata: { amount: 5, big: 20_000_000_000_000_000, text: '"9007199254740993" 1' },
    })
  })

  it('is the same in a webhook, which has it as text', () => {
    const body =
      '{"type": "intent.swept", "data": {"received_lamports": "18446744073709551615", "derivation_index": 4}}'
    const event = verifyWebhook(body, signed(body), SECRET)
    expect(event.type === 'intent.swept' && event.data.received_lamports).toBe(18_446_744_073_709_551_615n)
  })
})

const SECRET = `whsec_${Buffer.from('a secret of this test').toString('base64')}`
function signed(body: string, seconds = Math.floor(Date.now() / 1_000)) {
  const key = Buffer.from(SECRET.slice(6), 'base64')
  const signature = createHmac('sha256', key).update(`msg_1.${seconds}.${body}`).digest('base64')
  return { 'webhook-id': 'msg_1', 'webhook-timestamp': String(seconds), 'webhook-signature': `v1,${signature}` }
}

describe('a webhook', () => {
  const body = '{"type":"webhook.test","data":{"message":"hi"}}'

  test.each([
    ['the headers of Node and text', body, signed(body)],
    ['the headers of fetch and bytes', new TextEncoder().encode(body), new Headers(signed(body))],
  ])('is verified: %s', (_what, given, headers) =>
    expect(verifyWebhook(given, headers, SECRET)).toEqual(JSON.parse(body)),
  )

  test.each([
    ['another body', `${body} `, signed(body)],
    ['another secret', body, { ...signed(body), 'webhook-signature': 'v1,AAAA' }],
    ['an old message', body, signed(body, 1_000_000)],
    ['no headers', body, {}],
  ])('is refused: %s', (_what, given, headers) =>
    expect(() => verifyWebhook(given, headers, SECRET)).toThrow(expect.objectContaining({ code: 'invalid_webhook' })),
  )
})

describe('a list', () => {
  const pages = [
    ok('{"payments": [{"id": "1"}, {"id": "2"}], "next_cursor": "c2"}'),
    ok('{"payments": [], "next_cursor": "c3"}'),
    ok('{"payments": [{"id": "3"}], "next_cursor": null}'),
  ]

  it('yields each entry of each page, and reads a page when it is needed', async () => {
    const { client, sent } = clientWith(pages)
    const ids: string[] = []
    for await (const { id } of client.payments.list({ limit: 2 })) {
      ids.push(id)
      if (id === '2') expect(sent).toHaveLength(1)
    }
    expect(ids).toEqual(['1', '2', '3'])
    expect(sent.map(({ url }) => new URL(url).search)).toEqual(['?limit=2', '?limit=2&cursor=c2', '?limit=2&cursor=c3'])
  })

  it('gives one page, with the cursor of the next one', async () => {
    const { client, sent } = clientWith(pages)
    expect(await client.payments.list({ cursor: 'c1' }).page()).toMatchObject({ next_cursor: 'c2' })
    expect(sent.map(({ url }) => new URL(url).search)).toEqual(['?cursor=c1'])
  })
})

describe('waitFor', () => {
  const at = (status: string) => ok(JSON.stringify({ status }))
  const polled = (...answers: (() => Answer)[]) => clientWith(answers, { WebSocket: null })

  it('asks again until the payment has the status, and shows each one', async () => {
    const { client, outcome } = polled(at('pending'), at('pending'), at('settling'), at('swept'))
    const seen: string[] = []
    expect(await outcome(client.waitFor(7, 'swept', { onStatus: (status) => seen.push(status) }))).toMatchObject({
      status: 'swept',
    })
    expect(seen).toEqual(['pending', 'settling', 'swept'])
  })

  test.each([
    ['paid', 'swept', 'swept'],
    ['underpaid', 'overpaid', 'overpaid'],
    ['refunding', 'refunded', 'refunded'],
    ['cancelled', 'cancelled', 'cancelled'],
    ['swept', 'refunded', 'payment_ended'],
    ['swept', 'cancelled', 'payment_ended'],
    ['swept', 'settle_failed', 'payment_ended'],
    ['refunded', 'swept', 'payment_ended'],
  ] as const)('for %s, when the payment is %s: %s', async (wanted, status, result) => {
    const { client, outcome } = polled(at(status))
    const ended = await outcome(client.waitFor('cs_1', wanted))
    expect(ended).toMatchObject(ended instanceof Error ? { code: result } : { status: result })
  })

  it('ends after its time', async () => {
    const { client, outcome } = polled(at('pending'))
    expect(await outcome(client.waitFor(7, 'swept', { timeoutMs: 5_000 }))).toMatchObject({ code: 'timed_out' })
  })

  it('ends with its signal', async () => {
    const { client } = polled(at('pending'))
    const left = new AbortController()
    const ended = expect(client.waitFor(7, 'swept', { signal: left.signal })).rejects.toThrow('left')
    await vi.advanceTimersByTimeAsync(500)
    left.abort(new Error('left'))
    await ended
  })
})
