// The approves that one wallet signs, on a chain: each costs the fee payer, whether or not a charge follows.
import type { KeyPairSigner } from '@solana/kit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Tier } from '#core/billing/tier.ts'
import { type Lamports, makeLamports } from '#core/money/amounts.ts'
import type { PreparedApprove } from '#services/billing/checkout/checkout-services.ts'
import { UNIT } from '../../../support/charging-world.ts'
import { answered, prepareApprove, prepareProof, signedBy } from '../../../support/checkout-world.ts'
import { approveOf, type PortalWorld, startPortalWorld } from '../../../support/portal-world.ts'
import { until } from '../../../support/until.ts'

const DAY_SECONDS = 86_400

let world: PortalWorld
beforeAll(async () => {
  world = await startPortalWorld()
})
afterAll(() => world.stop())

/** The services of a deployment in which a wallet has many subscriptions. */
const services = () => world.servicesWith({ subscriptionsPerWallet: 50 })

async function activate(owner: KeyPairSigner, token: string, offer: PreparedApprove): Promise<void> {
  const given = { subscriptionId: offer.subscriptionId, transaction: await signedBy(owner, offer) }
  await until(async () => (await services().activateCheckout(token, given)).status === 'completed')
}

/** Completes a checkout of its own by an approve that lands. Returns its token and its subscription. */
async function authorize(owner: KeyPairSigner, tier: Tier = world.tier) {
  const { token } = await world.open(tier)
  const offer = await prepareApprove(services(), token, owner.address)
  await activate(owner, token, offer)
  return { token, id: offer.subscriptionId }
}

/** A wallet with an empty token account, and as many approves of it as a wallet without a paid charge has in a day. */
async function spent() {
  const owner = await world.wallet(1n, 0n)
  const checkouts = []
  for (let signed = 0; signed < 10; signed += 1) checkouts.push(await authorize(owner))
  return { owner, checkouts }
}

/** Expects the refusal of an approve until the oldest of the wallet is a day old, and that nothing is stored for it. */
async function expectLimited(owner: KeyPairSigner, token: string): Promise<void> {
  const stored = () => world.db.prisma.approval.count({ where: { delegation: { wallet: owner.address } } })
  const before = await stored()
  const refusal = await services()
    .prepareCheckout(token, owner.address)
    .catch((error: unknown) => error)
  expect(refusal).toMatchObject({ code: 'rate_limited', context: { retry_after_seconds: expect.any(Number) } })
  const oldest = await world.db.prisma.approval.findFirstOrThrow({
    where: { delegation: { wallet: owner.address } },
    orderBy: { createdAt: 'asc' },
  })
  const wait = DAY_SECONDS + (oldest.createdAt.getTime() - world.clock.now().getTime()) / 1_000
  expect(refusal).toHaveProperty('context.retry_after_seconds', expect.closeTo(wait, -1))
  expect(await stored()).toBe(before)
}

test('a wallet that signs ten approves in a day, and pays no charge, gets no other; other wallets do', async () => {
  const { owner, checkouts } = await spent()
  await expectLimited(owner, (await world.open(world.tier)).token)
  await expectLimited(owner, (await world.open(await world.tierOf(await world.addBusiness()))).token)

  // Nor another one for a completed checkout whose allowance it has removed before the first charge.
  const [first] = checkouts
  await world.revoke(owner)
  const failed = async () => (await services().readCheckout(first?.token ?? '')).firstCharge?.status === 'failed'
  await world.workUntil(failed)
  await expectLimited(owner, first?.token ?? '')

  const other = await world.wallet(20n * UNIT, 0n)
  await authorize(other)
  const { token } = await world.subscribed()
  approveOf(await world.portal.renewInPortal(token, {}))

  world.sleep(DAY_SECONDS * 1_000)
  await prepareApprove(services(), (await world.open(world.tier)).token, owner.address)
  world.sleep(-DAY_SECONDS * 1_000)
}, 90_000)

test('a wallet with a subscription that has paid has two more for each, also after a cancel', async () => {
  const { owner, checkouts } = await spent()
  await world.tools.fundToken(world.mint, owner.address, UNIT)
  const isActive = async (id: string) => (await world.facts(id)).subscription.status === 'active'
  const paid = async () => (await Promise.all(checkouts.map(({ id }) => isActive(id)))).some(Boolean)
  await world.refill()
  await world.workUntil(paid)
  await authorize(owner)
  const active = await world.db.prisma.billingSubscription.findFirstOrThrow({
    where: { subscriberWallet: owner.address, status: 'active' },
  })
  await world.portal.cancelInPortal(await world.link(active.id), false)
  await authorize(owner)
  await expectLimited(owner, (await world.open(world.tier)).token)
}, 90_000)

test('a wallet that pays has an approve for each of twelve checkouts in a day', async () => {
  const owner = await world.wallet(100n * UNIT, 0n)
  for (let signed = 0; signed < 12; signed += 1) {
    const { id } = await authorize(owner)
    await world.workUntil(async () => (await world.facts(id)).subscription.status === 'active')
  }
}, 120_000)

