import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createBillingStore } from '#adapters/prisma/billing/billing-store.ts'
import { createDelegationStore } from '#adapters/prisma/billing/delegation-store.ts'
import { createLiveSubscriptions } from '#adapters/prisma/billing/live-subscriptions.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createTenantReads } from '#adapters/prisma/tenant-reads.ts'
import type { Tenant } from '#core/accounts/account.ts'
import { discountOf } from '#core/billing/coupon.ts'
import { startChange, step } from '#core/billing/machine/change.ts'
import type { BillingSubscription } from '#core/billing/subscription.ts'
import type { BillingStore, DelegationStore } from '#ports/billing.ts'
import { addCoupon, addSubscription, addSubscriptionOn, addTier } from '../../../support/billing-rows.ts'
import { describeOnBothEngines, openTestDatabase, type Statement } from '../../../support/database.ts'
import { later, NOW, units } from '../../../support/payment.ts'
import { indexesOf } from '../../../support/statements.ts'
import { addBusiness } from '../../../support/stores.ts'
import { until } from '../../../support/until.ts'

// The facts of a decision about a subscription are found by indexes, so that a decision costs the same at any size.
describe('facts of a decision', () => {
  describe('facts', () => {
    let db: Database
    const statements: Statement[] = []
    let store: BillingStore
    beforeAll(async () => {
      db = await openTestDatabase()
      store = createBillingStore({
        ...db,
        query(sql, values = []) {
          statements.push({ sql, values })
          return db.query(sql, values)
        },
      })
    })
    afterAll(() => db.close())

    test.each(['facts', 'factsOfCharge'] as const)(
      '%s finds the transfer of a charge by an index of such transfers',
      async (read) => {
        const { subscription, charge } = await addSubscription(db, await addTier(db, await addBusiness(db)), Date.now())
        statements.length = 0
        const facts = await store[read](read === 'facts' ? subscription.id : charge.id)
        expect(facts?.charge?.transfer.subject.id).toBe(charge.id)
        // The tables of a test are too small for an index to be worth it.
        await db.session((session) => session.query('SET enable_seqscan = off'))
        expect(await indexesOf(db, statements[0])).toContain('transfers_of_billing')
      },
    )
  })

  // Delegations are read by indexes: a round costs the same however many there are, and an approve however many wallets.
  describe('delegation indexes', () => {
    let db: Database
    const statements: Statement[] = []
    let store: DelegationStore
    beforeAll(async () => {
      db = await openTestDatabase()
      store = createDelegationStore({
        ...db,
        query(sql, values = []) {
          statements.push({ sql, values })
          return db.query(sql, values)
        },
      })
      await addSubscription(db, await addTier(db, await addBusiness(db)), NOW.getTime())
      // The tables of a test are too small for an index to be worth it.
      await db.session((session) => session.query('SET enable_seqscan = off'))
    })
    afterAll(() => db.close())

    test('old readings, those of the future and the last ones are found by the indexes of readings', async () => {
      expect(await store.stale('live', { before: NOW, now: later(60) }, 10)).toHaveLength(1)
      expect(await indexesOf(db, statements.pop())).toEqual([
        'delegations_stale',
        'delegations_stale',
        'delegations_ended_unread',
      ])
    })

    test('the pulls after a slot are found by the subscriptions of the delegation', async () => {
      const { id } = await db.prisma.delegation.findFirstOrThrow()
      expect(await store.pullsAfter(id, 100n)).toEqual([])
      const indexes = await indexesOf(db, statements.pop())
      expect(indexes).toContain('billing_subscriptions_delegation_id_idx')
      expect(indexes).toContain('transfer_attempts_signature_key')
    })
  })
})

