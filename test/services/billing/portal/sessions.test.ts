// Links to portals, what they show, and how a wallet gets them.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPortalSessionStore } from '#adapters/prisma/billing/portal-session-store.ts'
import type { Tier } from '#core/billing/tier.ts'
import { addTier } from '../../../support/billing-rows.ts'
import { answered } from '../../../support/checkout-world.ts'
import { addressNo, OFF_CURVE, units } from '../../../support/payment.ts'
import { type PortalWorld, startPortalWorld } from '../../../support/portal-world.ts'

const HOUR_MS = 3_600_000
const RECOVERY_URL = 'https://pay.example.com/pay/manage'

let world: PortalWorld
let other: Tier

beforeAll(async () => {
  world = await startPortalWorld()
  other = await world.sibling({ unitBaseUnits: units(500_000n) })
  await world.sibling({ archivedAt: world.clock.now() })
  await world.sibling({ mint: addressNo(77) })
  await addTier(world.db, world.tenant, { mint: world.tier.mint })
})
afterAll(() => world.stop())

const refused = (code: string, context: object = {}) => expect.objectContaining({ code, context })
const tokenOf = (url: string) => url.split('/m/')[1] ?? ''

test('the portal shows the subscription, and as options the other active tiers of the product in its token', async () => {
  const { id, token } = await world.subscribed()
  const view = await world.portal.readPortal(token)
  expect(view).toMatchObject({
    subscription: { id },
    tier: { id: world.tier.id },
    session: { origin: 'recovery', mayIncrease: true },
    totalAuthorization: { usdCents: 1_200n, baseUnits: 12_000_000n },
    recoveryUrl: RECOVERY_URL,
  })
  expect(view.options.map((option) => option.id)).toEqual([other.id])
})

test('an allowance that was removed shows at a read more than 10 seconds after the last reading', async () => {
  const { owner, token } = await world.subscribed()
  await world.portal.readPortal(token)
  await world.revoke(owner)
  expect((await world.portal.readPortal(token)).subscription.status).toBe('active')
  world.sleep(10_001)
  expect((await world.portal.readPortal(token)).subscription.status).toBe('revoked')
  await expect(world.portal.resumeInPortal(token)).rejects.toEqual(
    refused('authorization_exhausted', { status: 'revoked' }),
  )
})

test('a cancel, a pause and a resume need no signature', async () => {
  const { id } = await world.subscribed()
  const token = await world.link(id, 'merchant')
  expect(await world.portal.pauseInPortal(token)).toMatchObject({ status: 'paused' })
  expect(await world.portal.resumeInPortal(token)).toMatchObject({ status: 'active' })
  expect(await world.portal.cancelInPortal(token, true)).toMatchObject({ status: 'active', cancelAtPeriodEnd: true })
  await expect(world.portal.pauseInPortal(token)).rejects.toEqual(refused('subscription_canceling'))
  expect(await world.portal.cancelInPortal(token, false)).toMatchObject({ status: 'canceled' })
  await expect(world.portal.pauseInPortal(token)).rejects.toEqual(refused('subscription_ended', { status: 'canceled' }))
})

test('a link is removed when it has expired, and others are kept', async () => {
  const { id } = await world.subscribed()
  const [own, merchant] = [await world.link(id), await world.link(id, 'merchant')]
  const sessions = createPortalSessionStore(world.db)
  world.sleep(HOUR_MS + 1)
  expect(await sessions.removeExpired(world.clock.now(), 1)).toBe(1)
  while ((await sessions.removeExpired(world.clock.now(), 100)) > 0);
  const unknown = refused('portal_not_found', { recovery_url: RECOVERY_URL })
  await expect(world.portal.readPortal(own)).rejects.toEqual(unknown)
  expect((await world.portal.readPortal(merchant)).subscription.id).toBe(id)
})

test('a link ends after its time, and an unknown token opens nothing; both name the page that gives new links', async () => {
  const { id } = await world.subscribed()
  const [own, merchant] = [await world.link(id), await world.link(id, 'merchant')]
  const expired = refused('portal_session_expired', { recovery_url: RECOVERY_URL })
  world.sleep(HOUR_MS + 1)
  for (const ask of [
    world.portal.readPortal(own),
    world.portal.renewInPortal(own, {}),
    world.portal.cancelInPortal(own, true),
  ])
    await expect(ask).rejects.toEqual(expired)
  await world.portal.readPortal(merchant)
  world.sleep(23 * HOUR_MS)
  await expect(world.portal.readPortal(merchant)).rejects.toEqual(expired)
  for (const token of ['', 'po_unknown', own.toUpperCase()])
    await expect(world.portal.readPortal(token)).rejects.toEqual(
      refused('portal_not_found', { recovery_url: RECOVERY_URL }),
    )
})

test('a wallet gets a link for an hour to each subscription that it can manage, by a text that works once', async () => {
  const { owner, id } = await world.subscribed()
  const offer = { challenge: await world.portal.challengeForLinks(owner.address) }
  expect(offer.challenge.input).toMatchObject({
    uri: RECOVERY_URL,
    statement: 'Show the subscriptions of this wallet.',
  })
  const { wallet, ...answer } = await answered(owner, offer)
  const stranger = await answered(await world.tools.wallet(), offer)
  await expect(world.portal.recoverLinks(wallet, stranger)).rejects.toMatchObject({ code: 'invalid_signature' })
  await expect(world.portal.recoverLinks(stranger.wallet, answer)).rejects.toMatchObject({ code: 'invalid_signature' })
  for (const incomplete of [{}, { nonce: answer.nonce }, { signature: answer.signature }])
    await expect(world.portal.recoverLinks(wallet, incomplete)).rejects.toMatchObject({ code: 'incomplete_proof' })
  const [found, ...more] = await world.portal.recoverLinks(wallet, answer)
  expect([found?.subscription.id, more]).toEqual([id, []])
  const left = (found?.link.expiresAt.getTime() ?? 0) - world.clock.now().getTime()
  expect(left).toBeGreaterThan(HOUR_MS - 60_000)
  expect(left).toBeLessThanOrEqual(HOUR_MS)
  const token = tokenOf(found?.link.portalUrl ?? '')
  expect((await world.portal.readPortal(token)).session).toMatchObject({ mayIncrease: true })
  await expect(world.portal.recoverLinks(wallet, answer)).rejects.toMatchObject({ code: 'invalid_signature' })
  await world.portal.cancelInPortal(token, false)
  const again = await answered(owner, { challenge: await world.portal.challengeForLinks(wallet) })
  expect(await world.portal.recoverLinks(wallet, again)).toEqual([])
})

test('a wallet gets five texts a minute; no wallet, and an address of a program, gets none', async () => {
  const { address } = await world.tools.wallet()
  for (let challenge = 0; challenge < 5; challenge += 1) await world.portal.challengeForLinks(address)
  await expect(world.portal.challengeForLinks(address)).rejects.toMatchObject({
    code: 'rate_limited',
    context: { retry_after_seconds: expect.any(Number) },
  })
  for (const wallet of ['me', OFF_CURVE])
    for (const ask of [world.portal.challengeForLinks(wallet), world.portal.recoverLinks(wallet, {})])
      await expect(ask).rejects.toEqual(refused('invalid_subscriber_wallet', { field: 'wallet' }))
})
