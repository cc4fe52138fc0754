// A year of a marketplace, written by statements over whole tables: a hundred payments for each seller and every tenth payment
// for the first one, four payments of five swept and a few refunded, a hundred first names, two payments of each buyer.
// Names, references and emails have the same length at every size.
import { deepStrictEqual } from 'node:assert'
import { type Database, openDatabase } from '#adapters/prisma/engine/database.ts'
import { searchColumns } from '#adapters/prisma/marketplace/seller-store.ts'
import { createStatsRollupStore } from '#adapters/prisma/stats/rollup-store.ts'
import { searchPartsOf } from '#core/marketplace/search.ts'
import type { CustomerDetails } from '#core/payments/intent-values.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import { type SearchEntry, searchEntryOf } from '#core/payments/payment-search.ts'
import type { Shop } from '../harness/shop.ts'

/** Larger than in production: nothing waits for the statement. */
const COMPACTED_AT_ONCE = 50_000

const APPROVE = 'INSERT INTO marketplaces (account_id, default_fee_bps, updated_at) VALUES ($1, 250, now())'

const SELL = `
INSERT INTO accounts (id, network, name, external_id, marketplace_account_id, sweep_destination, search_text, search_parts,
  created_at, updated_at)
SELECT given.id, 'live', given.name, given."externalId", $1, account.sweep_destination, given."searchText", given."searchParts",
  $3::timestamptz + number * interval '1 minute', now()
FROM jsonb_to_recordset($2::jsonb) AS given (number int, id uuid, name text, "externalId" text, "searchText" text, "searchParts" text[]),
  accounts account WHERE account.id = $1`

/** The id of the seller with this number, from 0. */
export const sellerId = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`

/** One entry for each seller and each payment, as the service writes them. */
const AUDIT = `
INSERT INTO audit_log (account_id, seller_account_id, action, actor_kind, actor_credential, actor_ip, changes, created_at)
SELECT $1::uuid, id, 'seller.created', 'api_key', 'sk_live_…abcd', '192.0.2.1', jsonb_build_object('name', jsonb_build_array(null, name)), created_at
FROM accounts WHERE marketplace_account_id = $1::uuid
UNION ALL
SELECT caller_account_id, account_id, 'payment.created', 'api_key', 'sk_live_…abcd', '192.0.2.1',
  jsonb_build_object('reference', jsonb_build_array(null, reference)), created_at
FROM payment_intents`

/** The addresses have the form of real ones: 43 digits of base 58. */
const PAY = `
INSERT INTO payment_intents (id, network, account_id, caller_account_id, address, client_secret_hash, price_usd_cents,
  accepted_assets, asset, asset_decimals, expected_amount, received_amount, status, reference, expires_at,
  marketplace_fee_bps, payee_label, customer_details, search_text, settlement, created_at, updated_at)
SELECT gen_random_uuid(), 'live', seller.id, $1, 'Bench' || replace(lpad(number::text, 38, '0'), '0', 'x'), sha256(int4send(number)),
  1000 + number % 900, '{SOL}', 'SOL', 9, 100000000, CASE WHEN number % 5 < 4 THEN 100000000 ELSE 0 END,
  CASE WHEN number % 401 = 17 THEN 'refunded' WHEN number % 5 < 4 THEN 'swept' ELSE 'cancelled' END::intent_status, 'order-' || lpad(number::text, 7, '0'), at + interval '10 minutes', 250,
  'Seller', jsonb_build_object('first_name', 'First' || number % 100, 'last_name', 'Buyer',
    'email', lpad((number % ($3 / 2))::text, 7, '0') || '@example.com'),
  format(E'ORDER-%s\\nFIRST%s BUYER\\n%s@EXAMPLE.COM', lpad(number::text, 7, '0'), number % 100, lpad((number % ($3 / 2))::text, 7, '0')),
  CASE WHEN number % 5 < 4 AND number % 401 <> 17 THEN jsonb_build_object('asset', 'SOL', 'decimals', 9, 'destinationAmount', '97495000',
    'platformFeeAmount', '0', 'pendingAmount', '0', 'signatures', jsonb_build_array(repeat('5', 87)), 'legs', jsonb_build_array(
      jsonb_build_object('role', 'seller', 'destination', $2::text, 'mint', null, 'asset', 'SOL', 'decimals', 9,
        'amount', '97495000', 'feeBps', null, 'signature', repeat('5', 87)),
      jsonb_build_object('role', 'marketplace', 'destination', $2::text, 'mint', null, 'asset', 'SOL', 'decimals', 9,
        'amount', '2500000', 'feeBps', 250, 'signature', repeat('5', 87)),
      jsonb_build_object('role', 'network_fee', 'destination', $2::text, 'mint', null, 'asset', 'SOL', 'decimals', 9,
        'amount', '5000', 'feeBps', null, 'signature', repeat('5', 87)))) END,
  at, at
