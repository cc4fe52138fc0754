// What the operator lists and counts is read by indexes: it takes as long among many rows as among few.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createDeliveryLog } from '#adapters/prisma/events/delivery-log.ts'
import { createHeldStore } from '#adapters/prisma/payments/held-store.ts'
import { createOperatorStore } from '#adapters/prisma/platform/operator-store.ts'
import { SOL } from '#core/chain/types.ts'
import type { DeliveryStatus } from '#core/events/delivery.ts'
import type { TransferStatus } from '#core/transfers/transfer.ts'
import type { DustLimits } from '#ports/held.ts'
import { openRecordedDatabase, type Statement } from '../../../support/database.ts'
import { indexesOf, planOf } from '../../../support/statements.ts'
import { addAccount, addEndpoint } from '../../../support/webhook-rows.ts'

const COUNT = 10_000
/** Payments that ended, ten of them in a failure, ten with held money and ten with dust. */
const ADD_PAYMENTS = `
INSERT INTO payment_intents (id, network, account_id, caller_account_id, address, client_secret_hash, price_usd_cents,
  accepted_assets, payee_label, status, held, expires_at, created_at)
SELECT gen_random_uuid(), 'live', $1::uuid, $1::uuid, 'Bench' || replace(lpad(number::text, 38, '0'), '0', 'x'),
  sha256(int4send(number)), 100, '{SOL}', 'Shop',
  CASE number % 1000 WHEN 1 THEN 'settle_failed' ELSE 'swept' END::intent_status,
  CASE number % 1000 WHEN 2 THEN '[{"mint":null,"amount":"5000000","reason":"It waits."}]'
    WHEN 3 THEN '[{"mint":null,"amount":"1","reason":"It is dust."}]' ELSE '[]' END::jsonb, now(), now() + number * interval '1 s'
FROM generate_series(1, ${COUNT}) number`
/** A transfer for each, ten of them with each status but `done`. */
const ADD_TRANSFERS = `
INSERT INTO transfers (key, network, subject_kind, subject_id, kind, account_id, intent_id, source, authority,
  authority_key, asset, decimals, status, done_at, created_at, updated_at)
SELECT id, 'live', 'payment', id, 'sweep', account_id, id, address, address, 'deposit/1/1', 'SOL', 9, ended.status,
  CASE ended.status WHEN 'done' THEN now() END, created_at, now()
FROM payment_intents, LATERAL (SELECT CASE derivation_index % 1000 WHEN 2 THEN 'failed' WHEN 3 THEN 'held'
  WHEN 4 THEN 'planned' WHEN 5 THEN 'in_progress' ELSE 'done' END::transfer_status AS status) ended`
/** An event for each, of the first account for one of a hundred, of the second for all others. The third receives them. */
const ADD_EVENTS = `
INSERT INTO events (network, account_id, receiver_account_id, type, subject_kind, subject_id, intent_id, data, created_at)
SELECT 'live', CASE derivation_index % 100 WHEN 0 THEN $1::uuid ELSE $2::uuid END, $3::uuid, 'intent.created', 'payment', id, id, '{}', created_at
FROM payment_intents`
/** A delivery for each, a few of them not yet sent, or failed. */
const ADD_DELIVERIES = `
INSERT INTO webhook_deliveries (event_id, endpoint_id, account_id, type, subject_id, sequence, status, created_at, finished_at)
SELECT event.id, $1::uuid, receiver_account_id, type, subject_id, sequence, delivered.status, created_at,
  CASE delivered.status WHEN 'pending' THEN NULL ELSE created_at END
FROM events event, LATERAL (SELECT CASE sequence % 1000 WHEN 1 THEN 'failed' WHEN 2 THEN 'pending' ELSE 'succeeded'
  END::delivery_status AS status) delivered`

