import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { createSubscriptionTierStore } from '#adapters/prisma/billing/catalogue-store.ts'
import { createDelegationLookup } from '#adapters/prisma/billing/delegation-store.ts'
import { createPortalSessionStore } from '#adapters/prisma/billing/portal-store.ts'
import { createDeliveryLog } from '#adapters/prisma/events/delivery-log.ts'
import { createDeliveryStore } from '#adapters/prisma/events/delivery-store.ts'
import type { Tier } from '#core/billing/tier.ts'
import { MAX_CHANGES } from '#core/events/change-limit.ts'
import type { WebhookEnvelope } from '#core/events/envelope.ts'
import { makeBasisPoints } from '#core/money/amounts.ts'
import { createExpiredRemover, KEEP_ENDED_MS } from '#services/billing/remove-expired.ts'
import { createSubscriptionServices } from '#services/billing/subscriptions.ts'
import { createDeliverer } from '#services/events/deliver.ts'
import { addTier } from '../../../support/billing-rows.ts'
import { pause } from '../../../support/charge.ts'
import { UNIT } from '../../../support/charging-world.ts'
import { answered, prepareApprove, prepareProof } from '../../../support/checkout-world.ts'
import { addressNo, OFF_CURVE, units } from '../../../support/payment.ts'
import { type PortalWorld, startPortalWorld } from '../../../support/portal-world.ts'
import { startTestService, type TestService } from '../../../support/services.ts'
import { addBusiness } from '../../../support/stores.ts'
import { addEndpoint } from '../../../support/webhook-rows.ts'

let world: PortalWorld

// Links to portals, what they show, and how a wallet gets them.
describe('a link to a portal', () => {
  const HOUR_MS = 3_600_000
  const RECOVERY_URL = 'https://pay.example.com/pay/manage'

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
    for (const account of [marketplace.accountId, id])
      await addEndpoint(world.db, account, `https://${account}.example`)
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
    await expect(world.portal.pauseInPortal(token)).rejects.toEqual(
      refused('subscription_ended', { status: 'canceled' }),
    )
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
    await expect(world.portal.recoverLinks(stranger.wallet, answer)).rejects.toMatchObject({
      code: 'invalid_signature',
    })
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
})

