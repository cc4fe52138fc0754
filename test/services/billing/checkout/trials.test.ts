import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { DAY_MS, HOUR_MS } from '#core/billing/calendar.ts'
import { decideCancel } from '#core/billing/machine/manage.ts'
import type { Tier } from '#core/billing/tier.ts'
import { UNIT } from '../../../support/charging-world.ts'
import {
  answered,
  prepareApprove,
  prepareProof,
  signedBy,
  startCheckoutWorld,
} from '../../../support/checkout-world.ts'

// A checkout with a trial: what the wallet signs says so, nothing is charged before its end, and a wallet gets one of a product.
let world: Awaited<ReturnType<typeof startCheckoutWorld>>
let business: Awaited<ReturnType<typeof world.addBusiness>>

beforeAll(async () => {
  world = await startCheckoutWorld()
  business = await world.addBusiness()
})
afterAll(() => world.stop())

const refused = (code: string) => expect.objectContaining({ code })
const newTier = (patch: Partial<Tier> = {}) => world.tier(business, { trialDays: 14, ...patch })
const factsOf = (id: string) => world.facts(id)
const statusOf = async (id: string) => (await factsOf(id)).subscription.status

/** Completes a checkout of the tier by a signed text. */
async function subscribe(tier: Tier, owner: Awaited<ReturnType<typeof world.wallet>>) {
  const { token } = await world.open(tier)
  const offer = await prepareProof(world.services, token, owner.address)
  await world.services.confirmCheckout(token, await answered(owner, offer))
  return { token, offer, id: offer.subscriptionId }
}

test('a signed text with a trial says so, and its first charge is made when the trial ends, and not before', async () => {
  const owner = await world.wallet(30n * UNIT, 24n * UNIT)
  const tier = await newTier()
  const { token, offer, id } = await subscribe(tier, owner)
  expect(offer.trialDays).toBe(14)
  expect(offer.challenge.input.statement).toContain('every month after a free trial of 14 days, 12.00 USD in total')
  const { trialEndsAt } = (await factsOf(id)).subscription
  expect(await world.services.readCheckout(token)).toMatchObject({ trialDays: 14, trialEndsAt, firstCharge: null })
  expect(await statusOf(id)).toBe('trialing')
  const delegation = (await factsOf(id)).delegation
  expect(delegation.status).toBe('active')

  world.sleep(11 * DAY_MS - HOUR_MS)
  await world.round()
  expect(await world.events(id)).toEqual(['subscription.created'])
  world.sleep(HOUR_MS)
  await world.round()
  await world.round()
  expect(await world.events(id)).toEqual(['subscription.created', 'subscription.trial_ending'])
  world.sleep(3 * DAY_MS - HOUR_MS)
  await world.round()
  expect(await world.db.prisma.charge.count({ where: { subscriptionId: id } })).toBe(0)
  world.sleep(HOUR_MS)
  await world.workUntil(async () => (await statusOf(id)) === 'active')
  expect((await factsOf(id)).charge?.charge).toMatchObject({
    periodIndex: 1,
    status: 'succeeded',
    periodStart: trialEndsAt,
  })
  expect(await world.events(id)).toEqual([
    'subscription.created',
    'subscription.trial_ending',
    'subscription.updated',
    'subscription.activated',
  ])
})

test('an approve begins a trial when it is final', async () => {
  const owner = await world.wallet(30n * UNIT, 0n)
  const { token } = await world.open(await newTier())
  const offer = await prepareApprove(world.services, token, owner.address)
  expect(offer.trialDays).toBe(14)
  // A repeat says the same, and nothing when it is not true any more.
  expect((await prepareApprove(world.services, token, owner.address)).trialDays).toBe(14)
  const had = world.servicesWith({ checkouts: { ...world.deps.checkouts, hadTrial: async () => true } })
  await expect(had.prepareCheckout(token, owner.address)).rejects.toEqual(refused('authorization_pending'))
  const { subscriptionId } = offer
  await world.services.activateCheckout(token, { subscriptionId, transaction: await signedBy(owner, offer) })
  expect((await factsOf(subscriptionId)).subscription).toMatchObject({
    status: 'trialing',
    authorizedAmount: 12n * UNIT,
  })
  await expect(world.services.retryCheckout(token)).rejects.toEqual(refused('checkout_completed'))
})