/** Renews the subscription within a budget, and ends the approve as if no one had signed it. */
async function renew(id: string, sponsorLamportsPerDay: Lamports): Promise<void> {
  const { approvalId } = approveOf(
    await world.portalWith({ sponsorLamportsPerDay }).renewInPortal(await world.link(id), {}),
  )
  const data = { state: 'dead', feePayerSignature: null }
  await world.db.prisma.approval.update({ where: { id: approvalId }, data })
}

/** Makes all approves so far older than the time for which the budget counts them. */
async function forgetApproves(): Promise<void> {
  const createdAt = new Date(world.clock.now().getTime() - 2 * DAY_SECONDS * 1_000)
  await world.db.prisma.approval.updateMany({ data: { createdAt } })
}

/** Returns the budget that covers so many approves. */
async function budgetOf(approves: bigint): Promise<Lamports> {
  const { _max } = await world.db.prisma.approval.aggregate({ _max: { spendCost: true } })
  return makeLamports(approves * (_max.spendCost ?? 0n))
}

test('checkouts leave a quarter of the budget, and of the half of a business, to subscriptions that have paid', async () => {
  await forgetApproves()
  const { tier } = world
  const [second, third, last] = await Promise.all([1, 2, 3].map(async () => world.tierOf(await world.addBusiness())))
  const owner = await world.wallet(40n * UNIT, 0n)
  const { id } = await authorize(owner)
  await authorize(owner)
  await world.workUntil(async () => (await world.facts(id)).subscription.spentAmount === UNIT)
  const other = await world.wallet(UNIT, 0n)
  const prepare = async (sold: Tier | undefined, sponsorLamportsPerDay: Lamports) =>
    prepareApprove(world.servicesWith({ sponsorLamportsPerDay }), (await world.open(sold ?? tier)).token, other.address)
  const limited = expect.objectContaining({ code: 'rate_limited' })

  // The business has used two approves, and a third is within its half, but not within three quarters of that.
  await expect(prepare(tier, await budgetOf(7n))).rejects.toEqual(limited)
  await renew(id, await budgetOf(7n))

  // With two of each of two other businesses, three quarters of eight are used.
  for (const sold of [second, second, third, third]) await authorize(owner, sold)
  await expect(prepare(last, await budgetOf(8n))).rejects.toEqual(limited)
  await renew(id, await budgetOf(8n))
  await expect(prepare(last, await budgetOf(10n))).resolves.toBeDefined()
}, 60_000)

test('a marketplace and its sellers share the half of one business', async () => {
  await forgetApproves()
  const marketplace = await world.addBusiness()
  const [own, first, second] = await Promise.all([
    world.tierOf(marketplace),
    world.tierOf(await world.addSeller(marketplace)),
    world.tierOf(await world.addSeller(marketplace)),
  ])
  const owner = await world.wallet(40n * UNIT, 0n)
  await authorize(owner, own)
  await authorize(owner, first)
  // Three quarters of seven approves are for checkouts: five of all businesses, and two of one.
  const sponsorLamportsPerDay = await budgetOf(7n)
  const prepare = async (sold: Tier) =>
    prepareApprove(world.servicesWith({ sponsorLamportsPerDay }), (await world.open(sold)).token, owner.address)
  for (const sold of [own, first, second]) await expect(prepare(sold)).rejects.toMatchObject({ code: 'rate_limited' })
  await expect(prepare(await world.tierOf(await world.addBusiness()))).resolves.toBeDefined()
}, 60_000)

test('a business whose subscriptions have used their budget has no new checkout, by an approve or by a text; a seller counts with its marketplace', async () => {
  await forgetApproves()
  const marketplace = await world.addBusiness()
  const seller = await world.tierOf(await world.addSeller(marketplace))
  const owner = await world.wallet(40n * UNIT, 0n)
  await authorize(owner, seller)
  const cost = await world.deps.billing.costOf(marketplace.accountId, new Date(world.clock.now().getTime() - 60_000))
  expect(cost).toBeGreaterThanOrEqual(10_000n)
  const limited = expect.objectContaining({ code: 'rate_limited', context: { retry_after_seconds: 1_800 } })
  const full = world.servicesWith({ sponsorLamportsPerBusiness: makeLamports((cost * 4n) / 3n) })
  const withRoom = await world.wallet(40n * UNIT, 40n * UNIT)
  for (const sold of [seller, await world.tierOf(marketplace)])
    for (const { address } of [owner, withRoom])
      await expect(full.prepareCheckout((await world.open(sold)).token, address)).rejects.toEqual(limited)
  const text = await world.open(seller)
  const offer = await prepareProof(world.services, text.token, withRoom.address)
  await expect(full.confirmCheckout(text.token, await answered(withRoom, offer))).rejects.toEqual(limited)

  const other = await world.open(await world.tierOf(await world.addBusiness()))
  await expect(full.prepareCheckout(other.token, owner.address)).resolves.toBeDefined()
}, 60_000)
