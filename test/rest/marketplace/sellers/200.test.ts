// What the routes of sellers answer, and what they keep.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tenantOf } from '#core/accounts/account.ts'
import { type BillingEdge, onBehalfOf, startBillingEdge } from '../../../support/billing-edge.ts'
import { addSubscription, addTier } from '../../../support/billing-rows.ts'
import { SELLER_WALLET } from '../../../support/example-seller.ts'
import { type SellerEdge, startSellerEdge, UNPAYABLE } from '../../../support/seller-edge.ts'
import { withKey } from '../../../support/services.ts'
import { addEndpoint } from '../../../support/webhook-rows.ts'

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
      const { status, body } = await edge.ask('DELETE', `/marketplace/sellers/${accountId}`, withKey(edge.keys.market))
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
