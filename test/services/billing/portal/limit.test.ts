// How often the subscriber of one subscription changes it, over HTTP, a chain and a database: each change emits an event and
// a webhook.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createSubscriptionTierStore } from '#adapters/prisma/billing/catalogue-store.ts'
import { createDelegationLookup } from '#adapters/prisma/billing/delegation-store.ts'
import { MAX_CHANGES } from '#core/events/change-limit.ts'
import { makeBasisPoints } from '#core/money/amounts.ts'
import { createSubscriptionServices } from '#services/billing/subscriptions.ts'
import { answered } from '../../../support/checkout-world.ts'
import { type PortalWorld, startPortalWorld } from '../../../support/portal-world.ts'
import { startTestService, type TestService } from '../../../support/services.ts'

const FIVE_MINUTES_MS = 5 * 60_000

let world: PortalWorld
let service: TestService
beforeAll(async () => {
  world = await startPortalWorld()
})
afterAll(() => world.stop())
beforeEach(async () => {
  service = await startTestService({ services: { subscriptionPortal: world.portal } })
})
afterEach(() => service.close())

type Subscribed = Awaited<ReturnType<PortalWorld['subscribed']>>

/** Sends a request with a link that is new, so that the limit of a token never refuses it. */
async function ask({ id }: Pick<Subscribed, 'id'>, action: string, body: object = {}) {
  return await service.post(`/pay/m/${await world.link(id)}/${action}`, body)
}

const limited = (answer: Awaited<ReturnType<typeof ask>>): void => {
  expect(answer).toMatchObject({ status: 429, body: { error: 'rate_limited' } })
  const wait = Number(answer.headers.get('retry-after'))
  expect(wait).toBeGreaterThan(0)
  expect(wait).toBeLessThanOrEqual(FIVE_MINUTES_MS / 1_000)
}

/** Sends as many requests as there are changes in five minutes, and takes turns between two of them. */
async function alternate(of: Subscribed, ...turns: readonly (readonly [string, object?])[]): Promise<void> {
  for (let change = 0; change < MAX_CHANGES; change += 1) {
    const [action, body] = turns[change % turns.length] ?? ['pause']
    expect((await ask(of, action, body)).status).toBe(200)
  }
}

const changesOf = async (id: string) =>
  (await world.events(id)).filter((type) => !['subscription.created', 'subscription.activated'].includes(type))

/** The services of the business. */
const business = () =>
  createSubscriptionServices({
    ...world.deps,
    delegationLookup: createDelegationLookup(world.db),
    subscriptionTiers: createSubscriptionTierStore(world.db),
  })

test('the sixteenth pause or resume in five minutes is refused, also with a link that the wallet has just got', async () => {
  const subscribed = await world.subscribed()
  const { owner, id } = subscribed
  await alternate(subscribed, ['pause'], ['resume'])
  limited(await ask(subscribed, 'resume'))
  const { wallet, ...answer } = await answered(owner, {
    challenge: await world.portal.challengeForLinks(owner.address),
  })
  const [recovered] = await world.portal.recoverLinks(wallet, answer)
  limited(await service.post(`/pay/m/${recovered?.link.portalUrl.split('/m/')[1]}/resume`, {}))
  expect(await changesOf(id)).toHaveLength(MAX_CHANGES)

  world.sleep(FIVE_MINUTES_MS)
  expect(await ask(subscribed, 'resume')).toMatchObject({ status: 200, body: { subscription: { status: 'active' } } })
})

test('so is the sixteenth cancel at the end of the period, or resume', async () => {
  const subscribed = await world.subscribed()
  await alternate(subscribed, ['cancel'], ['resume'])
  limited(await ask(subscribed, 'resume'))
  expect(await changesOf(subscribed.id)).toHaveLength(MAX_CHANGES)
})

test('so is the sixteenth change of the tier, and a renewal after it', async () => {
  const [one, other] = [await world.sibling({}), await world.sibling({})]
  const subscribed = await world.subscribed()
  const turns = [one, other].map(({ id }) => ['change-tier', { tier_id: id }] as const)
  await alternate(subscribed, ...turns)
  limited(await ask(subscribed, 'change-tier', { tier_id: other.id }))
  limited(await ask(subscribed, 'renew'))
  expect(await changesOf(subscribed.id)).toHaveLength(MAX_CHANGES)
})

test('forty changes of the tier at once are fifteen', async () => {
  const [one, other] = [await world.sibling({}), await world.sibling({})]
  const subscribed = await world.subscribed()
  const tiers = Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? one : other))
  await Promise.all(tiers.map(({ id }) => ask(subscribed, 'change-tier', { tier_id: id })))
  while ((await changesOf(subscribed.id)).length < MAX_CHANGES)
    for (const { id } of [one, other]) await ask(subscribed, 'change-tier', { tier_id: id })
  await Promise.all(tiers.map(({ id }) => ask(subscribed, 'change-tier', { tier_id: id })))
  expect(await changesOf(subscribed.id)).toHaveLength(MAX_CHANGES)
})

test.each([
  ['pause', { status: 'paused' }],
  ['cancel', { cancel_at_period_end: true }],
])('a business with a key has no limit, and its changes keep no subscriber from a %s', async (stop, stopped) => {
  const subscribed = await world.subscribed()
  const { id } = subscribed
  const merchant = { tenant: world.tenant, marketplaceFeeBps: makeBasisPoints(0) }
  for (let change = 0; change < MAX_CHANGES; change += 1) {
    expect(await business().pauseSubscription(merchant, id)).toMatchObject({ status: 'paused' })
    expect(await business().resumeSubscription(merchant, id)).toMatchObject({ status: 'active' })
  }
  expect(await ask(subscribed, stop)).toMatchObject({ status: 200, body: { subscription: stopped } })
  limited(await ask(subscribed, 'resume'))
  const ended = await ask(subscribed, 'cancel', { at_period_end: false })
  expect(ended).toMatchObject({ status: 200, body: { subscription: { status: 'canceled' } } })
})
