// src/rest/reference.md: a section for each endpoint, and examples that are what the REST edge answers.
// WRITE_EXAMPLES=1 writes the answers into the file instead of comparing them. docs/rest.md lists the endpoints.
import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TenantReads } from '#adapters/prisma/tenant-reads.ts'
import type { ApiKey } from '#core/accounts/api-key.ts'
import type { AuditEntry } from '#core/accounts/audit.ts'
import { editedEntry } from '#core/billing/catalogue.ts'
import { pricesOf, totalOf } from '#core/billing/discount.ts'
import { firstChargeOf } from '#core/billing/first-charge.ts'
import { explorerUrlOf } from '#core/billing/payload.ts'
import type { BillingSubscription } from '#core/billing/subscription.ts'
import { makeAddress } from '#core/chain/base58.ts'
import { SOL, WRAPPED_SOL_MINT } from '#core/chain/types.ts'
import { ROTATION_OVERLAP_MS, type WebhookEndpoint } from '#core/events/endpoint.ts'
import type { LoggedEvent } from '#core/events/envelope.ts'
import { API_VERSION, WEBHOOK_TEST } from '#core/events/subjects.ts'
import { isMetadata } from '#core/metadata.ts'
import { makeBaseUnits, makeBasisPoints, makeLamports, makeUsdCents, ZERO } from '#core/money/amounts.ts'
import { applyCustomerPatch } from '#core/payments/customer-details.ts'
import { SENDER_UNKNOWN } from '#core/payments/obstacle.ts'
import { PAYMENT_EVENTS } from '#core/payments/payload.ts'
import { intentToJson, type PaymentIntent } from '#core/payments/payment-intent.ts'
import { settledAmountOf } from '#core/refunds/plan.ts'
import { refundUriOf } from '#core/refunds/refund.ts'
import { bucketsOf, type TimeRange } from '#core/stats/calendar.ts'
import { countsOf, statsOf } from '#core/stats/stats.ts'
import { ERROR_MAP } from '#graphql/error-map.ts'
import type { Credential } from '#http/endpoint.ts'
import { ROUTES } from '#rest/routes.ts'
import type { PlatformBillingFacts } from '#services/billing/billing-services.ts'
import { createEventLogServices, EVENT_SUBJECTS } from '#services/events/event-log.ts'
import type { RangeStats } from '#services/stats/stats.ts'
import { EXAMPLE, guide, ofEndpoints, PAGE, page, proseOf, summaryOf, titleOf } from '../../scripts/openapi/page.ts'
import {
  exampleCharge,
  exampleCheckout,
  exampleCoupon,
  exampleDelegation,
  exampleDomain,
  exampleIntent,
  examplePortalServices,
  examplePreparedApprove,
  examplePreparedProof,
  exampleProduct,
  exampleSubscription,
  exampleTier,
  PORTAL_TOKEN,
} from '../support/example-billing.ts'
import { MINT } from '../support/example-intent.ts'
import { exampleRefund } from '../support/example-refund.ts'
import { exampleSeller, SELLER_WALLET } from '../support/example-seller.ts'
import { emptyReads } from '../support/reads.ts'
import { CHECKOUT_TOKEN, credentialOf, type Example, examples, printed, readCurl } from '../support/rest-page.ts'
import { CLIENT_SECRET, credential, startTestService, type TestService } from '../support/services.ts'
import { feePayer, leg, marketplaceWallet, merchant, signature, swept } from './example-payment.ts'

