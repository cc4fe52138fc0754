// The SQL of each list of the catalogue: one statement whatever the number of entries, and an index for each filter.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createBillingStore } from '#adapters/prisma/billing/billing-store.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { type BillingEdge, startBillingEdge } from '../../support/billing-edge.ts'
import { addSubscription, addSubscriptionOn, addTier } from '../../support/billing-rows.ts'
import { openRecordedDatabase, type Statement } from '../../support/database.ts'
import { MINT } from '../../support/example-intent.ts'
import { withKey } from '../../support/services.ts'
import { indexesOf, planOf, shapeOf } from '../../support/statements.ts'

const COUNT = 20_000
/** Products with their search columns, as the store writes them. Every second one is archived. */
const ADD_PRODUCTS = `
INSERT INTO subscription_products (id, account_id, name, created_at, updated_at, archived_at, search_text, search_parts)
SELECT gen_random_uuid(), $1::uuid, 'Bag ' || number, at, at, CASE WHEN number % 2 = 0 THEN at END, 'BAG ' || number, (
  SELECT array_agg(DISTINCT substr('BAG ' || number, start, length))
  FROM generate_series(1, length('BAG ' || number)) start, generate_series(1, 3) length
  WHERE start + length <= length('BAG ' || number) + 1
)
FROM generate_series(1, $2::int) number, LATERAL (SELECT '2026-01-01T00:00:00Z'::timestamptz + number * interval '1 s' AS at) times`

/** Tiers of one product. */
const ADD_TIERS = `
INSERT INTO subscription_tiers (id, account_id, product_id, name, price_usd_cents, interval, interval_count,
  authorization_periods, mint, token_program, decimals, unit_base_units, payout_owner, payout_ata, platform_fee_bps,
  created_at, updated_at)
SELECT gen_random_uuid(), $1::uuid, $2::uuid, 'Tier', 100, 'month', 1, 12, $3, $3, 6, 1000000, $3, $3, 0, at, at
FROM generate_series(1, $4::int) number, LATERAL (SELECT '2026-01-01T00:00:00Z'::timestamptz + number * interval '1 s' AS at) times`

/** Checkouts of one tier by numbers: one in a thousand is canceled, one in a thousand completed; all others are stored as open. */
const ADD_INTENTS = `
INSERT INTO subscription_intents (id, account_id, tier_id, status, token_hash, wallet_pinned, expires_at, created_at, updated_at)
SELECT gen_random_uuid(), $1::uuid, $2::uuid,
  CASE number % 1000 WHEN 1 THEN 'canceled' WHEN 2 THEN 'completed' ELSE 'open' END,
  uuid_send(gen_random_uuid()), false, at + interval '1 day', at, at
FROM generate_series(1, $3::int) number, LATERAL (SELECT '2026-01-01T00:00:00Z'::timestamptz + number * interval '10 minutes' AS at) times`

let database: Database
let tierId: string
let productId: string
let statements: Statement[]
let edge: BillingEdge

beforeAll(async () => {
  ;({ database, statements } = await openRecordedDatabase())
  edge = await startBillingEdge({ database })
  await database.query(ADD_PRODUCTS, [edge.tenant.accountId, COUNT])
  productId = (await edge.post('/subscription-products', { name: 'Coffee' }, withKey(edge.keys.own))).body.id
  await database.query(ADD_TIERS, [edge.tenant.accountId, productId, MINT, COUNT])
  const terms = { name: 'Monthly', price_usd_cents: 1_500, interval: 'month' }
  const tier = await edge.post(`/subscription-products/${productId}/tiers`, terms, withKey(edge.keys.own))
  tierId = tier.body.id
  await database.query(ADD_INTENTS, [edge.tenant.accountId, tierId, COUNT])
  await database.query('ANALYZE subscription_products, subscription_tiers, subscription_intents')
})
afterAll(async () => {
  await edge.close()
  await database.close()
})
beforeEach(() => void statements.splice(0))

/** Returns the statements of a request whose key is known. A key is read again after some seconds: then it asks once more. */
async function statementsOf(request: () => Promise<unknown>): Promise<readonly string[]> {
  do {
    statements.splice(0)
    await request()
  } while (statements.some(({ sql }) => sql.includes('"api_keys"')))
  return statements.map(shapeOf)
}

const ask = (path: string) =>
  statementsOf(async () => expect((await edge.get(path, withKey(edge.keys.own))).status).toBe(200))

