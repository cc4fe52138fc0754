// The statements by which work finds its payments read the few that are open, among many that have ended.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createIntentWorkStore } from '#adapters/prisma/payments/change-store.ts'
import type { IntentWorkStore } from '#ports/payments.ts'
import { openRecordedDatabase, type Statement } from '../../../support/database.ts'
import { indexesOf } from '../../../support/statements.ts'
import { addBusiness } from '../../../support/stores.ts'

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

test.each([true, false])('a page of the watched payments, of the open ones: %s, is read by an index', async (open) => {
  await store.watchList('live', { afterIndex: 0, limit: 10, open })
  expect(await indexesOfFirst()).toEqual([open ? 'payment_intents_open' : 'payment_intents_derivation_index_key'])
})
