// A checkout with a coupon, on a chain: what is signed is what is charged.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Tier } from '#core/billing/tier.ts'
import { addCoupon } from '../../../support/billing-rows.ts'
import { UNIT } from '../../../support/charging-world.ts'
import {
  answered,
  prepareApprove,
  prepareProof,
  signedBy,
  startCheckoutWorld,
} from '../../../support/checkout-world.ts'
import { until } from '../../../support/until.ts'

let world: Awaited<ReturnType<typeof startCheckoutWorld>>
let tier: Tier

beforeAll(async () => {
  world = await startCheckoutWorld()
  tier = await world.tier(await world.addBusiness())
})
afterAll(() => world.stop())

const refused = (code: string) => expect.objectContaining({ code })
const CENT = UNIT / 100n
/** Half of the first three of twelve charges of a dollar. */
const TOTAL = 1_050n * CENT

test('a code is entered in any case, changes the price at once, and is taken back', async () => {
  const coupon = await addCoupon(world.db, tier)
  const { token } = await world.open(tier)
  expect(await world.services.readCheckout(token)).toMatchObject({ coupon: null, acceptsCoupons: true })
  const entered = await world.services.enterCoupon(token, ` ${coupon.code.toLowerCase()}`)
  expect(entered).toMatchObject({
    coupon: { id: coupon.id },
    totalAuthorization: { usdCents: 1_050n, baseUnits: TOTAL },
  })
  expect(await world.services.readCheckout(token)).toEqual(entered)
  expect(await world.services.enterCoupon(token, null)).toMatchObject({
    coupon: null,
    totalAuthorization: { usdCents: 1_200n },
  })
  await expect(world.services.enterCoupon(token, 'NO-SUCH')).rejects.toEqual(refused('coupon_not_found'))
})

test('a code cannot be entered where the business has no coupon for the product', async () => {
  const alone = await world.tier(await world.addBusiness())
  await addCoupon(world.db, alone, { archivedAt: new Date() })
  await addCoupon(world.db, tier, { productId: tier.productId })
  const { token } = await world.open(alone)
  expect((await world.services.readCheckout(token)).acceptsCoupons).toBe(false)
})

test('a signed text says the prices, and the first charge is the discounted one', async () => {
  const coupon = await addCoupon(world.db, tier)
  const owner = await world.wallet(20n * UNIT, 24n * UNIT)
  const { token } = await world.open(tier, { couponId: coupon.id })
  const offer = await prepareProof(world.services, token, owner.address)
  expect(offer.challenge.input.statement).toContain(
    'to charge 0.50 USD every month for the first 3 charges, then 1.00 USD, 10.50 USD in total for 12 charges.',
  )
  await world.services.confirmCheckout(token, await answered(owner, offer))
  await world.workUntil(async () => (await world.facts(offer.subscriptionId)).subscription.status === 'active')
  const { subscription, charge } = await world.facts(offer.subscriptionId)
  expect(charge?.charge).toMatchObject({ amount: 50n * CENT, netAmount: 495_000n, feeAmount: 5_000n })
  expect(subscription).toMatchObject({
    couponId: coupon.id,
    authorizedAmount: TOTAL,
    spentAmount: 50n * CENT,
    discountedPeriods: 2,
  })
})

test('an approve is for the sum of the discounted charges, and keeps them when the coupon is archived before it lands', async () => {
  const coupon = await addCoupon(world.db, tier, { maxUses: 1 })
  const owner = await world.wallet(20n * UNIT, 0n)
  const { token } = await world.open(tier, { couponId: coupon.id })
  const offer = await prepareApprove(world.services, token, owner.address)
  expect(offer.amount).toBe(TOTAL)
  expect(offer.totalAuthorization).toEqual((await world.services.readCheckout(token)).totalAuthorization)
  await world.db.prisma.subscriptionCoupon.update({ where: { id: coupon.id }, data: { archivedAt: new Date() } })
  const given = { subscriptionId: offer.subscriptionId, transaction: await signedBy(owner, offer) }
  await until(async () => (await world.services.activateCheckout(token, given)).status === 'completed')
  expect((await world.facts(offer.subscriptionId)).subscription).toMatchObject({
    authorizedAmount: TOTAL,
    discountedPeriods: 3,
    discount: { code: coupon.code, percentOff: 50 },
  })
})

