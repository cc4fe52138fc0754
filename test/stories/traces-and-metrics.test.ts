// What an operator sees inside: one trace for each payment, from its create to its webhook, and the series of metrics, by which
// the dashboard and the alerts in ops/ read.
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { answerWith, type Receiver, startReceiver } from '../support/receiver.ts'
import {
  type Json,
  openIntent,
  STORY_TIMEOUT_MS,
  type Story,
  startStory,
  untilStatus,
} from '../support/running-service.ts'
import { until } from '../support/until.ts'

vi.setConfig({ testTimeout: STORY_TIMEOUT_MS, hookTimeout: STORY_TIMEOUT_MS })

const CALLER = { trace: '0af7651916cd43dd8448eb211c80319c', span: 'b7ad6b7169203331' }

type Span = {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[]
  readonly attributes: readonly { readonly key: string; readonly value: Json }[]
}

const attribute = ({ attributes }: Span, key: string): Json => {
  const value = attributes.find((one) => one.key === key)?.value
  return value?.stringValue ?? value?.intValue
}

/** Returns the names of series in an expression of Prometheus. */
const namesIn = (expression: string): readonly string[] =>
  expression
    .replaceAll(/\\?"[^"]*"|\{[^}]*\}|\[[^\]]*\]|\w+ (?:by|on) \([^)]*\)|\bunless\b|\b\w+(?= ?\()|\b\d\w*\b/g, ' ')
    .match(/[a-z]\w+/g) ?? []

describe('an operator who looks into a service', () => {
  let collector: Receiver
  let shop: Receiver
  let story: Story & { stop(): Promise<void> }
  let createdAs: string
  let payment: string
  let metrics: string
  const spans: Span[] = []
  const ofPayment = () => spans.filter(({ traceId }) => traceId === payment.replaceAll('-', ''))
  const named = (name: string): Span => {
    const [span] = ofPayment().filter((one) => one.name === name)
    if (span === undefined) throw new Error(`no span ${name}: ${ofPayment().map((one) => one.name)}`)
    return span
  }

  beforeAll(async () => {
    collector = await startReceiver((response, { body }) => {
      for (const { scopeSpans } of JSON.parse(body).resourceSpans)
        for (const scope of scopeSpans) spans.push(...scope.spans)
      answerWith(200)(response, { method: '', url: '', headers: {}, body, at: 0 })
    })
    shop = await startReceiver(answerWith(200))
    story = await startStory({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url.replace('/hook', '') })
    const key = story.facts.api_key
    await story.rest('POST', '/webhook-endpoints', { key, body: { url: shop.url } })
    const created = await fetch(`${story.facts.base_url}/intents`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'x-request-id': 'order-77',
        traceparent: `00-${CALLER.trace}-${CALLER.span}-01`,
      },
      body: JSON.stringify({ amount_usd_cents: 1_500, accepted_tokens: [{ kind: 'sol' }] }),
    })
    createdAs = String(created.headers.get('x-request-id'))
    const { id, address, client_secret, derivation_index: index }: Json = await created.json()
    payment = id
    const { body } = await story.rest('POST', '/intents/select-token', { body: { client_secret, mint: null } })
    await story.pay(address, 'SOL', BigInt(body.expected_lamports))
    await untilStatus(story, index, 'swept')
    await until(() => shop.received.some(({ body: sent }) => JSON.parse(sent).type === 'intent.swept'))
    const headers = { authorization: `Bearer ${story.operatorToken}` }
    metrics = await (await fetch(`${story.facts.operator_url}/metrics`, { headers })).text()
    await story.stop()
  })
  afterAll(async () => {
    await collector?.close()
    await shop?.close()
  })

  it('has one trace for a payment, whose id is the id of the payment', () => {
    expect(ofPayment().map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'payment',
        'intent.created',
        'sweep prepared',
        'sweep signed',
        'intent.swept',
        'webhook intent.swept',
      ]),
    )
  })

  it('puts everything below the span of the whole payment', () => {
    const { spanId, parentSpanId } = named('payment')
    expect(parentSpanId ?? '').toBe('')
    const others = ofPayment().filter(({ name }) => name !== 'payment')
    expect(new Set(others.map((one) => one.parentSpanId))).toEqual(new Set([spanId]))
  })

  it('names the request, with a link to its span below that of the caller', () => {
    const request = spans.find(({ name }) => name === 'POST /intents')
    expect(request).toMatchObject({ traceId: CALLER.trace, parentSpanId: CALLER.span })
    expect(createdAs).toBe('order-77')
    const created = named('intent.created')
    expect(attribute(created, 'request.id')).toBe('order-77')
    expect(created.links).toMatchObject([{ traceId: CALLER.trace, spanId: request?.spanId }])
    expect(request && attribute(request, 'payment.id')).toBe(payment)
  })

  it('says what a transaction was, and what a webhook was answered', () => {
    const signature = attribute(named('sweep signed'), 'solana.signature')
    expect(signature).toMatch(/^\w{80,90}$/)
    expect(attribute(named('intent.swept'), 'solana.signature')).toBe(signature)
    expect(Number(attribute(named('webhook intent.swept'), 'http.response.status_code'))).toBe(200)
  })

  it('counts what happens to payments, transfers and webhooks', () => {
    const figureOf = (series: string): number =>
      Number(
        metrics
          .split('\n')
          .find((line) => line.startsWith(`${series} `))
          ?.split(' ')[1],
      )
    expect(figureOf('payments_total{network="live",status="pending"}')).toBe(1)
    expect(figureOf('payments_total{network="live",status="swept"}')).toBe(1)
    expect(figureOf('transfers_total{network="live",kind="sweep",outcome="done"}')).toBe(1)
    expect(figureOf('transfer_seconds_count{network="live",kind="sweep"}')).toBe(1)
    expect(figureOf('deposit_detection_seconds_count{network="live"}')).toBe(1)
    expect(figureOf('webhook_attempts_total{network="live",outcome="succeeded"}')).toBeGreaterThan(0)
    expect(figureOf('rpc_calls_total{network="live",method="getMultipleAccounts"}')).toBeGreaterThan(0)
    expect(figureOf('fee_payer_lamports{network="live"}')).toBeGreaterThan(0)
  })

  it.each([
    ['ops/grafana-dashboard.json', /"expr": "((?:[^"\\\\]|\\\\.)*)"/g],
    ['ops/alerts.yml', /expr: (?:>-\n)?((?:.|\n {10})*)/g],
  ])('has every series that %s reads', async (file, expression) => {
    const known = [...metrics.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name = '', type]) =>
      type === 'histogram' ? ['bucket', 'count', 'sum'].map((part) => `${name}_${part}`) : [name],
    )
    const read = [...(await readFile(file, 'utf8')).matchAll(expression)].map(([, text = '']) => text)
    expect(read.length).toBeGreaterThan(8)
    for (const text of read) {
      const names = namesIn(text)
      expect(names, text).not.toEqual([])
      for (const name of names) expect(known, text).toContain(name)
    }
  })

  it('sends no secret', () => {
    const sent = collector.received.map(({ body }) => body).join('\n')
    expect(sent).not.toContain(story.facts.api_key)
    expect(sent).not.toMatch(/cs_\w+|sk_(live|test)_/)
  })
})

it('a collector that is away delays nothing', async () => {
  const story = await startStory({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' })
  try {
    const intent = await openIntent(story, 'SOL')
    await story.pay(intent.deposit, 'SOL', intent.expected)
    expect((await untilStatus(story, intent.index, 'swept')).status).toBe('swept')
  } finally {
    await story.stop()
  }
})
