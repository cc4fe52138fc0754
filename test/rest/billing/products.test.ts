import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BillingEdge, onBehalfOf, startBillingEdge } from '../../support/billing-edge.ts'
import { withKey } from '../../support/services.ts'

// What the routes of products answer, and what they keep.
describe('what products answer', () => {
  let edge: BillingEdge
  beforeAll(async () => {
    edge = await startBillingEdge()
  })
  afterAll(() => edge.close())

  const own = () => withKey(edge.keys.own)
  const create = (body: object, headers = own()) => edge.post('/subscription-products', body, headers)
  const patch = (id: string, body: object) => edge.send('PATCH', `/subscription-products/${id}`, body, own())
  const archive = (id: string) => edge.ask('POST', `/subscription-products/${id}/archive`, own())
  const find = async (id: string, headers = own()) => (await edge.get(`/subscription-products/${id}`, headers)).body

  const FULL = {
    name: 'Coffee',
    description: 'A bag of beans\nevery month',
    external_id: 'coffee-1',
    metadata: { roast: 'dark', tags: ['a', null, 1.5], nested: { on: true } },
  }

  it('a create answers 201 with every field; a repeat of its external id answers 200 with the stored product', async () => {
    const created = await create(FULL)
    expect([created.status, created.body]).toEqual([
      201,
      {
        ...FULL,
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        status: 'active',
        archived_at: null,
        created_at: expect.stringMatching(/^\d{4}-.*Z$/),
        updated_at: created.body.created_at,
      },
    ])
    const repeat = await create({ name: 'Tea', external_id: 'coffee-1', description: 'a'.repeat(2_001) })
    expect([repeat.status, repeat.body]).toEqual([200, created.body])
    expect(await find(created.body.id)).toEqual(created.body)
  })

  const HEBREW = { given: '\u05db\u05d4\u05df\u200f\u202e (VIP)\0', taken: '\u05db\u05d4\u05df\u200f (VIP)' }

  it('texts for people keep every character but those that cannot be stored or break a display', async () => {
    const { given, taken } = HEBREW
    const texts = (text: string) => ({ name: text, description: `${text}\n` })
    const { status, body } = await create(texts(given))
    expect([status, body]).toEqual([201, expect.objectContaining(texts(taken))])
    const edited = await patch(body.id, texts(`${given}!`))
    expect([edited.status, edited.body]).toEqual([200, expect.objectContaining(texts(`${taken}!`))])
    expect((await create({ name: 'Tea', external_id: given })).status).toBe(400)
  })

  it('concurrent creates with one external id make one product', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => create({ name: `Tea ${at}`, external_id: 'tea' })),
    )
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(19).fill(200), 201])
  })

  it('a name alone makes a product; without an external id each create makes another', async () => {
    const [one, other] = [
      await create({ name: 'Same' }),
      await create({ name: 'Same', metadata: null, description: '' }),
    ]
    for (const { body } of [one, other])
      expect(body).toMatchObject({ external_id: null, metadata: {}, description: null, status: 'active' })
    expect([one.status, other.status, one.body.id === other.body.id]).toEqual([201, 201, false])
  })

  it('an external id belongs to one business', async () => {
    const mine = await create({ name: 'Mine', external_id: 'shared' })
    const theirs = await create({ name: 'Theirs', external_id: 'shared' }, withKey(edge.keys.other))
    expect([mine.status, theirs.status, mine.body.id === theirs.body.id]).toEqual([201, 201, false])
  })

  it('a change replaces what is sent; null clears, and metadata is replaced as a whole', async () => {
    const { body } = await create({ ...FULL, external_id: 'changed' })
    const changed = await patch(body.id, { name: 'Espresso', metadata: { roast: 'light' } })
    expect([changed.status, changed.body]).toEqual([
      200,
      { ...body, name: 'Espresso', metadata: { roast: 'light' }, updated_at: expect.any(String) },
    ])
    expect(changed.body.updated_at > body.updated_at).toBe(true)
    const cleared = await patch(body.id, { description: null, metadata: null })
    expect(cleared.body).toMatchObject({ name: 'Espresso', description: null, metadata: {}, external_id: 'changed' })
    expect(await find(body.id)).toEqual(cleared.body)
  })

  it('a change that changes nothing answers with the product as it is', async () => {
    const { body } = await create({ name: 'Still' })
    for (const same of [{}, { name: 'Still' }, { status: 'active' }, { unknown: 1 }])
      expect((await patch(body.id, same)).body).toEqual(body)
  })

  it('an archive keeps the product; a repeat changes nothing; the status active undoes it', async () => {
    const { body } = await create({ name: 'Old' })
    const archived = await archive(body.id)
    const fields = { status: 'archived', archived_at: expect.any(String), updated_at: expect.any(String) }
    expect([archived.status, archived.body]).toEqual([200, { ...body, ...fields }])
    expect((await archive(body.id)).body).toEqual(archived.body)
    expect((await patch(body.id, { status: 'archived' })).body).toEqual(archived.body)
    const active = await patch(body.id, { status: 'active' })
    expect([active.status, active.body]).toEqual([200, { ...body, updated_at: expect.any(String) }])
  })

  it('a marketplace acts for its seller by the header, and the product belongs to the seller', async () => {
    const seller = onBehalfOf(edge.keys.market, edge.sellers.market)
    const created = await create({ name: 'For a seller' }, seller)
    expect(created.status).toBe(201)
    expect(await find(created.body.id, seller)).toEqual(created.body)
    expect((await edge.get('/subscription-products', seller)).body.products).toEqual([created.body])
    expect(await find(created.body.id, withKey(edge.keys.market))).toEqual({ error: 'product_not_found' })
    expect((await edge.get('/subscription-products', withKey(edge.keys.market))).body.products).toEqual([])
  })

  it('a global id finds a product for its business, and for the marketplace of its seller', async () => {
    const mine = (await create({ name: 'Node' })).body.id
    const sellers = (await create({ name: 'Node' }, onBehalfOf(edge.keys.market, edge.sellers.market))).body.id
    const node = async (id: string, key: string) => {
      const global = Buffer.from(`SubscriptionProduct:${id}`).toString('base64')
      const query = `{ node(id: "${global}") { ... on SubscriptionProduct { uuid } } }`
      const { body } = await edge.graphql(query, {}, withKey(key))
      return body.errors?.[0].extensions.code ?? body.data.node?.uuid
    }
    expect(await node(mine, edge.keys.viewer)).toBe(mine)
    expect(await node(sellers, edge.keys.market)).toBe(sellers)
    for (const [id, key] of [
      [mine, edge.keys.other],
      [mine, edge.keys.market],
      [sellers, edge.keys.own],
      ['not-an-id', edge.keys.own],
    ] as const)
      expect(await node(id, key)).toBeUndefined()
    expect(await node(mine, edge.keys.payer)).toBe('permission_denied')
  })

  describe('the list of products', () => {
    const list = async (query = '') => {
      const { status, body } = await edge.get(`/subscription-products${query}`, withKey(edge.keys.other))
      return { status, body, names: body.products?.map(({ name }: { name: string }) => name) }
    }
    beforeAll(async () => {
      const key = withKey(edge.keys.other)
      await edge.database.query(`DELETE FROM subscription_products WHERE name = 'Theirs'`)
      const made = []
      for (const [at, name] of ['Ärzte', '100% Wool', 'a_b', 'azb', 'Zebra'].entries())
        made.push(await create({ name, external_id: `Ext-${at}`, description: `Number ${at}\nof all` }, key))
      await edge.ask('POST', `/subscription-products/${made[4]?.body.id}/archive`, key)
    })

    it('is the newest first, active and archived', async () => {
      expect((await list()).names).toEqual(['Zebra', 'azb', 'a_b', '100% Wool', 'Ärzte'])
      expect((await list()).body.next_cursor).toBeNull()
    })

    it('is filtered by status', async () => {
      expect((await list('?status=active')).names).toEqual(['azb', 'a_b', '100% Wool', 'Ärzte'])
      expect((await list('?status=archived')).names).toEqual(['Zebra'])
    })

    it('is walked by its cursor without a gap or a repeat', async () => {
      const seen: string[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const { body, names } = await list(`?limit=2${cursor && `&cursor=${cursor}`}`)
        seen.push(...names)
        cursor = body.next_cursor
      }
      expect(seen).toEqual(['Zebra', 'azb', 'a_b', '100% Wool', 'Ärzte'])
    })

    it.each([
      ['ärz', ['Ärzte']],
      ['a_b', ['a_b']],
      ['%', ['100% Wool']],
      ['EXT-1', ['100% Wool']],
      ['number 3', ['azb']],
      ['3 of all', ['azb']],
      ['bext', []],
      ['', ['Zebra', 'azb', 'a_b', '100% Wool', 'Ärzte']],
    ])('finds %s in names, descriptions and external ids, by search and by q', async (search, names) => {
      for (const parameter of ['search', 'q'])
        expect((await list(`?${parameter}=${encodeURIComponent(search)}`)).names).toEqual(names)
    })

    it('finds a product by its new name after a change', async () => {
      const { body } = await create({ name: 'Before' })
      await patch(body.id, { name: 'Afterwards' })
      const found = await edge.get('/subscription-products?q=afterw', own())
      expect(found.body.products.map(({ id }: { id: string }) => id)).toEqual([body.id])
      expect((await edge.get('/subscription-products?q=before', own())).body.products).toEqual([])
    })
  })
})

