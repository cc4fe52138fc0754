// What the routes of tiers answer, and what they keep.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { associatedTokenAddress } from '#adapters/solana/keys/associated-token.ts'
import { makeBasisPoints } from '#core/money/amounts.ts'
import {
  BILLING_TERMS,
  type BillingEdge,
  CLASSIC_TOKENS,
  onBehalfOf,
  PAYOUT_WALLET,
  startBillingEdge,
} from '../../../support/billing-edge.ts'
import { MINT } from '../../../support/example-intent.ts'
import { addressNo } from '../../../support/payment.ts'
import { withKey } from '../../../support/services.ts'

let edge: BillingEdge
let productId: string
beforeAll(async () => {
  edge = await startBillingEdge()
  productId = await product()
})
afterAll(() => edge.close())

const own = () => withKey(edge.keys.own)
const product = async (headers = own()): Promise<string> =>
  (await edge.post('/subscription-products', { name: 'Coffee' }, headers)).body.id
const create = (body: object = {}, id = productId, headers = own()) =>
  edge.post(`/subscription-products/${id}/tiers`, { ...MONTHLY, ...body }, headers)
const patch = (id: string, body: object) => edge.send('PATCH', `/subscription-tiers/${id}`, body, own())
const archive = (id: string) => edge.ask('POST', `/subscription-tiers/${id}/archive`, own())
const find = async (id: string, headers = own()) => (await edge.get(`/subscription-tiers/${id}`, headers)).body
const productStatus = (id: string, status: string) =>
  edge.send('PATCH', `/subscription-products/${id}`, { status }, own())

const MONTHLY = { name: 'Monthly', price_usd_cents: 1_500, interval: 'month' }

it('an id in capital letters is the same id', async () => {
  const { status, body } = await create({}, productId.toUpperCase())
  expect([status, body.product_id]).toEqual([201, productId])
})

it('texts for people keep every character but those that cannot be stored or break a display', async () => {
  const texts = (text: string) => ({ name: text, description: `${text}\n` })
  const { status, body } = await create(texts('\u05db\u05d4\u05df\u200f\u202e\0'))
  expect([status, body]).toEqual([201, expect.objectContaining(texts('\u05db\u05d4\u05df\u200f'))])
  const edited = await patch(body.id, texts('\u05db\u200f\u2066'))
  expect([edited.status, edited.body]).toEqual([200, expect.objectContaining(texts('\u05db\u200f'))])
})

it('a create answers 201 with every field, computed from price, mint, payout and fee of this moment', async () => {
  edge.world.terms = { ...BILLING_TERMS, platformFeeBps: makeBasisPoints(50), platformWallet: addressNo(77) }
  const given = { description: 'A bag\na month', interval_count: 2, authorization_periods: 6, metadata: { a: [1] } }
  const { status, body } = await create(given)
  edge.world.terms = BILLING_TERMS
  expect([status, body]).toEqual([
    201,
    {
      ...MONTHLY,
      ...given,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      product_id: productId,
      total_authorization_usd_cents: 9_000,
      total_authorization_base_units: 90_000_000,
      mint: MINT,
      token_program: CLASSIC_TOKENS,
      decimals: 6,
      unit_base_units: 15_000_000,
      payout_owner: PAYOUT_WALLET,
      payout_ata: associatedTokenAddress(PAYOUT_WALLET, MINT, CLASSIC_TOKENS),
      platform_fee_bps: 50,
      platform_wallet: addressNo(77),
      status: 'active',
      archived_at: null,
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      updated_at: body.created_at,
    },
  ])
  expect(await find(body.id)).toEqual(body)
})

it('a create needs name, price and interval only', async () => {
  const { body } = await create()
  const defaults = { description: null, interval_count: 1, authorization_periods: 12, metadata: {} }
  expect(body).toMatchObject({ ...defaults, platform_fee_bps: 0, platform_wallet: null })
})

it('an amount beyond 2^53 is written exactly', async () => {
  const { text } = await create({ price_usd_cents: 1_000_000, authorization_periods: 1_000_000_001 })
  expect(text).toContain('"total_authorization_base_units":10000000010000000000')
})

