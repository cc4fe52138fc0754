// Every route under /marketplace, from every kind of caller.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeBasisPoints } from '#core/money/amounts.ts'
import { picture } from '../../support/images.ts'
import { type SellerEdge, startSellerEdge } from '../../support/seller-edge.ts'
import { type Answer, withKey } from '../../support/services.ts'
import { addIntent, storesOf } from '../../support/stores.ts'

let edge: SellerEdge
let sellerId: string
/** A payment for a seller of the own marketplace, and of the revoked marketplace. */
let paymentId: string
let keptId: string
beforeAll(async () => {
  edge = await startSellerEdge()
  const { body } = await edge.post('/marketplace/sellers', { name: 'Blue Shop' }, withKey(edge.keys.own))
  sellerId = body.id
  const stores = storesOf(edge.database)
  const marketplaceFeeBps = makeBasisPoints(100)
  paymentId = (await addIntent(stores, edge.tenant, { accountId: sellerId, marketplaceFeeBps })).id
  const [kept] = (await edge.get('/marketplace/sellers', withKey(edge.keys.revoked))).body.sellers
  keptId = (await addIntent(stores, edge.revoked, { accountId: kept.id, marketplaceFeeBps })).id
})
afterAll(() => edge.close())

type Ask = (key: string, seller?: string) => Promise<Answer>
const get =
  (path: string): Ask =>
  (key) =>
    edge.get(path, withKey(key))

const READS: readonly (readonly [string, Ask])[] = [
  ['GET /marketplace', get('/marketplace')],
  ['GET /marketplace/sellers', get('/marketplace/sellers')],
  ['GET /marketplace/audit', get('/marketplace/audit')],
  ['GET /marketplace/payments', get('/marketplace/payments')],
  ['GET /marketplace/stats/summary', get('/marketplace/stats/summary')],
  ['GET /marketplace/stats/timeseries', get('/marketplace/stats/timeseries?interval=day')],
  [
    'GET /marketplace/payments/:id',
    (key) => edge.get(`/marketplace/payments/${key === edge.keys.revoked ? keptId : paymentId}`, withKey(key)),
  ],
]
const READS_OF_SELLER: readonly (readonly [string, Ask])[] = [
  ['GET /marketplace/sellers/:id', (key, id = sellerId) => edge.get(`/marketplace/sellers/${id}`, withKey(key))],
  [
    'GET /marketplace/audit?seller_id',
    (key, id = sellerId) => edge.get(`/marketplace/audit?seller_id=${id}`, withKey(key)),
  ],
  [
    'GET /marketplace/payments?seller_id',
    (key, id = sellerId) => edge.get(`/marketplace/payments?seller_id=${id}`, withKey(key)),
  ],
  [
    'GET /marketplace/stats/summary?seller_id',
    (key, id = sellerId) => edge.get(`/marketplace/stats/summary?seller_id=${id}`, withKey(key)),
  ],
  [
    'GET /marketplace/stats/timeseries?seller_id',
    (key, id = sellerId) => edge.get(`/marketplace/stats/timeseries?seller_id=${id}`, withKey(key)),
  ],
]
const WRITES: readonly (readonly [string, Ask])[] = [
  ['PATCH /marketplace', (key) => edge.send('PATCH', '/marketplace', { default_fee_bps: 5 }, withKey(key))],
  ['POST /marketplace/sellers', (key) => edge.post('/marketplace/sellers', { name: 'New Shop' }, withKey(key))],
]
const WRITES_OF_SELLER: readonly (readonly [string, Ask])[] = [
  [
    'PATCH /marketplace/sellers/:id',
    (key, id = sellerId) => edge.send('PATCH', `/marketplace/sellers/${id}`, { name: 'Red Shop' }, withKey(key)),
  ],
  [
    'DELETE /marketplace/sellers/:id',
    (key, id = sellerId) => edge.ask('DELETE', `/marketplace/sellers/${id}`, withKey(key)),
  ],
]
const LOGO = picture(9, 9).png().toBuffer()
const WRITES_OF_LOGO: readonly (readonly [string, Ask])[] = [
  [
    'PUT /marketplace/sellers/:id/logo',
    async (key, id = sellerId) =>
      edge.send('PUT', `/marketplace/sellers/${id}/logo`, new Blob([new Uint8Array(await LOGO)]), {
        ...withKey(key),
        'content-type': 'image/png',
      }),
  ],
  [
    'DELETE /marketplace/sellers/:id/logo',
    (key, id = sellerId) => edge.ask('DELETE', `/marketplace/sellers/${id}/logo`, withKey(key)),
  ],
]
const OF_SELLER = [...READS_OF_SELLER, ...WRITES_OF_SELLER, ...WRITES_OF_LOGO]
const ALL = [...READS, ...WRITES, ...OF_SELLER]