test('a wallet has one trial of a product, also of another tier, and after the first subscription was canceled', async () => {
  const owner = await world.wallet(60n * UNIT, 48n * UNIT)
  const tier = await newTier()
  const first = await subscribe(tier, owner)
  await world.decide(first.id, (facts, context) => decideCancel(facts, false, 'subscriber', context))
  expect(await statusOf(first.id)).toBe('canceled')

  const other = await newTier({ productId: tier.productId, trialDays: 30 })
  const second = await subscribe(other, owner)
  expect(second.offer.trialDays).toBe(0)
  expect(second.offer.challenge.input.statement).not.toContain('trial')
  expect(await statusOf(second.id)).toBe('incomplete')
  expect(await world.services.readCheckout(second.token)).toMatchObject({ trialDays: 0, trialEndsAt: null })
  expect((await factsOf(second.id)).charge?.charge).toMatchObject({ periodIndex: 0, status: 'pending' })

  // Another product, and another wallet, have one.
  expect((await subscribe(await newTier(), owner)).offer.trialDays).toBe(14)
  const stranger = await world.wallet(30n * UNIT, 24n * UNIT)
  expect((await subscribe(other, stranger)).offer.trialDays).toBe(30)
})

test.each(['proof', 'approve'] as const)(
  'a trial by a %s ends by the clock of the chain, when that of the machine is wrong',
  async (by) => {
    const owner = await world.wallet(30n * UNIT, by === 'proof' ? 24n * UNIT : 0n)
    const { token } = await world.open(await newTier())
    world.setBehind(3 * DAY_MS)
    onTestFinished(() => world.setBehind(0))
    const offer = await world.services.prepareCheckout(token, owner.address)
    const { subscriptionId } = offer
    if (offer.requiresSignature)
      await world.services.activateCheckout(token, { subscriptionId, transaction: await signedBy(owner, offer) })
    else await world.services.confirmCheckout(token, await answered(owner, offer))
    const { trialEndsAt, status } = (await factsOf(subscriptionId)).subscription
    expect(status).toBe('trialing')
    const lengthMs = (trialEndsAt?.getTime() ?? 0) - world.clock.now().getTime()
    expect(Math.round(lengthMs / HOUR_MS)).toBe(11 * 24)
  },
)

test('two checkouts that are completed at once by 100 requests give one trial, and charge nothing that was not agreed to', async () => {
  const owner = await world.wallet(60n * UNIT, 48n * UNIT)
  const tier = await newTier()
  const checkouts = await Promise.all(
    [await world.open(tier), await world.open(tier)].map(async ({ token }) => {
      const offer = await prepareProof(world.services, token, owner.address)
      return { token, offer, answer: await answered(owner, offer) }
    }),
  )
  expect(checkouts.map(({ offer }) => offer.trialDays)).toEqual([14, 14])
  const answers = await Promise.allSettled(
    Array.from({ length: 100 }, (_, at) => checkouts[at % 2]).map(async (one) => {
      if (one === undefined) throw new Error('no checkout')
      return await world.services.confirmCheckout(one.token, one.answer)
    }),
  )
  const done = new Set(answers.flatMap((one) => (one.status === 'fulfilled' ? [one.value.subscriptionId] : [])))
  expect(done.size).toBe(1)
  const rows = await world.db.prisma.billingSubscription.findMany({ where: { subscriberWallet: owner.address } })
  expect(rows.map(({ status }) => status)).toEqual(['trialing'])

  const late = checkouts.find(({ offer }) => !done.has(offer.subscriptionId))
  if (late === undefined) throw new Error('both were completed')
  await expect(world.services.confirmCheckout(late.token, late.answer)).rejects.toEqual(refused('invalid_signature'))
  const next = await prepareProof(world.services, late.token, owner.address)
  expect(next.trialDays).toBe(0)
  await world.services.confirmCheckout(late.token, await answered(owner, next))
  expect(await statusOf(next.subscriptionId)).toBe('incomplete')
})

test('an approve for a trial that was used meanwhile completes nothing: the wallet agrees to the charge first', async () => {
  const owner = await world.wallet(60n * UNIT, 0n)
  const tier = await newTier()
  const { token } = await world.open(tier)
  const offer = await prepareApprove(world.services, token, owner.address)
  // By a tier in another token, for example, whose allowance is another one.
  const had = world.servicesWith({ checkouts: { ...world.deps.checkouts, hadTrial: async () => true } })
  const { subscriptionId } = offer
  const given = { subscriptionId, transaction: await signedBy(owner, offer) }
  await expect(had.activateCheckout(token, given)).rejects.toEqual(refused('authorization_required'))
  expect((await had.readCheckout(token)).status).toBe('open')
  const next = await prepareProof(had, token, owner.address)
  expect(next.trialDays).toBe(0)
  await had.confirmCheckout(token, await answered(owner, next))
  expect(await statusOf(next.subscriptionId)).toBe('incomplete')
})
