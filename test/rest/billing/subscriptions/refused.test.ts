// What the routes of subscriptions refuse: each identifier with its status and its keys.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { BillingSubscription } from '#core/billing/subscription.ts'
import type { Tier } from '#core/billing/tier.ts'
import { type BillingEdge, startBillingEdge } from '../../../support/billing-edge.ts'
import { addSubscription, addTier } from '../../../support/billing-rows.ts'
import { withKey } from '../../../support/services.ts'

let edge: BillingEdge
let tier: Tier
beforeAll(async () => {
  edge = await startBillingEdge()
  tier = await addTier(edge.database, edge.tenant)
})
afterAll(() => edge.close())

const own = () => withKey(edge.keys.own)
const act = (id: string, action: string, body: object = {}, key = edge.keys.own) =>
  edge.post(`/subscriptions/${id}/${action}`, body, withKey(key))

/** A subscription in a state. Its first charge is pending only while it is incomplete. */
const stored = async (patch: Partial<BillingSubscription>): Promise<string> =>
  (await addSubscription(edge.database, tier, edge.world.now, patch)).subscription.id

describe('404', () => {
  it('for a subscription that does not exist, is not an id, or is of another business', async () => {
    const foreign = await stored({ status: 'active' })
    for (const [id, key] of [
      [randomUUID(), edge.keys.own],
      ['42', edge.keys.own],
      [foreign, edge.keys.other],
    ] as const) {
      const answers = [
        await edge.get(`/subscriptions/${id}`, withKey(key)),
        await edge.get(`/subscriptions/${id}/charges`, withKey(key)),
        ...(await Promise.all(['cancel', 'pause', 'resume', 'charge-now'].map((action) => act(id, action, {}, key)))),
      ]
      for (const { status, body } of answers) expect([status, body]).toEqual([404, { error: 'subscription_not_found' }])
    }
  })

  it('for a wallet without a subscription of the business', async () => {
    const id = await stored({ status: 'active' })
    const { subscriberWallet } = await edge.database.prisma.billingSubscription.findUniqueOrThrow({ where: { id } })
    for (const [wallet, key] of [
      [subscriberWallet, edge.keys.other],
      ['nonsense', edge.keys.own],
      [tier.mint, edge.keys.own],
    ] as const) {
      const { status, body } = await edge.get(`/subscription-delegations/${wallet}`, withKey(key))
      expect([status, body]).toEqual([404, { error: 'delegation_not_found' }])
    }
  })
})

describe('409', () => {
  it('while the first charge is not final', async () => {
    const id = await stored({ status: 'incomplete' })
    for (const action of ['cancel', 'pause', 'resume', 'charge-now']) {
      const { status, body } = await act(id, action)
      expect([status, body]).toEqual([409, { error: 'subscription_incomplete' }])
    }
  })

  it('after the end, with the status', async () => {
    const id = await stored({ status: 'canceled', nextChargeAt: null })
    for (const action of ['cancel', 'pause', 'resume', 'charge-now']) {
      const { status, body } = await act(id, action)
      expect([status, body]).toEqual([409, { error: 'subscription_ended', status: 'canceled' }])
    }
  })

  it('for a charge when nothing is due, with the time of the next one', async () => {
    const id = await stored({ status: 'active' })
    const { status, body } = await act(id, 'charge-now')
    const { subscription } = (await edge.get(`/subscriptions/${id}`, own())).body
    expect([status, body]).toEqual([
      409,
      { error: 'charge_already_scheduled', next_charge_at: subscription.next_charge_at },
    ])
  })

  it.each(['pending', 'submitted'])('for a charge while another is %s, with its id', async (chargeStatus) => {
    const { subscription, charge } = await addSubscription(edge.database, tier, edge.world.now)
    const data = { status: chargeStatus, settledAt: null }
    await edge.database.prisma.charge.update({ where: { id: charge.id }, data })
    const { status, body } = await act(subscription.id, 'charge-now')
    expect([status, body]).toEqual([409, { error: 'charge_in_progress', charge_id: charge.id }])
  })

  it.each(['exhausted', 'revoked'] as const)(
    'for a charge, a pause or a resume when the authorization is %s, with the status',
    async (shown) => {
      const id = await stored({ status: shown, nextChargeAt: null })
      for (const action of ['charge-now', 'pause', 'resume']) {
        const { status, body } = await act(id, action)
        expect([status, body]).toEqual([409, { error: 'authorization_exhausted', status: shown }])
      }
    },
  )

  it.each([
    ['paused', { status: 'paused' }, 'subscription_paused'],
    ['canceled', { status: 'active', cancelAtPeriodEnd: true }, 'subscription_canceling'],
  ] as const)('for whatever starts again what its subscriber has %s', async (_how, patch, error) => {
    const id = await stored({ ...patch, stoppedBy: 'subscriber', nextChargeAt: null })
    const other = await addTier(edge.database, edge.tenant, { productId: tier.productId })
    const answers = [
      await act(id, 'resume'),
      await act(id, 'charge-now'),
      await edge.send('PATCH', `/subscriptions/${id}`, { tier_id: other.id }, own()),
    ]
    for (const { status, body } of answers) expect([status, body]).toEqual([409, { error }])
    const { subscription } = (await edge.get(`/subscriptions/${id}`, own())).body
    expect(subscription).toMatchObject({ stopped_by: 'subscriber', billing_stopped: true })
  })

  it('for a pause or a charge of a subscription that ends with its period', async () => {
    const id = await stored({ status: 'active' })
    await act(id, 'cancel')
    for (const action of ['pause', 'charge-now']) {
      const { status, body } = await act(id, action)
      expect([status, body]).toEqual([409, { error: 'subscription_canceling' }])
    }
  })
})

describe('400', () => {
  it('for a status, a page size and a cursor that do not exist', async () => {
    for (const [query, error] of [
      ['status=gone', 'invalid_status'],
      ['limit=0', 'invalid_limit'],
      ['cursor=x', 'invalid_cursor'],
    ]) {
      const { status, body } = await edge.get(`/subscriptions?${query}`, own())
      expect([status, body.error]).toEqual([400, error])
    }
  })

  it('for a tier that is no UUID, and for two tiers, with the field', async () => {
    for (const query of ['tier_id=x', 'tier_id=', `tier_id=${tier.id}&tier_id=${tier.id}`]) {
      const { status, body } = await edge.get(`/subscriptions?${query}`, own())
      expect([status, body]).toEqual([400, { error: 'invalid_tier_id', field: 'tier_id' }])
    }
    const { body } = await edge.graphql(
      '{ billingSubscriptions(filter: { tierId: "x" }) { edges { cursor } } }',
      {},
      own(),
    )
    expect(body.errors[0].extensions).toMatchObject({ code: 'invalid_tier_id', field: 'tierId' })
  })

  it('for a cancel whose at_period_end is no boolean', async () => {
    const id = await stored({ status: 'active' })
    const { status, body } = await act(id, 'cancel', { at_period_end: 'yes' })
    expect([status, body]).toEqual([400, { error: 'invalid_request', field: 'at_period_end' }])
  })
})
