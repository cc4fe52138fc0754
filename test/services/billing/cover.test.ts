// Subscriptions that share an allowance which does not cover all of them, on a chain.
import type { KeyPairSigner } from '@solana/kit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MINUTE_MS } from '#core/billing/calendar.ts'
import type { Tier } from '#core/billing/tier.ts'
import { pause, resume } from '../../support/charge.ts'
import { UNIT } from '../../support/charging-world.ts'
import { prepareApprove, signedBy, startCheckoutWorld } from '../../support/checkout-world.ts'
import { until } from '../../support/until.ts'

const DAY_MS = 86_400_000

let world: Awaited<ReturnType<typeof startCheckoutWorld>>
let yearly: Tier
let daily: Tier

beforeAll(async () => {
  world = await startCheckoutWorld()
  yearly = await world.tier(await world.addBusiness(), { interval: 'year' })
  daily = await world.tier(await world.addBusiness(), { interval: 'day' })
})
afterAll(() => world.stop())

const statusOf = async (id: string) => (await world.facts(id)).subscription.status
const chargeOf = async (id: string) => (await world.facts(id)).charge?.charge

/** A checkout that the wallet has completed by an approve. Returns the id of its subscription, and the token of its page. */
async function completed(tier: Tier, owner: KeyPairSigner) {
  const { token } = await world.open(tier)
  const offer = await prepareApprove(world.services, token, owner.address)
  const given = { subscriptionId: offer.subscriptionId, transaction: await signedBy(owner, offer) }
  await until(async () => (await world.services.activateCheckout(token, given)).status === 'completed')
  return { id: offer.subscriptionId, token }
}

async function active(tier: Tier, owner: KeyPairSigner): Promise<string> {
  const { id } = await completed(tier, owner)
  await world.workUntil(async () => (await statusOf(id)) === 'active')
  return id
}

test('a subscription that is resumed without cover is revoked, and takes nothing of what covers an older one', async () => {
  const owner = await world.wallet(100n * UNIT, 0n)
  const older = await active(yearly, owner)
  const younger = await active(daily, owner)
  await world.decide(younger, pause)
  await world.approve(owner, 11n * UNIT, world.delegate)
  await world.checkDelegations()
  expect([await statusOf(older), await statusOf(younger)]).toEqual(['active', 'paused'])
  world.sleep(DAY_MS)
  await world.decide(younger, resume)
  await world.workUntil(async () => (await statusOf(younger)) === 'revoked')
  expect(await chargeOf(younger)).toMatchObject({ failureCode: 'allowance_insufficient', signature: null })
  await world.checkDelegations()
  expect(await statusOf(older)).toBe('active')
  expect(await world.tools.tokensOf(owner.address, world.mint)).toBe(98n * UNIT)
  expect(world.errors).toEqual([])
})

test('a first charge that succeeds lets rounds read a delegation again that they found without cover', async () => {
  const owner = await world.wallet(1n, 0n)
  const { id, token } = await completed(daily, owner)
  const firstCharge = async () => (await world.services.readCheckout(token)).firstCharge
  await world.workUntil(async () => (await firstCharge())?.failureCode === 'insufficient_funds')
  await world.revoke(owner)
  await world.checkDelegations()
  expect((await world.facts(id)).delegation.status).toBe('revoked')
  await world.approve(owner, 12n * UNIT, world.delegate)
  await world.tools.fundToken(world.mint, owner.address, 20n * UNIT)
  world.sleep(MINUTE_MS)
  await world.services.retryCheckout(token)
  await world.workUntil(async () => (await statusOf(id)) === 'active')
  await world.checkDelegations()
  expect((await world.facts(id)).delegation).toMatchObject({ status: 'active', chainAllowance: 11n * UNIT })
  await world.revoke(owner)
  await world.checkDelegations()
  expect(await statusOf(id)).toBe('revoked')
  expect(world.errors).toEqual([])
})

test('a first charge without cover needs another approval, and takes nothing of what covers an older subscription', async () => {
  const owner = await world.wallet(UNIT, 0n)
  const older = await active(yearly, owner)
  const { id, token } = await completed(daily, owner)
  const firstCharge = async () => (await world.services.readCheckout(token)).firstCharge
  await world.workUntil(async () => (await firstCharge())?.failureCode === 'insufficient_funds')
  await world.approve(owner, 11n * UNIT, world.delegate)
  await world.tools.fundToken(world.mint, owner.address, 100n * UNIT)
  world.sleep(MINUTE_MS)
  await world.services.retryCheckout(token)
  await world.workUntil(async () => (await firstCharge())?.failureCode === 'allowance_insufficient')
  expect(await firstCharge()).toMatchObject({ status: 'failed', recoveryAction: 'reapprove' })
  await world.checkDelegations()
  expect([await statusOf(older), await statusOf(id)]).toEqual(['active', 'incomplete'])
  expect((await prepareApprove(world.services, token, owner.address)).amount).toBe(23n * UNIT)
  expect(world.errors).toEqual([])
})
