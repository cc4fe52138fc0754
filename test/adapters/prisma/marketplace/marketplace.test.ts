import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import type { Database } from '#adapters/prisma/engine/database.ts'
import {
  CHECKOUTS_IN_FLIGHT,
  PAYMENTS_IN_FLIGHT,
  readInFlight,
  SUBSCRIPTIONS_IN_FLIGHT,
} from '#adapters/prisma/marketplace/in-flight.ts'
import { createApplicationStore } from '#adapters/prisma/marketplace/marketplace-store.ts'
import type { Tenant } from '#core/accounts/account.ts'
import { SUBSCRIPTION_POLICY, SUBSCRIPTION_STATUSES } from '#core/billing/subscription.ts'
import { INTENT_STATUSES } from '#core/payments/payment-intent.ts'
import { STATUS_POLICY } from '#core/payments/status-policy.ts'
import { addDelegation, addSubscription, addSubscriptionIntent, addTier } from '../../../support/billing-rows.ts'
import { openTestDatabase } from '../../../support/database.ts'
import { addMarketplace, callerOf, marketplaceServices, sellerInput } from '../../../support/example-seller.ts'
import { AUTHOR } from '../../../support/keys.ts'
import { later, NOW } from '../../../support/payment.ts'
import { countBlocked, indexesOf } from '../../../support/statements.ts'
import { addBusiness, addIntent, planSweepOf, type Stores, storesOf } from '../../../support/stores.ts'
import { until } from '../../../support/until.ts'
import { addAccount } from '../../../support/webhook-rows.ts'