const fine = { status: 'ok', detail: null } as const
const created: PaymentIntent = {
  ...swept,
  selection: null,
  received: ZERO,
  status: 'pending',
  refundSender: null,
  customerDetails: null,
  settlement: null,
  version: 1,
  updatedAt: swept.createdAt,
}
const selected: PaymentIntent = { ...created, selection: swept.selection, updatedAt: new Date('2026-11-20T12:00:31Z') }
const underpaid: PaymentIntent = {
  ...selected,
  status: 'underpaid',
  received: makeBaseUnits(100_000_000),
  refundSender: swept.refundSender,
}
const cancelled: PaymentIntent = { ...selected, status: 'cancelled' }
const proposal = {
  address: makeAddress('7RXtDPWyeUhJpUg9Cnw1Nuhn1kRtWTLXQuZGAMk9wQCV'),
  status: 'proposed',
  reason: null,
  number: 1,
  proposedAt: new Date('2026-11-20T12:15:00Z'),
  decidedAt: null,
} as const
const decidedAt = new Date('2026-11-20T13:02:00Z')
const proposed: PaymentIntent = {
  ...underpaid,
  status: 'refund_failed',
  statusReason: SENDER_UNKNOWN,
  refundSender: null,
  held: [{ mint: null, amount: underpaid.received, reason: SENDER_UNKNOWN }],
  refundAddress: { isWanted: true, proposal },
}
const approved: PaymentIntent = {
  ...proposed,
  status: 'refunding',
  statusReason: null,
  held: [],
  refundAddress: { isWanted: false, proposal: { ...proposal, status: 'approved', decidedAt } },
}
const declined: PaymentIntent = {
  ...proposed,
  refundAddress: {
    isWanted: true,
    proposal: { ...proposal, status: 'declined', reason: 'We could not verify that it is yours.', decidedAt },
  },
}
const usdc = { asset: MINT, mint: MINT, symbol: 'USDC', decimals: 6 } as const
const token = { network: 'live', feedKey: 'SOL', imageName: null, extensions: [], enabled: true } as const

/** The example after a change that stops its billing. */
const stoppedSubscription = (patch: Partial<BillingSubscription>): BillingSubscription => ({
  ...exampleSubscription,
  nextChargeAt: null,
  updatedAt: LATER,
  ...patch,
})

const RECEIPT = {
  jws: 'eyJhbGciOiJFZERTQSIsImtpZCI6InJlY2VpcHRzLTEifQ.eyJpc3MiOiJodHRwczovL3BheS5leGFtcGxlLmNvbSJ9.c2lnbmF0dXJl',
  asOf: swept.updatedAt,
}

const NO_FIGURES = { ...statsOf([]), byAsset: [] }
const EXAMPLE_FIGURES: Omit<RangeStats, 'from' | 'to'> = {
  ...NO_FIGURES,
  volumeUsdCents: 5_000n,
  netUsdCents: 4_875n,
  feeRevenueUsdCents: 125n,
  paymentsCount: 3,
  countsByStatus: countsOf((status) => ({ swept: 2, cancelled: 1 })[String(status)] ?? 0),
  byAsset: [
    {
      ticker: 'SOL',
      mint: null,
      decimals: 9,
      volume: 333_333_334n,
      net: 325_000_002n,
      feeRevenue: 8_333_332n,
      paymentsCount: 2,
    },
  ],
}
const EXAMPLE_OF_BUSINESS = { ...EXAMPLE_FIGURES, charges: { volumeUsdCents: 1_900n, paymentsCount: 2 } }
const rangeOf = (from: Date | null, to: Date | null): TimeRange => ({
  from: from ?? new Date(0),
  to: to ?? new Date(0),
})