// The recovery of links, and what strangers leave in the database: anyone can ask for a text of any wallet.
describe('the recovery of links', () => {
  vi.setConfig({ testTimeout: 60_000 })

  const DAY_MS = 86_400_000
  const MINUTE_MS = 60_000

  beforeAll(async () => {
    world = await startPortalWorld()
  })
  afterAll(() => world.stop())

  const refused = expect.objectContaining({ code: 'invalid_signature' })

  /** Asks for a text of the wallet, and signs it. */
  const signed = async (owner: Awaited<ReturnType<PortalWorld['wallet']>>, portal = world.portal) => {
    const { wallet, ...answer } = await answered(owner, { challenge: await portal.challengeForLinks(owner.address) })
    return { wallet, answer }
  }

  /** Removes what the regular job removes. */
  async function cleanUp(): Promise<void> {
    const { challenges, portalSessions, approvals } = world.deps
    const ended = { clock: world.clock, keepMs: KEEP_ENDED_MS }
    await createExpiredRemover(challenges.removeExpired, world)()
    await createExpiredRemover(portalSessions.removeExpired, ended)()
    await createExpiredRemover(approvals.removeUnused, ended)()
  }

  /** Counts the rows of the tables that requests without a credential, or with that of a checkout, write to. */
  async function rows() {
    const { walletChallenge, portalSession, approval, delegation } = world.db.prisma
    return {
      challenges: await walletChallenge.count(),
      links: await portalSession.count(),
      approves: await approval.count(),
      delegations: await delegation.count(),
    }
  }

  test('strangers who ask for texts and answer them, and recoveries, leave no rows after 200 days', async () => {
    const subscriber = await world.subscribed()
    const stranger = await world.tools.wallet()
    const before = await rows()
    for (let day = 0; day < 200; day += 1) {
      const { wallet, answer } = await signed(stranger)
      expect(await world.portal.recoverLinks(wallet, answer)).toEqual([])
      expect((await rows()).challenges).toBe(before.challenges)
      const own = await signed(subscriber.owner)
      expect(await world.portal.recoverLinks(own.wallet, own.answer)).toHaveLength(1)
      world.sleep(DAY_MS)
      await cleanUp()
    }
    expect((await rows()).challenges).toBe(before.challenges)
    // The links of 30 days.
    expect((await rows()).links).toBeLessThanOrEqual(20)
    world.sleep(KEEP_ENDED_MS)
    await cleanUp()
    expect(await rows()).toEqual({ ...before, links: 0 })
    world.sleep(-200 * DAY_MS - KEEP_ENDED_MS)
  }, 120_000)

  test('texts for a wallet with subscriptions and for another wallet differ in nothing but the wallet, the nonce and the times', async () => {
    const { owner } = await world.subscribed()
    const stranger = await world.tools.wallet()
    const [own, other] = await Promise.all([
      world.portal.challengeForLinks(owner.address),
      world.portal.challengeForLinks(stranger.address),
    ])
    const form = (text: string, wallet: string) => text.replace(wallet, 'WALLET').replaceAll(/[0-9a-f]/g, '0')
    expect(form(own.message, owner.address)).toBe(form(other.message, stranger.address))
    for (const wallet of [owner.address, stranger.address])
      await expect(
        world.portal.recoverLinks(wallet, { nonce: own.nonce, signature: Buffer.alloc(64, 1).toString('base64') }),
      ).rejects.toEqual(refused)
  })

  test('a text is answered for ten minutes, at any instance, and only as the service has issued it', async () => {
    const { owner } = await world.subscribed()
    const { wallet, answer } = await signed(owner)
    const at = answer.nonce.length - 1
    for (const nonce of [
      '',
      'x'.repeat(76),
      answer.nonce.slice(0, -2),
      answer.nonce.slice(0, at) + (answer.nonce.endsWith('0') ? '1' : '0'),
      (answer.nonce.startsWith('f') ? '0' : 'f') + answer.nonce.slice(1),
    ])
      await expect(world.portal.recoverLinks(wallet, { ...answer, nonce })).rejects.toMatchObject({
        code: nonce === '' ? 'incomplete_proof' : 'invalid_signature',
      })
    const elsewhere = await signed(owner, world.portalWith({ recoveryKey: new Uint8Array(32).fill(1) }))
    await expect(world.portal.recoverLinks(wallet, elsewhere.answer)).rejects.toEqual(refused)
    world.sleep(10 * MINUTE_MS)
    await expect(world.portal.recoverLinks(wallet, answer)).rejects.toEqual(refused)
    world.sleep(-10 * MINUTE_MS)
    const used = [1, 2].map(() => world.portalWith({}).recoverLinks(wallet, answer))
    const outcomes = await Promise.allSettled(used)
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })

  test('a subscription has at most twenty recovered links, the newest; links of the business are kept', async () => {
    const { owner, id } = await world.subscribed()
    const merchant = await world.link(id, 'merchant')
    const tokens: string[] = []
    for (let recovered = 0; recovered < 22; recovered += 1) {
      world.sleep(1)
      const { wallet, answer } = await signed(owner)
      const [found] = await world.portal.recoverLinks(wallet, answer)
      tokens.push(found?.link.portalUrl.split('/m/')[1] ?? '')
    }
    const opens = async (token = '') => (await world.portal.readPortal(token)).subscription.id
    await expect(opens(tokens[1])).rejects.toMatchObject({ code: 'portal_not_found' })
    for (const token of [merchant, tokens[2], tokens[21]]) expect(await opens(token)).toBe(id)
  })

  test('approves that never landed, and wallets that nothing else was stored for, are removed after 30 days', async () => {
    const before = await rows()
    const wallets = [await world.wallet(UNIT, 0n), await world.wallet(20n * UNIT, 20n * UNIT)]
    const [approving, signing] = [await world.open(world.tier), await world.open(world.tier)]
    await prepareApprove(world.services, approving.token, wallets[0]?.address ?? world.delegate)
    await world.db.prisma.approval.updateMany({
      where: { intentId: approving.id },
      data: { state: 'dead', resolvedAt: world.clock.now() },
    })
    await prepareProof(world.services, signing.token, wallets[1]?.address ?? world.delegate)
    await cleanUp()
    expect(await rows()).toMatchObject({
      approves: before.approves + 1,
      delegations: before.delegations + 2,
      challenges: before.challenges + 1,
    })
    const { owner } = await world.subscribed()
    world.sleep(KEEP_ENDED_MS + DAY_MS)
    await cleanUp()
    expect(await rows()).toMatchObject({
      approves: before.approves,
      delegations: before.delegations + 1,
      challenges: 0,
    })
    world.sleep(-KEEP_ENDED_MS - DAY_MS)
    expect(await world.db.prisma.delegation.count({ where: { wallet: owner.address } })).toBe(1)
  })
})

