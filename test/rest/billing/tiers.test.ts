import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { associatedTokenAddress } from '#adapters/solana/keys/associated-token.ts'
import { makeAddress } from '#core/chain/base58.ts'
import { makeBasisPoints } from '#core/money/amounts.ts'
import {
  BILLING_TERMS,
  type BillingEdge,
  CLASSIC_TOKENS,
  onBehalfOf,
  PAYOUT_WALLET,
  startBillingEdge,
} from '../../support/billing-edge.ts'
import { MINT } from '../../support/example-intent.ts'
import { addressNo } from '../../support/payment.ts'
import { type Answer, withKey } from '../../support/services.ts'

let edge: BillingEdge

let productId: string

const own = () => withKey(edge.keys.own)

// What the routes of tiers answer, and what they keep.
describe('what tiers answer', () => {
  beforeAll(async () => {
    edge = await startBillingEdge()
    productId = await product()
  })
  afterAll(() => edge.close())

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
        trial_days: 0,
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
    const defaults = { description: null, interval_count: 1, authorization_periods: 12, trial_days: 0, metadata: {} }
    expect(body).toMatchObject({ ...defaults, platform_fee_bps: 0, platform_wallet: null })
  })

  it('a trial has 0 to 365 whole days, and never changes', async () => {
    const { body } = await create({ trial_days: 14 })
    expect(body).toMatchObject({ trial_days: 14 })
    expect((await patch(body.id, { trial_days: 0 })).body).toMatchObject({ error: 'tier_field_immutable' })
    expect((await create({ trial_days: 365 })).status).toBe(201)
    expect((await create({ trial_days: null })).body).toMatchObject({ trial_days: 0 })
    for (const trial_days of [-1, 366, 1.5, '14', true]) {
      const { status, body } = await create({ trial_days })
      expect([status, body.error]).toEqual([400, 'invalid_trial_days'])
    }
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
})

