// The edges on a free port over services that a test gives. A call that the test does not expect throws an error that
// names it.
import type { TenantReads } from '#adapters/prisma/tenant-reads.ts'
import type { Tenant } from '#core/accounts/account.ts'
import { tenantOf } from '#core/accounts/account.ts'
import { NO_BRAND } from '#core/accounts/brand.ts'
import { ServiceError } from '#core/errors.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import type { Outage } from '#graphql/public-error.ts'
import type { LiveEvents, LiveSubscriptions, MarketplaceFeed } from '#ports/live.ts'
import { createLog } from '#server/log.ts'
import { type At, type RunningServer, type ServerParts, type ServerSettings, startServer } from '#server/server.ts'
import type { Credential } from '#services/accounts/account-services.ts'
import { createPageServices } from '#services/payments/pages.ts'
import type { Services } from '#services/services.ts'
import { pendingIntent } from './example-intent.ts'
import { readsOfUnaccepted } from './reads.ts'

const notExpected = (what: string) => (): never => {
  throw new Error(`not expected here: ${what}`)
}

/** Every call of every service throws, unless it is part of every page of a payment. */
export const NO_SERVICES: Services = {
  intents: {
    create: notExpected('intents.create'),
    findByIndex: notExpected('intents.findByIndex'),
    findByReference: notExpected('intents.findByReference'),
    checkoutStatus: notExpected('intents.checkoutStatus'),
    deposits: async () => [],
    quote: notExpected('intents.quote'),
    selectToken: notExpected('intents.selectToken'),
    updateDetails: notExpected('intents.updateDetails'),
    lists: notExpected('intents.lists'),
    cancelByIndex: notExpected('intents.cancelByIndex'),
    cancelByClientSecret: notExpected('intents.cancelByClientSecret'),
    sweep: notExpected('intents.sweep'),
  },
  pages: createPageServices({ payUrl: 'https://pay.example.com/pay' }),
  walletPayments: {
    walletFunds: notExpected('walletPayments.walletFunds'),
    preparePayment: notExpected('walletPayments.preparePayment'),
    submitPayment: notExpected('walletPayments.submitPayment'),
  },
  accounts: {
    authenticate: notExpected('accounts.authenticate'),
    create: notExpected('accounts.create'),
    update: notExpected('accounts.update'),
    setBrand: notExpected('accounts.setBrand'),
    brandOf: async () => NO_BRAND,
    find: notExpected('accounts.find'),
    list: notExpected('accounts.list'),
    webhookUrl: notExpected('accounts.webhookUrl'),
    webhookEvents: notExpected('accounts.webhookEvents'),
    createKey: notExpected('accounts.createKey'),
    listKeys: notExpected('accounts.listKeys'),
    revokeKey: notExpected('accounts.revokeKey'),
  },
  // Whatever a test sends is issued; the service that it is for refuses it.
  credentials: { requireIssued: async () => {} },
  billing: {
    facts: async () => null,
    merchant: notExpected('billing.merchant'),
    problems: notExpected('billing.problems'),
    now: notExpected('billing.now'),
    explorerUrl: notExpected('billing.explorerUrl'),
  },
  catalogue: {
    createProduct: notExpected('catalogue.createProduct'),
    findProduct: notExpected('catalogue.findProduct'),
    updateProduct: notExpected('catalogue.updateProduct'),
    createTier: notExpected('catalogue.createTier'),
    findTier: notExpected('catalogue.findTier'),
    updateTier: notExpected('catalogue.updateTier'),
    createDomain: notExpected('catalogue.createDomain'),
    findDomain: notExpected('catalogue.findDomain'),
    archiveDomain: notExpected('catalogue.archiveDomain'),
    mayEmbed: notExpected('catalogue.mayEmbed'),
    createIntent: notExpected('catalogue.createIntent'),
    findIntent: notExpected('catalogue.findIntent'),
    cancelIntent: notExpected('catalogue.cancelIntent'),
  },
  subscriptionCheckout: {
    readCheckout: notExpected('subscriptionCheckout.readCheckout'),
    prepareCheckout: notExpected('subscriptionCheckout.prepareCheckout'),
    activateCheckout: notExpected('subscriptionCheckout.activateCheckout'),
    confirmCheckout: notExpected('subscriptionCheckout.confirmCheckout'),
    retryCheckout: notExpected('subscriptionCheckout.retryCheckout'),
  },
  subscriptionPortal: {
    readPortal: notExpected('subscriptionPortal.readPortal'),
    cancelInPortal: notExpected('subscriptionPortal.cancelInPortal'),
    pauseInPortal: notExpected('subscriptionPortal.pauseInPortal'),
    resumeInPortal: notExpected('subscriptionPortal.resumeInPortal'),
    changeTierInPortal: notExpected('subscriptionPortal.changeTierInPortal'),
    renewInPortal: notExpected('subscriptionPortal.renewInPortal'),
    revokeInPortal: notExpected('subscriptionPortal.revokeInPortal'),
    activateInPortal: notExpected('subscriptionPortal.activateInPortal'),
    recovery: notExpected('subscriptionPortal.recovery'),
    challengeForLinks: notExpected('subscriptionPortal.challengeForLinks'),
    recoverLinks: notExpected('subscriptionPortal.recoverLinks'),
  },
  subscriptions: {
    findSubscription: notExpected('subscriptions.findSubscription'),
    cancelSubscription: notExpected('subscriptions.cancelSubscription'),
    pauseSubscription: notExpected('subscriptions.pauseSubscription'),
    resumeSubscription: notExpected('subscriptions.resumeSubscription'),
    chargeNow: notExpected('subscriptions.chargeNow'),
    changeTier: notExpected('subscriptions.changeTier'),
    createPortalLink: notExpected('subscriptions.createPortalLink'),
    delegationOf: notExpected('subscriptions.delegationOf'),
    delegationOfWallet: notExpected('subscriptions.delegationOfWallet'),
    countLiveOn: notExpected('subscriptions.countLiveOn'),
  },
  operatorBilling: {
    subscriptions: notExpected('operatorBilling.subscriptions'),
    subscription: notExpected('operatorBilling.subscription'),
    charges: notExpected('operatorBilling.charges'),
    charge: notExpected('operatorBilling.charge'),
    retryCharge: notExpected('operatorBilling.retryCharge'),
    approvalEnds: notExpected('operatorBilling.approvalEnds'),
  },
  marketplaces: {
    find: notExpected('marketplaces.find'),
    update: notExpected('marketplaces.update'),
    createSeller: notExpected('marketplaces.createSeller'),
    findSeller: notExpected('marketplaces.findSeller'),
    updateSeller: notExpected('marketplaces.updateSeller'),
    setSellerLogo: notExpected('marketplaces.setSellerLogo'),
    archiveSeller: notExpected('marketplaces.archiveSeller'),
    approve: notExpected('marketplaces.approve'),
    revoke: notExpected('marketplaces.revoke'),
    show: notExpected('marketplaces.show'),
    correctSeller: notExpected('marketplaces.correctSeller'),
  },
  tokens: {
    allowed: notExpected('tokens.allowed'),
    known: notExpected('tokens.known'),
    tickerOf: notExpected('tokens.tickerOf'),
    list: notExpected('tokens.list'),
    allow: notExpected('tokens.allow'),
    disallow: notExpected('tokens.disallow'),
    priceProblem: notExpected('tokens.priceProblem'),
  },
  marketplaceStats: {
    summary: notExpected('marketplaceStats.summary'),
    timeseries: notExpected('marketplaceStats.timeseries'),
  },
  statsAudit: { page: notExpected('statsAudit.page') },
  images: {
    setTokenImage: notExpected('images.setTokenImage'),
    urlOf: (name) => name && `https://pay.example.com/images/${name}`,
    read: notExpected('images.read'),
  },
  custodians: {
    list: notExpected('custodians.list'),
    save: notExpected('custodians.save'),
    remove: notExpected('custodians.remove'),
  },
  platform: {
    facts: notExpected('platform.facts'),
    health: notExpected('platform.health'),
    operatorStatus: notExpected('platform.operatorStatus'),
    transfers: notExpected('platform.transfers'),
    retryTransfer: notExpected('platform.retryTransfer'),
  },
  audit: {
    scope: notExpected('audit.scope'),
    page: notExpected('audit.page'),
    halts: notExpected('audit.halts'),
    clearHalt: notExpected('audit.clearHalt'),
  },
  billingAudit: { page: notExpected('billingAudit.page') },
  held: {
    payments: notExpected('held.payments'),
    releases: notExpected('held.releases'),
    unaccepted: notExpected('held.unaccepted'),
    release: notExpected('held.release'),
  },
  webhooks: {
    deliveries: notExpected('webhooks.deliveries'),
    redeliver: notExpected('webhooks.redeliver'),
    test: notExpected('webhooks.test'),
    rotateSecret: notExpected('webhooks.rotateSecret'),
  },
  eventLog: {
    page: notExpected('eventLog.page'),
    bodyOf: notExpected('eventLog.bodyOf'),
  },
  sandbox: {
    simulateDeposit: notExpected('sandbox.simulateDeposit'),
    fundWallet: notExpected('sandbox.fundWallet'),
    advanceClock: notExpected('sandbox.advanceClock'),
    faucet: notExpected('sandbox.faucet'),
  },
}

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
    webhookSecretState: { version: 1, rotations: [] },
    marketplaceAccountId: null,
    externalId: null,
    marketplaceFeeBps: null,
    archivedAt: null,
    createdAt: pendingIntent.createdAt,
    updatedAt: pendingIntent.createdAt,
  }
  const key = {
    id: network === 'live' ? '0b9d7f4e-93b4-4a0a-8f0a-5f3a52b1d0aa' : '0b9d7f4e-93b4-4a0a-8f0a-5f3a52b1d0bb',
    accountId: account.id,
    hint: '0000',
    scopes: [
      'payments',
      'marketplace-view',
      'marketplace-manage',
      'subscriptions-view',
      'subscriptions-manage',
    ] as const,
    createdAt: pendingIntent.createdAt,
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

export type TestOptions = {
  readonly services?: Overrides
  readonly live?: LiveEvents
  readonly liveSubscriptions?: LiveSubscriptions
  readonly feed?: MarketplaceFeed
  readonly reads?: (tenant: Tenant) => TenantReads
  readonly outage?: Outage
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
  const { services = {}, settings = {} } = options
  const logLines: string[] = []
  const parts: ServerParts = {
    services: {
      intents: { ...NO_SERVICES.intents, ...services.intents },
      pages: { ...NO_SERVICES.pages, ...services.pages },
      walletPayments: { ...NO_SERVICES.walletPayments, ...services.walletPayments },
      accounts: { ...NO_SERVICES.accounts, authenticate, ...services.accounts },
      credentials: { ...NO_SERVICES.credentials, ...services.credentials },
      billing: { ...NO_SERVICES.billing, ...services.billing },
      catalogue: { ...NO_SERVICES.catalogue, ...services.catalogue },
      subscriptionCheckout: { ...NO_SERVICES.subscriptionCheckout, ...services.subscriptionCheckout },
      subscriptionPortal: { ...NO_SERVICES.subscriptionPortal, ...services.subscriptionPortal },
      subscriptions: { ...NO_SERVICES.subscriptions, ...services.subscriptions },
      operatorBilling: { ...NO_SERVICES.operatorBilling, ...services.operatorBilling },
      marketplaces: { ...NO_SERVICES.marketplaces, ...services.marketplaces },
      tokens: { ...NO_SERVICES.tokens, ...services.tokens },
      marketplaceStats: { ...NO_SERVICES.marketplaceStats, ...services.marketplaceStats },
      statsAudit: { ...NO_SERVICES.statsAudit, ...services.statsAudit },
      images: { ...NO_SERVICES.images, ...services.images },
      custodians: { ...NO_SERVICES.custodians, ...services.custodians },
      platform: { ...NO_SERVICES.platform, ...services.platform },
      audit: { ...NO_SERVICES.audit, ...services.audit },
      billingAudit: { ...NO_SERVICES.billingAudit, ...services.billingAudit },
      held: { ...NO_SERVICES.held, ...services.held },
      webhooks: { ...NO_SERVICES.webhooks, ...services.webhooks },
      eventLog: { ...NO_SERVICES.eventLog, ...services.eventLog },
      sandbox: { ...NO_SERVICES.sandbox, ...services.sandbox },
    },
    live: options.live ?? { follow: notExpected('live.follow') },
    liveSubscriptions: options.liveSubscriptions ?? {
      follow: notExpected('liveSubscriptions.follow'),
      watch: notExpected('liveSubscriptions.watch'),
    },
    feed: options.feed ?? {
      present: notExpected('feed.present'),
      reaches: notExpected('feed.reaches'),
      follow: notExpected('feed.follow'),
    },
    reads: options.reads ?? (() => readsOfUnaccepted()),
    outage: options.outage ?? (() => null),
    log: createLog('debug', { write: (line) => void logLines.push(line) }),
    newId: () => crypto.randomUUID(),
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
