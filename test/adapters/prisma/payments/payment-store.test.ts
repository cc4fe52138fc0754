import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { INTENT_CHANGED, INTENTS_CREATED } from '#adapters/prisma/engine/notices.ts'
import { createIntentWorkStore } from '#adapters/prisma/payments/change-store.ts'
import { createIntentChanges } from '#adapters/prisma/payments/payment-changes.ts'
import { createIntentStore } from '#adapters/prisma/payments/payment-store.ts'
import { type Tenant, tenantOf } from '#core/accounts/account.ts'
import { keyActor } from '#core/accounts/audit.ts'
import { makeBasisPoints, makeUsdCents } from '#core/money/amounts.ts'
import { startChange, step } from '#core/payments/change.ts'
import { intentFromJson } from '#core/payments/payment-intent.ts'
import type { IntentChanges, IntentWorkStore } from '#ports/payments.ts'
import {
  describeOnBothEngines,
  emptyTables,
  openRecordedDatabase,
  openTestDatabase,
  type Statement,
} from '../../../support/database.ts'
import { MINT } from '../../../support/example-intent.ts'
import { addMarketplace, marketplaceServices } from '../../../support/example-seller.ts'
import { later, leg, MARKETPLACE, NOW } from '../../../support/payment.ts'
import { indexesOf } from '../../../support/statements.ts'
import { addBusiness, addIntent, newIntent, patchIntent, type Stores, storesOf } from '../../../support/stores.ts'
import { until } from '../../../support/until.ts'
import { addEndpoint } from '../../../support/webhook-rows.ts'