// What the routes of tiers refuse, by status and identifier.
describe('what tiers refuse', () => {
  let tier: string
  beforeAll(async () => {
    edge = await startBillingEdge()
    productId = (await edge.post('/subscription-products', { name: 'Coffee' }, own())).body.id
    tier = `/subscription-tiers/${(await create()).body.id}`
  })
  afterAll(() => edge.close())
  afterEach(async () => {
    edge.world.terms = BILLING_TERMS
    edge.world.isChainAway = false
    edge.world.mintProblem = null
    edge.world.owners.clear()
    await edge.allowMint()
    await edge.payTo(edge.tenant.accountId, PAYOUT_WALLET)
  })

  const create = (body: object = {}, headers = own(), id = productId) =>
    edge.post(
      `/subscription-products/${id}/tiers`,
      { name: 'Monthly', price_usd_cents: 1_500, interval: 'month', ...body },
      headers,
    )
  const shown = ({ status, body }: Answer) => [status, body]

  describe('400', () => {
    it.each<[string, unknown, string]>([
      ['name', null, 'invalid_name'],
      ['name', 'a'.repeat(121), 'invalid_name'],
      ['description', 'a'.repeat(2_001), 'invalid_description'],
      ['metadata', [], 'invalid_metadata'],
      ['price_usd_cents', null, 'invalid_price'],
      ['price_usd_cents', 0, 'invalid_price'],
      ['price_usd_cents', 9, 'invalid_price'],
      ['price_usd_cents', -1, 'invalid_price'],
      ['price_usd_cents', 1.5, 'invalid_price'],
      ['price_usd_cents', '1500', 'invalid_price'],
      ['price_usd_cents', 1e20, 'invalid_price'],
      ['interval', null, 'invalid_interval'],
      ['interval', 'hour', 'invalid_interval'],
      ['interval', 1, 'invalid_interval'],
      ['interval_count', 0, 'invalid_interval_count'],
      ['interval_count', 13, 'invalid_interval_count'],
      ['interval_count', 1.5, 'invalid_interval_count'],
      ['interval_count', 1e12, 'invalid_interval_count'],
      ['interval_count', -3e9, 'invalid_interval_count'],
      ['authorization_periods', -3e9, 'invalid_authorization_periods'],
      ['authorization_periods', 0, 'invalid_authorization_periods'],
      ['authorization_periods', '12', 'invalid_authorization_periods'],
      ['authorization_periods', 1e12, 'invalid_authorization_periods'],
    ])('%s %j is %s', async (field, value, error) => {
      expect(shown(await create({ [field]: value }))).toEqual([400, { error }])
    })

    it('a create without price or interval names the one that is missing', async () => {
      const ask = (body: object) => edge.post(`/subscription-products/${productId}/tiers`, body, own())
      expect(shown(await ask({ name: 'A', interval: 'day' }))).toEqual([400, { error: 'invalid_price' }])
      expect(shown(await ask({ name: 'A', price_usd_cents: 10 }))).toEqual([400, { error: 'invalid_interval' }])
    })

    it('a price above the ceiling shows the ceiling', async () => {
      expect(shown(await create({ price_usd_cents: 1_000_001 }))).toEqual([
        400,
        { error: 'tier_price_above_ceiling', max_price_usd_cents: 1_000_000 },
      ])
    })

    it('a total that no token account can hold', async () => {
      const most = { price_usd_cents: 1_000_000, authorization_periods: 1_844_674_407 }
      expect((await create(most)).status).toBe(201)
      expect(shown(await create({ ...most, authorization_periods: 1_844_674_408 }))).toEqual([
        400,
        { error: 'authorization_total_too_large' },
      ])
    })

    it.each([
      ['price_usd_cents', 1],
      ['price_usd_cents', null],
      ['interval', 'month'],
      ['interval_count', 1],
      ['authorization_periods', 1],
      ['total_authorization_usd_cents', 1],
      ['total_authorization_base_units', 1],
      ['product_id', 'x'],
      ['mint', MINT],
      ['token_program', 'x'],
      ['decimals', 6],
      ['unit_base_units', 1],
      ['payout_owner', 'x'],
      ['payout_ata', 'x'],
      ['platform_fee_bps', 1],
      ['platform_wallet', null],
    ])('a change of %s, which is named', async (field, value) => {
      const before = (await edge.get(tier, own())).body
      const answer = await edge.send('PATCH', tier, { name: 'New', [field]: value }, own())
      expect(shown(answer)).toEqual([400, { error: 'tier_field_immutable', field }])
      expect((await edge.get(tier, own())).body).toEqual(before)
    })

    it.each([
      [{ name: '' }, 'invalid_name'],
      [{ name: 'a'.repeat(121) }, 'invalid_name'],
      [{ description: 'a'.repeat(2_001) }, 'invalid_description'],
      [{ metadata: 'x' }, 'invalid_metadata'],
      [{ status: 'gone' }, 'invalid_status'],
    ])('a change to %j', async (body, error) => {
      expect(shown(await edge.send('PATCH', tier, body, own()))).toEqual([400, { error }])
    })

    it.each([
      ['limit=0', 'invalid_limit'],
      ['cursor=made-up', 'invalid_cursor'],
    ])('the list with ?%s', async (query, error) => {
      expect(shown(await edge.get(`/subscription-products/${productId}/tiers?${query}`, own()))).toEqual([
        400,
        { error },
      ])
    })
  })

  describe('404', () => {
    it('a tier or a product of another business is answered like one that does not exist', async () => {
      const other = withKey(edge.keys.other)
      for (const path of [tier, `/subscription-tiers/${randomUUID()}`, '/subscription-tiers/x']) {
        const asks = [
          edge.get(path, other),
          edge.send('PATCH', path, { name: 'Mine' }, other),
          edge.ask('POST', `${path}/archive`, other),
        ]
        for (const ask of asks) expect(shown(await ask)).toEqual([404, { error: 'tier_not_found' }])
      }
      for (const id of [productId, randomUUID(), 'x']) {
        const list = await edge.get(`/subscription-products/${id}/tiers`, other)
        for (const answer of [await create({}, other, id), list])
          expect(shown(answer)).toEqual([404, { error: 'product_not_found' }])
      }
    })
  })

  describe('409', () => {
    it('a tier of an archived product, new or active again', async () => {
      const { id } = (await edge.post('/subscription-products', { name: 'Old' }, own())).body
      const made = (await create({}, own(), id)).body
      await edge.ask('POST', `/subscription-products/${id}/archive`, own())
      const again = await edge.send('PATCH', `/subscription-tiers/${made.id}`, { status: 'active' }, own())
      for (const answer of [await create({}, own(), id), again])
        expect(shown(answer)).toEqual([409, { error: 'product_archived' }])
      const renamed = await edge.send('PATCH', `/subscription-tiers/${made.id}`, { name: 'Renamed' }, own())
      expect([renamed.status, renamed.body.status]).toEqual([200, 'archived'])
    })

    it('a business without a sweep destination', async () => {
      await edge.payTo(edge.tenant.accountId, null)
      expect(shown(await create())).toEqual([409, { error: 'payout_destination_missing' }])
    })

    it.each([
      ['a token account or a mint', CLASSIC_TOKENS],
      ['a program', makeAddress('BPFLoaderUpgradeab1e11111111111111111111111')],
    ])('a sweep destination that is %s', async (_what, owner) => {
      edge.world.owners.set(PAYOUT_WALLET, owner)
      expect(shown(await create())).toEqual([409, { error: 'payout_destination_invalid' }])
    })

    it('a sweep destination that is never a wallet, and none else', async () => {
      await edge.payTo(edge.tenant.accountId, CLASSIC_TOKENS)
      expect(shown(await create())).toEqual([409, { error: 'payout_destination_invalid' }])
      await edge.payTo(edge.tenant.accountId, PAYOUT_WALLET)
      edge.world.owners.set(PAYOUT_WALLET, makeAddress('11111111111111111111111111111111'))
      expect((await create()).status).toBe(201)
    })

    it('a seller with a marketplace fee, its own or the default of the marketplace', async () => {
      const { market: seller } = edge.sellers
      const acting = onBehalfOf(edge.keys.market, seller)
      await edge.payTo(seller, addressNo(81))
      const { id } = (await edge.post('/subscription-products', { name: 'Theirs' }, acting)).body
      const rate = (path: string, body: object) => edge.send('PATCH', path, body, withKey(edge.keys.market))
      await rate(`/marketplace/sellers/${seller}`, { marketplace_fee_bps: 250 })
      const refused = (marketplace_fee_bps: number) => [
        409,
        { error: 'marketplace_fee_unsupported', marketplace_fee_bps },
      ]
      expect(shown(await create({}, acting, id))).toEqual(refused(250))
      await rate('/marketplace', { default_fee_bps: 100 })
      await rate(`/marketplace/sellers/${seller}`, { marketplace_fee_bps: '' })
      expect(shown(await create({}, acting, id))).toEqual(refused(100))
      await rate(`/marketplace/sellers/${seller}`, { marketplace_fee_bps: 0 })
      expect((await create({}, acting, id)).status).toBe(201)
    })
  })

  describe('502', () => {
    it('a chain that cannot be read, because the payout is frozen into the tier', async () => {
      edge.world.isChainAway = true
      expect(shown(await create())).toEqual([502, { error: 'chain_unavailable' }])
    })
  })

  describe('503', () => {
    it('a fee without a wallet of the platform', async () => {
      edge.world.terms = { ...BILLING_TERMS, platformFeeBps: makeBasisPoints(1) }
      expect(shown(await create())).toEqual([503, { error: 'platform_wallet_unconfigured' }])
    })

    it.each([
      [{ enabled: false }, null],
      [{ decimals: 1 }, null],
      [{}, 'takes a transfer fee'],
    ])('a mint that cannot be used when it is used: %j, %s', async (patch, mintProblem) => {
      await edge.allowMint(patch)
      edge.world.mintProblem = mintProblem
      expect(shown(await create())).toEqual([503, { error: 'subscription_service_unavailable' }])
      expect((await edge.get(tier, own())).status).toBe(200)
    })
  })
})