let db: Database
let statements: Statement[]
/** A marketplace, a seller with few of its payments, and a business without payments. */
let ids: { readonly marketplace: string; readonly seller: string; readonly quiet: string }
beforeAll(async () => {
  ;({ database: db, statements } = await openRecordedDatabase())
  const marketplace = await addAccount(db)
  const sellerOf = () => addAccount(db, { marketplaceId: marketplace })
  ids = { marketplace, seller: await sellerOf(), quiet: await addAccount(db) }
  // Row by row, the figures of the payments take longer than all the rest.
  await db.query('ALTER TABLE payment_intents DISABLE TRIGGER USER')
  await db.query(ADD_PAYMENTS, [marketplace])
  await db.query(ADD_TRANSFERS)
  await db.query(ADD_EVENTS, [ids.seller, await sellerOf(), marketplace])
  await db.query(ADD_DELIVERIES, [await addEndpoint(db, marketplace)])
  await db.session(({ script }) => script('VACUUM ANALYZE'))
})
afterAll(() => db.close())
beforeEach(() => void statements.splice(0))

/** The indexes of the statements since the last test, which read none of the large tables as a whole. */
async function indexesRead(): Promise<readonly string[]> {
  const indexes: string[] = []
  for (const statement of [...statements]) {
    const plan = (await planOf(db, statement)).join('\n')
    expect(plan).not.toMatch(/Seq Scan on (payment_intents|transfers|events|webhook_deliveries)\b/)
    indexes.push(...(await indexesOf(db, statement)))
  }
  return indexes
}

it('the counts of what waits for a person read the failed rows only', async () => {
  const counted = await createOperatorStore(db).counts({ waitingSince: new Date(0) })
  expect(counted).toMatchObject({ failedTransfers: 10, heldTransfers: 10, stuckIntents: 10, unfinishedTransfers: 20 })
  expect(await indexesRead()).toEqual(expect.arrayContaining(['transfers_ended', 'payment_intents_failed']))
})

it.each<[TransferStatus | null, string]>([
  [null, 'transfers_ended'],
  ['planned', 'transfers_due'],
  ['in_progress', 'transfers_due'],
  ['done', 'transfers_ended'],
  ['failed', 'transfers_ended'],
  ['held', 'transfers_ended'],
])('the newest transfers with the status %s are found by an index', async (status, index) => {
  const listed = await createOperatorStore(db).transfers({ status, limit: 8 })
  expect(listed).toHaveLength(8)
  expect(listed.filter((transfer) => status !== null && transfer.status !== status)).toEqual([])
  expect(await indexesRead()).toContain(index)
})

it.each<[string, string | null]>([
  ['', null],
  [' of a business', 'marketplace'],
])('the newest payments%s with held money are found by an index, and so is dust', async (_whose, account) => {
  const filter = { network: null, accountId: account === null ? null : ids.marketplace }
  const dust: DustLimits = new Map([['live', new Map([[SOL, 1n]])]])
  const store = createHeldStore(db)
  expect(await store.payments({ ...filter, dust, afterIndex: COUNT, limit: 8 })).toHaveLength(8)
  expect(await store.payments({ ...filter, dust: null, afterIndex: null, limit: 100 })).toHaveLength(20)
  expect(await store.countDust({ ...filter, dust, most: 8 })).toBe(8)
  expect(new Set(await indexesRead())).toEqual(new Set(['payment_intents_held']))
})

it.each<[DeliveryStatus | null, string]>([
  [null, 'webhook_deliveries_newest'],
  ['pending', 'webhook_deliveries_account_id_status_created_at_id_idx'],
  ['succeeded', 'webhook_deliveries_newest'],
  ['failed', 'webhook_deliveries_failed'],
])('the newest deliveries with the status %s are found by an index', async (status, index) => {
  const listed = await createDeliveryLog(db).list({ accountId: null, status, limit: 8 })
  expect(listed).toHaveLength(8)
  expect(listed.filter((delivery) => status !== null && delivery.status !== status)).toEqual([])
  expect(await indexesRead()).toContain(index)
})

it.each([
  ['a marketplace', 'marketplace', 8],
  ['a seller', 'seller', 8],
  ['a business without events', 'quiet', 0],
] as const)('the newest deliveries of %s are found by its events', async (_whose, account, count) => {
  const listed = await createDeliveryLog(db).list({ accountId: ids[account], status: null, limit: 8 })
  expect(listed).toHaveLength(count)
  expect(await indexesRead()).toEqual(expect.arrayContaining(['events_of_log', 'events_of_sellers']))
})
