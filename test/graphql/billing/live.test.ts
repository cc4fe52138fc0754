// Live status of recurring billing over a websocket: a checkout by its token, and a subscription of a business.
import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createSubscriptionIntentStore } from '#adapters/prisma/billing/catalogue-store.ts'
import { createLiveSubscriptions } from '#adapters/prisma/billing/live-subscriptions.ts'
import type { Tenant } from '#core/accounts/account.ts'
import type { Tier } from '#core/billing/tier.ts'
import { ServiceError } from '#core/errors.ts'
import { makeBasisPoints } from '#core/money/amounts.ts'
import { pause } from '../../support/charge.ts'
import { UNIT } from '../../support/charging-world.ts'
import { answered, prepareProof, startCheckoutWorld } from '../../support/checkout-world.ts'
import { exampleCheckout, exampleSubscription } from '../../support/example-billing.ts'
import { subscribe, webSocketClient } from '../../support/graphql-client.ts'
import { API_KEY, startTestService, type TestService } from '../../support/services.ts'
import { until } from '../../support/until.ts'

let world: Awaited<ReturnType<typeof startCheckoutWorld>>
let live: Awaited<ReturnType<typeof createLiveSubscriptions>>
let service: TestService
let tenant: Tenant
let tier: Tier
let isAllowed = true

beforeAll(async () => {
  world = await startCheckoutWorld()
  tenant = await world.addBusiness()
  tier = await world.tier(tenant)
  live = await createLiveSubscriptions(world.db)
  service = await startTestService({
    liveSubscriptions: live,
    services: {
      subscriptionCheckout: world.services,
      billing: {
        async merchant({ tenant }) {
          if (!isAllowed) throw new ServiceError('permission_denied')
          return { tenant, marketplaceFeeBps: makeBasisPoints(0) }
        },
      },
      subscriptions: {
        async findSubscription(_merchant, id) {
          const facts = await world.parts.billing.facts(id)
          if (facts === null) throw new ServiceError('subscription_not_found')
          return facts.subscription
        },
      },
    },
  })
}, 90_000)
afterAll(async () => {
  await service.close()
  await live.close()
  await world.stop()
})

const clients: ReturnType<typeof webSocketClient>[] = []
afterEach(async () => {
  isAllowed = true
  for (const client of clients.splice(0)) await client.dispose()
})
function client(params?: Record<string, unknown>) {
  const made = webSocketClient(service.url, params)
  clients.push(made)
  return made
}

const CHECKOUT = `subscription ($token: String!) { subscriptionCheckoutUpdated(token: $token) {
  status subscriptionId subscriberWallet firstCharge { status } } }`
const SUBSCRIPTION = 'subscription ($id: String!) { billingSubscriptionUpdated(id: $id) { status version } }'

test('a page receives the checkout as it is, then each step of it up to the first charge', async () => {
  const owner = await world.wallet(20n * UNIT, 12n * UNIT)
  const { token } = await world.open(tier)
  const results = subscribe(client(), CHECKOUT, { token })
  const next = async () => (await results.next()).data?.subscriptionCheckoutUpdated
  expect(await next()).toMatchObject({ status: 'open', subscriptionId: null, firstCharge: null })
  const offer = await prepareProof(world.services, token, owner.address)
  expect(await next()).toMatchObject({ status: 'open', subscriptionId: offer.subscriptionId })
  await world.services.confirmCheckout(token, await answered(owner, offer))
  expect(await next()).toMatchObject({ status: 'completed', firstCharge: { status: 'pending' } })
  await world.workUntil(async () => (await world.facts(offer.subscriptionId)).subscription.status === 'active')
  const states: unknown[] = []
  while (!JSON.stringify(states.at(-1) ?? '').includes('succeeded')) states.push(await next())
  expect(states.at(-1)).toMatchObject({ status: 'completed', firstCharge: { status: 'succeeded' } })
  const again = subscribe(client(), CHECKOUT, { token })
  expect((await again.next()).data?.subscriptionCheckoutUpdated).toEqual(states.at(-1))
})