/** The chain of the examples. */
const CHAIN = 'solana:mainnet'
const LATER = new Date('2026-11-20T12:05:00Z')
const editedSeller = { ...exampleSeller, sweepDestination: merchant, marketplaceFeeBps: null, updatedAt: LATER }
const EXAMPLE_TERMS = {
  accountId: exampleSeller.marketplaceAccountId,
  status: 'active',
  defaultFeeBps: makeBasisPoints(250),
  feeWallet: null,
  sellerLimit: null,
  sellersCount: 17,
  sellersTotal: 19,
} as const
const EXAMPLE_KEY: ApiKey = {
  ...credential('live').key,
  name: 'Till 4',
  hint: 'AAAc',
  scopes: ['payments'],
  createdBy: { kind: 'operator', credential: null },
}
const EXAMPLE_ENTRY: AuditEntry = {
  id: '8c1d5a0e-6f7b-4c55-9f0d-2b7f8a3c9e10',
  position: 1n,
  action: 'seller.payout_changed',
  sellerId: exampleSeller.id,
  actor: { kind: 'api_key', credential: 'sk_live_…x7Qa', memberId: null, ip: '203.0.113.9' },
  changes: { sweep_destination: [SELLER_WALLET, merchant] },
  createdAt: LATER,
}
const exampleEndpoint: WebhookEndpoint = {
  id: '7b3f2a1c-0d9e-4f8b-a6c5-4d3e2f1a0b9c',
  accountId: swept.accountId,
  url: 'https://shop.example.com/webhooks',
  description: null,
  eventTypes: ['intent.swept', 'intent.refunded'],
  apiVersion: API_VERSION,
  secretState: { version: 1, rotations: [] },
  disabledAt: null,
  disabledReason: null,
  deletedAt: null,
  createdAt: swept.createdAt,
  updatedAt: swept.createdAt,
}
const exampleDelivery = {
  id: '5f1e0c9b-8a7d-4c6e-9b5f-3a2d1c0e9f8b',
  eventId: '0e7f1b2c-3d4e-4f50-8a6b-7c8d9e0f1a2b',
  type: 'intent.swept',
  accountId: swept.accountId,
  endpointId: exampleEndpoint.id,
  url: exampleEndpoint.url,
  status: 'failed',
  attempts: 1,
  nextAttemptAt: swept.updatedAt,
  lastStatusCode: 410,
  lastError: 'answered 410: the endpoint is gone and was disabled',
  createdAt: swept.updatedAt,
  attemptLog: [
    {
      number: 1,
      startedAt: swept.updatedAt,
      durationMs: 87,
      requestHeaders: {
        'content-type': 'application/json',
        'user-agent': 'solana-payments-webhooks/1',
        'webhook-id': '0e7f1b2c-3d4e-4f50-8a6b-7c8d9e0f1a2b',
        'webhook-timestamp': '1795435284',
        'webhook-signature': 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
      },
      responseStatus: 410,
      responseHeaders: { 'content-type': 'text/plain' },
      responseBody: 'moved',
      error: 'answered 410: the endpoint is gone and was disabled',
    },
  ],
} as const
const sentAgain = { ...exampleDelivery, status: 'pending' } as const
const WEBHOOK_SECRET = 'whsec_…'
const exampleEvent: LoggedEvent = {
  position: { transaction: 1n, sequence: 1n },
  id: '0e7f1b2c-3d4e-4f50-8a6b-7c8d9e0f1a2b',
  type: 'intent.swept',
  subjectKind: PAYMENT_EVENTS.kind,
  network: 'live',
  version: swept.version,
  createdAt: swept.updatedAt,
  data: intentToJson(swept),
  account: { id: swept.accountId, name: 'Corner Shop', isSeller: false, externalId: null },
}
const deliveredEvent = {
  ...exampleEvent,
  account: { id: swept.accountId, name: 'Corner Shop', externalId: null, marketplaceAccountId: null },
}
const EXAMPLE_BILLING: PlatformBillingFacts = {
  mint: MINT,
  tokenProgram: makeAddress('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'),
  decimals: 6,
  minPriceUsdCents: makeUsdCents(10),
  maxPriceUsdCents: makeUsdCents(1_000_000),
  platformFeeBps: makeBasisPoints(0),
  subscriptionsPerWallet: 50,
}
const notFound = async (): Promise<never> => {
  throw new Error('not expected here')
}
const listOf = <Row>(row: Row) => ({
  findMany: async () => [row],
  findUnique: notFound,
  findUniqueOrThrow: notFound,
})
const EXAMPLE_UNACCEPTED = {
  mint: WRAPPED_SOL_MINT,
  arrivals: 1n,
  lastSignature: signature,
  lastSeenAt: swept.createdAt,
}
const forSeller = {
  ...swept,
  accountId: exampleSeller.id,
  marketplaceFeeBps: makeBasisPoints(250),
  settlement: swept.settlement && {
    ...swept.settlement,
    destinationAmount: makeBaseUnits(162_489_897),
    legs: [
      { ...leg, role: 'seller', destination: merchant, amount: makeBaseUnits(162_489_897) },
      {
        ...leg,
        role: 'marketplace',
        destination: marketplaceWallet,
        amount: makeBaseUnits(4_166_666),
        feeBps: makeBasisPoints(250),
      },
      { ...leg, role: 'network_fee', destination: feePayer, amount: makeBaseUnits(10_050) },
    ],
  },
  account: exampleSeller,
} satisfies PaymentIntent & { account: typeof exampleSeller }
const sellersPayments: TenantReads['paymentIntent'] = {
  nearMatches: async () => ({ ids: [forSeller.id], isAll: true }),
  indexedMatches: async () => ({ ids: [forSeller.id], isAll: true }),
  orderedMatches: async () => ({ ids: [forSeller.id], isAll: true }),
  findMany: async () => [forSeller],
  findUnique: async () => forSeller,
  findUniqueOrThrow: async () => ({ ...forSeller, unacceptedTokens: [EXAMPLE_UNACCEPTED] }),
}

