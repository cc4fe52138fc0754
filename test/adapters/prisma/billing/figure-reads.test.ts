// The figures of the subscriptions of a business: what is counted, and for whom.
import { beforeAll, expect, test } from 'vitest'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createTenantReads } from '#adapters/prisma/tenant-reads.ts'
import type { Tenant } from '#core/accounts/account.ts'
import type { BillingSubscription } from '#core/billing/subscription.ts'
import { addSubscription, addSubscriptionOn, addTier } from '../../../support/billing-rows.ts'
import { describeOnBothEngines } from '../../../support/database.ts'
import { NOW, units } from '../../../support/payment.ts'
import { addBusiness } from '../../../support/stores.ts'

const DOLLAR = 1_000_000n
const day = (days: number): Date => new Date(NOW.getTime() + days * 86_400_000)
const range = (from: number, to: number) => ({ from: day(from), to: day(to) })

describeOnBothEngines('the figures of subscriptions', (open) => {
  let db: Database
  beforeAll(async () => {
    db = await open()
  })
  const figures = (tenant: Tenant) => createTenantReads(db.prisma)(tenant).subscriptionFigures
  const add = async (tenant: Tenant, patch: Partial<BillingSubscription> = {}) =>
    await addSubscription(db, await addTier(db, tenant), NOW.getTime(), patch)

  test('count in each range what began and ended, of the business alone, and nothing that never began', async () => {
    const [mine, other] = [await addBusiness(db), await addBusiness(db)]
    await add(mine, { activatedAt: day(1) })
    await add(mine, { activatedAt: day(2), endedAt: day(40), status: 'canceled', nextChargeAt: null })
    await add(mine, { activatedAt: null, endedAt: day(3), status: 'failed', nextChargeAt: null })
    await add(other, { activatedAt: day(1), endedAt: day(2), status: 'canceled', nextChargeAt: null })
    const ranges = [range(0, 31), range(31, 62)]
    expect(await figures(mine).movements(ranges)).toEqual([
      { ...range(0, 31), begun: 2, ended: 0 },
      { ...range(31, 62), begun: 0, ended: 1 },
    ])
    // The begin of a range is in it, and its end is not.
    expect(await figures(mine).movements([range(1, 2)])).toEqual([{ ...range(1, 2), begun: 1, ended: 0 }])
  })

  test('count failed charges by their reason, the most frequent first, without those that were made since', async () => {
    const [mine, other] = [await addBusiness(db), await addBusiness(db)]
    const fail = async (tenant: Tenant, failureCode: string, status = 'failed') => {
      const { charge } = await add(tenant)
      await db.prisma.charge.update({ where: { id: charge.id }, data: { failureCode, status, settledAt: null } })
    }
    await fail(mine, 'delegate_revoked')
    await fail(mine, 'insufficient_funds')
    await fail(mine, 'insufficient_funds', 'canceled')
    await fail(mine, 'account_frozen', 'succeeded')
    await fail(other, 'account_closed')
    expect(await figures(mine).failures(range(-1, 1))).toEqual([
      { failureCode: 'insufficient_funds', count: 2, usdCents: 200n },
      { failureCode: 'delegate_revoked', count: 1, usdCents: 100n },
    ])
    expect(await figures(mine).failures(range(1, 2))).toEqual([])
  })

  test('forecast the next try and every later period, until what is authorized is used up', async () => {
    const mine = await addBusiness(db)
    const weekly = await addTier(db, mine, { interval: 'week' })
    const next = { interval: 'week', nextChargeAt: day(2), currentPeriodEnd: day(2) } as const
    await addSubscription(db, weekly, NOW.getTime(), { ...next, spentAmount: units(9n * DOLLAR) })
    await add(await addBusiness(db), { nextChargeAt: day(2), currentPeriodEnd: day(2) })
    const ranges = [range(0, 10), range(10, 20), range(20, 30)]
    const counted = (count: number) => ({ count, usdCents: BigInt(count * 100), coveredUsdCents: BigInt(count * 100) })
    expect(await figures(mine).forecast(ranges)).toEqual([
      { ...range(0, 10), ...counted(2) },
      { ...range(10, 20), ...counted(1) },
      { ...range(20, 30), ...counted(0) },
    ])
  })

  test('forecast nothing for a subscription that is stopped, or ends with its period', async () => {
    const mine = await addBusiness(db)
    await add(mine, { status: 'paused', nextChargeAt: null })
    await add(mine, { cancelAtPeriodEnd: true, nextChargeAt: null })
    await add(mine, { status: 'canceled', nextChargeAt: null, endedAt: NOW })
    expect(await figures(mine).forecast([range(0, 30)])).toMatchObject([{ count: 0, usdCents: 0n }])
  })

  test('count as covered what the allowance of the wallet covers, in the order of time, and no charge after a failure', async () => {
    const mine = await addBusiness(db)
    const tier = await addTier(db, mine)
    const allowance = { chainAllowance: units(DOLLAR) }
    const due = (days: number) => ({ nextChargeAt: day(days), currentPeriodEnd: day(days) })
    const { delegation } = await addSubscription(db, tier, NOW.getTime(), due(3), allowance)
    await addSubscriptionOn(db, tier, NOW.getTime(), delegation, due(2))
    await add(mine, { status: 'past_due', nextChargeAt: day(1), currentPeriodEnd: day(29) })
    expect(await figures(mine).forecast([range(0, 2.5), range(2.5, 20)])).toMatchObject([
      { count: 2, usdCents: 200n, coveredUsdCents: 100n },
      { count: 1, usdCents: 100n, coveredUsdCents: 0n },
    ])
  })
})
