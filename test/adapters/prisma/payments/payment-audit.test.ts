// The audit trail of payments for sellers: an entry in the transaction of the change, or neither.
import { expect, test } from 'vitest'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { keyActor } from '#core/accounts/audit.ts'
import { makeBasisPoints } from '#core/money/amounts.ts'
import { startChange, step } from '#core/payments/change.ts'
import { openTestDatabase } from '../../../support/database.ts'
import { addMarketplace, marketplaceServices } from '../../../support/example-seller.ts'
import { leg, MARKETPLACE, NOW } from '../../../support/payment.ts'
import { addBusiness, addIntent, newIntent, storesOf } from '../../../support/stores.ts'

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
