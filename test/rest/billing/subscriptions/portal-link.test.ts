// POST /subscriptions/:id/portal-link: the link of a business to the portal of a subscriber.
import { hash, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
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

const DAY_MS = 86_400_000
const subscribe = async (patch: Partial<BillingSubscription> = {}): Promise<string> =>
  (await addSubscription(edge.database, tier, edge.world.now, patch)).subscription.id
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
