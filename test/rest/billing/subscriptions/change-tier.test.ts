// PATCH /subscriptions/:id: a business changes the tier of a subscription, and never raises what is charged.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { BillingSubscription } from '#core/billing/subscription.ts'
import type { Tier } from '#core/billing/tier.ts'
import { type BillingEdge, startBillingEdge } from '../../../support/billing-edge.ts'
import { addSubscription, addTier } from '../../../support/billing-rows.ts'
import { addressNo, units } from '../../../support/payment.ts'
import { withKey } from '../../../support/services.ts'

let edge: BillingEdge
let tier: Tier
let cheaper: Tier
beforeAll(async () => {
  edge = await startBillingEdge()
  tier = await addTier(edge.database, edge.tenant)
  cheaper = await sibling({ unitBaseUnits: units(400_000n) })
})
afterAll(() => edge.close())

/** Another tier of the product. */
const sibling = (patch: Partial<Tier>): Promise<Tier> =>
  addTier(edge.database, edge.tenant, { ...patch, productId: tier.productId })

const subscribe = async (patch: Partial<BillingSubscription> = {}): Promise<string> =>
  (await addSubscription(edge.database, tier, edge.world.now, patch)).subscription.id

const change = async (id: string, tierId: unknown, key = edge.keys.own) => {
  const { status, body } = await edge.send('PATCH', `/subscriptions/${id}`, { tier_id: tierId }, withKey(key))
  return [status, body]
}

it('a lower tier applies from the next charge on, for the periods that remain', async () => {
  const id = await subscribe()
  expect(await change(id, cheaper.id)).toMatchObject([
    200,
    {
      subscription: {
        tier_id: cheaper.id,
        unit_amount: 400_000,
        periods: 11,
        authorized_amount: 11 * 400_000,
        spent_amount: 0,
        period_index: 0,
        status: 'active',
      },
    },
  ])
  const charges = await edge.database.prisma.charge.findMany({ where: { subscriptionId: id } })
  expect(charges.map(({ status, amount }) => [status, amount.toFixed(0)])).toEqual([['succeeded', '1000000']])
})

it('a tier that charges the same for a longer period is no raise', async () => {
  const yearly = await sibling({ interval: 'year' })
  expect(await change(await subscribe(), yearly.id)).toMatchObject([200, { subscription: { tier_id: yearly.id } }])
})

describe('403 wallet_proof_required', () => {
  it('for a higher price, and for a higher price for each day', async () => {
    const higher = await sibling({ unitBaseUnits: units(1_000_001n) })
    const weekly = await sibling({ interval: 'week', unitBaseUnits: units(400_000n) })
    for (const raising of [higher, weekly])
      expect(await change(await subscribe(), raising.id)).toEqual([403, { error: 'wallet_proof_required' }])
  })
})

describe('400', () => {
  it('invalid_tier_id for a tier that is missing or no UUID', async () => {
    const id = await subscribe()
    for (const tierId of [undefined, null, 7, 'gold'])
      expect(await change(id, tierId)).toEqual([400, { error: 'invalid_tier_id', field: 'tier_id' }])
  })

  it('different_product for a tier of another product', async () => {
    const strange = await addTier(edge.database, edge.tenant)
    expect(await change(await subscribe(), strange.id)).toEqual([400, { error: 'different_product' }])
  })
})

describe('404', () => {
  it('subscription_not_found for an unknown id, and the subscription of another business', async () => {
    const id = await subscribe()
    for (const [of, key] of [
      [randomUUID(), edge.keys.own],
      ['42', edge.keys.own],
      [id, edge.keys.other],
    ] as const)
      expect(await change(of, cheaper.id, key)).toEqual([404, { error: 'subscription_not_found' }])
  })

  it('tier_not_found for an unknown tier, and a tier of another business', async () => {
    const foreign = await addTier(edge.database, { ...edge.tenant, accountId: edge.sellers.market })
    for (const tierId of [randomUUID(), foreign.id])
      expect(await change(await subscribe(), tierId)).toEqual([404, { error: 'tier_not_found' }])
  })
})

describe('409', () => {
  it.each([
    ['subscription_incomplete', { status: 'incomplete' }, {}],
    ['subscription_ended', { status: 'canceled', nextChargeAt: null }, { status: 'canceled' }],
    ['subscription_paused', { status: 'paused', nextChargeAt: null }, {}],
    ['subscription_canceling', { cancelAtPeriodEnd: true }, {}],
    ['authorization_exhausted', { status: 'exhausted', nextChargeAt: null }, { status: 'exhausted' }],
    ['authorization_exhausted', { status: 'revoked', nextChargeAt: null }, { status: 'revoked' }],
  ] as const)('%s in the state %o', async (error, patch, shown) => {
    expect(await change(await subscribe(patch), cheaper.id)).toEqual([409, { error, ...shown }])
  })

  it.each(['pending', 'submitted', 'failed'])(
    'charge_in_progress while a charge is %s, with its id',
    async (status) => {
      const { subscription, charge } = await addSubscription(edge.database, tier, edge.world.now)
      await edge.database.prisma.charge.update({ where: { id: charge.id }, data: { status, settledAt: null } })
      expect(await change(subscription.id, cheaper.id)).toEqual([
        409,
        { error: 'charge_in_progress', charge_id: charge.id },
      ])
    },
  )

  it('same_tier for the present tier', async () => {
    expect(await change(await subscribe(), tier.id)).toEqual([409, { error: 'same_tier' }])
  })

  it('tier_archived for an archived tier', async () => {
    const archived = await sibling({ archivedAt: new Date() })
    expect(await change(await subscribe(), archived.id)).toEqual([409, { error: 'tier_archived' }])
  })

  it('tier_mint_mismatch for a tier in another token, with both', async () => {
    const mint = addressNo(9_999)
    const other = await sibling({ mint })
    expect(await change(await subscribe(), other.id)).toEqual([
      409,
      { error: 'tier_mint_mismatch', tier_mint: mint, platform_mint: tier.mint },
    ])
  })
})
