// GET /status through its GraphQL document, beside the same route with the service called directly: everything else,
// from the socket to the JSON, is one and the same. Runs by itself: `node bench/status-document.ts`.
import { createServer, type Server } from 'node:http'
import { pathToFileURL } from 'node:url'
import { tenantOf } from '#core/accounts/account.ts'
import { makeAddress } from '#core/chain/base58.ts'
import { SOL } from '#core/chain/types.ts'
import type { PaymentIntent } from '#core/intents/intent.ts'
import { paymentUriOf } from '#core/intents/payment-uri.ts'
import { actionOf, messageOf, shortfallOf } from '#core/intents/status-view.ts'
import { makeBaseUnits, makeUsdCents } from '#core/money/amounts.ts'
import { businessOf, contextFor, type Edge } from '#graphql/context.ts'
import { createCursors } from '#graphql/cursor.ts'
import { createExecutor, type Executor } from '#graphql/executor.ts'
import { NO_LIMITS } from '#graphql/limits.ts'
import { createStreams, DEFAULT_STREAM_LIMITS } from '#graphql/live/streams.ts'
import { createErrors } from '#graphql/public-error.ts'
import { schema } from '#graphql/schema.ts'
import { createApp } from '#server/app.ts'
import { createLog } from '#server/log.ts'
import { type LoadResult, load } from './support/load.ts'

const ROUNDS = 8
const ROUND_MS = 1_000
const CONNECTIONS = 16

const intent: PaymentIntent = {
  id: '6f1c1f6e-7f3b-4a58-9a0e-2f6c0f3f9a11',
  network: 'live',
  accountId: '0b9d7f4e-93b4-4a0a-8f0a-5f3a52b1d001',
  callerAccountId: '0b9d7f4e-93b4-4a0a-8f0a-5f3a52b1d001',
  derivationIndex: 42,
  address: makeAddress('BPFLoaderUpgradeab1e11111111111111111111111'),
  priceUsdCents: makeUsdCents(2500),
  acceptedAssets: [SOL],
  selection: { asset: SOL, decimals: 9, expected: makeBaseUnits(166_666_667n) },
  received: makeBaseUnits(0),
  status: 'pending',
  statusReason: null,
  reference: 'order-1001',
  expiresAt: new Date(600_000),
  refundSender: null,
  marketplaceFeeBps: null,
  payeeLabel: 'Corner Shop',
  customerDetails: null,
  settlement: null,
  tokenRefunds: [],
  latePayments: [],
  version: 1,
  createdAt: new Date(0),
  updatedAt: new Date(0),
}
const tenant = tenantOf({ id: intent.accountId, network: 'live' })

const notAsked = (): never => {
  throw new Error('not asked in this measurement')
}
const nothing = new Proxy({}, { get: () => notAsked })

/** A service that answers at once, so that nothing hides what the edge itself costs. */
const edge: Edge = {
  services: {
    intents: Object.assign(Object.create(nothing), { findByIndex: async () => intent }),
    accounts: Object.create(nothing),
    tokens: Object.create(nothing),
    platform: Object.create(nothing),
    audit: Object.create(nothing),
    webhooks: Object.create(nothing),
    sandbox: Object.create(nothing),
  },
  live: { follow: notAsked },
  reads: notAsked,
  identify: async () => ({ kind: 'business', tenant, keyId: 'bench', scopes: ['payments'] }),
  cursors: createCursors(new Uint8Array(32)),
  limits: NO_LIMITS,
  streams: createStreams(DEFAULT_STREAM_LIMITS),
  errors: createErrors(() => null, notAsked),
}

const throughDocument = createExecutor(schema, edge)

/** The same shape, made by hand from what the service returned. Only GET /status is ever asked. */
const direct: Executor = {
  identify: throughDocument.identify,
  compile: () =>
    Object.assign(
      async ({ index }: { index: number }, caller: Parameters<typeof contextFor>[1]) => ({
        intent: byHand(await edge.services.intents.findByIndex(await businessOf(contextFor(edge, caller)), index)),
      }),
      // biome-ignore lint/suspicious/noExplicitAny: the one operation stands in for every document.
    ) as any,
}