/** One payment as its endpoints show it, each in the status in which it is called. */
function startExampleService(): Promise<TestService> {
  const references = new Set<string>()
  return startTestService({
    reads: () =>
      emptyReads({
        account: { findMany: async () => [exampleSeller], findUnique: notFound, findUniqueOrThrow: notFound },
        auditEntry: { findMany: async () => [EXAMPLE_ENTRY] },
        paymentIntent: sellersPayments,
        billingSubscription: listOf(exampleSubscription),
        charge: {
          ...listOf({ ...exampleCharge, waiting: null }),
          findUnique: async () => ({ ...exampleCharge, waiting: null }),
        },
        redirectDomain: listOf(exampleDomain),
        refund: listOf(exampleRefund),
        subscriptionCoupon: listOf(exampleCoupon),
        subscriptionIntent: listOf(exampleIntent),
        subscriptionProduct: listOf(exampleProduct),
        subscriptionTier: listOf(exampleTier),
        webhookDelivery: {
          ...listOf(exampleDelivery),
          findUniqueOrThrow: async () => Object.assign({}, exampleDelivery, { event: deliveredEvent }),
        },
        webhookEndpoint: listOf(exampleEndpoint),
      }),
    services: {
      refunds: {
        create: async () => ({ refund: exampleRefund, created: true }),
        find: async () => exampleRefund,
        cancel: async () => ({
          ...exampleRefund,
          status: 'canceled',
          expiresAt: LATER,
          updatedAt: LATER,
        }),
        transactionOf: async () => ({
          transaction: null,
          reason: 'The chain cannot be read now.',
          expiresAt: null,
          accountRent: makeLamports(0),
        }),
        refundsOf: async () => [],
        refundableOf: async (_id, settled) => settled,
        paymentUriOf: (refund) => refundUriOf(refund, refund.updatedAt),
        settledAmountOf,
      },
      platform: {
        health: async () => ({
          status: 'ok',
          version: '0.1.0',
          checks: { database: fine, chain: fine, priceFeed: fine, workers: fine },
        }),
        facts: () => ({
          cluster: 'mainnet-beta',
          checkoutWindowSeconds: 600,
          networkFeeLamports: makeLamports(10_050),
          platformFeeBps: makeBasisPoints(0),
          maxMarketplaceFeeBps: makeBasisPoints(5_000),
          webhookEventTypes: EVENT_SUBJECTS.types,
          apiVersion: API_VERSION,
        }),
      },
      tokens: {
        tickerOf: async () => 'SOL',
        allowed: async () => [
          {
            ...token,
            asset: SOL,
            mint: makeAddress(WRAPPED_SOL_MINT),
            isNative: true,
            name: 'Solana',
            ticker: 'SOL',
            decimals: 9,
            tokenProgram: null,
          },
          { ...token, ...usdc, isNative: false, name: 'USD Coin', ticker: 'USDC', tokenProgram: merchant },
        ],
      },
      billing: {
        facts: async () => EXAMPLE_BILLING,
        merchant: async ({ tenant }) => ({ tenant, marketplaceFeeBps: makeBasisPoints(0) }),
        now: () => LATER,
        explorerUrl: (signature) => explorerUrlOf(signature, CHAIN),
      },
      keys: {
        create: async (_manager, { name, scopes }) => ({
          key: { ...EXAMPLE_KEY, name: name ?? '', scopes: scopes ?? [] },
          apiKey: 'sk_live_3q2-7wAAAAEAAAACAAAAAwAAAAQAAAAFAAAABgAAAAc',
        }),
        list: async () => [EXAMPLE_KEY],
        roll: async () => ({
          key: { ...EXAMPLE_KEY, id: '5d0c6c1e-5a0e-4f7a-9a35-0b6f0c1d2e3f', hint: 'M9Qk', createdAt: LATER },
          apiKey: 'sk_live_8vX-7wAAAAEAAAACAAAAAwAAAAQAAAAFAAAABgAAM9Qk',
          old: { ...EXAMPLE_KEY, revokedAt: new Date(LATER.getTime() + 86_400_000) },
        }),
        revoke: async () => ({ ...EXAMPLE_KEY, revokedAt: LATER }),
      },
      catalogue: {
        createProduct: async () => ({ product: exampleProduct, created: true }),
        findProduct: async () => exampleProduct,
        updateProduct: async (_merchant, _id, patch) => editedEntry(exampleProduct, patch, LATER),
        createTier: async () => exampleTier,
        findTier: async () => exampleTier,
        updateTier: async (_merchant, _id, patch) => editedEntry(exampleTier, patch, LATER),
        createCoupon: async () => exampleCoupon,
        findCoupon: async () => exampleCoupon,
        archiveCoupon: async () => ({ ...exampleCoupon, archivedAt: LATER }),
        createDomain: async () => ({ domain: exampleDomain, created: true }),
        findDomain: async () => exampleDomain,
        archiveDomain: async () => ({ ...exampleDomain, active: false, updatedAt: LATER }),
        createIntent: async () => ({
          intent: exampleIntent,
          checkoutToken: CHECKOUT_TOKEN,
          checkoutUrl: `https://pay.example.com/s/${CHECKOUT_TOKEN}`,
        }),
        findIntent: async () => exampleIntent,
        cancelIntent: async () => ({ ...exampleIntent, status: 'canceled', canceledAt: LATER, updatedAt: LATER }),
      },
      subscriptionPortal: examplePortalServices,
      subscriptionCheckout: {
        readCheckout: async () => exampleCheckout,
        enterCoupon: async () => ({
          ...exampleCheckout,
          coupon: exampleCoupon,
          totalAuthorization: totalOf(exampleCheckout.tier, pricesOf(exampleCheckout.tier, exampleCoupon), 12),
        }),
        prepareCheckout: async (_token, wallet) =>
          wallet === exampleCheckout.intent.subscriberWallet ? examplePreparedProof : examplePreparedApprove,
        activateCheckout: async (_token, { subscriptionId }) => ({ status: 'completed', subscriptionId }),
        confirmCheckout: async () => ({ status: 'completed', subscriptionId: exampleSubscription.id }),
        retryCheckout: async () =>
          firstChargeOf({ ...exampleCharge, status: 'pending', failureCode: null, signature: null }, CHAIN),
      },
      subscriptions: {
        findSubscription: async () => exampleSubscription,
        cancelSubscription: async () => stoppedSubscription({ cancelAtPeriodEnd: true, canceledAt: LATER }),
        pauseSubscription: async () => stoppedSubscription({ status: 'paused' }),
        resumeSubscription: async () => exampleSubscription,
        chargeNow: async () => exampleSubscription,
        changeTier: async () => exampleSubscription,
        createPortalLink: async () => ({
          subscriptionId: exampleSubscription.id,
          portalUrl: `https://pay.example.com/m/${PORTAL_TOKEN}`,
          expiresAt: new Date(exampleSubscription.updatedAt.getTime() + 86_400_000),
          origin: 'merchant',
          mayIncrease: false,
        }),
        delegationOf: async () => exampleDelegation,
        delegationOfWallet: async () => exampleDelegation,
        countLiveOn: async () => 1,
      },
      marketplaces: {
        find: async () => EXAMPLE_TERMS,
        update: async () => ({ ...EXAMPLE_TERMS, defaultFeeBps: makeBasisPoints(300) }),
        createSeller: async (_caller, { externalId }) => {
          const created = !references.has(externalId ?? '')
          references.add(externalId ?? '')
          return { seller: exampleSeller, created }
        },
        findSeller: async () => exampleSeller,
        updateSeller: async () => editedSeller,
        setSellerLogo: async (_caller, _id, image) => ({
          ...editedSeller,
          logoName: image === null ? null : `${'2c26b46b68ffc68f'.repeat(4)}.png`,
        }),
        archiveSeller: async () => ({ ...editedSeller, archivedAt: LATER, updatedAt: LATER }),
      },
      stats: {
        summary: async (_caller, { from, to }) => ({ ...EXAMPLE_OF_BUSINESS, ...rangeOf(from, to) }),
        timeseries: async (_caller, { from, to, interval, timeZone }) => ({
          ...rangeOf(from, to),
          interval,
          timeZone,
          buckets: (bucketsOf(rangeOf(from, to), interval, timeZone) ?? []).map((bucket, at) => ({
            ...(at === 0 ? { ...NO_FIGURES, charges: NO_FIGURES } : EXAMPLE_OF_BUSINESS),
            ...bucket,
          })),
        }),
      },
      marketplaceStats: {
        summary: async (_caller, { from, to }) => ({ ...NO_FIGURES, ...EXAMPLE_FIGURES, ...rangeOf(from, to) }),
        timeseries: async (_caller, { from, to, interval, timeZone }) => ({
          ...rangeOf(from, to),
          interval,
          timeZone,
          buckets: (bucketsOf(rangeOf(from, to), interval, timeZone) ?? []).map((bucket, at) => ({
            ...(at === 0 ? NO_FIGURES : EXAMPLE_FIGURES),
            ...bucket,
          })),
        }),
      },
      webhookEndpoints: {
        create: async () => ({ endpoint: exampleEndpoint, secret: WEBHOOK_SECRET }),
        find: async () => exampleEndpoint,
        update: async () => ({ ...exampleEndpoint, eventTypes: [], disabledAt: LATER, updatedAt: LATER }),
        delete: async () => ({ ...exampleEndpoint, disabledAt: LATER, updatedAt: LATER }),
        test: async () => ({ ...sentAgain, type: WEBHOOK_TEST, attempts: 0 }),
        redeliver: async () => sentAgain,
        redeliverAll: async () => 17,
        rotateSecret: async () => ({
          webhookSecret: WEBHOOK_SECRET,
          oldSecretsUntil: [new Date(LATER.getTime() + ROTATION_OVERLAP_MS)],
        }),
      },
      eventLog: createEventLogServices({
        eventLog: { read: async () => [exampleEvent], find: async () => exampleEvent },
        chainName: () => CHAIN,
      }),
      receipts: {
        publicKeys: [],
        ofPayment: async () => RECEIPT,
        ofCharge: async () => RECEIPT,
        ofRefund: async () => RECEIPT,
      },
      intents: {
        create: async (_caller, { reference, description, lineItems, successUrl, cancelUrl, metadata }) => {
          const isRepeat = reference !== null && references.has(reference)
          references.add(reference ?? '')
          const orderDetails = description && { description, lineItems, successUrl, cancelUrl }
          return {
            intent: {
              ...created,
              orderDetails: orderDetails || null,
              metadata: isMetadata(metadata) ? metadata : null,
            },
            clientSecret: isRepeat ? null : CLIENT_SECRET,
            created: !isRepeat,
          }
        },
        findByReference: async () => selected,
        findByIndex: async () => swept,
        sweep: async () => ({
          signature,
          amount: makeBaseUnits(166_656_617),
          platformFee: ZERO,
          from: swept.address,
          to: merchant,
        }),
        cancelByIndex: async () => cancelled,
        cancelByClientSecret: async () => cancelled,
        quote: async () => ({
          priceUsdCents: created.priceUsdCents,
          expiresInSeconds: 572,
          quotes: [
            { asset: SOL, symbol: 'SOL', decimals: 9, expected: makeBaseUnits(166_666_667) },
            { ...usdc, expected: makeBaseUnits(25_000_000) },
          ],
          unquoted: [],
        }),
        selectToken: async () => selected,
        checkoutStatus: async () => underpaid,
        proposeRefundAddress: async () => proposed,
        approveRefundAddress: async () => approved,
        declineRefundAddress: async () => declined,
        updateDetails: async (_secret, patch) => ({ ...selected, customerDetails: applyCustomerPatch(null, patch) }),
      },
    },
  })
}

