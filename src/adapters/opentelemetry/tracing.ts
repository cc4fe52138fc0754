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
import type { LeasedDelivery } from '#core/events/delivery.ts'
import type { IntentChange } from '#core/payments/change.ts'
import { STATUS_POLICY } from '#core/payments/status-policy.ts'
import type { LeasedTransfer } from '#core/transfers/transfer.ts'
import type { Clock } from '#ports/clock.ts'
import type { Tracing, WatchedStores } from '#ports/tracing.ts'

/** How long a stop waits for a collector, in milliseconds. */
const LAST_SPANS_MS = 3_000

export type TracingSettings = {
  /** The base address of a collector, without a slash at the end. */
  readonly endpoint: string
  readonly serviceName: string
  readonly version: string
}

export function createTracing({ endpoint, serviceName, version }: TracingSettings, clock: Clock): Tracing {
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
    watch: (stores) => watch(stores, new Spans(tracer, ids, requests), () => clock.now().getTime()),
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

/** `since`: when the work began. `failure`: why it did not succeed, null when it did. */
type Work = {
  readonly since: number
  readonly kind?: SpanKind
  readonly attributes?: Attributes
  readonly failure?: string | null
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

  /** Adds work that ends now. `subjectId`: the payment or charge; without a UUID there is no span. */
  add(subjectId: string, name: string, { since, kind, attributes, failure = null }: Work): void {
    if (!UUID.test(subjectId)) return
    const request = this.#requests.getStore()
    const whole = { ...idsOf(subjectId), traceFlags: TraceFlags.SAMPLED, isRemote: true }
    const span = this.#tracer.startSpan(
      name,
      {
        startTime: since,
        ...(kind !== undefined && { kind }),
        ...(request !== undefined && { links: [{ context: request.span.spanContext() }] }),
        attributes: { ...attributes, ...(request !== undefined && { 'request.id': request.id }) },
      },
      trace.setSpanContext(ROOT_CONTEXT, whole),
    )
    request?.span.setAttribute('payment.id', subjectId)
    if (failure !== null) span.setStatus({ code: SpanStatusCode.ERROR, message: failure })
    span.end()
  }

  /** Adds the span of a whole payment. */
  addWhole({ id, createdAt, updatedAt, status, accountId }: IntentChange['after']): void {
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

/** `now`: the real time, in milliseconds. */
function watch<Stores extends WatchedStores>(stores: Stores, spans: Spans, now: () => number): Stores {
  const { intents, work, transfers, deliveries } = stores
  const leasedTransfers = new WeakMap<object, LeasedTransfer>()
  const leasedDeliveries = new WeakMap<object, LeasedDelivery>()
  /** Writes, and adds a span of the transfer when the write was not refused. */
  const ofTransfer = async <T>(lease: object, verb: string, write: Promise<T>, attributes?: Attributes): Promise<T> => {
    const since = now()
    const written = await write
    const leased = leasedTransfers.get(lease)
    if (leased === undefined || written === false || written === null) return written
    const { id, kind, subject } = leased.transfer
    spans.add(subject.id, `${kind} ${verb}`, { since, attributes: { 'transfer.id': id, ...attributes } })
    return written
  }
  return {
    ...stores,
    intents: {
      ...intents,
      async create(tenant, intent) {
        const since = now()
        const stored = await intents.create(tenant, intent)
        const { id, accountId } = stored.intent
        if (stored.created) spans.add(id, 'intent.created', { since, attributes: { 'account.id': accountId } })
        return stored
      },
    },
    work: {
      ...work,
      async apply(change) {
        const since = now()
        const isApplied = await work.apply(change)
        if (isApplied) addChange(spans, change, since)
        return isApplied
      },
    },
    transfers: {
      ...transfers,
      async claim(network, options) {
        const claimed = await transfers.claim(network, options)
        for (const one of claimed) leasedTransfers.set(one.lease, one)
        return claimed
      },
      prepareAttempt: (lease, attempt) => ofTransfer(lease, 'prepared', transfers.prepareAttempt(lease, attempt)),
      recordSigned: (lease, attemptId, wire, signature) =>
        ofTransfer(lease, 'signed', transfers.recordSigned(lease, attemptId, wire, signature), {
          'solana.signature': signature,
        }),
      recordAttempt: (lease, attemptId, state, details) =>
        ofTransfer(lease, state, transfers.recordAttempt(lease, attemptId, state, details)),
      hold: (lease, reason) => ofTransfer(lease, 'held', transfers.hold(lease, reason), { reason }),
      finish: (lease, outcome) => ofTransfer(lease, outcome.status, transfers.finish(lease, outcome)),
    },
    deliveries: {
      ...deliveries,
      async claim(options) {
        const claimed = await deliveries.claim(options)
        for (const one of claimed) leasedDeliveries.set(one.lease, one)
        return claimed
      },
      async record(lease, outcome) {
        const isRecorded = await deliveries.record(lease, outcome)
        const leased = leasedDeliveries.get(lease)
        if (leased !== undefined && isRecorded) addDelivery(spans, leased, outcome, now())
        return isRecorded
      },
    },
  }
}

/** Adds a change, and the whole payment when it ends. */
function addChange(spans: Spans, { before, after, events, deposits, transfers, outcome }: IntentChange, since: number) {
  const signature = outcome?.signature ?? deposits[0]?.signature
  const hasFailed = after.status !== before.status && after.status.endsWith('_failed')
  spans.add(after.id, events.map(({ type }) => type).join(', ') || 'change', {
    since,
    attributes: {
      'payment.status': after.status,
      ...(transfers.length > 0 && { 'transfers.planned': transfers.map(({ kind }) => kind) }),
      ...(signature != null && { 'solana.signature': signature }),
    },
    failure: hasFailed ? (after.statusReason ?? after.status) : null,
  })
  if (STATUS_POLICY[before.status].isOpen && !STATUS_POLICY[after.status].isOpen) spans.addWhole(after)
}

function addDelivery(
  spans: Spans,
  { event, endpoint, attempts }: LeasedDelivery,
  { attempt, verdict }: Parameters<WatchedStores['deliveries']['record']>[1],
  now: number,
) {
  const { data } = event
  const subjectId = typeof data === 'object' && data !== null && 'id' in data ? String(data.id) : ''
  spans.add(subjectId, `webhook ${event.type}`, {
    since: now - (attempt?.durationMs ?? 0),
    kind: SpanKind.CLIENT,
    attributes: {
      'webhook.id': event.id,
      'webhook.endpoint.id': endpoint.id,
      'webhook.attempt': attempts + 1,
      ...(verdict.statusCode !== null && { 'http.response.status_code': verdict.statusCode }),
    },
    failure: verdict.status === 'succeeded' ? null : (verdict.error ?? 'failed'),
  })
}