// Creating and finding intents: one for each reference, and each business finds its own.
describeOnBothEngines('the intent store', (open) => {
  let db: Database
  let stores: Stores
  let tenant: Tenant
  beforeAll(async () => {
    db = await open()
    stores = storesOf(db)
  })
  beforeEach(async () => {
    await emptyTables(db, 'accounts')
    tenant = await addBusiness(db)
  })
  const count = async (table: 'payment_intents' | 'events' | 'webhook_deliveries') => {
    const [row] = await db.query<{ count: bigint }>(`SELECT count(*) FROM ${table}`)
    return Number(row?.count)
  }

  describe('a create', () => {
    test('stores the draft, and finds it again', async () => {
      const draft = await newIntent(stores, tenant, {
        reference: 'order-1',
        priceUsdCents: makeUsdCents(Number.MAX_SAFE_INTEGER),
        acceptedAssets: [MINT, 'SOL'],
        marketplaceFeeBps: makeBasisPoints(125),
        payeeLabel: 'Ünï "Mugs" \\ \u{1F600}',
        customerDetails: { first_name: 'Ada', address: { country: 'GB' } },
      })
      const { clientSecretHash, createdBy: _, ...given } = draft
      const { intent, created } = await stores.intents.create(tenant, draft)
      expect(created).toBe(true)
      expect(intent).toMatchObject({
        ...given,
        network: 'live',
        callerAccountId: tenant.accountId,
        status: 'pending',
        version: 1,
      })
      expect(await stores.intents.findByIndex(tenant, draft.derivationIndex)).toEqual(intent)
      expect(await stores.intents.findByReference(tenant, 'order-1')).toEqual(intent)
      expect(await stores.checkout.findByClientSecretHash(clientSecretHash)).toEqual(intent)
      expect(await stores.work.facts(draft.id)).toMatchObject({ intent, deposits: [], transfers: [] })
    })

    test('stages one event with the stored intent for the endpoints of the business', async () => {
      await addEndpoint(db, tenant.accountId)
      await addEndpoint(db, (await addBusiness(db)).accountId)
      const intent = await addIntent(stores, tenant)
      const events = await db.query<{ type: string; data: unknown }>('SELECT type, data FROM events')
      expect(events).toHaveLength(1)
      expect(events[0]?.type).toBe('intent.created')
      expect(intentFromJson(events[0]?.data)).toEqual(intent)
      expect(await count('webhook_deliveries')).toBe(1)
    })

    test('needs a payee that exists, the business itself or a seller, and keeps it', async () => {
      const stranger = tenantOf({ id: randomUUID(), network: 'live' })
      for (const caller of [tenant, stranger]) {
        const draft = await newIntent(stores, caller, { accountId: stranger.accountId })
        await expect(stores.intents.create(caller, draft)).rejects.toThrow('violates foreign key constraint')
      }
      const seller = await addBusiness(db, 'live', tenant.accountId)
      await addIntent(stores, tenant, { accountId: seller.accountId })
      await expect(db.query('DELETE FROM accounts WHERE id = $1::uuid', [seller.accountId])).rejects.toThrow(
        'payment_intents_seller_account_id_fkey',
      )
    })

    test('sends a notice of every id, also of many at once', async () => {
      const heard = new Set<string>()
      const stop = await db.listen(INTENTS_CREATED, (ids) => {
        for (const id of ids.split(',')) heard.add(id)
      })
      const intents = await Promise.all(Array.from({ length: 200 }, () => addIntent(stores, tenant)))
      // A notice of an earlier test may still be on its way.
      await until(() => intents.every(({ id }) => heard.has(id)))
      await stop()
    })
  })

  describe('a reference', () => {
    test('creates one intent for a hundred concurrent requests, in one instance or two', async () => {
      const other = createIntentStore(db)
      const drafts = await Promise.all(
        Array.from({ length: 100 }, () => newIntent(stores, tenant, { reference: 'order-1' })),
      )
      const answers = await Promise.all(
        drafts.map((draft, at) => (at % 2 === 0 ? stores.intents : other).create(tenant, draft)),
      )
      expect(answers.filter(({ created }) => created)).toHaveLength(1)
      expect(new Set(answers.map(({ intent }) => intent.id)).size).toBe(1)
      expect(await count('payment_intents')).toBe(1)
      expect(await count('events')).toBe(1)
      const first = answers.find(({ created }) => created)
      const draft = drafts.find(({ id }) => id === first?.intent.id)
      // The only secret that was returned finds it.
      expect(await stores.checkout.findByClientSecretHash(draft?.clientSecretHash ?? randomBytes(32))).toEqual(
        first?.intent,
      )
    })

    test('again returns the stored intent in its current state, whatever the draft', async () => {
      const first = await addIntent(stores, tenant, { reference: 'order-1' })
      const swept = await patchIntent(stores.work, first, { status: 'swept' })
      const draft = await newIntent(stores, tenant, { reference: 'order-1', priceUsdCents: makeUsdCents(1) })
      expect(await stores.intents.create(tenant, draft)).toEqual({ intent: swept, created: false })
    })

    test('belongs to its business, including its sellers’ payments, and to no other', async () => {
      const seller = await addBusiness(db, 'live', tenant.accountId)
      const first = await addIntent(stores, tenant, { reference: 'order-1', accountId: seller.accountId })
      expect((await addIntent(stores, tenant, { reference: 'order-1' })).id).toBe(first.id)
      const other = await addIntent(stores, await addBusiness(db), { reference: 'order-1' })
      expect(other.id).not.toBe(first.id)
    })

    test('may be left out any number of times', async () => {
      await Promise.all(Array.from({ length: 20 }, () => addIntent(stores, tenant)))
      expect(await count('payment_intents')).toBe(20)
    })

    test('may be any text', async () => {
      for (const reference of ['', ' ', `'; DROP TABLE accounts; --`, '{}', '\\', 'a'.repeat(1_000)]) {
        const intent = await addIntent(stores, tenant, { reference })
        expect(await stores.intents.findByReference(tenant, reference)).toEqual(intent)
      }
    })
  })

  test('a bad row of a batch fails alone', async () => {
    const drafts = await Promise.all(Array.from({ length: 20 }, () => newIntent(stores, tenant)))
    const bad = { ...drafts[7], derivationIndex: 0 }
    const answers = await Promise.allSettled(
      drafts.map((draft, at) => stores.intents.create(tenant, at === 7 ? { ...draft, ...bad } : draft)),
    )
    expect(answers.flatMap(({ status }, at) => (status === 'rejected' ? [at] : []))).toEqual([7])
    expect(await count('payment_intents')).toBe(19)
    expect(await count('events')).toBe(19)
  })

  describe('an index', () => {
    test('is unique, never zero, and increases', async () => {
      const blocks = await Promise.all(Array.from({ length: 10 }, () => stores.intents.reserveIndexes(50)))
      const all = blocks.flat()
      expect(new Set(all).size).toBe(500)
      expect(Math.min(...all)).toBeGreaterThan(0)
      for (const block of blocks) expect(block).toEqual([...block].sort((a, b) => a - b))
    })

    test.each([0, -1, 2 ** 31 - 1])('of no intent, %d, finds nothing', async (index) => {
      expect(await stores.intents.findByIndex(tenant, index)).toBeNull()
    })
  })

  describe('a business', () => {
    test('finds no intent of another business', async () => {
      const intent = await addIntent(stores, tenant, { reference: 'order-1' })
      const other = await addBusiness(db)
      expect(await stores.intents.findByIndex(other, intent.derivationIndex)).toBeNull()
      expect(await stores.intents.findByReference(other, 'order-1')).toBeNull()
    })

    test('finds no own intent on the other network', async () => {
      const intent = await addIntent(stores, tenant, { reference: 'order-1' })
      const elsewhere = tenantOf({ id: tenant.accountId, network: 'test' })
      expect(await stores.intents.findByIndex(elsewhere, intent.derivationIndex)).toBeNull()
      expect(await stores.intents.findByReference(elsewhere, 'order-1')).toBeNull()
    })

    test('finds the intents for its sellers, which the seller finds too, and another seller does not', async () => {
      const seller = await addBusiness(db, 'live', tenant.accountId)
      const rival = await addBusiness(db, 'live', tenant.accountId)
      const intent = await addIntent(stores, tenant, { accountId: seller.accountId })
      const find = (who: Tenant) => stores.intents.findByIndex(who, intent.derivationIndex)
      expect([await find(tenant), await find(seller), await find(rival)]).toEqual([intent, intent, null])
    })
  })

  test('concurrent lookups are answered to their own callers', async () => {
    const other = await addBusiness(db)
    const intents = await Promise.all(Array.from({ length: 30 }, () => addIntent(stores, tenant)))
    const asked = [...intents, ...intents.slice(0, 5)].flatMap(({ derivationIndex: index }) => [
      { asker: tenant, index },
      { asker: other, index },
      { asker: tenant, index: index + 1_000_000 },
    ])
    const found = await Promise.all(asked.map(({ asker, index }) => stores.intents.findByIndex(asker, index)))
    expect(found).toEqual(
      asked.map(({ asker, index }) =>
        asker === tenant ? (intents.find(({ derivationIndex }) => derivationIndex === index) ?? null) : null,
      ),
    )
  })

  describe('a client secret', () => {
    test('finds its intent, and another secret finds none', async () => {
      const draft = await newIntent(stores, tenant)
      await stores.intents.create(tenant, draft)
      expect(await stores.checkout.findByClientSecretHash(draft.clientSecretHash)).toMatchObject({ id: draft.id })
      expect(await stores.checkout.findByClientSecretHash(randomBytes(32))).toBeNull()
    })
  })

  describe('details of the buyer', () => {
    test('are saved only when the intent is unchanged since it was read', async () => {
      const intent = await addIntent(stores, tenant)
      const details = (email: string) => step(startChange(intent), { customerDetails: { email } }, later(5), null)
      expect(await stores.work.apply(details('ada@example.org'))).toBe(true)
      expect(await stores.work.apply(details('eve@example.org'))).toBe(false)
      expect((await stores.work.facts(intent.id))?.intent).toEqual({
        ...intent,
        customerDetails: { email: 'ada@example.org' },
        version: 2,
        updatedAt: later(5),
      })
    })

    test('are saved empty when everything was cleared', async () => {
      const intent = await addIntent(stores, tenant, { customerDetails: { email: 'ada@example.org' } })
      const saved = await patchIntent(stores.work, intent, { customerDetails: {} })
      expect((await stores.work.facts(intent.id))?.intent).toEqual(saved)
    })
  })
})