let service: TestService
beforeAll(async () => {
  service = await startExampleService()
})
afterAll(() => service.close())

async function answerTo({ request, answer }: Example): Promise<string> {
  const { method, path, headers, body } = readCurl(request)
  const response = await fetch(`${service.url}${path}`, { method, headers, ...(body !== undefined && { body }) })
  expect([[200, 201, 202].includes(response.status), request]).toEqual([true, request])
  const isCsv = response.headers.get('content-type')?.startsWith('text/csv')
  if (isCsv) return (await response.text()).replaceAll('\r\n', '\n')
  return printed(await response.json(), answer)
    .replaceAll(CLIENT_SECRET, 'cs_…')
    .replaceAll(CHECKOUT_TOKEN, 'co_…')
    .replaceAll(PORTAL_TOKEN, 'po_…')
}

test('each endpoint has a section, in the order of the routes, and there is no other', () => {
  expect(ofEndpoints.map(titleOf)).toEqual(ROUTES.map(({ method, path }) => `${method} ${path}`))
})

test('docs/rest.md lists each endpoint with its summary, in the order of the routes, and no other', () => {
  const listed = [...guide.matchAll(/^- `([A-Z]+ \/.*?)`: (.*)$/gm)].map(([, title, summary]) => [title, summary])
  expect(listed).toEqual(ofEndpoints.map((section) => [titleOf(section), summaryOf(proseOf(section))]))
})

