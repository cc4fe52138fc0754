import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BillingEdge, startBillingEdge } from '../../../support/billing-edge.ts'
import { withKey } from '../../../support/services.ts'

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