// The statements by which work finds its payments read the few that are open, among many that have ended.
describe('work statements', () => {
  const ADD_PAYMENTS = `
INSERT INTO payment_intents (id, network, account_id, caller_account_id, address, client_secret_hash, price_usd_cents,
  accepted_assets, payee_label, status, expires_at, created_at)
SELECT gen_random_uuid(), 'live', $1::uuid, $1::uuid,
  'Bench' || replace(lpad(number::text, 38, '0'), '0', 'x'), sha256(int4send(number)), 100, '{SOL}', 'Shop',
  CASE WHEN number % 400 = 0 THEN 'pending' ELSE 'swept' END::intent_status, at + interval '10 min', at
FROM generate_series(1, 20000) number, LATERAL (SELECT '2026-01-01T00:00:00Z'::timestamptz + number * interval '1 s' AS at) times`

  let database: Database
  let statements: Statement[]
  let store: IntentWorkStore

  beforeAll(async () => {
    ;({ database, statements } = await openRecordedDatabase())
    store = createIntentWorkStore(database)
    const { accountId } = await addBusiness(database)
    await database.query(ADD_PAYMENTS, [accountId])
    await database.session(({ script }) => script('VACUUM ANALYZE payment_intents'))
  })
  afterAll(() => database.close())
  beforeEach(() => void statements.splice(0))

  /** The indexes that choose the payments, which the first statement does. */
  const indexesOfFirst = () => indexesOf(database, statements[0])

  test('payments whose time is over are found among the open ones', async () => {
    await store.expired('live', new Date('2026-01-01T03:00:00Z'), { after: null, limit: 10 })
    expect(await indexesOfFirst()).toEqual(['payment_intents_open'])
  })

  test.each([true, false])(
    'a page of the watched payments, of the open ones: %s, is read by an index',
    async (open) => {
      await store.watchList('live', { afterIndex: 0, limit: 10, open })
      expect(await indexesOfFirst()).toEqual([open ? 'payment_intents_open' : 'payment_intents_derivation_index_key'])
    },
  )
})