const exact = (amount: bigint | null) => (amount === null ? null : JSON.rawJSON(amount.toString()))

const byHand = (found: PaymentIntent) => ({
  id: found.id,
  derivation_index: found.derivationIndex,
  address: found.address,
  price_usd_cents: Number(found.priceUsdCents),
  mint: found.selection === null || found.selection.asset === SOL ? null : found.selection.asset,
  mint_decimals: found.selection?.decimals ?? null,
  expected_lamports: exact(found.selection?.expected ?? null),
  status: found.status,
  received_lamports: exact(found.received),
  reference: found.reference,
  expires_at: found.expiresAt.toISOString(),
  created_at: found.createdAt.toISOString(),
  updated_at: found.updatedAt.toISOString(),
  refund_sender: found.refundSender,
  marketplace_fee_bps: found.marketplaceFeeBps,
  customer_details: null,
  action: actionOf(found),
  message: messageOf(found),
  payment_uri: paymentUriOf(found),
  shortfall_lamports: exact(shortfallOf(found)),
  settlement: null,
  token_refunds: found.tokenRefunds,
  late_payments: found.latePayments,
})

async function serve(executor: Executor): Promise<{ server: Server; port: number }> {
  const log = createLog('silent')
  const settings = { introspection: false, graphiql: false, trustProxy: false, version: 'bench' }
  const { handler } = createApp({ edge, executor, log, newId: () => crypto.randomUUID(), report: notAsked, settings })
  const server = createServer(handler)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('not listening')
  return { server, port: address.port }
}

const REQUEST = 'GET /status?index=42 HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer sk_live_bench\r\n\r\n'

type Measured = LoadResult & { readonly cpuMicroseconds: number }

/** Throughput, and the processor time of this thread, the server's, for each request: the one thing no neighbour disturbs. */
async function measure(port: number): Promise<Measured> {
  const before = process.threadCpuUsage()
  const result = await load({ port, request: REQUEST, connections: CONNECTIONS, durationMs: ROUND_MS })
  const { user, system } = process.threadCpuUsage(before)
  return { ...result, cpuMicroseconds: (user + system) / ((result.perSecond * ROUND_MS) / 1000) }
}

const best = (a: Measured, b: Measured) => (a.perSecond > b.perSecond ? a : b)

const described = ({ p99, cpuMicroseconds }: Measured) =>
  `p99 ${p99.toFixed(1)} ms, ${cpuMicroseconds.toFixed(0)} µs of processor a request`

export const statusDocument = {
  name: 'GET /status through its document, beside the service called directly',
  async run() {
    const [ours, baseline] = [await serve(throughDocument), await serve(direct)]
    const bodies = await Promise.all(
      [ours, baseline].map(async ({ port }) =>
        (await fetch(`http://127.0.0.1:${port}/status?index=42`, { headers: { authorization: 'Bearer x' } })).text(),
      ),
    )
    if (bodies[0] !== bodies[1]) throw new Error(`the two ways answer differently:\n${bodies.join('\n')}`)
    // Rounds are interleaved and the best of each counts, so that a busy moment of the machine touches both alike.
    const none: Measured = { perSecond: 0, p99: 0, cpuMicroseconds: 0 }
    const results = { ours: none, baseline: none }
    for (let round = 0; round < ROUNDS; round += 1) {
      results.ours = best(results.ours, await measure(ours.port))
      results.baseline = best(results.baseline, await measure(baseline.port))
    }
    ours.server.close()
    baseline.server.close()
    return {
      name: statusDocument.name,
      ratio: results.ours.perSecond / results.baseline.perSecond,
      target: 0.75,
      unit: 'requests/s',
      ours: Math.round(results.ours.perSecond),
      baseline: Math.round(results.baseline.perSecond),
      detail: `through the document ${described(results.ours)}; directly ${described(results.baseline)}`,
    }
  },
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) console.log(await statusDocument.run())
