import { afterAll, beforeAll, expect, it } from 'vitest'
import { SELLER_WALLET } from '../../../support/example-seller.ts'
import { type SellerEdge, startSellerEdge, UNPAYABLE } from '../../../support/seller-edge.ts'
import { withKey } from '../../../support/services.ts'

let edge: SellerEdge
beforeAll(async () => {
  edge = await startSellerEdge()
})
afterAll(() => edge.close())

const patch = (body: unknown) => edge.send('PATCH', '/marketplace', body, withKey(edge.keys.own))
const terms = async () => (await edge.get('/marketplace', withKey(edge.keys.own))).body

it('shows the terms with the counts of sellers, and changes what is sent', async () => {
  const fresh = {
    status: 'active',
    default_fee_bps: 0,
    fee_wallet: null,
    seller_limit: null,
    sellers_count: 0,
    sellers_total: 0,
  }
  expect(await terms()).toEqual(fresh)
  const changed = await patch({ default_fee_bps: 5_000, fee_wallet: SELLER_WALLET })
  expect([changed.status, changed.body]).toEqual([200, { ...fresh, default_fee_bps: 5_000, fee_wallet: SELLER_WALLET }])
  expect((await patch({ fee_wallet: '' })).body).toEqual({ ...fresh, default_fee_bps: 5_000 })

  const { id } = (await edge.post('/marketplace/sellers', { name: 'A' }, withKey(edge.keys.own))).body
  await edge.post('/marketplace/sellers', { name: 'B' }, withKey(edge.keys.own))
  await edge.ask('DELETE', `/marketplace/sellers/${id}`, withKey(edge.keys.own))
  expect(await terms()).toMatchObject({ sellers_count: 1, sellers_total: 2 })
})

it.each([
  ['has nothing to update', {}],
  ['has nothing to update', { seller_limit: 5 }],
  ['default_fee_bps', { default_fee_bps: 5_001 }],
  ['default_fee_bps', { default_fee_bps: -1 }],
  ['default_fee_bps', { default_fee_bps: '5' }],
  ['default_fee_bps', { default_fee_bps: null }],
  ['fee_wallet', { fee_wallet: 'not-an-address' }],
  ['fee_wallet', { fee_wallet: UNPAYABLE, default_fee_bps: 7 }],
])('answers 400 that names %s to %j, and changes nothing', async (named, body) => {
  const before = await terms()
  const answer = await patch(body)
  expect([answer.status, answer.body]).toEqual([400, { error: expect.stringContaining(named) }])
  expect(await terms()).toEqual(before)
})