// The audit trail of payments for sellers: an entry in the transaction of the change, or neither.
describe('the audit trail of payments', () => {
  const ACTOR = keyActor('live', 'x7Qa', '203.0.113.9')

  const trailOf = (db: Database) =>
    db.prisma.auditEntry.findMany({
      where: { action: { startsWith: 'payment.' } },
      orderBy: { position: 'asc' },
      omit: { id: true, position: true },
    })

  test('the creation of a payment for a seller is an entry with the key, and a repeat and any other payment is none', async () => {
    const db = await openTestDatabase()
    const stores = storesOf(db)
    const { tenant } = await addMarketplace(db, marketplaceServices(db))
    const seller = await addBusiness(db, 'live', tenant.accountId)
    const draft = await newIntent(stores, tenant, {
      accountId: seller.accountId,
      reference: 'order-1',
      marketplaceFeeBps: makeBasisPoints(250),
      createdBy: ACTOR,
    })
    await stores.intents.create(tenant, draft)
    const again = await newIntent(stores, tenant, { ...draft, id: crypto.randomUUID(), derivationIndex: 900 })
    expect(await stores.intents.create(tenant, again)).toMatchObject({ created: false })
    await addIntent(stores, tenant, { createdBy: ACTOR })
    expect(await trailOf(db)).toEqual([
      {
        accountId: tenant.accountId,
        sellerAccountId: seller.accountId,
        action: 'payment.created',
        actorKind: 'api_key',
        actorCredential: 'sk_live_…x7Qa',
        actorMemberId: null,
        actorIp: '203.0.113.9',
        changes: {
          payment_id: [null, draft.id],
          reference: [null, 'order-1'],
          price_usd_cents: [null, Number(draft.priceUsdCents)],
          marketplace_fee_bps: [null, 250],
        },
        createdAt: draft.createdAt,
      },
    ])
    await db.close()
  })

  test('a cut that is waived to the seller is an entry of the service, unless the change finds that the payment moved on', async () => {
    const db = await openTestDatabase()
    const stores = storesOf(db)
    const { tenant } = await addMarketplace(db, marketplaceServices(db))
    const seller = await addBusiness(db, 'live', tenant.accountId)
    const payment = await addIntent(stores, tenant, { accountId: seller.accountId })
    const change = { ...step(startChange(payment), {}, NOW, null), waived: [leg('marketplace', MARKETPLACE, 900n)] }
    expect(await stores.work.apply(change)).toBe(true)
    expect(await stores.work.apply(change)).toBe(false)
    const entries = await db.prisma.auditEntry.findMany({ where: { action: 'settlement.leg_waived' } })
    expect(entries).toMatchObject([
      {
        accountId: tenant.accountId,
        sellerAccountId: seller.accountId,
        actorKind: 'service',
        actorCredential: null,
        actorIp: null,
        changes: { payment_id: [payment.id, payment.id], marketplace_amount: ['900', '0'] },
        createdAt: NOW,
      },
    ])
    await db.close()
  })
})