// The question whether a seller has money in flight reads what is in flight, and nothing that has ended.
describe('money in flight', () => {
  describe('in flight', () => {
    const ENDED = 5_000
    const ADD_ENDED = `
INSERT INTO payment_intents (id, network, account_id, caller_account_id, address, client_secret_hash, price_usd_cents,
  accepted_assets, payee_label, status, expires_at)
SELECT gen_random_uuid(), 'live', $1, $2, 'address ' || number, decode(md5($1::uuid::text || number), 'hex'), 100, '{SOL}', 'Shop',
  'swept', now()
FROM generate_series(1, $3::int) number`

    let db: Database
    let stores: Stores
    let marketplace: Tenant
    let seller: Tenant
    beforeAll(async () => {
      db = await openTestDatabase()
      stores = storesOf(db)
      marketplace = await addBusiness(db)
      seller = await addBusiness(db, 'live', marketplace.accountId)
      await db.query(ADD_ENDED, [seller.accountId, marketplace.accountId, ENDED])
    })
    afterAll(() => db.close())

    const pay = (createdAt: string) =>
      addIntent(stores, marketplace, { accountId: seller.accountId, createdAt: new Date(createdAt) })
    const setStatus = (id: string, status: string) =>
      db.query('UPDATE payment_intents SET status = $2::intent_status WHERE id = $1', [id, status])
    const read = () => db.prisma.$transaction((tx) => readInFlight(tx, seller.accountId, NOW))

    test('payments in flight are found by an index that has no ended payment, and transfers by one that has no ended transfer', async () => {
      const first = await pay('2026-11-20T12:00:00Z')
      const moving = await planSweepOf(stores, await pay('2026-11-20T12:01:00Z'))
      await setStatus(moving.id, 'swept')
      const reserve = await planSweepOf(stores, await pay('2026-11-20T12:02:00Z'), { portion: 'rent_reserve' })
      await setStatus(reserve.id, 'swept')
      await addIntent(stores, marketplace)
      await db.query('ANALYZE payment_intents, transfers')
      expect((await read()).intentIds).toEqual([moving.id, first.id])
      await db.session(async (session) => session.query('SET enable_seqscan = off'))
      const used = await indexesOf(db, { sql: PAYMENTS_IN_FLIGHT, values: [seller.accountId] })
      expect(used).toContain('payment_intents_of_sellers_in_flight')
      expect(used).toContain('transfers_under_way')
      expect(used).not.toContain('payment_intents_of_sellers')
    })

    test('the index has every status in which money is in flight, and no other', async () => {
      const [row] = await db.query<{ predicate: string }>(
        `SELECT pg_get_expr(indpred, indrelid) AS predicate FROM pg_index
     WHERE indexrelid = 'payment_intents_of_sellers_in_flight'::regclass`,
      )
      const named = INTENT_STATUSES.filter((status) => row?.predicate.includes(`'${status}'`))
      expect(named).toEqual(INTENT_STATUSES.filter((status) => STATUS_POLICY[status].isInFlight))
    })

    const at = (createdAt: Date) => ({ createdAt })
    const setApproval = (id: string, intentId: string, state: string) =>
      db.query(
        `INSERT INTO approvals (id, network, delegation_id, intent_id, subscription_id, business_id, terms, total, message, blockhash,
       last_valid_block_height, known_signature, spend_cost, state, created_at)
     SELECT gen_random_uuid(), 'live', $1, $2, gen_random_uuid(), gen_random_uuid(), '{}', 1, '', 'x', 1, 'x', 1, $3, now()`,
        [id, intentId, state],
      )

    test('subscriptions are in flight until they have ended and no charge is under way, the newest first', async () => {
      const tier = await addTier(db, seller)
      const states: Record<string, string> = {}
      for (const [number, status] of SUBSCRIPTION_STATUSES.entries()) {
        const trial = status === 'trialing' && { trialEndsAt: later(99), trialProductId: tier.productId }
        const state = { status, ...trial, ...at(later(number)) }
        const { subscription } = await addSubscription(db, tier, NOW.getTime(), state)
        states[subscription.id] = status
        await db.query(`UPDATE transfers SET status = 'done' WHERE account_id = $1 AND kind = 'charge'`, [
          tier.accountId,
        ])
      }
      const charged = await addSubscription(db, tier, NOW.getTime(), { status: 'canceled', ...at(later(60)) })
      await addSubscription(db, await addTier(db, await addBusiness(db)), NOW.getTime())
      await db.query('ANALYZE billing_subscriptions, charges, transfers')
      const { subscriptionIds } = await read()
      const ended = SUBSCRIPTION_STATUSES.filter((status) => SUBSCRIPTION_POLICY[status].isFinal)
      const expected = SUBSCRIPTION_STATUSES.filter((status) => !ended.includes(status)).toReversed()
      expect(subscriptionIds[0]).toBe(charged.subscription.id)
      expect(subscriptionIds.slice(1).map((id) => states[id])).toEqual(expected)
      const used = await indexesOf(db, { sql: SUBSCRIPTIONS_IN_FLIGHT, values: [seller.accountId] })
      expect(used).toContain('billing_subscriptions_not_ended')
      expect(used).not.toContain('billing_subscriptions_account_id_created_at_id_idx')
    })

    test('checkouts are in flight while they are open, and after their expiry while an approve of them may still land', async () => {
      const tier = await addTier(db, seller)
      const checkout = async (createdAt: Date, patch: { status?: string; expiresAt?: Date } = {}) => {
        const { id } = await addSubscriptionIntent(db, tier)
        await db.prisma.subscriptionIntent.update({ where: { id }, data: { createdAt, ...patch } })
        return id
      }
      const open = await checkout(later(10))
      const expiresAt = later(-1)
      const [approved, dead] = [await checkout(later(20), { expiresAt }), await checkout(later(30), { expiresAt })]
      const canceled = await checkout(later(40), { status: 'canceled' })
      for (const [intentId, state] of [
        [approved, 'prepared'],
        [dead, 'dead'],
        [canceled, 'sent'],
      ] as const)
        await setApproval((await addDelegation(db, tier)).id, intentId, state)
      await checkout(later(50), { status: 'completed' })
      await db.query('ANALYZE subscription_intents, approvals')
      const { subscriptionIntentIds } = await read()
      expect(subscriptionIntentIds.filter((id) => id === approved || id === open)).toEqual([approved, open])
      for (const id of [dead, canceled]) expect(subscriptionIntentIds).not.toContain(id)
      const used = await indexesOf(db, { sql: CHECKOUTS_IN_FLIGHT, values: [seller.accountId, NOW.toISOString()] })
      expect(used).toContain('subscription_intents_account_id_status_created_at_id_idx')
    })
  })

  // Payments do not wait while a marketplace creates sellers. The payments of all businesses are stored by the same statements.
  describe('sellers and payments', () => {
    let db: Database
    beforeAll(async () => {
      db = await openTestDatabase('postgresql')
    })
    afterAll(() => db.close())

    const HELD = `
INSERT INTO accounts (id, network, name, marketplace_account_id, external_id, updated_at)
VALUES (gen_random_uuid(), 'live', 'Blue Shop', $1, 'shop-17', now())`

    test('a payment for a seller does not wait for another seller that is being created', async () => {
      const sellers = marketplaceServices(db)
      const caller = await addMarketplace(db, sellers)
      const { tenant } = caller
      const { seller } = await sellers.createSeller(caller, sellerInput, async () => {})
      const stores = storesOf(db)
      const payment = {
        accountId: seller.id,
        marketplaceFeeBps: seller.marketplaceFeeBps,
        createdBy: callerOf(tenant).actor,
      }
      await db.session(async ({ query, script }) => {
        await script('BEGIN')
        await query(HELD, [tenant.accountId])
        const second = sellers.createSeller(caller, { ...sellerInput, externalId: 'shop-17' }, async () => {})
        // It has locked the marketplace, and waits for the external id.
        await until(async () => (await countBlocked(db)) > 0)
        const created = addIntent(stores, tenant, payment)
        expect(await Promise.race([created.then(() => 'created'), sleep(3_000, 'waits', { ref: false })])).toBe(
          'created',
        )
        await script('ROLLBACK')
        expect((await second).created).toBe(true)
        await created
      })
    })
  })
})

// An application and an approval at the same moment.
describe('an application', () => {
  // The embedded engine has one connection: nothing happens at the same time.
  it('an application waits for the approval of its business, and is then refused', async () => {
    const db = await openTestDatabase('postgresql')
    const accountId = await addAccount(db)
    const applications = createApplicationStore(db)
    const text = { accountId, website: 'https://bazaar.example/', sells: 'Mugs', expectedVolume: 'Many' }
    const entry = { action: 'business.applied', sellerId: null, changes: {} } as const
    const applying = await db.session(async ({ query }) => {
      await query('BEGIN')
      await query('SELECT FROM accounts WHERE id = $1 FOR NO KEY UPDATE', [accountId])
      await query(
        `INSERT INTO marketplaces (account_id, status, default_fee_bps, updated_at) VALUES ($1, 'active', 0, now())`,
        [accountId],
      )
      const applied = applications.apply(text, AUTHOR, entry)
      await until(async () => (await countBlocked(db)) > 0)
      await query('COMMIT')
      return { applied }
    })
    expect(await applying.applied).toBeNull()
    expect(await applications.find(accountId)).toBeNull()
    await db.close()
  })
})