// The figures of the subscriptions of a business: what is counted, and for whom.
describeOnBothEngines('the figures of subscriptions', (open) => {
  const DOLLAR = 1_000_000n
  const day = (days: number): Date => new Date(NOW.getTime() + days * 86_400_000)
  const range = (from: number, to: number) => ({ from: day(from), to: day(to) })

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

  test('forecast what is left of a discount first, and count the rest of the slice by these prices', async () => {
    const mine = await addBusiness(db)
    const weekly = await addTier(db, mine, { interval: 'week' })
    const coupon = await addCoupon(db, mine)
    const next = { interval: 'week', nextChargeAt: day(2), currentPeriodEnd: day(2) } as const
    const discount = { couponId: coupon.id, discount: discountOf(coupon), discountedAmount: units(DOLLAR / 2n) }
    const left = { authorizedAmount: units(4n * DOLLAR), spentAmount: units(2n * DOLLAR) }
    // Two halves and one whole charge.
    await addSubscription(db, weekly, NOW.getTime(), { ...next, ...discount, ...left, discountedPeriods: 2 })
    const counted = (count: number, usdCents: bigint) => ({ count, usdCents, coveredUsdCents: usdCents })
    expect(await figures(mine).forecast([range(0, 10), range(10, 20), range(20, 30)])).toMatchObject([
      counted(2, 100n),
      counted(1, 100n),
      counted(0, 0n),
    ])
    const forAll = { ...discount, ...left, discountedPeriods: null }
    const other = await addBusiness(db)
    const daily = await addTier(db, other, { interval: 'day' })
    const theirs = await addCoupon(db, other)
    const days = { ...next, interval: 'day', couponId: theirs.id } as const
    await addSubscription(db, daily, NOW.getTime(), { ...forAll, ...days })
    expect(await figures(other).forecast([range(0, 30)])).toMatchObject([counted(4, 200n)])
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

// Live status of a subscription: its present state, then every later one, each once and in order.
describe('live status of a subscription', () => {
  let db: Database
  let id: string
  beforeAll(async () => {
    db = await openTestDatabase()
  })
  afterAll(() => db.close())
  beforeEach(async () => {
    const tier = await addTier(db, await addBusiness(db))
    id = (await addSubscription(db, tier, NOW.getTime())).subscription.id
  })

  /** Changes the subscription once more, with an event or without. */
  async function change(event: 'subscription.updated' | null): Promise<void> {
    const store = createBillingStore(db)
    const facts = await store.facts(id)
    if (facts === null) throw new Error('no subscription')
    const next = step(startChange(facts.subscription), facts, {}, NOW, event)
    expect(await store.apply(next, facts.delegation)).toBe(true)
  }

  /** Follows the subscription, and collects the versions that it receives. */
  async function follow(database: Database = db) {
    const live = await createLiveSubscriptions(database)
    const controller = new AbortController()
    const states: BillingSubscription[] = []
    const ended = (async () => {
      for await (const state of live.follow(id, controller.signal)) states.push(state)
    })()
    await until(() => states.length === 1)
    const first = states[0]?.version ?? 0
    return {
      /** The versions after the present one. */
      later: () => states.slice(1).map(({ version }) => version - first),
      async end() {
        controller.abort()
        await ended
        await live.close()
      },
    }
  }

  test('skips none of many changes, and repeats none', async () => {
    const follower = await follow()
    for (let count = 0; count < 60; count += 1) await change('subscription.updated')
    await until(() => follower.later().length === 60)
    expect(follower.later()).toEqual(Array.from({ length: 60 }, (_, at) => at + 1))
    await follower.end()
  })

  test('shows a change without an event as well', async () => {
    const follower = await follow()
    await change(null)
    await until(() => follower.later().length === 1)
    await change('subscription.updated')
    await until(() => follower.later().length === 2)
    expect(follower.later()).toEqual([1, 2])
    await follower.end()
  })

  test('reads again when the connection of notices is back, without missing a state', async () => {
    let isBack = () => {}
    const deaf: Database = {
      ...db,
      async listen(_channel, _onNotice, onReconnect = () => {}) {
        isBack = onReconnect
        return async () => {}
      },
    }
    const follower = await follow(deaf)
    for (let count = 0; count < 3; count += 1) await change('subscription.updated')
    expect(follower.later()).toEqual([])
    isBack()
    await until(() => follower.later().length === 3)
    await follower.end()
  })

  test('ends at once for a subscription that does not exist', async () => {
    const live = await createLiveSubscriptions(db)
    const unknown = 'f47ac10b-58cc-4372-a567-0e02b2c3d479'
    for await (const _ of live.follow(unknown, new AbortController().signal)) throw new Error('not expected here')
    await live.close()
  })
})