// Waiting for a change of a payment: by a notice of any instance, and never longer than requested.
describe('changes of a payment', () => {
  const LONG = 60_000

  describeOnBothEngines('a watch of an intent', (open) => {
    let db: Database
    let changes: IntentChanges
    beforeAll(async () => {
      db = await open()
      changes = await createIntentChanges(db)
    })
    const change = (id: string) => db.query('SELECT pg_notify($1, $2)', [INTENT_CHANGED, id])

    it('ends its wait at a change of that intent', async () => {
      const watch = changes.watch('a')
      const waited = watch.next(LONG)
      await change('a')
      expect(await waited).toBeLessThan(LONG / 2)
      watch.close()
    })

    it('misses no change between two waits, and then waits for the next change', async () => {
      const watch = changes.watch('b')
      await change('b')
      await change('b')
      const other = changes.watch('b')
      await change('b')
      await other.next(LONG)
      expect(await watch.next(LONG)).toBeLessThan(LONG / 2)
      expect(await watch.next(30)).toBeGreaterThanOrEqual(29)
      watch.close()
      other.close()
    })

    it('waits no longer than requested, whatever else changes', async () => {
      const watch = changes.watch('c')
      const waited = watch.next(300)
      await change('d')
      expect(await waited).toBeGreaterThanOrEqual(299)
      watch.close()
    })

    it('ends at once when its client has left', async () => {
      const client = new AbortController()
      const watch = changes.watch('e', client.signal)
      const waited = watch.next(LONG)
      client.abort()
      expect(await waited).toBeLessThan(LONG / 2)
      expect(await watch.next(LONG)).toBeLessThan(LONG / 2)
      expect(await changes.watch('e', client.signal).next(LONG)).toBeLessThan(LONG / 2)
    })
  })

  it('reads again when notices may have been lost', async () => {
    let lost = () => {}
    const changes = await createIntentChanges({
      listen: async (_channel, _onNotice, onReconnect = () => {}) => {
        lost = onReconnect
        return async () => {}
      },
    })
    const watch = changes.watch('a')
    const waited = watch.next(LONG)
    lost()
    expect(await waited).toBeLessThan(LONG / 2)
  })
})
