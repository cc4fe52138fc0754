// The edges on a free port over services that a test gives. A call that the test does not expect throws an error that
// names it.
import type { TenantReads } from '#adapters/prisma/tenant-reads.ts'
import { NO_DEFAULTS, type Tenant, tenantOf } from '#core/accounts/account.ts'
import { NO_BRAND } from '#core/accounts/brand.ts'
import { KEY_SCOPES } from '#core/accounts/permissions.ts'
import { ServiceError } from '#core/errors.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import { settledAmountOf } from '#core/refunds/plan.ts'
import { refundUriOf } from '#core/refunds/refund.ts'
import type { Outage } from '#graphql/public-error.ts'
import type { LiveEventLog, LiveEvents, LiveSubscriptions, MarketplaceFeed } from '#ports/live.ts'
import { createLog } from '#server/log.ts'
import { type At, type RunningServer, type ServerParts, type ServerSettings, startServer } from '#server/server.ts'
import type { Credential } from '#services/accounts/account-services.ts'
import { createPageServices } from '#services/payments/payments.ts'
import type { Services } from '#services/services.ts'
import { pendingIntent } from './example-intent.ts'
import { only } from './only.ts'
import { readsOfUnaccepted } from './reads.ts'
import { keepExchange, requireStated, requireStatedRequest } from './stated-replies.ts'

export const API_KEY = 'sk_live_EdgeTests00000000000000000000000'
export const TEST_API_KEY = 'sk_test_EdgeTests00000000000000000000000'
export const CLIENT_SECRET = 'cs_EdgeTests000000000000000000000000000000'
export const OPERATOR_TOKEN = 'op_EdgeTests0000000000000000000000000'

export const credential = (network: 'live' | 'test'): Credential => {
  const account = {
    id: pendingIntent.accountId,
    network,
    name: 'Corner Shop',
    label: null,
    sweepDestination: null,
    derivationIndex: 1,
    brand: NO_BRAND,
    defaults: NO_DEFAULTS,
    marketplaceAccountId: null,
    externalId: null,
    marketplaceFeeBps: null,
    archivedAt: null,
    disabledAt: null,
    disabledReason: null,
    createdAt: pendingIntent.createdAt,
    updatedAt: pendingIntent.createdAt,
  }
  const key = {
    id: network === 'live' ? '0b9d7f4e-93b4-4a0a-8f0a-5f3a52b1d0aa' : '0b9d7f4e-93b4-4a0a-8f0a-5f3a52b1d0bb',
    accountId: account.id,
    name: 'Test key',
    hint: '0000',
    scopes: KEY_SCOPES,
    createdBy: { kind: 'operator' as const, credential: null },
    createdAt: pendingIntent.createdAt,
    lastUsedAt: null,
    revokedAt: null,
  }
  return { key, account, tenant: tenantOf(account), marketplace: 'active' }
}

/** Knows the two keys above. */
const authenticate = async (apiKey: string): Promise<Credential> => {
  if (apiKey === API_KEY) return credential('live')
  if (apiKey === TEST_API_KEY) return credential('test')
  throw new ServiceError('unauthenticated')
}

type Overrides = { readonly [Group in keyof Services]?: Partial<Services[Group]> }

/** What a test need not give. */
const GIVEN: Overrides = {
  // Part of every page of a payment.
  intents: { deposits: async () => [] },
  refunds: {
    refundsOf: async () => [],
    refundableOf: async (_id, settled) => settled,
    settledAmountOf,
    paymentUriOf: (refund) => refundUriOf(refund, refund.updatedAt),
  },
  pages: createPageServices({ payUrl: 'https://pay.example.com/pay' }),
  receipts: {
    publicKeys: [],
    ofPayment: async ({ id }) => ({ jws: `receipt.of.${id}`, asOf: pendingIntent.updatedAt }),
  },
  idempotency: { once: async (_keyed, { create }) => ({ made: await create(crypto.randomUUID()), isRepeat: false }) },
  accounts: { authenticate, brandOf: async () => NO_BRAND },
  // Whatever a test sends is issued; the service that it is for refuses it.
  credentials: { requireIssued: async () => {} },
  standing: { requireEnabled: async () => {} },
  billing: { facts: async () => null },
  operatorLog: { logged: (_asked, change) => change() },
  images: { urlOf: (name) => name && `https://pay.example.com/images/${name}` },
}

/** Returns services of which only these calls, and the given ones, are expected. */
const servicesOf = (own: Overrides, otherwise?: () => never): Services =>
  new Proxy(own, {
    get: (_, group) => only(String(group), { ...Reflect.get(GIVEN, group), ...Reflect.get(own, group) }, otherwise),
  }) as Services

export type TestOptions = {
  readonly services?: Overrides
  /** What every call of a service does that is not given. */
  readonly otherwise?: () => never
  readonly live?: LiveEvents
  readonly liveSubscriptions?: LiveSubscriptions
  readonly feed?: MarketplaceFeed
  readonly liveLog?: LiveEventLog
  readonly reads?: (tenant: Tenant) => TenantReads
  readonly outage?: Outage
  readonly now?: () => Date
  readonly keepRequest?: ServerParts['keepRequest']
  readonly settings?: Partial<ServerSettings>
  readonly at?: Partial<At>
}

