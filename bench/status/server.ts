// The service's edge over its stores, for GET /status alone: `EXECUTOR` says whether a request goes through its document
// or is answered by hand, `READS` whether the intent comes from PostgreSQL or is at hand.
import { createServer } from 'node:http'
import { systemClock } from '#adapters/node/clock.ts'
import { random } from '#adapters/node/random.ts'
import { createCredentialStore } from '#adapters/prisma/accounts/credential-store.ts'
import { createKeyStore } from '#adapters/prisma/accounts/key-store.ts'
import { openDatabase } from '#adapters/prisma/engine/database.ts'
import { createIntentStore } from '#adapters/prisma/payments/payment-store.ts'
import { ServiceError } from '#core/errors.ts'
import type { Edge } from '#graphql/context.ts'
import { createCursors } from '#graphql/cursor.ts'
import { createExecutor } from '#graphql/executor.ts'
import { createHeavyWork, HEAVY_WORK_LIMITS } from '#graphql/heavy-work.ts'
import { NO_LIMITS } from '#graphql/limits.ts'
import { createStreams, DEFAULT_STREAM_LIMITS } from '#graphql/payments/live/streams.ts'
import { createIdentify } from '#graphql/principal.ts'
import { createProofs, LOOKUP_LIMITS } from '#graphql/proofs.ts'
import { createErrors } from '#graphql/public-error.ts'
import { schema } from '#graphql/schema.ts'
import { createApp } from '#server/app.ts'
import { DEFAULT_TIMEOUTS } from '#server/listening.ts'
import { createLog } from '#server/log.ts'
import { createMetrics } from '#server/metrics.ts'
import { createAuthenticator, createCredentialServices } from '#services/accounts/authenticate.ts'
import type { IntentServices } from '#services/payments/intent-services.ts'
import { createTestSecrets } from '../../test/support/keys.ts'
import { createStatusByHand } from './by-hand.ts'

const { DATABASE_URL = '', PORT, EXECUTOR, READS } = process.env

const notAsked = (what: unknown = 'this'): never => {
  throw new Error(`not asked in this measurement: ${String(what)}`)
}
const nothing = new Proxy({}, { get: (_, name) => () => notAsked(name) })

const db = await openDatabase({ kind: 'postgresql', url: DATABASE_URL })
const intents = createIntentStore(db)
const findByIndex: IntentServices['findByIndex'] = async (caller, index) => {
  const found = await intents.findByIndex(caller, index)
  if (found === null) throw new ServiceError('intent_not_found')
  return found
}

/** Reads each intent once, so that nothing but the edge itself is left to measure. */
function atHand(read: IntentServices['findByIndex']): IntentServices['findByIndex'] {
  const kept = new Map<number, ReturnType<typeof read>>()
  return (caller, index) => {
    const found = kept.get(index) ?? read(caller, index)
    kept.set(index, found)
    return found
  }
}

const secrets = createTestSecrets(random)
const { authenticate } = createAuthenticator({
  clock: systemClock,
  secrets,
  keys: createKeyStore(db.prisma),
})
const proofs = createProofs({
  ...createCredentialServices({ credentials: createCredentialStore(db), secrets, hosted: null }),
  limits: NO_LIMITS,
  turns: createHeavyWork(LOOKUP_LIMITS),
})

const edge: Edge = {
  services: {
    accounts: Object.create(nothing),
    keys: Object.create(nothing),
    applications: Object.create(nothing),
    members: Object.create(nothing),
    logins: Object.create(nothing),
    sessions: Object.create(nothing),
    standing: Object.create(nothing),
    payouts: Object.create(nothing),
    payoutProblems: Object.create(nothing),
    idempotency: Object.create(nothing),
    walletPayments: Object.create(nothing),
    refunds: Object.create(nothing),
    pages: Object.create(nothing),
    receipts: Object.create(nothing),
    intents: Object.assign(Object.create(nothing), {
      findByIndex: READS === 'none' ? atHand(findByIndex) : findByIndex,
    }),
    billing: Object.create(nothing),
    catalogue: Object.create(nothing),
    subscriptionCheckout: Object.create(nothing),
    subscriptionPortal: Object.create(nothing),
    subscriptions: Object.create(nothing),
    images: Object.create(nothing),
    marketplaceStats: Object.create(nothing),
    stats: Object.create(nothing),
    marketplaces: Object.create(nothing),
    tokens: Object.create(nothing),
    platform: Object.create(nothing),
    eventLog: Object.create(nothing),
    webhookEndpoints: Object.create(nothing),
    sandbox: Object.create(nothing),
  },
  live: { follow: notAsked },
  liveSubscriptions: { follow: notAsked, watch: notAsked },
  feed: { present: notAsked, reaches: notAsked, follow: notAsked },
  liveLog: { present: notAsked, follow: notAsked },
  reads: notAsked,
  identify: createIdentify({ authenticate }, { authenticate: notAsked }, proofs, NO_LIMITS),
  cursors: createCursors(new Uint8Array(32)),
  limits: NO_LIMITS,
  proofs,
  admit: notAsked,
  heavyWork: createHeavyWork(HEAVY_WORK_LIMITS),
  uploads: { begin: notAsked },
  streams: createStreams(DEFAULT_STREAM_LIMITS),
  errors: createErrors(() => null, notAsked),
}

const throughDocument = createExecutor(schema, edge)
const { handler } = createApp({
  edge,
  operator: Object.create(nothing),
  executor: EXECUTOR === 'by_hand' ? createStatusByHand(edge, throughDocument) : throughDocument,
  images: { read: notAsked },
  receiptKeys: [],
  log: createLog('info'),
  newId: random.uuid,
  now: () => new Date(),
  keepRequest: () => {},
  metrics: createMetrics(),
  tracing: null,
  report: notAsked,
  settings: {
    graphiql: false,
    pay: {
      publicUrl: 'http://127.0.0.1',
      payUrl: 'http://127.0.0.1/pay',
      isSandbox: false,
      chains: { live: null, test: null },
    },
    trustProxy: false,
    version: 'bench',
    writeTimeout: DEFAULT_TIMEOUTS.writeTimeout,
    operatorHasPort: false,
  },
})
createServer(handler.messages, handler.listener).listen(Number(PORT), '127.0.0.1')
process.on('SIGTERM', () => process.exit(0))