test('a page learns that the business cancels, and an unknown token is refused', async () => {
  const { token, id } = await world.open(tier)
  const results = subscribe(client(), CHECKOUT, { token })
  expect((await results.next()).data?.subscriptionCheckoutUpdated).toMatchObject({ status: 'open' })
  const store = createSubscriptionIntentStore(world.db)
  const intent = await store.find(tenant, id)
  if (intent === null) throw new Error('no checkout')
  const canceled = {
    ...intent,
    status: 'canceled' as const,
    canceledAt: world.clock.now(),
    version: intent.version + 1,
  }
  expect(await store.replace(tenant, canceled, intent.version)).toBe(true)
  expect((await results.next()).data?.subscriptionCheckoutUpdated).toMatchObject({ status: 'canceled' })
  const unknown = await subscribe(client(), CHECKOUT, { token: 'unknown' }).next()
  expect(unknown.errors?.[0]?.extensions).toMatchObject({ code: 'checkout_not_found' })
})

test('a business receives each change of a subscription, until its key may no longer see it', async () => {
  const owner = await world.wallet(20n * UNIT, 12n * UNIT)
  const { token } = await world.open(tier)
  const offer = await prepareProof(world.services, token, owner.address)
  await world.services.confirmCheckout(token, await answered(owner, offer))
  const results = subscribe(client({ authorization: `Bearer ${API_KEY}` }), SUBSCRIPTION, { id: offer.subscriptionId })
  const next = async () => Object((await results.next()).data?.billingSubscriptionUpdated)
  const states = [await next()]
  await world.workUntil(async () => (await world.facts(offer.subscriptionId)).subscription.status === 'active')
  while (states.at(-1).status !== 'active') states.push(await next())
  const versions = states.map(({ version }) => version)
  expect(versions).toEqual(versions.map((_, at) => 1 + at))
  const pending = results.next()
  isAllowed = false
  await world.decide(offer.subscriptionId, pause)
  await expect(pending).rejects.toMatchObject([{ extensions: { code: 'permission_denied' } }])
})

test('a caller without a key, and an unknown subscription, are refused', async () => {
  const anonymous = await subscribe(client(), SUBSCRIPTION, { id: tier.id }).next()
  expect(anonymous.errors?.[0]?.extensions).toMatchObject({ code: 'unauthenticated' })
  const unknown = await subscribe(client({ authorization: `Bearer ${API_KEY}` }), SUBSCRIPTION, { id: tier.id }).next()
  expect(unknown.errors?.[0]?.extensions).toMatchObject({ code: 'subscription_not_found' })
})

test('a stream that ends while it reads a checkout reads it no more', async () => {
  const reading = Promise.withResolvers<void>()
  let reads = 0
  let isOver = false
  const shop = await startTestService({
    liveSubscriptions: {
      ...live,
      watch(signal) {
        signal.addEventListener('abort', () => {
          isOver = true
        })
        return live.watch(signal)
      },
    },
    services: {
      subscriptionCheckout: {
        async readCheckout() {
          reads += 1
          if (reads === 2) await reading.promise
          if (reads === 4) throw new Error('read without an end')
          return exampleCheckout
        },
      },
    },
  })
  const one = webSocketClient(shop.url)
  clients.push(one)
  const results = subscribe(one, CHECKOUT, { token: 'co' })
  const next = results.next().catch(() => undefined)
  await until(() => reads === 2)
  await one.dispose()
  await next
  await until(() => isOver)
  reading.resolve()
  await shop.graphql('{ __typename }')
  expect(reads).toBe(2)
  await shop.close()
})

test('the streams of a marketplace count together, for whichever seller it opens them', async () => {
  let following = 0
  const shop = await startTestService({
    liveSubscriptions: {
      ...live,
      async *follow(_id, signal) {
        following += 1
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        yield* []
      },
    },
    services: {
      billing: {
        merchant: async ({ tenant, onBehalfOf }) => ({
          tenant: { ...tenant, accountId: onBehalfOf ?? tenant.accountId },
          marketplaceFeeBps: makeBasisPoints(0),
        }),
      },
      subscriptions: { findSubscription: async () => exampleSubscription },
    },
    settings: { streams: { account: 2 } },
  })
  const query = 'subscription ($seller: String) { billingSubscriptionUpdated(id: "x", onBehalfOf: $seller) { status } }'
  const one = webSocketClient(shop.url, { authorization: `Bearer ${API_KEY}` })
  clients.push(one)
  const next = () => subscribe(one, query, { seller: randomUUID() }).next()
  for (const stream of [next(), next()]) stream.catch(() => undefined)
  await until(() => following === 2)
  expect((await next()).errors?.[0]?.extensions).toMatchObject({ code: 'rate_limited', retryAfter: 10 })
  await one.dispose()
  await shop.close()
})
