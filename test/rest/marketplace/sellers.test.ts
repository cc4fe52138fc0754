import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tenantOf } from '#core/accounts/account.ts'
import { DEFAULT_RATE_LIMITS } from '#graphql/limits.ts'
import { type BillingEdge, onBehalfOf, startBillingEdge } from '../../support/billing-edge.ts'
import { addSubscription, addTier } from '../../support/billing-rows.ts'
import { addMarketplace, SELLER_WALLET } from '../../support/example-seller.ts'
import { type SellerEdge, startSellerEdge, UNPAYABLE } from '../../support/seller-edge.ts'
import { withKey } from '../../support/services.ts'
import { addIntent, storesOf } from '../../support/stores.ts'
import { addEndpoint } from '../../support/webhook-rows.ts'

// What the routes of sellers answer, and what they keep.
describe('what sellers answer', () => {
  describe('200', () => {
    let edge: SellerEdge
    beforeAll(async () => {
      edge = await startSellerEdge()
    })
    afterAll(() => edge.close())

    const create = (body: object, key = edge.keys.own) => edge.post('/marketplace/sellers', body, withKey(key))
    const patch = (id: string, body: object) =>
      edge.send('PATCH', `/marketplace/sellers/${id}`, body, withKey(edge.keys.own))

    const FULL = {
      name: 'Blue Shop',
      external_id: 'shop-17',
      description: 'Pottery\nand more',
      metadata: { plan: 'gold', tags: ['a', null, 1.5], nested: { on: true } },
      label: 'Blue',
      sweep_destination: SELLER_WALLET,
      marketplace_fee_bps: 250,
    }

    it('a create answers 201 with every field and `created`; a repeat answers 200 with the stored seller', async () => {
      const created = await create(FULL)
      expect([created.status, created.body]).toEqual([
        201,
        {
          ...FULL,
          id: expect.any(String),
          logo_url: null,
          derivation_index: expect.any(Number),
          status: 'active',
          archived_at: null,
          disabled_at: null,
          created_at: expect.stringMatching(/^\d{4}-.*Z$/),
          updated_at: created.body.created_at,
          created: true,
        },
      ])
      const repeat = await create({ name: 'Another', external_id: 'shop-17', marketplace_fee_bps: 1 })
      expect([repeat.status, repeat.body]).toEqual([200, { ...created.body, created: false }])
    })

    const HEBREW = { given: '\u05db\u05d4\u05df\u200f\u202e (VIP)\0', taken: '\u05db\u05d4\u05df\u200f (VIP)' }

    it('texts for people keep every character but those that cannot be stored or break a display', async () => {
      const { given, taken } = HEBREW
      const texts = (text: string) => ({ name: text, label: text, description: `${text}\n` })
      const { status, body } = await create(texts(given))
      expect([status, body]).toEqual([201, expect.objectContaining(texts(taken))])
      const edited = await patch(body.id, texts(`${given}!`))
      expect([edited.status, edited.body]).toEqual([200, expect.objectContaining(texts(`${taken}!`))])
      const found = await edge.get(
        `/marketplace/sellers?search=${encodeURIComponent('\u05db\u05d4\u05df (vip)!')}`,
        withKey(edge.keys.own),
      )
      expect(found.body.sellers.map(({ id }: { id: string }) => id)).toEqual([body.id])
      expect((await create({ name: 'Shop', external_id: given })).status).toBe(400)
    })

    it('the other fields of a repeat must be well-formed, and have no effect', async () => {
      const { id } = (await create({ name: 'Shop', external_id: 'repeated' })).body
      const repeat = (fields: object) => create({ name: 'Shop', external_id: 'repeated', ...fields })
      for (const fields of [{ name: 'a'.repeat(201) }, { sweep_destination: UNPAYABLE }, { label: 'a'.repeat(201) }])
        expect(await repeat(fields)).toMatchObject({
          status: 200,
          body: { id, name: 'Shop', label: null, created: false },
        })
      for (const fields of [
        { name: 7 },
        { label: 'two\nlines' },
        { sweep_destination: 'not-an-address' },
        { marketplace_fee_bps: '5' },
      ])
        expect((await repeat(fields)).status).toBe(400)
    })

    it('a name alone makes a seller; without an external id each create makes another', async () => {
      const [one, other] = [await create({ name: 'Same' }), await create({ name: 'Same', metadata: null, label: '' })]
      expect(one.body).toMatchObject({ external_id: null, metadata: {}, label: null, sweep_destination: null })
      expect([one.status, other.status, one.body.id === other.body.id]).toEqual([201, 201, false])
    })

    it('an edit changes what is sent; an empty string and null clear', async () => {
      const { id } = (await create({ ...FULL, external_id: 'edited' })).body
      const edited = await patch(id, {
        name: 'Red Shop',
        sweep_destination: '',
        marketplace_fee_bps: '',
        external_id: 'x',
      })
      expect([edited.status, edited.body]).toMatchObject([
        200,
        {
          id,
          name: 'Red Shop',
          external_id: 'edited',
          label: 'Blue',
          sweep_destination: null,
          marketplace_fee_bps: null,
        },
      ])
      const cleared = await patch(id, { label: '', description: null, metadata: null })
      expect(cleared.body).toMatchObject({ name: 'Red Shop', label: null, description: null, metadata: {} })
      expect((await edge.get(`/marketplace/sellers/${id}`, withKey(edge.keys.own))).body).toEqual(cleared.body)
    })

    it('an archive answers with the seller, and keeps it', async () => {
      const { created: _, ...seller } = (await create({ name: 'Gone' })).body
      const path = `/marketplace/sellers/${seller.id}`
      const archived = await edge.ask('DELETE', path, withKey(edge.keys.own))
      const fields = { status: 'archived', archived_at: expect.any(String), updated_at: expect.any(String) }
      expect([archived.status, archived.body]).toEqual([200, { ...seller, ...fields }])
      expect((await edge.get(path, withKey(edge.keys.own))).body).toEqual(archived.body)
      expect((await edge.ask('DELETE', path, withKey(edge.keys.own))).body).toEqual(archived.body)
    })

    it('a marketplace in test mode has sellers of its own', async () => {
      const { status, body } = await create({ name: 'Trial', external_id: 'shop-17' }, edge.keys.test)
      expect([status, body.created]).toEqual([201, true])
      expect((await edge.get(`/marketplace/sellers/${body.id}`, withKey(edge.keys.own))).status).toBe(404)
    })

    describe('the list of sellers', () => {
      let key: string
      const list = async (query = '') => {
        const { status, body } = await edge.get(`/marketplace/sellers${query}`, withKey(key))
        return { status, body, names: body.sellers?.map(({ name }: { name: string }) => name) }
      }
      beforeAll(async () => {
        key = edge.keys.other
        const made = []
        for (const [at, name] of ['Ärzte', '100% Wool', 'a_b', 'azb', 'Σίσυφος', 'Zebra'].entries())
          made.push(await create({ name, external_id: `Ext-${at}` }, key))
        await edge.ask('DELETE', `/marketplace/sellers/${made[5]?.body.id}`, withKey(key))
      })

      it('is the newest first, without archived sellers unless they are asked for', async () => {
        expect((await list()).names).toEqual(['Σίσυφος', 'azb', 'a_b', '100% Wool', 'Ärzte'])
        expect((await list('?include_archived=true')).names[0]).toBe('Zebra')
        expect((await list()).body.next_cursor).toBeNull()
      })

      it('is walked by its cursor without a gap or a repeat', async () => {
        const seen: string[] = []
        let cursor: string | null = ''
        while (cursor !== null) {
          const { body, names } = await list(`?limit=2&include_archived=1${cursor && `&cursor=${cursor}`}`)
          seen.push(...names)
          cursor = body.next_cursor
        }
        expect(seen).toEqual(['Zebra', 'Σίσυφος', 'azb', 'a_b', '100% Wool', 'Ärzte'])
      })

      it.each([
        ['ärz', ['Ärzte']],
        ['ÄRZTE', ['Ärzte']],
        ['σΊσυφοΣ', ['Σίσυφος']],
        ['a_b', ['a_b']],
        ['%', ['100% Wool']],
        ['b', ['azb', 'a_b']],
        ['EXT-1', ['100% Wool']],
        ['ext-', ['Σίσυφος', 'azb', 'a_b', '100% Wool', 'Ärzte']],
        ['woolext', []],
        ['\\', []],
        ['', ['Σίσυφος', 'azb', 'a_b', '100% Wool', 'Ärzte']],
      ])('finds %s in names and external ids', async (search, names) => {
        expect((await list(`?search=${encodeURIComponent(search)}`)).names).toEqual(names)
      })
    })

    it('an archive stores no event, so that no webhook is sent', async () => {
      await addEndpoint(edge.database, edge.tenant.accountId, 'https://shop.example.com/webhooks')
      const { id } = (await create({ name: 'Closing Shop', sweep_destination: SELLER_WALLET })).body
      const stored = () => edge.database.query('SELECT id FROM events UNION ALL SELECT id FROM webhook_deliveries')
      const before = await stored()
      expect((await edge.ask('DELETE', `/marketplace/sellers/${id}`, withKey(edge.keys.own))).body.status).toBe(
        'archived',
      )
      expect(await stored()).toEqual(before)
    })
  })

  // A seller with recurring billing: its marketplace ends that on its behalf, and only then archives it.
  describe('archive billing', () => {
    let edge: BillingEdge
    beforeAll(async () => {
      edge = await startBillingEdge()
    })
    afterAll(() => edge.close())

    it('an archive is 409 and names subscriptions and checkouts, until they are cancelled on behalf of the seller and no charge moves', async () => {
      const accountId = edge.sellers.market
      const tier = await addTier(edge.database, tenantOf({ id: accountId, network: 'live' }))
      const { subscription } = await addSubscription(edge.database, tier, edge.world.now)
      const { id, intentId } = subscription
      const cancel = (path: string, body: object = {}) =>
        edge.post(`${path}/cancel`, body, onBehalfOf(edge.keys.market, accountId))
      const archive = async () => {
        const { status, body } = await edge.ask(
          'DELETE',
          `/marketplace/sellers/${accountId}`,
          withKey(edge.keys.market),
        )
        return status === 409 ? body : [status, body.status]
      }
      const refusal = {
        error: 'money of this seller is in flight; archive it later',
        intent_ids: [],
        subscription_ids: [id],
        subscription_intent_ids: [],
      }

      expect(await archive()).toEqual({ ...refusal, subscription_intent_ids: [intentId] })
      expect((await cancel(`/subscription-intents/${intentId}`)).body.status).toBe('canceled')
      expect((await cancel(`/subscriptions/${id}`, { at_period_end: true })).status).toBe(200)
      expect(await archive()).toEqual(refusal)
      const ended = await cancel(`/subscriptions/${id}`, { at_period_end: false })
      expect(ended.body.subscription.status).toBe('canceled')
      expect(await archive()).toEqual(refusal)
      await edge.database.query(`UPDATE transfers SET status = 'done' WHERE kind = 'charge'`)
      expect(await archive()).toEqual([200, 'archived'])
    })
  })
})