FROM generate_series(1, $3::int) number
CROSS JOIN LATERAL (SELECT date_trunc('milliseconds', $4::timestamptz + number * (interval '365 days' / $3::int)) AS at) time
JOIN (SELECT id, row_number() OVER (ORDER BY id) - 1 AS place FROM accounts WHERE marketplace_account_id = $1) seller
  ON place = CASE WHEN number % 10 = 7 THEN 0 ELSE number % $5::int END`

/** What the service writes: the text, and each part of each line. */
const SEARCH_ENTRIES = `
INSERT INTO payment_search (intent_id, text, parts, is_indexed, caller_account_id, created_at)
SELECT id, search_text, found.parts, true, caller_account_id, created_at
FROM payment_intents
CROSS JOIN LATERAL (
  SELECT array_agg(DISTINCT substr(line, start, length)) AS parts
  FROM string_to_table(search_text, E'\\n') line, unnest('{1,2,3,4,6,12}'::int[]) length,
    generate_series(1, length(line) - length + 1) start
) found`

const INDEX_OF_SEARCH = 'CREATE INDEX payment_search_parts_idx ON payment_search USING GIN (parts)'

/** Makes the shop a marketplace with so many sellers, and so many payments in the year from `start`, and its figures. */
export async function seedMarketplace(databaseUrl: string, { accountId }: Shop, size: Size): Promise<void> {
  const db = await openDatabase({ kind: 'postgresql', url: databaseUrl, poolSize: 2 })
  try {
    await db.query(
      `UPDATE api_keys SET scopes = '{payments,marketplace-view,marketplace-manage}' WHERE account_id = $1`,
      [accountId],
    )
    await db.query(APPROVE, [accountId])
    await db.query(SELL, [accountId, JSON.stringify(sellersOf(size)), size.start])
    await writePayments(db, accountId, size)
    // A session has no limit of time for a statement.
    await db.session(({ query }) => query(AUDIT, [accountId]))
    while ((await createStatsRollupStore(db).compact(COMPACTED_AT_ONCE)) > 0);
    await db.session(async ({ script }) => {
      await script('VACUUM ANALYZE')
      // Otherwise the server writes all of it to the disk during the measurement.
      await script('CHECKPOINT')
    })
  } finally {
    await db.close()
  }
}

type Size = { readonly payments: number; readonly sellers: number; readonly start: Date }

/** Sellers with their search columns, as the store writes them. */
const sellersOf = ({ sellers }: Size) =>
  Array.from({ length: sellers }, (_, number) => {
    const padded = String(number).padStart(6, '0')
    const named = { name: `Seller ${padded}`, externalId: `seller-${padded}` }
    return { number, id: sellerId(number), ...named, ...searchColumns(named) }
  })

/** The triggers are off: row by row they would take minutes. */
async function writePayments(db: Database, accountId: string, { payments, sellers, start }: Size): Promise<void> {
  const [account] = await db.query<{ sweep_destination: string }>(
    'SELECT sweep_destination FROM accounts WHERE id = $1',
    [accountId],
  )
  await db.session(async ({ query, script }) => {
    await script('ALTER TABLE payment_intents DISABLE TRIGGER USER')
    await query(PAY, [accountId, account?.sweep_destination ?? '', payments, start, sellers])
    await script('ALTER TABLE payment_intents ENABLE TRIGGER USER')
    await query('SELECT rebuild_stats()')
    await script('DROP INDEX payment_search_parts_idx')
    await query(SEARCH_ENTRIES)
    await script("SET maintenance_work_mem = '1GB'")
    await script(INDEX_OF_SEARCH)
    await requireSearchable(query)
  })
}

const SEARCHED = `
SELECT reference, customer_details AS details, search_text AS "shortText", text, parts
FROM payment_intents JOIN payment_search ON intent_id = id LIMIT 1`

type Searched = SearchEntry & {
  readonly reference: PaymentIntent['reference']
  readonly details: CustomerDetails
  readonly parts: readonly string[]
}

/** Throws when the texts and entries of searches are not those that the service writes. */
async function requireSearchable(query: Database['query']): Promise<void> {
  const [row] = await query<Searched>(SEARCHED)
  if (row === undefined) throw new Error('no payment can be searched')
  const { reference, details: customerDetails, parts, ...texts } = row
  const expected = searchEntryOf({ reference, customerDetails })
  deepStrictEqual([texts, parts.toSorted()], [expected, [...searchPartsOf(expected.text)].toSorted()])
}