describe('the list of products', () => {
  it('is one statement for a page of any size', async () => {
    const small = await ask('/subscription-products?limit=1')
    expect(await ask('/subscription-products?limit=100')).toEqual(small)
    expect(small).toMatchInlineSnapshot(`
      [
        "SELECT … FROM "subscription_products" WHERE "subscription_products"."account_id" = $1 ORDER BY "subscription_products"."created_at" DESC, "subscription_products"."id" DESC LIMIT $2 OFFSET $3",
      ]
    `)
    expect(await indexesOf(database, statements.at(-1))).toEqual(['subscription_products_account_id_created_at_id_idx'])
  })

  it('is one statement for a later page, which begins in the index', async () => {
    const { body } = await edge.get('/subscription-products?limit=20&status=archived', withKey(edge.keys.own))
    expect(await ask(`/subscription-products?limit=20&status=archived&cursor=${body.next_cursor}`)).toHaveLength(1)
    expect(await indexesOf(database, statements.at(-1))).toEqual(['subscription_products_account_id_created_at_id_idx'])
  })

  it('is one statement for a search, which finds a rare text by its index', async () => {
    expect(await ask('/subscription-products?search=bag+2711')).toMatchInlineSnapshot(`
      [
        "SELECT … FROM "subscription_products" WHERE ("subscription_products"."account_id" = $1 AND "subscription_products"."search_parts" @> $2 AND "subscription_products"."search_text"::text LIKE ('%' || $3 || '%')) ORDER BY "subscription_products"."created_at" DESC, "subscription_products"."id" DESC LIMIT $4 OFFSET $5",
      ]
    `)
    expect(await indexesOf(database, statements.at(-1))).toEqual(['subscription_products_search_parts_idx'])
  })
})

describe('the list of tiers', () => {
  it('is one statement after that for the product, for a page of any size', async () => {
    const small = await ask(`/subscription-products/${productId}/tiers?limit=1`)
    expect(await ask(`/subscription-products/${productId}/tiers?limit=100`)).toEqual(small)
    expect(small).toMatchInlineSnapshot(`
      [
        "SELECT … FROM "subscription_products" WHERE ("subscription_products"."id" = $1 AND "subscription_products"."account_id" = $2) LIMIT $3 OFFSET $4",
        "SELECT … FROM "subscription_tiers" WHERE ("subscription_tiers"."account_id" = $1 AND "subscription_tiers"."product_id" = $2) ORDER BY "subscription_tiers"."created_at" DESC, "subscription_tiers"."id" DESC LIMIT $3 OFFSET $4",
      ]
    `)
    expect(await indexesOf(database, statements.at(-1))).toEqual(['subscription_tiers_product_id_created_at_id_idx'])
  })

  it('is one statement more for the products of its entries', async () => {
    const document = `{ subscriptionTiers(productId: "${productId}", first: 20) { edges { node { name product { name } } } } }`
    const found = await statementsOf(async () =>
      expect((await edge.graphql(document, {}, withKey(edge.keys.own))).body.errors).toBeUndefined(),
    )
    expect(found).toHaveLength(3)
  })
})

describe('the list of checkouts', () => {
  const index = (columns: string) => [`subscription_intents_${columns}_created_at_id_idx`]
  const list = async (query: string) => {
    const shapes = await ask(`/subscription-intents?${query}`)
    expect(shapes).toHaveLength(1)
    return { shape: shapes[0], indexes: await indexesOf(database, statements.at(-1)) }
  }

  it('is one statement for a page of any size', async () => {
    const { shape, indexes } = await list('limit=1')
    expect((await list('limit=100')).shape).toBe(shape)
    expect(shape).toMatchInlineSnapshot(
      `"SELECT … FROM "subscription_intents" WHERE "subscription_intents"."account_id" = $1 ORDER BY "subscription_intents"."created_at" DESC, "subscription_intents"."id" DESC LIMIT $2 OFFSET $3"`,
    )
    expect(indexes).toEqual(index('account_id'))
  })

  it.each(['canceled', 'completed'])('finds the few of a status by its index: %s', async (status) => {
    expect((await list(`status=${status}&limit=20`)).indexes).toEqual(index('account_id_status'))
    const ofTier = `status=${status}&tier_id=${tierId}&limit=20`
    expect((await list(ofTier)).indexes.join()).toMatch(
      /^subscription_intents_(account|tier)_id_status_created_at_id_idx$/,
    )
  })

  it.each(['open', 'expired'])('is read in the order of an index: %s', async (status) => {
    expect((await list(`status=${status}&limit=20`)).indexes.join()).toMatch(
      /^subscription_intents_.*created_at_id_idx$/,
    )
  })

  it('reads no expired checkout for the open ones: the time of their creation is bounded', async () => {
    const { shape } = await list('status=open')
    expect(shape).toMatchInlineSnapshot(
      `"SELECT … FROM "subscription_intents" WHERE ("subscription_intents"."account_id" = $1 AND "subscription_intents"."status" = $2 AND "subscription_intents"."expires_at" > $3 AND "subscription_intents"."created_at" > $4) ORDER BY "subscription_intents"."created_at" DESC, "subscription_intents"."id" DESC LIMIT $5 OFFSET $6"`,
    )
  })

  it('of a tier begins in the index of the tier', async () => {
    const other = '9e0c7a41-5d0f-4f1e-8a51-3f6f0b6d2c10'
    expect((await list(`tier_id=${other}`)).indexes).toEqual(index('tier_id'))
  })

  it('is two statements more for the tiers of its entries and their products', async () => {
    const document = '{ subscriptionIntents(first: 20) { edges { node { status tier { name product { name } } } } } }'
    const found = await statementsOf(async () =>
      expect((await edge.graphql(document, {}, withKey(edge.keys.own))).body.errors).toBeUndefined(),
    )
    expect(found).toHaveLength(3)
  })
})

