import type { KeyPairSigner } from '@solana/kit'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTenantReads } from '#adapters/prisma/tenant-reads.ts'
import { type Tenant, tenantOf } from '#core/accounts/account.ts'
import { OVER_BUSINESS_BUDGET } from '#core/billing/business-budget.ts'
import { MINUTE_MS } from '#core/billing/calendar.ts'
import type { Charge } from '#core/billing/charge.ts'
import type { Tier } from '#core/billing/tier.ts'
import { makeAddress } from '#core/chain/base58.ts'
import { makeBasisPoints } from '#core/money/amounts.ts'
import { pause, resume } from '../../support/charge.ts'
import { type ChargingWorld, startChargingWorld, UNIT } from '../../support/charging-world.ts'
import { prepareApprove, signedBy, startCheckoutWorld } from '../../support/checkout-world.ts'
import { until } from '../../support/until.ts'

const DAY_MS = 86_400_000

// What the subscriptions of one business may cost the fee payer. Beyond it, charges wait, and nothing is lost.
describe('the budget of a business', () => {
  // A real chain takes its time on a busy machine.
  vi.setConfig({ testTimeout: 60_000 })

  const MINUTE_MS = 60_000
  const AMPLE = 1_000_000_000n

  let world: ChargingWorld
  beforeAll(async () => {
    world = await startChargingWorld()
  })
  afterAll(() => world.stop())

  const chargeOf = async (id: string) => {
    const { charge } = await world.facts(id)
    if (charge === null) throw new Error('no charge')
    return charge
  }
  const paid = (id: string, period: number) => async () => {
    const { charge } = await chargeOf(id)
    return charge.periodIndex === period && charge.status === 'succeeded'
  }
  const costOf = ({ accountId }: Pick<Tenant, 'accountId'>) =>
    world.parts.billing.costOf(accountId, new Date(world.clock.now().getTime() - DAY_MS))

  /** A daily tier of which the platform takes nothing, unless the patch says so. */
  const daily = (tenant: Tenant, patch: Partial<Tier> = { platformFeeBps: makeBasisPoints(0), platformWallet: null }) =>
    world.tier(tenant, { interval: 'day', ...patch })

  /** A subscription whose first charge has succeeded. */
  async function active(tier: Tier) {
    const owner = await world.wallet(12n * UNIT, 12n * UNIT)
    const id = await world.subscribe(tier, owner)
    await world.workUntil(paid(id, 0))
    return { id, owner }
  }

  async function expectWaiting(id: string): Promise<void> {
    for (let rounds = 0; rounds < 3; rounds += 1) await world.round()
    const { charge, transfer } = await chargeOf(id)
    expect(charge).toMatchObject({ status: 'pending', failureCode: null })
    expect(transfer.status).toBe('in_progress')
    const { reason, nextAttemptAt: until } = await world.db.prisma.transfer.findUniqueOrThrow({
      where: { id: transfer.id },
    })
    expect(reason).toBe(OVER_BUSINESS_BUDGET.reason)
    expect(await shownWaiting(charge)).toEqual({ reason: 'business_budget', until })
  }

  /** Why the charge waits, as its business reads it. */
  async function shownWaiting({ id, accountId }: Pick<Charge, 'id' | 'accountId'>) {
    const tenant = tenantOf({ id: accountId, network: 'live' })
    const { waiting } = await createTenantReads(world.db.prisma)(tenant).charge.findUniqueOrThrow({ where: { id } })
    return waiting
  }

  test('beyond the budget of a business its next periods wait, those of others do not, and nothing is lost', async () => {
    world.limitBusinesses(AMPLE)
    const tenant = await world.addBusiness()
    const tier = await daily(tenant)
    const { id } = await active(tier)
    const before = await costOf(tenant)
    world.sleep(DAY_MS / 2)
    await active(tier)
    // The budget without its reserve is what the second subscription has cost.
    world.limitBusinesses((((await costOf(tenant)) - before) * 4n) / 3n)
    // One percent of a dollar is a cent, so these charges do not count.
    const repaying = await daily(await world.addBusiness(), {})
    const other = await active(repaying)
    expect(await costOf(repaying)).toBe(0n)
    world.sleep(DAY_MS / 2)
    await expectWaiting(id)
    expect((await chargeOf(id)).charge).toMatchObject({ periodIndex: 1, attempts: 0 })
    expect((await world.facts(id)).subscription).toMatchObject({ status: 'active', pastDueSince: null })
    world.sleep(DAY_MS / 2)
    await world.workUntil(paid(other.id, 1))
    // The charges of 24 hours ago are out of the budget now.
    await world.workUntil(paid(id, 1))
    expect(await shownWaiting((await chargeOf(id)).charge)).toBeNull()
    const begun = ['subscription.created', 'subscription.activated', 'subscription.updated']
    expect(await world.events(id)).toEqual(begun)
    expect(world.errors).toEqual([])
  })

  test('the reserve is for first charges, and for charges that have failed before', async () => {
    world.limitBusinesses(AMPLE)
    const tenant = await world.addBusiness()
    const tier = await daily(tenant)
    await active(tier)
    world.limitBusinesses(((await costOf(tenant)) * 4n) / 3n)
    const broke = await world.wallet(0n, 12n * UNIT)
    const failing = await world.subscribe(tier, broke)
    await world.workUntil(async () => (await chargeOf(failing)).charge.status === 'failed')
    await active(tier)
    await world.tools.fundToken(world.mint, broke.address, 12n * UNIT)
    world.sleep(5 * MINUTE_MS)
    await world.workUntil(paid(failing, 0))
    world.limitBusinesses(await costOf(tenant))
    const last = await world.subscribe(tier, await world.wallet(12n * UNIT, 12n * UNIT))
    await expectWaiting(last)
    expect(world.errors).toEqual([])
  })

  test('the reserve is for the next period of a past-due subscription, too', async () => {
    world.limitBusinesses(AMPLE)
    const tenant = await world.addBusiness()
    const tier = await daily(tenant)
    const owner = await world.wallet(UNIT, 12n * UNIT)
    const id = await world.subscribe(tier, owner)
    await world.workUntil(paid(id, 0))
    world.sleep(DAY_MS)
    await world.workUntil(async () => (await chargeOf(id)).charge.status === 'failed')
    world.sleep(DAY_MS - 10 * MINUTE_MS)
    await active(tier)
    world.limitBusinesses(1n)
    world.sleep(10 * MINUTE_MS)
    await expectWaiting(id)
    expect((await chargeOf(id)).charge).toMatchObject({ periodIndex: 2, attempts: 0 })
    expect((await world.facts(id)).subscription.status).toBe('past_due')
    await world.tools.fundToken(world.mint, owner.address, 12n * UNIT)
    world.limitBusinesses(((await costOf(tenant)) * 4n) / 3n)
    world.sleep(OVER_BUSINESS_BUDGET.afterMs)
    await world.workUntil(paid(id, 2))
    expect(world.errors).toEqual([])
  })

  test('tokens that the fee payer receives are no cost', async () => {
    world.limitBusinesses(AMPLE)
    const tenant = await world.addBusiness()
    const [feePayer] = await world.db.query<{ address: string }>(
      `SELECT address FROM ledger_entries WHERE kind = 'charge' LIMIT 1`,
      [],
    )
    await active(
      await daily(tenant, {
        platformFeeBps: makeBasisPoints(50),
        platformWallet: makeAddress(feePayer?.address ?? ''),
      }),
    )
    expect(await costOf(tenant)).toBeGreaterThan(2_000_000n)
    const entries = await world.db.prisma.ledgerEntry.findMany({ where: { sponsoredId: tenant.accountId } })
    expect(entries.map(({ asset }) => asset).toSorted()).toEqual([world.mint.mint, 'SOL'].toSorted())
  })

  test('a charge that fails on the chain counts, whatever the platform would have received', async () => {
    world.limitBusinesses(AMPLE)
    const tenant = await world.addBusiness()
    const owner = await world.wallet(12n * UNIT, 12n * UNIT)
    const id = await world.subscribe(await daily(tenant, {}), owner)
    world.beforeSend(() => world.revoke(owner))
    await world.workUntil(async () => (await chargeOf(id)).charge.status === 'failed')
    expect(await costOf(tenant)).toBeGreaterThanOrEqual(10_000n)
  })
})

// Subscriptions that share an allowance which does not cover all of them, on a chain.
describe('an allowance that does not cover all', () => {
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
})
