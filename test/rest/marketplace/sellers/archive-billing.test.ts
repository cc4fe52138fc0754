// A seller with recurring billing: its marketplace ends that on its behalf, and only then archives it.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { tenantOf } from '#core/accounts/account.ts'
import { type BillingEdge, onBehalfOf, startBillingEdge } from '../../../support/billing-edge.ts'
import { addSubscription, addTier } from '../../../support/billing-rows.ts'
import { withKey } from '../../../support/services.ts'

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