export type TestService = RunningServer & {
  readonly parts: ServerParts
  /** All log lines so far, as text. */
  readonly logLines: readonly string[]
  /** Sends a request without a body. */
  ask(method: string, path: string, headers?: Record<string, string>): Promise<Answer>
  /** Sends a request with a body: a text or a blob as it is, any other value as JSON. */
  send(method: string, path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>
  get(path: string, headers?: Record<string, string>): Promise<Answer>
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>
  graphql(query: string, variables?: object, headers?: Record<string, string>): Promise<Answer>
  /** Sends a request to the operator's API, with its token unless other headers are given. */
  operator(query: string, variables?: object, headers?: Record<string, string>): Promise<Answer>
}

/** `body` is the parsed JSON, `text` the raw body. */
export type Answer = {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back.
  readonly body: any
}

export const withKey = (key = API_KEY) => ({ authorization: `Bearer ${key}` })
export const asOperator = { authorization: `Bearer ${OPERATOR_TOKEN}` }

/** The settings of the pages. */
export const TEST_PAY = {
  publicUrl: 'https://pay.example.com',
  payUrl: 'https://pay.example.com/pay',
  isSandbox: false,
  chains: { live: 'solana:mainnet', test: 'solana:devnet' },
} as const

export async function startTestService(options: TestOptions = {}): Promise<TestService> {
  const { services = {}, settings = {}, otherwise } = options
  const logLines: string[] = []
  const parts: ServerParts = {
    services: servicesOf(services, otherwise),
    live: options.live ?? only('live', {}),
    liveSubscriptions: options.liveSubscriptions ?? only('liveSubscriptions', {}),
    feed: options.feed ?? only('feed', {}),
    liveLog: options.liveLog ?? only('liveLog', {}),
    reads: options.reads ?? (() => readsOfUnaccepted()),
    outage: options.outage ?? (() => null),
    log: createLog('debug', { write: (line) => void logLines.push(line) }),
    newId: () => crypto.randomUUID(),
    keepRequest: options.keepRequest ?? (() => {}),
    now: options.now ?? (() => new Date()),
    settings: {
      operatorToken: OPERATOR_TOKEN,
      cursorSecret: new Uint8Array(32).fill(7),
      rateLimits: null,
      trustProxy: false,
      version: '0.0.0-test',
      introspection: true,
      graphiql: true,
      pay: TEST_PAY,
      ...settings,
    },
  }
  const server = await startServer(parts, { port: 0, host: '127.0.0.1', operatorPort: null, ...options.at })
  const ask = async (path: string, init: RequestInit): Promise<Answer> => {
    const response = await fetch(`${server.url}${path}`, init)
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') === true && text !== ''
    requireStated(init.method ?? 'GET', path, response, text)
    if (response.ok) requireStatedRequest(init.method ?? 'GET', path, init)
    await keepExchange(path, init, response, text)
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined }
  }
  const send: TestService['send'] = (method, path, body, headers = {}) =>
    ask(path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' || body instanceof Blob ? body : JSON.stringify(body),
    })
  const post: TestService['post'] = (path, body, headers) => send('POST', path, body, headers)
  return {
    ...server,
    parts,
    logLines,
    ask: (method, path, headers = {}) => ask(path, { method, headers }),
    send,
    get: (path, headers = {}) => ask(path, { headers }),
    post,
    graphql: (query, variables = {}, headers = {}) => post('/graphql', { query, variables }, headers),
    operator: (query, variables = {}, headers = asOperator) => post('/operator/graphql', { query, variables }, headers),
  }
}

/** A live feed that a test drives: `push` delivers to every follower, and `followers` counts them. */
export function createTestFeed(): LiveEvents & { push(intent: PaymentIntent): void; followers(): number } {
  const listeners = new Set<(intent: PaymentIntent) => void>()
  return {
    push(intent) {
      for (const deliver of listeners) deliver(intent)
    },
    followers: () => listeners.size,
    async *follow(_intentId, signal) {
      const queue: PaymentIntent[] = []
      let wake = () => {}
      const deliver = (intent: PaymentIntent) => {
        queue.push(intent)
        wake()
      }
      listeners.add(deliver)
      signal.addEventListener('abort', () => wake())
      try {
        while (!signal.aborted) {
          const next = queue.shift()
          if (next !== undefined) yield next
          else await new Promise<void>((resolve) => (wake = resolve))
        }
      } finally {
        listeners.delete(deliver)
      }
    },
  }
}

// One value of /metrics, as the operator reads it.

/** Returns the value of the series with that name and labels; NaN when there is none. */
export async function metric(service: TestService, series: string): Promise<number> {
  const { text } = await service.get('/metrics', asOperator)
  const line = text.split('\n').find((one) => one.startsWith(`${series} `))
  return Number(line?.slice(series.length + 1) ?? Number.NaN)
}
