import { hash, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { BillingSubscription } from '#core/billing/subscription.ts'
import type { Tier } from '#core/billing/tier.ts'
import { type BillingEdge, startBillingEdge } from '../../../support/billing-edge.ts'
import { addSubscription, addTier } from '../../../support/billing-rows.ts'
import { addressNo, units } from '../../../support/payment.ts'
import { withKey } from '../../../support/services.ts'

let edge: BillingEdge

let tier: Tier

const subscribe = async (patch: Partial<BillingSubscription> = {}): Promise<string> =>
  (await addSubscription(edge.database, tier, edge.world.now, patch)).subscription.id

// PATCH /subscriptions/:id: a business changes the tier of a subscription, and never raises what is charged.
describe('a change of the tier', () => {
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
})

// POST /subscriptions/:id/portal-link: the link of a business to the portal of a subscriber.
describe('a link to the portal', () => {
  beforeAll(async () => {
    edge = await startBillingEdge()
    tier = await addTier(edge.database, edge.tenant)
  })
  afterAll(() => edge.close())

  const DAY_MS = 86_400_000

  const link = (id: string, key = edge.keys.own) => edge.post(`/subscriptions/${id}/portal-link`, {}, withKey(key))

  it('201: a link for 24 hours that may not increase, and of whose token only the hash is stored', async () => {
    const id = await subscribe()
    const before = edge.world.now
    const { status, body } = await link(id)
    expect([status, body]).toEqual([
      201,
      {
        subscription_id: id,
        portal_url: expect.stringMatching(/^https:\/\/pay\.example\.com\/m\/po_[\w-]{43}$/),
        expires_at: expect.any(String),
        origin: 'merchant',
        may_increase: false,
      },
    ])
    const expiresAt = Date.parse(body.expires_at)
    expect(expiresAt).toBeGreaterThanOrEqual(before + DAY_MS)
    expect(expiresAt).toBeLessThanOrEqual(edge.world.now + DAY_MS)
    const sessions = await edge.database.prisma.portalSession.findMany({ where: { subscriptionId: id } })
    const token = body.portal_url.split('/m/')[1]
    expect(sessions).toMatchObject([{ origin: 'merchant', mayIncrease: false, expiresAt: new Date(expiresAt) }])
    expect(Buffer.from(sessions[0]?.tokenHash ?? []).toString('hex')).toBe(hash('sha256', token))
    expect((await link(id)).body.portal_url).not.toBe(body.portal_url)
  })

  it('404 subscription_not_found for an unknown id, and the subscription of another business', async () => {
    const id = await subscribe()
    for (const { status, body } of [await link(randomUUID()), await link('42'), await link(id, edge.keys.other)])
      expect([status, body]).toEqual([404, { error: 'subscription_not_found' }])
  })

  it('409 before the first charge is final, and after the end with the status', async () => {
    const incomplete = await link(await subscribe({ status: 'incomplete' }))
    expect([incomplete.status, incomplete.body]).toEqual([409, { error: 'subscription_incomplete' }])
    const ended = await link(await subscribe({ status: 'failed', nextChargeAt: null }))
    expect([ended.status, ended.body]).toEqual([409, { error: 'subscription_ended', status: 'failed' }])
  })
})