describe.each(ALL)('%s', (_name, ask) => {
  it('is 404 for an ordinary business', async () => {
    const { status, body } = await ask(edge.keys.ordinary)
    expect([status, body]).toEqual([404, { error: 'not found' }])
  })

  it('is 404 for an ordinary business whose key has no scope for it', async () => {
    const [account] = await edge.database.query<{ id: string }>(
      `SELECT id::text FROM accounts WHERE id NOT IN (SELECT account_id FROM marketplaces) AND marketplace_account_id IS NULL`,
    )
    expect((await ask(await edge.keyOf(account?.id ?? '', 'live', ['payments']))).status).toBe(404)
  })

  it('is 401 for a revoked key', async () => {
    const key = await edge.keyOf(edge.tenant.accountId)
    await edge.database.query('UPDATE api_keys SET revoked_at = now() WHERE hint = $1', [key.slice(-4)])
    expect((await ask(key)).status).toBe(401)
  })

  it('is 403 for a key of the marketplace without a marketplace scope', async () => {
    const { status, body } = await ask(edge.keys.payer)
    expect([status, Object.keys(body)]).toEqual([403, ['error']])
  })
})

describe.each([...READS, ...READS_OF_SELLER])('%s', (_name, ask) => {
  it('needs the scope to view', async () => {
    expect((await ask(edge.keys.viewer)).status).toBe(200)
    expect((await ask(edge.keys.manager)).status).toBe(403)
  })
})

describe.each([...WRITES, ...WRITES_OF_SELLER, ...WRITES_OF_LOGO])('%s', (_name, ask) => {
  it('needs the scope to manage', async () => {
    expect((await ask(edge.keys.viewer)).status).toBe(403)
  })

  it('is 409 once the marketplace is revoked', async () => {
    const { status, body } = await ask(edge.keys.revoked)
    expect([status, body]).toEqual([409, { error: 'the marketplace has been disabled' }])
  })
})

it.each(READS)('%s answers a revoked marketplace', async (_name, ask) => {
  expect((await ask(edge.keys.revoked)).status).toBe(200)
})

it('a revoked marketplace reads each of its sellers', async () => {
  const { sellers } = (await edge.get('/marketplace/sellers', withKey(edge.keys.revoked))).body
  expect(sellers).toHaveLength(1)
  const one = await edge.get(`/marketplace/sellers/${sellers[0].id}`, withKey(edge.keys.revoked))
  expect([one.status, one.body]).toEqual([200, sellers[0]])
  expect((await edge.get('/marketplace', withKey(edge.keys.revoked))).body).toMatchObject({ status: 'disabled' })
})

describe.each(OF_SELLER)('%s', (_name, ask) => {
  it('answers to a seller of another marketplace as to one that does not exist', async () => {
    const unknown = [randomUUID(), 'not-an-id', edge.tenant.accountId, '%00']
    const answers = await Promise.all([...unknown, sellerId].map((id) => ask(edge.keys.other, id)))
    for (const { status, body } of answers) expect([status, body]).toEqual([404, { error: 'seller not found' }])
    expect((await ask(edge.keys.test, sellerId)).status).toBe(404)
  })
})

it('an ordinary business gets 404 for input that is malformed, too', async () => {
  const key = withKey(edge.keys.ordinary)
  expect((await edge.get('/marketplace/sellers?limit=0', key)).status).toBe(404)
  expect((await edge.post('/marketplace/sellers', { name: 7 }, key)).status).toBe(404)
  expect((await edge.send('PATCH', '/marketplace', { default_fee_bps: 'x' }, key)).status).toBe(404)
  expect((await edge.get('/marketplace/sellers?limit=0', withKey(edge.keys.manager))).status).toBe(400)
})

it('an ordinary business gets 415 and 413 for the form of a request, like every caller', async () => {
  const send = (content: string, type: string) => {
    const headers = { ...withKey(edge.keys.ordinary), 'content-type': type }
    return edge.send('POST', '/marketplace/sellers', new Blob([content]), headers)
  }
  expect((await send('{}', 'text/plain')).status).toBe(415)
  expect((await send(`{"name": "${'a'.repeat(65_536)}"}`, 'application/json')).status).toBe(413)
})

it('a global id finds a seller for its own marketplace with the scope to view only', async () => {
  const id = Buffer.from(`Seller:${sellerId}`).toString('base64')
  const find = async (key: string) =>
    (await edge.graphql(`{ node(id: "${id}") { ... on Seller { uuid } } }`, {}, withKey(key))).body
  expect(await find(edge.keys.viewer)).toEqual({ data: { node: { uuid: sellerId } } })
  expect(await find(edge.keys.other)).toEqual({ data: { node: null } })
  expect((await find(edge.keys.payer)).errors[0].extensions.code).toBe('forbidden')
  expect((await find(edge.keys.ordinary)).errors[0].extensions.code).toBe('marketplace_not_found')
})

it('the payments for a seller are for keys with the scope to view only', async () => {
  const document =
    'mutation Name($id: String!) { updateSeller(id: $id, input: { name: "Shop" }) { payments { edges { node { sellerAccountId } } } } }'
  const update = async (key: string) => (await edge.graphql(document, { id: sellerId }, withKey(key))).body
  expect((await update(edge.keys.manager)).errors).toMatchObject([
    { path: ['updateSeller', 'payments'], extensions: { code: 'forbidden' } },
  ])
  expect(await update(edge.keys.own)).toEqual({
    data: { updateSeller: { payments: { edges: [{ node: { sellerAccountId: sellerId } }] } } },
  })
})
