// The service's edges over its stores, with the limits that it has by default, for reads alone.
import { systemClock } from '#adapters/node/clock.ts'
import { random } from '#adapters/node/random.ts'
import { createCredentialStore } from '#adapters/prisma/accounts/credential-store.ts'
import { createKeyStore } from '#adapters/prisma/accounts/key-store.ts'
import { openDatabase } from '#adapters/prisma/engine/database.ts'
import { createIntentStore } from '#adapters/prisma/payments/payment-store.ts'
import { createTenantReads } from '#adapters/prisma/tenant-reads.ts'
import { ServiceError } from '#core/errors.ts'
import { DEFAULT_RATE_LIMITS } from '#graphql/limits.ts'
import { createLog } from '#server/log.ts'
import { startServer } from '#server/server.ts'
import { createAuthenticator, createCredentialServices } from '#services/accounts/authenticate.ts'
import type { IntentServices } from '#services/payments/intent-services.ts'
import type { Health } from '#services/platform/platform-services.ts'
import { createTestSecrets } from '../../test/support/keys.ts'

const { DATABASE_URL = '', PORT } = process.env

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
const secrets = createTestSecrets(random)
const { authenticate } = createAuthenticator({
  clock: systemClock,
  secrets,
  keys: createKeyStore(db.prisma),
})
const credentials = createCredentialServices({ credentials: createCredentialStore(db), secrets, hosted: null })
const fine = { status: 'ok', detail: null } as const
const HEALTH: Health = {
  status: 'ok',
  version: 'bench',
  checks: { database: fine, chain: fine, priceFeed: fine, workers: fine },
}

await startServer(
  {
    services: {
      walletPayments: Object.create(nothing),
      refunds: Object.create(nothing),
      pages: Object.create(nothing),
      receipts: Object.create(nothing),
      intents: Object.assign(Object.create(nothing), { findByIndex }),
      accounts: Object.assign(Object.create(nothing), { authenticate }),
      credentials,
      standing: Object.create(nothing),
      keys: Object.create(nothing),
      applications: Object.create(nothing),
      members: Object.create(nothing),
      logins: Object.create(nothing),
      sessions: Object.create(nothing),
      operatorLog: Object.create(nothing),
      payouts: Object.create(nothing),
      payoutProblems: Object.create(nothing),
      idempotency: Object.create(nothing),
      billing: Object.create(nothing),
      catalogue: Object.create(nothing),
      subscriptionCheckout: Object.create(nothing),
      subscriptionPortal: Object.create(nothing),
      subscriptions: Object.create(nothing),
      webhookEndpoints: Object.create(nothing),
      operatorBilling: Object.create(nothing),
      images: Object.create(nothing),
      marketplaceStats: Object.create(nothing),
      stats: Object.create(nothing),
      marketplaces: Object.create(nothing),
      statsAudit: Object.create(nothing),
      tokens: Object.create(nothing),
      custodians: Object.create(nothing),
      platform: Object.assign(Object.create(nothing), { health: async () => HEALTH }),
      audit: Object.assign(Object.create(nothing), { halts: async () => [] }),
      billingAudit: Object.create(nothing),
      held: Object.assign(Object.create(nothing), { payments: async () => [] }),
      webhooks: Object.create(nothing),
      eventLog: Object.create(nothing),
      sandbox: Object.create(nothing),
    },
    live: { follow: notAsked },
    liveSubscriptions: { follow: notAsked, watch: notAsked },
    feed: { present: notAsked, reaches: notAsked, follow: notAsked },
    liveLog: { present: notAsked, follow: notAsked },
    reads: createTenantReads(db.prisma),
    outage: () => null,
    log: createLog('info'),
    newId: random.uuid,
    keepRequest: () => {},
    now: systemClock.now,
    settings: {
      operatorToken: 'op_bench_00000000000000000000000000000000',
      cursorSecret: new Uint8Array(32),
      rateLimits: DEFAULT_RATE_LIMITS,
      trustProxy: true,
      version: 'bench',
      introspection: false,
      graphiql: false,
      pay: {
        publicUrl: 'http://127.0.0.1',
        payUrl: 'http://127.0.0.1/pay',
        isSandbox: false,
        chains: { live: null, test: null },
      },
    },
  },
  { port: Number(PORT), host: '127.0.0.1', operatorPort: null },
)
process.on('SIGTERM', () => process.exit(0))