describe('what sellers refuse', () => {
  describe('400', () => {
    let edge: SellerEdge
    let path: string
    beforeAll(async () => {
      edge = await startSellerEdge()
      const { body } = await edge.post('/marketplace/sellers', { name: 'Blue Shop' }, withKey(edge.keys.own))
      path = `/marketplace/sellers/${body.id}`
    })
    afterAll(() => edge.close())

    const BAD_FIELDS: readonly (readonly [field: string, value: unknown])[] = [
      ['name', 7],
      ['name', ' '],
      ['name', 'a'.repeat(201)],
      ['label', 'two\nlines'],
      ['label', 'a'.repeat(201)],
      ['description', 7],
      ['description', 'a'.repeat(501)],
      ['metadata', []],
      ['metadata', 'x'],
      ['metadata', { deep: { a: { b: { c: { d: { e: { f: { g: {} } } } } } } } }],
      ['metadata', { nul: 'a\u0000b' }],
      ['metadata', Object.fromEntries(Array.from({ length: 51 }, (_, at) => [at, 1]))],
      ['metadata', { long: 'a'.repeat(17_000) }],
      ['sweep_destination', 'not-an-address'],
      ['sweep_destination', UNPAYABLE],
      ['sweep_destination', 7],
      ['marketplace_fee_bps', 5_001],
      ['marketplace_fee_bps', -1],
      ['marketplace_fee_bps', 1.5],
      ['marketplace_fee_bps', '100'],
    ]

    describe.each(BAD_FIELDS)('the %s %j', (field, value) => {
      it('is refused in a create, and the message names the field', async () => {
        const body = { name: 'Shop', [field]: value }
        const answer = await edge.post('/marketplace/sellers', body, withKey(edge.keys.own))
        expect(answer.status).toBe(400)
        expect(Object.keys(answer.body)).toEqual(['error'])
        expect(answer.body.error).toContain(field)
      })

      it('is refused in an edit, and changes nothing', async () => {
        const before = await edge.get(path, withKey(edge.keys.own))
        const answer = await edge.send('PATCH', path, { label: 'New', [field]: value }, withKey(edge.keys.own))
        expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining(field)])
        expect((await edge.get(path, withKey(edge.keys.own))).body).toEqual(before.body)
      })
    })

    it.each([{}, { name: null }, { external_id: 'x' }])('refuses a create without a name: %j', async (body) => {
      expect((await edge.post('/marketplace/sellers', body, withKey(edge.keys.own))).status).toBe(400)
    })

    it.each(['', ' ', 'a'.repeat(256), 'a\nb', 7])('refuses the external id %j', async (external_id) => {
      const { status, body } = await edge.post(
        '/marketplace/sellers',
        { name: 'Shop', external_id },
        withKey(edge.keys.own),
      )
      expect([status, body.error]).toEqual([400, expect.stringContaining('external_id')])
    })

    it.each([{}, { unknown: 1 }, { name: null }])('refuses an edit that has nothing to update: %j', async (body) => {
      expect((await edge.send('PATCH', path, body, withKey(edge.keys.own))).status).toBe(400)
    })

    it('a number that cannot be read exactly is refused in metadata', async () => {
      const body = '{"name": "Shop", "metadata": {"big": 12345678901234567890}}'
      expect((await edge.post('/marketplace/sellers', body, withKey(edge.keys.own))).status).toBe(400)
    })

    it.each([
      ['limit', 'limit=0'],
      ['limit', 'limit=101'],
      ['limit', 'limit=1.5'],
      ['limit', 'limit=5&limit=6'],
      ['cursor', 'cursor='],
      ['cursor', 'cursor=made-up'],
      ['include_archived', 'include_archived=yes'],
      ['search', `search=${'a'.repeat(501)}`],
    ])('the list refuses the %s of ?%s', async (field, query) => {
      const { status, body } = await edge.get(`/marketplace/sellers?${query}`, withKey(edge.keys.own))
      expect([status, body.error]).toEqual([400, expect.stringContaining(field)])
    })

    it('a cursor serves its caller and its filters only', async () => {
      await edge.post('/marketplace/sellers', { name: 'Second' }, withKey(edge.keys.own))
      const { next_cursor } = (await edge.get('/marketplace/sellers?limit=1', withKey(edge.keys.own))).body
      const ask = (query: string, key: string) =>
        edge.get(`/marketplace/sellers?cursor=${next_cursor}${query}`, withKey(key))
      expect((await ask('', edge.keys.own)).status).toBe(200)
      expect((await ask('', edge.keys.other)).status).toBe(400)
      expect((await ask('&search=shop', edge.keys.own)).status).toBe(400)
      expect((await ask('&include_archived=true', edge.keys.own)).status).toBe(400)
      expect((await edge.get(`/marketplace/audit?cursor=${next_cursor}`, withKey(edge.keys.own))).status).toBe(400)
    })
  })

  describe('409', () => {
    let edge: SellerEdge
    beforeAll(async () => {
      edge = await startSellerEdge()
    })
    afterAll(() => edge.close())

    it('an archive while money is in flight names the payments, and archives nothing', async () => {
      const key = withKey(edge.keys.own)
      const { id } = (await edge.post('/marketplace/sellers', { name: 'Busy Shop' }, key)).body
      const payment = await addIntent(storesOf(edge.database), edge.tenant, { accountId: id })
      const { status, body } = await edge.ask('DELETE', `/marketplace/sellers/${id}`, key)
      expect([status, body]).toEqual([
        409,
        { error: expect.any(String), intent_ids: [payment.id], subscription_ids: [], subscription_intent_ids: [] },
      ])
      expect((await edge.get(`/marketplace/sellers/${id}`, key)).body.status).toBe('active')
    })

    it('a create beyond the limit of sellers', async () => {
      const { tenant } = await addMarketplace(edge.database, edge.marketplaces, { sellerLimit: 1 })
      const key = withKey(await edge.keyOf(tenant.accountId))
      expect((await edge.post('/marketplace/sellers', { name: 'One', external_id: 'one' }, key)).status).toBe(201)
      const { status, body } = await edge.post('/marketplace/sellers', { name: 'Two' }, key)
      expect([status, Object.keys(body)]).toEqual([409, ['error']])
      expect((await edge.post('/marketplace/sellers', { name: 'One', external_id: 'one' }, key)).status).toBe(200)
    })
  })

  describe('429', () => {
    const LIMIT = 4
    const WRONG_KEYS = 3
    const OF_LIVE_KEY = 2
    const OF_TEST_KEY = 2
    let edge: SellerEdge
    beforeAll(async () => {
      // The limit of the key is below the rate of new sellers, which do not count against it.
      const rateLimits = {
        ...DEFAULT_RATE_LIMITS,
        sellersPerTenSeconds: LIMIT,
        liveKeyPerSecond: OF_LIVE_KEY,
        testKeyPerSecond: OF_TEST_KEY,
        publicAddressPerMinute: WRONG_KEYS,
      }
      edge = await startSellerEdge({ rateLimits })
    })
    afterAll(() => edge.close())

    const create = (body: object, key = edge.keys.own) => edge.post('/marketplace/sellers', body, withKey(key))

    it('new sellers beyond the rate are refused with the time to wait; a known external id is still answered', async () => {
      for (let at = 0; at < LIMIT; at += 1)
        expect((await create({ name: 'Shop', external_id: `shop-${at}` })).status).toBe(201)
      const refused = await create({ name: 'Shop', external_id: 'one-too-many' })
      expect([refused.status, refused.body]).toEqual([
        429,
        { error: expect.any(String), retry_after_secs: Number(refused.headers.get('retry-after')) },
      ])
      expect(refused.body.retry_after_secs).toBeGreaterThan(0)
      expect(refused.body.retry_after_secs).toBeLessThanOrEqual(10)
      expect(refused.headers.get('ratelimit-policy')).toContain(`"new-sellers";q=${LIMIT};w=10`)
      expect(refused.headers.get('ratelimit')).toContain(`"new-sellers";r=0;t=${refused.headers.get('retry-after')}`)

      // The rate is the marketplace's, whichever of its keys is used.
      expect((await create({ name: 'Shop' }, edge.keys.manager)).status).toBe(429)
      expect((await create({ name: 'Shop' }, edge.keys.other)).status).toBe(201)

      expect(await create({ name: 'Shop', external_id: 'shop-1' })).toMatchObject({
        status: 200,
        body: { created: false },
      })
    })

    it('new sellers beyond the rate count against the limit of the key', async () => {
      const answers = Array.from({ length: LIMIT }, () => create({ name: 'Shop' }, edge.keys.manager))
      expect((await Promise.all(answers)).map(({ status }) => status)).toContain(429)
      const key = await edge.keyOf(edge.tenant.accountId)
      const refused = await Promise.all(Array.from({ length: OF_LIVE_KEY }, () => create({ name: 'Shop' }, key)))
      expect(refused.map(({ status }) => status)).toEqual(Array(OF_LIVE_KEY).fill(429))
      expect((await edge.get('/marketplace', withKey(key))).status).toBe(429)
    })

    it('repeats of a known external id count against the limit of the key, and are refused with the time to wait', async () => {
      const key = edge.keys.other
      expect((await create({ name: 'Shop', external_id: 'known' }, key)).status).toBe(201)
      const answers = await Promise.all(
        Array.from({ length: 6 }, () => create({ name: 'Shop', external_id: 'known' }, key)),
      )
      const refused = answers.filter(({ status }) => status === 429)
      expect(refused.length).toBeGreaterThan(0)
      for (const { body } of refused) expect(body).toEqual({ error: expect.any(String), retry_after_secs: 1 })
    })

    const REFUSED = { error: expect.any(String), retry_after_secs: expect.any(Number) }

    it('a request that cannot be read counts once, and is refused with the time to wait', async () => {
      const answers = await Promise.all(Array.from({ length: OF_TEST_KEY + 1 }, () => create({}, edge.keys.test)))
      expect(answers.map(({ status }) => status).sort()).toEqual([...Array(OF_TEST_KEY).fill(400), 429])
      expect(answers.find(({ status }) => status === 429)?.body).toEqual(REFUSED)
    })

    it('wrong keys beyond the limit are refused with the time to wait', async () => {
      for (let at = 0; at < WRONG_KEYS; at += 1) expect((await create({}, 'sk_live_wrong')).status).toBe(401)
      const { status, body } = await create({}, 'sk_live_wrong')
      expect([status, body]).toEqual([429, REFUSED])
    })
  })
})
