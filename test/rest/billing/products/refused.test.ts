// What the routes of products refuse, by identifier.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BillingEdge, startBillingEdge } from '../../../support/billing-edge.ts'
import { withKey } from '../../../support/services.ts'

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
      const answer = await edge.post('/subscription-products', { name: 'Tea', [field]: value }, withKey(edge.keys.own))
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