test('a prepared approve keeps the last place of a coupon, which is free again when it cannot land', async () => {
  const coupon = await addCoupon(world.db, tier, { maxUses: 1 })
  const [first, second] = [await world.wallet(20n * UNIT, 0n), await world.wallet(20n * UNIT, 24n * UNIT)]
  const [one, two] = [await world.open(tier, { couponId: coupon.id }), await world.open(tier, { couponId: coupon.id })]
  await prepareApprove(world.services, one.token, first.address)
  await expect(world.services.prepareCheckout(two.token, second.address)).rejects.toEqual(refused('coupon_used_up'))
  await expect(world.services.enterCoupon(one.token, null)).rejects.toEqual(refused('authorization_pending'))
  await world.abandon(one.id)
  const offer = await prepareProof(world.services, two.token, second.address)
  await world.services.confirmCheckout(two.token, await answered(second, offer))
  await expect(world.services.prepareCheckout(one.token, first.address)).rejects.toEqual(refused('coupon_used_up'))
})

test('of many checkouts that are confirmed at once, as many complete as the coupon allows', async () => {
  const coupon = await addCoupon(world.db, tier, { maxUses: 2 })
  const all = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const owner = await world.wallet(20n * UNIT, 24n * UNIT)
      const { token } = await world.open(tier, { couponId: coupon.id })
      return { token, answer: await answered(owner, await prepareProof(world.services, token, owner.address)) }
    }),
  )
  const ends = await Promise.allSettled(all.map(({ token, answer }) => world.services.confirmCheckout(token, answer)))
  expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
  for (const end of ends) if (end.status === 'rejected') expect(end.reason).toEqual(refused('coupon_used_up'))
})

test('a text that was signed for another price, or for a coupon that is archived since, completes nothing', async () => {
  const coupon = await addCoupon(world.db, tier)
  const owner = await world.wallet(20n * UNIT, 24n * UNIT)
  const { token } = await world.open(tier)
  const whole = await answered(owner, await prepareProof(world.services, token, owner.address))
  await world.services.enterCoupon(token, coupon.code)
  await expect(world.services.confirmCheckout(token, whole)).rejects.toEqual(refused('invalid_signature'))
  const discounted = await answered(owner, await prepareProof(world.services, token, owner.address))
  await world.db.prisma.subscriptionCoupon.update({ where: { id: coupon.id }, data: { archivedAt: new Date() } })
  await expect(world.services.confirmCheckout(token, discounted)).rejects.toEqual(refused('coupon_not_found'))
  // What cannot be used any more is taken back, and the checkout goes on.
  await world.services.enterCoupon(token, null)
  const again = await answered(owner, await prepareProof(world.services, token, owner.address))
  expect((await world.services.confirmCheckout(token, again)).status).toBe('completed')
  await expect(world.services.enterCoupon(token, coupon.code)).rejects.toEqual(refused('checkout_completed'))
})

test('the coupon of one use for each wallet is not used twice by a wallet', async () => {
  const coupon = await addCoupon(world.db, tier, { maxUsesPerWallet: 1 })
  const owner = await world.wallet(40n * UNIT, 48n * UNIT)
  const { token } = await world.open(tier, { couponId: coupon.id })
  await world.services.confirmCheckout(
    token,
    await answered(owner, await prepareProof(world.services, token, owner.address)),
  )
  const second = await world.open(tier, { couponId: coupon.id })
  await expect(world.services.prepareCheckout(second.token, owner.address)).rejects.toEqual(refused('coupon_used_up'))
  const pinned = await world.open(tier, { subscriberWallet: owner.address, walletPinned: true })
  await expect(world.services.enterCoupon(pinned.token, coupon.code)).rejects.toEqual(refused('coupon_used_up'))
})
