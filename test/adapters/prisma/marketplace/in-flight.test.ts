// The question whether a seller has money in flight reads the payments in flight, and none of those that have ended.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { IN_FLIGHT, readInFlight } from '#adapters/prisma/marketplace/in-flight.ts'
import type { Tenant } from '#core/accounts/account.ts'
import { INTENT_STATUSES } from '#core/payments/payment-intent.ts'
import { STATUS_POLICY } from '#core/payments/status-policy.ts'
import { openTestDatabase } from '../../../support/database.ts'
import { indexesOf } from '../../../support/statements.ts'
import { addBusiness, addIntent, planSweepOf, type Stores, storesOf } from '../../../support/stores.ts'

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
const read = () => db.prisma.$transaction((tx) => readInFlight(tx, seller.accountId))

test('payments in flight are found by an index that has no ended payment, and transfers by one that has no ended transfer', async () => {
  const first = await pay('2026-11-20T12:00:00Z')
  const moving = await planSweepOf(stores, await pay('2026-11-20T12:01:00Z'))
  await setStatus(moving.id, 'swept')
  const reserve = await planSweepOf(stores, await pay('2026-11-20T12:02:00Z'), { portion: 'rent_reserve' })
  await setStatus(reserve.id, 'swept')
  await addIntent(stores, marketplace)
  await db.query('ANALYZE payment_intents, transfers')
  expect(await read()).toEqual([moving.id, first.id])
  await db.session(async (session) => session.query('SET enable_seqscan = off'))
  const used = await indexesOf(db, { sql: IN_FLIGHT, values: [seller.accountId] })
  expect(used).toContain('payment_intents_of_sellers_in_flight')
  expect(used).toContain('transfers_under_way')
  expect(used).not.toContain('payment_intents_account_id_created_at_id_idx')
})

test('the index has every status in which money is in flight, and no other', async () => {
  const [row] = await db.query<{ predicate: string }>(
    `SELECT pg_get_expr(indpred, indrelid) AS predicate FROM pg_index
     WHERE indexrelid = 'payment_intents_of_sellers_in_flight'::regclass`,
  )
  const named = INTENT_STATUSES.filter((status) => row?.predicate.includes(`'${status}'`))
  expect(named).toEqual(INTENT_STATUSES.filter((status) => STATUS_POLICY[status].isInFlight))
})