it('a tier keeps its terms when those of the platform and the business change', async () => {
  const before = (await create()).body
  edge.world.terms = { ...BILLING_TERMS, platformFeeBps: makeBasisPoints(90), platformWallet: addressNo(78) }
  await edge.payTo(edge.tenant.accountId, addressNo(79))
  expect(await find(before.id)).toEqual(before)
  expect((await patch(before.id, { name: 'Renamed' })).body).toEqual({
    ...before,
    name: 'Renamed',
    updated_at: expect.any(String),
  })
  expect((await create()).body).toMatchObject({ platform_fee_bps: 90, payout_owner: addressNo(79) })
  edge.world.terms = BILLING_TERMS
  await edge.payTo(edge.tenant.accountId, PAYOUT_WALLET)
})

it('a change replaces what is sent; null clears', async () => {
  const { body } = await create({ description: 'Old', metadata: { a: 1 } })
  const changed = await patch(body.id, { name: 'New', description: null, metadata: { b: 2 } })
  expect([changed.status, changed.body]).toEqual([
    200,
    { ...body, name: 'New', description: null, metadata: { b: 2 }, updated_at: expect.any(String) },
  ])
})

it('an archive keeps the tier; a repeat changes nothing; the status active undoes it', async () => {
  const { body } = await create()
  const archived = await archive(body.id)
  const fields = { status: 'archived', archived_at: expect.any(String), updated_at: expect.any(String) }
  expect([archived.status, archived.body]).toEqual([200, { ...body, ...fields }])
  expect((await archive(body.id)).body).toEqual(archived.body)
  const active = await patch(body.id, { status: 'active' })
  expect([active.status, active.body]).toEqual([200, { ...body, updated_at: expect.any(String) }])
})

it('a product archives its tiers with it, and makes those active again; a tier archived by itself stays archived', async () => {
  const id = await product()
  const [one, two] = [(await create({}, id)).body.id, (await create({}, id)).body.id]
  await archive(two)
  await productStatus(id, 'archived')
  expect([(await find(one)).status, (await find(two)).status]).toEqual(['archived', 'archived'])
  await productStatus(id, 'active')
  expect([(await find(one)).status, (await find(two)).status]).toEqual(['active', 'archived'])
})

it('the list has the tiers of one product, the newest first, and is walked by its cursor', async () => {
  const id = await product()
  const made = []
  for (const name of ['A', 'B', 'C']) made.unshift((await create({ name }, id)).body)
  await archive(made[2].id)
  const list = (query: string) => edge.get(`/subscription-products/${id}/tiers${query}`, own())
  const first = await list('?limit=2')
  expect([first.status, first.body]).toEqual([
    200,
    { tiers: [made[0], made[1]], next_cursor: expect.any(String), product_id: id },
  ])
  const second = await list(`?limit=2&cursor=${first.body.next_cursor}`)
  expect(second.body).toMatchObject({ tiers: [{ id: made[2].id, status: 'archived' }], next_cursor: null })
})

it('a marketplace creates tiers for a seller without a marketplace fee, paid to the seller', async () => {
  const seller = onBehalfOf(edge.keys.market, edge.sellers.market)
  await edge.payTo(edge.sellers.market, addressNo(80))
  const id = await product(seller)
  const { status, body } = await create({}, id, seller)
  expect([status, body.payout_owner]).toEqual([201, addressNo(80)])
  expect(await find(body.id, seller)).toEqual(body)
  expect(await find(body.id, withKey(edge.keys.market))).toEqual({ error: 'tier_not_found' })
})

it('GraphQL shows the product of a tier, in a list, alone and after a mutation', async () => {
  const id = await product()
  const input = '{ name: "Weekly", priceUsdCents: 500, interval: week }'
  const made = await edge.graphql(
    `mutation { tier: createSubscriptionTier(productId: "${id}", input: ${input}) { uuid product { uuid } } }`,
    {},
    own(),
  )
  const { tier } = made.body.data
  expect(tier.product).toEqual({ uuid: id })
  const query = `{
    subscriptionTier(id: "${tier.uuid}") { product { name } }
    subscriptionTiers(productId: "${id}") { productId edges { node { uuid unitBaseUnits product { uuid } } } }
    node(id: "${Buffer.from(`SubscriptionTier:${tier.uuid}`).toString('base64')}") { ... on SubscriptionTier { name } }
  }`
  expect((await edge.graphql(query, {}, own())).body).toEqual({
    data: {
      subscriptionTier: { product: { name: 'Coffee' } },
      subscriptionTiers: {
        productId: id,
        edges: [{ node: { uuid: tier.uuid, unitBaseUnits: '5000000', product: { uuid: id } } }],
      },
      node: { name: 'Weekly' },
    },
  })
})