const CREDENTIALS: Readonly<Record<Credential, RegExp>> = {
  key: /Credential: an API key\./,
  key_or_session: /Credential: an API key or a session of a member\./,
  optional_key: /Credential: an optional API key\./,
  counted_key: /Credential: none\./,
  none: /Credential: (?:none|a\sclient secret|the\stoken\sin\sthe\spath)\./,
}

describe.each(ROUTES)('$method $path', ({ method, path, credential }) => {
  const title = `${method} ${path}`
  test('names its credential, or its group does', () => expect(credentialOf(title)).toMatch(CREDENTIALS[credential]))

  test('has an example that calls it', () => {
    const calls = examples.filter((one) => one.title === title).map(({ request }) => readCurl(request))
    expect(calls.length).toBeGreaterThan(0)
    const withIds = [
      exampleEvent,
      exampleEndpoint,
      EXAMPLE_KEY,
      exampleDelivery,
      exampleSeller,
      swept,
      exampleProduct,
      exampleTier,
      exampleCoupon,
      exampleDomain,
      exampleIntent,
      exampleSubscription,
      exampleRefund,
      exampleCharge,
    ]
    const ids = new RegExp(withIds.map(({ id }) => id).join('|'))
    const routeOf = (path: string) =>
      path
        .split('?')[0]
        ?.replace(ids, ':id')
        .replace(exampleDelegation.wallet, ':wallet')
        .replace(CHECKOUT_TOKEN, ':token')
    for (const call of calls) expect(`${call.method} ${routeOf(call.path)}`).toBe(title)
  })
})

test('each refusal has the status of its code', () => {
  const stated = /\b([45]\d\d)(?: \||:)?\s((?:`\w+`(?:,\s)?)+)/g
  const rows = [...`${page}${guide}`.matchAll(stated)].flatMap(([, status, codes = '']) =>
    (codes.match(/\w+/g) ?? []).map((code) => ({ status, code })),
  )
  const statuses = new Map(Object.entries(ERROR_MAP).map(([code, { status }]) => [code, String(status)]))
  const wrong = rows.filter(({ status, code = '' }) => statuses.get(code) !== status)
  expect([rows.length > 150, wrong]).toEqual([true, []])
})

test('each example is what the endpoint answers', async () => {
  const answers: string[] = []
  for (const example of examples) answers.push(await answerTo(example))
  if (process.env.WRITE_EXAMPLES === '1') {
    const queue = [...answers]
    writeFileSync(
      PAGE,
      page.replace(EXAMPLE, (all) => all.replace(/(?<=```(?:json|csv)\n).*(?=```$)/s, () => queue.shift() ?? '')),
    )
  } else expect(examples.map(({ answer }) => answer)).toEqual(answers)
})
