// Links to portals, what they show, and how a wallet gets them.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPortalSessionStore } from '#adapters/prisma/billing/portal-store.ts'
import { createDeliveryLog } from '#adapters/prisma/events/delivery-log.ts'
import { createDeliveryStore } from '#adapters/prisma/events/delivery-store.ts'
import type { Tier } from '#core/billing/tier.ts'
import type { WebhookEnvelope } from '#core/events/envelope.ts'
import { createDeliverer } from '#services/events/deliver.ts'
import { addTier } from '../../../support/billing-rows.ts'
import { pause } from '../../../support/charge.ts'
import { UNIT } from '../../../support/charging-world.ts'
import { answered, prepareProof } from '../../../support/checkout-world.ts'
import { addressNo, OFF_CURVE, units } from '../../../support/payment.ts'
import { type PortalWorld, startPortalWorld } from '../../../support/portal-world.ts'
import { addBusiness } from '../../../support/stores.ts'
import { addEndpoint } from '../../../support/webhook-rows.ts'

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

test('a seller is named to buyers by its label and paid, and its marketplace receives the events', async () => {
  const marketplace = await world.addBusiness()
  const seller = await addBusiness(world.db, 'live', marketplace.accountId)
  const { accountId: id } = seller
  await world.db.prisma.account.update({ where: { id }, data: { name: 'Potter 7', label: 'Blue Shop' } })
  for (const account of [marketplace.accountId, id]) await addEndpoint(world.db, account, `https://${account}.example`)
  const owner = await world.wallet(20n * UNIT, 12n * UNIT)
  const tier = await world.tierOf(seller)
  const { token } = await world.open(tier)
  expect((await world.services.readCheckout(token)).merchantName).toBe('Blue Shop')

  const offer = await prepareProof(world.services, token, owner.address)
  expect(offer.challenge.message).toContain('Blue Shop')
  expect(offer.challenge.message).not.toContain('Potter 7')
  await world.services.confirmCheckout(token, await answered(owner, offer))
  const { subscriptionId } = offer
  await world.workUntil(async () => (await world.facts(subscriptionId)).subscription.status === 'active')
  expect((await world.portal.readPortal(await world.link(subscriptionId))).merchantName).toBe('Blue Shop')
  const { states } = await world.parts.chainOf().readAccounts([tier.payoutAta])
  const { firstCharge } = await world.services.readCheckout(token)
  expect(states[0]?.token?.amount).toBe((UNIT * 99n) / 100n)
  expect(firstCharge?.explorerUrl).toBe(`https://explorer.solana.com/tx/${firstCharge?.signature}`)

  const sent = await deliveries()
  expect(new Set(sent.map(({ url }) => url))).toEqual(new Set([`https://${marketplace.accountId}.example`]))
  const account = { id, name: 'Potter 7', is_seller: true, external_id: null }
  const types = ['subscription.created', 'charge.created', 'charge.succeeded', 'subscription.activated']
  expect(sent.map(({ body }) => body.type).toSorted()).toEqual(types.toSorted())
  for (const { body } of sent) expect(body.account).toEqual(account)
  const explorer_url = `${firstCharge?.explorerUrl}?cluster=devnet`
  expect(sent.find(({ body }) => body.type === 'charge.succeeded')?.body.data).toMatchObject({ explorer_url })
})

/** Delivers the webhooks that are due, and returns them in the order in which they were sent. */
async function deliveries() {
  const sent: { url: string; body: WebhookEnvelope }[] = []
  const deliverer = createDeliverer({
    worker: randomUUID(),
    store: { ...createDeliveryStore(world.db), ...createDeliveryLog(world.db) },
    sender: {
      async send({ url, body }) {
        sent.push({ url, body: JSON.parse(body) })
        return { kind: 'answered', statusCode: 204, headers: {}, body: '' }
      },
    },
    secrets: { secret: () => new Uint8Array(32) },
    chainName: () => 'solana:devnet',
    clock: world.clock,
    wallClock: world.clock,
    random: { fraction: () => 0 },
  })
  await deliverer.runOnce()
  return sent
}

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

test('a reading by a clock that has been set back since is not taken for a new one', async () => {
  const { owner, token } = await world.subscribed()
  const halfHour = 1_800_000
  world.sleep(halfHour)
  await world.portal.readPortal(token)
  world.sleep(-halfHour)
  await world.revoke(owner)
  expect((await world.portal.readPortal(token)).subscription.status).toBe('revoked')
})

test('a cancel and a pause need no signature, and a resume by a link of the business needs one of the subscriber', async () => {
  const { id, token: own } = await world.subscribed()
  const token = await world.link(id, 'merchant')
  const proof = refused('wallet_proof_required')
  expect(await world.portal.pauseInPortal(token)).toMatchObject({ status: 'paused', stoppedBy: 'subscriber' })
  await expect(world.portal.resumeInPortal(token)).rejects.toEqual(proof)
  expect(await world.portal.resumeInPortal(own)).toMatchObject({ status: 'active', stoppedBy: null })
  expect(await world.portal.cancelInPortal(token, true)).toMatchObject({ status: 'active', cancelAtPeriodEnd: true })
  await expect(world.portal.resumeInPortal(token)).rejects.toEqual(proof)
  expect(await world.portal.resumeInPortal(own)).toMatchObject({ cancelAtPeriodEnd: false, stoppedBy: null })
  await world.decide(id, pause)
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

test('strangers who ask for many texts of a wallet do not keep its owner from new links', async () => {
  const { owner, id } = await world.subscribed()
  const wallet = owner.address
  for (let asked = 0; asked < 20; asked += 1) await world.portal.challengeForLinks(wallet)
  const answer = await answered(owner, { challenge: await world.portal.challengeForLinks(wallet) })
  expect(await world.portal.recoverLinks(wallet, answer)).toMatchObject([{ subscription: { id } }])
})

test('a recovery that fails before its links are stored does not use the proof up', async () => {
  const { owner, id } = await world.subscribed()
  const wallet = owner.address
  const answer = await answered(owner, { challenge: await world.portal.challengeForLinks(wallet) })
  const sessions = world.deps.portalSessions
  const failing = world.portalWith({
    portalSessions: {
      ...sessions,
      // As when the database is lost: it refuses the links within the transaction.
      createFor: (recovery, links, most) =>
        sessions.createFor(
          recovery,
          links.map((link) => ({ ...link, subscriptionId: randomUUID() })),
          most,
        ),
    },
  })
  await expect(failing.recoverLinks(wallet, answer)).rejects.toThrow('Foreign key constraint')
  expect(await world.portal.recoverLinks(wallet, answer)).toMatchObject([{ subscription: { id } }])
})

test('no wallet, an address of a program, and a key of the service get no text', async () => {
  for (const wallet of ['me', OFF_CURVE, world.delegate])
    for (const ask of [world.portal.challengeForLinks(wallet), world.portal.recoverLinks(wallet, {})])
      await expect(ask).rejects.toEqual(refused('invalid_subscriber_wallet', { field: 'wallet' }))
})
