// Spans by the packages of OpenTelemetry. A payment has one trace from its create to its last webhook, whichever process does
// the work: the id of the payment is the id of the trace, so nothing is stored or passed on. docs/runbook.md, "Traces".
import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Attributes,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { parseTraceParent } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, type IdGenerator, RandomIdGenerator, TracerProvider } from '@opentelemetry/sdk-trace'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import { STATUS_POLICY } from '#core/payments/status-policy.ts'
import type { Tracing } from '#ports/tracing.ts'
import type { Took, Watcher } from '#ports/watching.ts'

/** How long a stop waits for a collector, in milliseconds. */
const LAST_SPANS_MS = 3_000

export type TracingSettings = {
  /** The base address of a collector, without a slash at the end. */
  readonly endpoint: string
  readonly serviceName: string
  readonly version: string
}

export function createTracing({ endpoint, serviceName, version }: TracingSettings): Tracing {
  const ids = new PlannedIds()
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName, 'service.version': version }),
    idGenerator: ids,
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url: `${endpoint}/v1/traces` }) })],
  })
  const tracer = provider.getTracer('solana-payments', version)
  const requests = new AsyncLocalStorage<HandledRequest>()
  return {
    request({ id, method, traceparent }) {
      const caller = traceparent === undefined ? null : parseTraceParent(traceparent)
      const above = caller === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...caller, isRemote: true })
      const attributes = { 'http.request.method': method, 'request.id': id }
      const span = tracer.startSpan(method, { kind: SpanKind.SERVER, attributes }, above)
      return {
        run: (handle) => requests.run({ id, span }, handle),
        end({ route, status }) {
          span.updateName(`${method} ${route}`)
          span.setAttributes({ 'http.route': route, 'http.response.status_code': status })
          if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
          span.end()
        },
      }
    },
    watcher: watcherOf(new Spans(tracer, ids, requests)),
    async close() {
      await Promise.race([provider.shutdown(), sleep(LAST_SPANS_MS, undefined, { ref: false })])
    },
  }
}

type HandledRequest = { readonly id: string; readonly span: Span }
type Ids = Pick<SpanContext, 'traceId' | 'spanId'>

/** Random ids, but for the span of a whole payment. */
class PlannedIds implements IdGenerator {
  readonly #random = new RandomIdGenerator()
  planned: Ids | null = null

  generateTraceId(): string {
    return this.planned?.traceId ?? this.#random.generateTraceId()
  }

  generateSpanId(): string {
    return this.planned?.spanId ?? this.#random.generateSpanId()
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The spans of payments, each below the span of its whole payment. */
class Spans {
  readonly #tracer: Tracer
  readonly #ids: PlannedIds
  readonly #requests: AsyncLocalStorage<HandledRequest>

  constructor(tracer: Tracer, ids: PlannedIds, requests: AsyncLocalStorage<HandledRequest>) {
    this.#tracer = tracer
    this.#ids = ids
    this.#requests = requests
  }

  /** Adds a span of a payment or subscription; without a UUID there is none. `failure`: why it did not succeed. */
  add(
    subjectId: string,
    name: string,
    { since, until }: Took,
    attributes: Attributes,
    { kind = SpanKind.INTERNAL, failure = null }: { readonly kind?: SpanKind; readonly failure?: string | null } = {},
  ): void {
    if (!UUID.test(subjectId)) return
    const request = this.#requests.getStore()
    const whole = { ...idsOf(subjectId), traceFlags: TraceFlags.SAMPLED, isRemote: true }
    const span = this.#tracer.startSpan(
      name,
      {
        kind,
        startTime: since,
        links: request === undefined ? [] : [{ context: request.span.spanContext() }],
        attributes: { ...attributes, 'request.id': request?.id },
      },
      trace.setSpanContext(ROOT_CONTEXT, whole),
    )
    request?.span.setAttribute('payment.id', subjectId)
    if (failure !== null) span.setStatus({ code: SpanStatusCode.ERROR, message: failure })
    span.end(until)
  }

  /** Adds the span of a whole payment. */
  addWhole({ id, createdAt, updatedAt, status, accountId }: PaymentIntent): void {
    this.#ids.planned = idsOf(id)
    const attributes = { 'payment.id': id, 'payment.status': status, 'account.id': accountId }
    this.#tracer.startSpan('payment', { root: true, startTime: createdAt, attributes }).end(updatedAt)
    this.#ids.planned = null
  }
}

function idsOf(id: string): Ids {
  const traceId = id.replaceAll('-', '')
  return { traceId, spanId: traceId.slice(-16) }
}

const watcherOf = (spans: Spans): Watcher => ({
  created: ({ id, accountId }, took) => spans.add(id, 'intent.created', took, { 'account.id': accountId }),
  changed(change, took) {
    const { before, after, events, deposits, transfers, outcome } = change
    const hasFailed = after.status !== before.status && after.status.endsWith('_failed')
    const attributes = {
      'payment.status': after.status,
      'transfers.planned': transfers.map(({ kind }) => kind),
      'solana.signature': outcome?.signature ?? deposits[0]?.signature,
    }
    const failure = hasFailed ? (after.statusReason ?? after.status) : null
    spans.add(after.id, nameOf(events), took, attributes, { failure })
    if (STATUS_POLICY[before.status].isOpen && !STATUS_POLICY[after.status].isOpen) spans.addWhole(after)
  },
  charged({ after, charges, events, outcome }, took) {
    const attributes = {
      'subscription.id': after.id,
      'subscription.status': after.status,
      'solana.signature': outcome?.signature ?? undefined,
    }
    const [charge = after] = charges
    spans.add(charge.id, nameOf(events), took, attributes)
  },
  stepped({ transfer: { id, kind, subject }, step, signature, reason }, took) {
    spans.add(subject.id, `${kind} ${step}`, took, { 'transfer.id': id, 'solana.signature': signature, reason })
  },
  delivered({ event, endpoint, attempts }, { verdict }, took) {
    const { data } = event
    const subjectId = typeof data === 'object' && data !== null && 'id' in data ? String(data.id) : ''
    const attributes = {
      'webhook.id': event.id,
      'webhook.endpoint.id': endpoint.id,
      'webhook.attempt': attempts + 1,
      'http.response.status_code': verdict.statusCode ?? undefined,
    }
    const failure = verdict.status === 'succeeded' ? null : (verdict.error ?? 'failed')
    spans.add(subjectId, `webhook ${event.type}`, took, attributes, { kind: SpanKind.CLIENT, failure })
  },
})

const nameOf = (events: readonly { readonly type: string }[]): string =>
  events.map(({ type }) => type).join(', ') || 'change'