// How often the subscriber of one subscription changes it, over HTTP, a chain and a database: each change emits an event and
// a webhook.
describe('the limit of changes', () => {
  const FIVE_MINUTES_MS = 5 * 60_000

  let service: TestService
  beforeAll(async () => {
    world = await startPortalWorld()
  })
  afterAll(() => world.stop())
  beforeEach(async () => {
    service = await startTestService({ services: { subscriptionPortal: world.portal } })
  })
  afterEach(() => service.close())

  type Subscribed = Awaited<ReturnType<PortalWorld['subscribed']>>

  /** Sends a request with a link that is new, so that the limit of a token never refuses it. */
  async function ask({ id }: Pick<Subscribed, 'id'>, action: string, body: object = {}) {
    return await service.post(`/pay/m/${await world.link(id)}/${action}`, body)
  }

  const limited = (answer: Awaited<ReturnType<typeof ask>>): void => {
    expect(answer).toMatchObject({ status: 429, body: { error: 'rate_limited' } })
    const wait = Number(answer.headers.get('retry-after'))
    expect(wait).toBeGreaterThan(0)
    expect(wait).toBeLessThanOrEqual(FIVE_MINUTES_MS / 1_000)
  }

  /** Sends as many requests as there are changes in five minutes, and takes turns between two of them. */
  async function alternate(of: Subscribed, ...turns: readonly (readonly [string, object?])[]): Promise<void> {
    for (let change = 0; change < MAX_CHANGES; change += 1) {
      const [action, body] = turns[change % turns.length] ?? ['pause']
      expect((await ask(of, action, body)).status).toBe(200)
    }
  }

  const changesOf = async (id: string) =>
    (await world.events(id)).filter((type) => !['subscription.created', 'subscription.activated'].includes(type))

  /** The services of the business. */
  const business = () =>
    createSubscriptionServices({
      ...world.deps,
      delegationLookup: createDelegationLookup(world.db),
      subscriptionTiers: createSubscriptionTierStore(world.db),
    })

  test('the sixteenth pause or resume in five minutes is refused, also with a link that the wallet has just got', async () => {
    const subscribed = await world.subscribed()
    const { owner, id } = subscribed
    await alternate(subscribed, ['pause'], ['resume'])
    limited(await ask(subscribed, 'resume'))
    const { wallet, ...answer } = await answered(owner, {
      challenge: await world.portal.challengeForLinks(owner.address),
    })
    const [recovered] = await world.portal.recoverLinks(wallet, answer)
    limited(await service.post(`/pay/m/${recovered?.link.portalUrl.split('/m/')[1]}/resume`, {}))
    expect(await changesOf(id)).toHaveLength(MAX_CHANGES)

    world.sleep(FIVE_MINUTES_MS)
    expect(await ask(subscribed, 'resume')).toMatchObject({ status: 200, body: { subscription: { status: 'active' } } })
  })

  test('so is the sixteenth cancel at the end of the period, or resume', async () => {
    const subscribed = await world.subscribed()
    await alternate(subscribed, ['cancel'], ['resume'])
    limited(await ask(subscribed, 'resume'))
    expect(await changesOf(subscribed.id)).toHaveLength(MAX_CHANGES)
  })

  test('so is the sixteenth change of the tier, and a renewal after it', async () => {
    const [one, other] = [await world.sibling({}), await world.sibling({})]
    const subscribed = await world.subscribed()
    const turns = [one, other].map(({ id }) => ['change-tier', { tier_id: id }] as const)
    await alternate(subscribed, ...turns)
    limited(await ask(subscribed, 'change-tier', { tier_id: other.id }))
    limited(await ask(subscribed, 'renew'))
    expect(await changesOf(subscribed.id)).toHaveLength(MAX_CHANGES)
  })

  test('forty changes of the tier at once are fifteen', async () => {
    const [one, other] = [await world.sibling({}), await world.sibling({})]
    const subscribed = await world.subscribed()
    const tiers = Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? one : other))
    await Promise.all(tiers.map(({ id }) => ask(subscribed, 'change-tier', { tier_id: id })))
    while ((await changesOf(subscribed.id)).length < MAX_CHANGES)
      for (const { id } of [one, other]) await ask(subscribed, 'change-tier', { tier_id: id })
    await Promise.all(tiers.map(({ id }) => ask(subscribed, 'change-tier', { tier_id: id })))
    expect(await changesOf(subscribed.id)).toHaveLength(MAX_CHANGES)
  })

  test.each([
    ['pause', { status: 'paused' }],
    ['cancel', { cancel_at_period_end: true }],
  ])('a business with a key has no limit, and its changes keep no subscriber from a %s', async (stop, stopped) => {
    const subscribed = await world.subscribed()
    const { id } = subscribed
    const merchant = { tenant: world.tenant, marketplaceFeeBps: makeBasisPoints(0) }
    for (let change = 0; change < MAX_CHANGES; change += 1) {
      expect(await business().pauseSubscription(merchant, id)).toMatchObject({ status: 'paused' })
      expect(await business().resumeSubscription(merchant, id)).toMatchObject({ status: 'active' })
    }
    expect(await ask(subscribed, stop)).toMatchObject({ status: 200, body: { subscription: stopped } })
    limited(await ask(subscribed, 'resume'))
    const ended = await ask(subscribed, 'cancel', { at_period_end: false })
    expect(ended).toMatchObject({ status: 200, body: { subscription: { status: 'canceled' } } })
  })
})