// What the routes of products refuse, by identifier.
describe('what products refuse', () => {
  describe('400', () => {
    let edge: BillingEdge
    let path: string
    beforeAll(async () => {
      edge = await startBillingEdge()
      const { body } = await edge.post('/subscription-products', { name: 'Coffee' }, withKey(edge.keys.own))
      path = `/subscription-products/${body.id}`
    })
    afterAll(() => edge.close())

    const BAD_FIELDS: readonly (readonly [field: string, value: unknown])[] = [
      ['name', 7],
      ['name', null],
      ['name', ''],
      ['name', ' '],
      ['name', 'two\nlines'],
      ['name', 'a'.repeat(201)],
      ['description', 7],
      ['description', 'a'.repeat(2_001)],
      ['metadata', []],
      ['metadata', 'x'],
      ['metadata', { nul: 'a\u0000b' }],
      ['metadata', Object.fromEntries(Array.from({ length: 51 }, (_, at) => [at, 1]))],
    ]

    describe.each(BAD_FIELDS)('the %s %j', (field, value) => {
      it('is refused in a create, by its identifier', async () => {
        const answer = await edge.post(
          '/subscription-products',
          { name: 'Tea', [field]: value },
          withKey(edge.keys.own),
        )
        expect([answer.status, answer.body]).toEqual([400, { error: `invalid_${field}` }])
      })

      it('is refused in a change, and changes nothing', async () => {
        const before = await edge.get(path, withKey(edge.keys.own))
        const answer = await edge.send('PATCH', path, { status: 'archived', [field]: value }, withKey(edge.keys.own))
        expect([answer.status, answer.body]).toEqual([400, { error: `invalid_${field}` }])
        expect((await edge.get(path, withKey(edge.keys.own))).body).toEqual(before.body)
      })
    })

    it('the longest texts are taken', async () => {
      const longest = { name: '🙂'.repeat(200), description: '🙂'.repeat(2_000), external_id: '🙂'.repeat(255) }
      const { status, body } = await edge.post('/subscription-products', longest, withKey(edge.keys.own))
      expect([status, body]).toMatchObject([201, longest])
    })

    it('a create without a name', async () => {
      const { status, body } = await edge.post('/subscription-products', {}, withKey(edge.keys.own))
      expect([status, body]).toEqual([400, { error: 'invalid_name' }])
    })

    it.each(['', ' ', 'a'.repeat(256), 'a\nb', 7])('the external id %j', async (external_id) => {
      const { status, body } = await edge.post(
        '/subscription-products',
        { name: 'A', external_id },
        withKey(edge.keys.own),
      )
      expect([status, body]).toEqual([400, { error: 'invalid_external_id' }])
    })

    it.each(['other', null, 7])('a change of the external id to %j, whose field is named', async (external_id) => {
      const { status, body } = await edge.send('PATCH', path, { name: 'X', external_id }, withKey(edge.keys.own))
      expect([status, body]).toEqual([400, { error: 'product_field_immutable', field: 'external_id' }])
    })

    it.each(['gone', 'ACTIVE', null, 1])('a change to the status %j', async (status) => {
      const answer = await edge.send('PATCH', path, { status }, withKey(edge.keys.own))
      expect([answer.status, answer.body]).toEqual([400, { error: 'invalid_status' }])
    })

    it('a number in metadata that cannot be read exactly', async () => {
      const body = '{"name": "A", "metadata": {"big": 12345678901234567890}}'
      const answer = await edge.post('/subscription-products', body, withKey(edge.keys.own))
      expect([answer.status, answer.body]).toEqual([400, { error: 'invalid_metadata' }])
    })

    it.each([
      ['limit=0', { error: 'invalid_limit' }],
      ['limit=101', { error: 'invalid_limit' }],
      ['limit=1.5', { error: 'invalid_limit' }],
      ['limit=5&limit=6', { error: 'invalid_limit' }],
      ['cursor=', { error: 'invalid_cursor' }],
      ['cursor=made-up', { error: 'invalid_cursor' }],
      ['status=gone', { error: 'invalid_status' }],
      [`search=${'a'.repeat(501)}`, { error: 'invalid_request', field: 'search' }],
      [`q=${'a'.repeat(501)}`, { error: 'invalid_request', field: 'q' }],
    ])('the list refuses ?%s', async (query, expected) => {
      const { status, body } = await edge.get(`/subscription-products?${query}`, withKey(edge.keys.own))
      expect([status, body]).toEqual([400, expected])
    })

    it('a cursor serves its caller and its filters only', async () => {
      await edge.post('/subscription-products', { name: 'Second' }, withKey(edge.keys.own))
      const { next_cursor } = (await edge.get('/subscription-products?limit=1', withKey(edge.keys.own))).body
      const ask = (query: string, key = edge.keys.own) =>
        edge.get(`/subscription-products?cursor=${next_cursor}${query}`, withKey(key))
      expect((await ask('')).status).toBe(200)
      for (const answer of [await ask('', edge.keys.other), await ask('&status=active'), await ask('&q=a')])
        expect([answer.status, answer.body]).toEqual([400, { error: 'invalid_cursor' }])
    })

    it('a product of another business is answered like one that does not exist', async () => {
      const asks = [
        path,
        `/subscription-products/${randomUUID()}`,
        '/subscription-products/x',
        '/subscription-products/%00',
      ]
      for (const target of asks) {
        const key = withKey(edge.keys.other)
        const answers = [
          await edge.get(target, key),
          await edge.send('PATCH', target, { name: 'Mine' }, key),
          await edge.post(`${target}/archive`, {}, key),
        ]
        for (const { status, body } of answers) expect([status, body]).toEqual([404, { error: 'product_not_found' }])
      }
    })

    it('GraphQL refuses with the same codes, and names the wrong page size and cursor', async () => {
      const codeOf = async (query: string) =>
        (await edge.graphql(query, {}, withKey(edge.keys.own))).body.errors?.[0]?.extensions.code
      expect(await codeOf('{ subscriptionProducts(first: 101) { pageInfo { endCursor } } }')).toBe('invalid_limit')
      expect(await codeOf('{ subscriptionProducts(after: "x") { pageInfo { endCursor } } }')).toBe('invalid_cursor')
      expect(await codeOf('{ subscriptionProduct(id: "x") { uuid } }')).toBe('product_not_found')
      const create = (input: string) => codeOf(`mutation { createSubscriptionProduct(input: {${input}}) { created } }`)
      expect(await create('name: " "')).toBe('invalid_name')
      expect(await create('name: "a", externalId: ""')).toBe('invalid_external_id')
    })
  })

  describe('409', () => {
    let edge: BillingEdge
    beforeAll(async () => {
      edge = await startBillingEdge()
    })
    afterAll(() => edge.close())

    it('a create with the external id of an archived product is product_exists, until the product is active again', async () => {
      const key = withKey(edge.keys.own)
      const create = () => edge.post('/subscription-products', { name: 'Coffee', external_id: 'coffee' }, key)
      const { id } = (await create()).body
      await edge.post(`/subscription-products/${id}/archive`, {}, key)
      const refused = await create()
      expect([refused.status, refused.body]).toEqual([409, { error: 'product_exists' }])
      await edge.send('PATCH', `/subscription-products/${id}`, { status: 'active' }, key)
      expect(await create()).toMatchObject({ status: 200, body: { id } })
    })
  })
})