describe('the list of subscriptions', () => {
  const listed = async (key: string, filter: object) => {
    const document = `query ($filter: BillingSubscriptionFilter) {
      found: billingSubscriptions(first: 20, filter: $filter) { edges { node { uuid tier { name product { name } } } } }
    }`
    return (await edge.graphql(document, { filter }, withKey(key))).body
  }

  it('is two statements more for the tiers of its entries and their products', async () => {
    const tier = await addTier(database, edge.tenant)
    const { delegation, subscription } = await addSubscription(database, tier, edge.world.now)
    const found = await statementsOf(async () =>
      expect((await listed(edge.keys.own, { tierId: tier.id })).data.found.edges).toEqual([
        { node: { uuid: subscription.id, tier: { name: 'Monthly', product: { name: 'Newsletter' } } } },
      ]),
    )
    expect(found).toHaveLength(3)
    await addSubscriptionOn(database, tier, edge.world.now, delegation)
    expect(await statementsOf(() => listed(edge.keys.own, { tierId: tier.id }))).toHaveLength(3)
  })

  it('of a product has those of all its tiers, and none of another product or business', async () => {
    const tier = await addTier(database, edge.tenant)
    const second = await addTier(database, edge.tenant, { productId: tier.productId, name: 'Yearly' })
    const own = [
      await addSubscription(database, tier, edge.world.now),
      await addSubscription(database, second, edge.world.now),
    ].map(({ subscription }) => subscription.id)
    await addSubscription(database, await addTier(database, edge.tenant), edge.world.now)
    const { found } = (await listed(edge.keys.own, { productId: tier.productId })).data
    const ids: string[] = found.edges.map(({ node }: { node: { uuid: string } }) => node.uuid)
    expect(ids.toSorted()).toEqual(own.toSorted())
    const { errors } = await listed(edge.keys.other, { productId: tier.productId })
    expect(errors[0].extensions.code).toBe('product_not_found')
  })
})

describe('the delegation of a wallet', () => {
  it('is four statements with its subscriptions and their count, whatever their number', async () => {
    const tier = await addTier(database, edge.tenant)
    const { delegation } = await addSubscription(database, tier, edge.world.now)
    const path = `/subscription-delegations/${delegation.wallet}`
    // The limit comes from a cache of tokens, which may read its table at any time.
    const ofBilling = async () => (await ask(path)).filter((shape) => /delegations|billing_subscriptions/.test(shape))
    const one = await ofBilling()
    expect(one).toHaveLength(4)
    await addSubscriptionOn(database, tier, edge.world.now, delegation)
    expect((await ofBilling()).toSorted()).toEqual(one.toSorted())
  })
})

describe('the list of redirect domains', () => {
  it('is one statement', async () => {
    expect(await ask('/subscription-domains?active=true')).toMatchInlineSnapshot(`
      [
        "SELECT … FROM "redirect_domains" WHERE ("redirect_domains"."account_id" = $1 AND "redirect_domains"."active" = $2) ORDER BY "redirect_domains"."created_at" DESC, "redirect_domains"."id" DESC LIMIT $3 OFFSET $4",
      ]
    `)
  })
})

it('subscriptions that are due are read from their index alone, whatever their business is', async () => {
  await createBillingStore(database).due('live', new Date(), 10)
  const due = statements.find(({ sql }) => sql.includes('due_at <='))
  await database.session(({ script }) => script('SET enable_seqscan = off; SET enable_bitmapscan = off'))
  const plan = await planOf(database, due)
  await database.session(({ script }) => script('RESET enable_seqscan; RESET enable_bitmapscan'))
  expect(plan.join('\n')).toContain('Index Only Scan using billing_subscriptions_due')
  expect(plan.filter((line) => line.includes('Scan'))).toHaveLength(1)
})
