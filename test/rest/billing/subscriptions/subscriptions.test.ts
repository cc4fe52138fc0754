import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createOperatorBillingStore } from '#adapters/prisma/billing/operator-billing-store.ts'
import type { Delegation } from '#core/billing/delegation.ts'
import type { BillingSubscription } from '#core/billing/subscription.ts'
import type { Tier } from '#core/billing/tier.ts'
import { MAINNET_GENESIS_HASH } from '#core/chain/known-networks.ts'
import { type BillingEdge, onBehalfOf, startBillingEdge } from '../../../support/billing-edge.ts'
import { addSubscription, addSubscriptionOn, addTier } from '../../../support/billing-rows.ts'
import { DEVNET, TESTNET } from '../../../support/example-billing.ts'
import { addressNo, later, signatureNo } from '../../../support/payment.ts'
import { withKey } from '../../../support/services.ts'

let edge: BillingEdge

let tier: Tier

const own = () => withKey(edge.keys.own)

// What the routes of subscriptions, charges and delegations answer to their business.
describe('what subscriptions answer', () => {
  beforeAll(async () => {
    edge = await startBillingEdge()
    tier = await addTier(edge.database, edge.tenant)
  })
  afterAll(() => edge.close())

  const get = async (path: string, headers = own()) => await edge.get(path, headers)
  const act = (id: string, action: string, body: object = {}) =>
    edge.post(`/subscriptions/${id}/${action}`, body, own())

  /** An active subscription whose first charge has succeeded. */
  async function subscribe(on: Tier = tier, patch: Partial<BillingSubscription> = {}) {
    const { start, end, ...stored } = await addSubscription(edge.database, on, edge.world.now, patch)
    return { ...stored, start: start.toISOString(), end: end.toISOString() }
  }

  const shownDelegation = (delegation: Delegation) => ({
    subscriber_wallet: delegation.wallet,
    mint: delegation.mint,
    epoch: 1,
    status: 'active',
    authorized_total: 12_000_000,
    token_account: delegation.tokenAccount,
    chain_delegate: delegation.chainDelegate,
    chain_allowance: 12_000_000,
    chain_checked_at: delegation.chainCheckedAt?.toISOString(),
    cleared_at: null,
    updated_at: delegation.updatedAt.toISOString(),
  })

  it('an id in capital letters is the same id', async () => {
    const { subscription } = await subscribe()
    const id = subscription.id.toUpperCase()
    expect((await get(`/subscriptions/${id}`)).body.subscription.id).toBe(subscription.id)
    expect((await act(id, 'pause')).body.subscription.id).toBe(subscription.id)
  })

  it('a subscription is found with every field and its delegation', async () => {
    const { subscription, delegation, start, end } = await subscribe()
    const { status, body } = await get(`/subscriptions/${subscription.id}`)
    expect(status).toBe(200)
    expect(body).toEqual({
      subscription: {
        id: subscription.id,
        tier_id: tier.id,
        status: 'active',
        subscriber_wallet: delegation.wallet,
        mint: tier.mint,
        unit_amount: 1_000_000,
        discount: null,
        periods: 12,
        authorized_amount: 12_000_000,
        spent_amount: 1_000_000,
        remaining_amount: 11_000_000,
        delegation_epoch: 1,
        period_index: 0,
        current_period_start: start,
        current_period_end: end,
        trial_ends_at: null,
        cancel_at_period_end: false,
        stopped_by: null,
        manageable: true,
        billing_stopped: false,
        next_charge_at: end,
        approve_signature: null,
        metadata: { plan: 'gold' },
        created_at: subscription.createdAt.toISOString(),
        updated_at: subscription.updatedAt.toISOString(),
        activated_at: start,
        canceled_at: null,
        ended_at: null,
      },
      delegation: shownDelegation(delegation),
    })
  })

  it('the charges of a subscription are listed with every field, the newest first', async () => {
    const { subscription, charge } = await subscribe()
    const { status, body } = await get(`/subscriptions/${subscription.id}/charges`)
    expect([status, body.next_cursor]).toEqual([200, null])
    expect(body.charges).toEqual([
      {
        id: charge.id,
        subscription_id: subscription.id,
        period_index: 0,
        delegation_epoch: 1,
        mint: tier.mint,
        amount: 1_000_000,
        fee_amount: 10_000,
        net_amount: 990_000,
        destination_ata: tier.payoutAta,
        fee_destination: charge.feeDestination,
        status: 'succeeded',
        signature: null,
        explorer_url: null,
        failure_code: null,
        recovery_action: null,
        waiting: null,
        refundable_amount: 1_000_000,
        business_refunds: [],
        attempts: 1,
        created_at: charge.createdAt.toISOString(),
        settled_at: charge.settledAt.toISOString(),
      },
    ])
  })

  it('a charge that waits for the budget of its business says why and until when, for the operator too', async () => {
    const { subscription } = await subscribe(tier, { status: 'incomplete' })
    const charges = async () => (await get(`/subscriptions/${subscription.id}/charges`)).body.charges
    const [{ id }] = await charges()
    const until = later(1_800)
    const wait = (cost: string) =>
      edge.database.query(
        `UPDATE transfers SET budget_wait_cost = ${cost}, next_attempt_at = $2 WHERE subject_kind = 'charge' AND subject_id = $1`,
        [id, until],
      )
    await wait('0')
    const waiting = { reason: 'business_budget', until: until.toISOString() }
    expect(await charges()).toMatchObject([{ status: 'pending', waiting }])
    expect(await createOperatorBillingStore(edge.database).charge(id)).toMatchObject({ nextAttemptAt: until })
    await wait('NULL')
    expect(await charges()).toMatchObject([{ status: 'pending', waiting: null }])
  })

  it.each([
    ['mainnet', MAINNET_GENESIS_HASH, ''],
    ['devnet', DEVNET, '?cluster=devnet'],
    ['testnet', TESTNET, '?cluster=testnet'],
    ['a chain of its own', signatureNo(1), null],
  ])(
    'the transaction of a charge on %s has the page of the explorer, where it has one',
    async (_name, genesisHash, cluster) => {
      const { subscription } = await subscribe()
      const signature = signatureNo(50_001)
      await edge.database.query('UPDATE charges SET signature = $2 WHERE subscription_id = $1', [
        subscription.id,
        signature,
      ])
      edge.world.genesisHash = genesisHash
      const url = cluster === null ? null : `https://explorer.solana.com/tx/${signature}${cluster}`
      const [charge] = (await get(`/subscriptions/${subscription.id}/charges`)).body.charges
      expect([charge.signature, charge.explorer_url]).toEqual([signature, url])
    },
  )

  it('a cancel keeps the period unless it says otherwise, and a repeat changes nothing', async () => {
    const { subscription } = await subscribe()
    const first = await edge.ask('POST', `/subscriptions/${subscription.id}/cancel`, own())
    expect([first.status, first.body.subscription]).toMatchObject([
      200,
      { status: 'active', cancel_at_period_end: true, billing_stopped: true, next_charge_at: null },
    ])
    expect((await act(subscription.id, 'cancel')).body).toEqual(first.body)
    const resumed = await act(subscription.id, 'resume')
    expect(resumed.body.subscription).toMatchObject({ cancel_at_period_end: false, billing_stopped: false })
    const ended = await act(subscription.id, 'cancel', { at_period_end: false })
    expect(ended.body.subscription).toMatchObject({ status: 'canceled', manageable: false, billing_stopped: true })
    expect(ended.body.subscription.ended_at).not.toBeNull()
  })

  it('a pause stops billing, and a resume lets it go on with the same calendar', async () => {
    const { subscription, end } = await subscribe()
    const paused = await act(subscription.id, 'pause')
    expect([paused.status, paused.body.subscription]).toMatchObject([200, { status: 'paused', billing_stopped: true }])
    expect((await act(subscription.id, 'pause')).body).toEqual(paused.body)
    const resumed = await act(subscription.id, 'resume')
    expect(resumed.body.subscription).toMatchObject({
      status: 'active',
      billing_stopped: false,
      current_period_end: end,
    })
  })

  describe('when the clock of the machine is 40 days', () => {
    const FORTY_DAYS_MS = 40 * 86_400_000
    afterEach(() => {
      edge.world.chainAheadMs = 0
    })
    const wrongBy = (ms: number) => {
      edge.world.now += ms
      edge.world.chainAheadMs = -ms
    }
    const periods = async (id: string) =>
      (await get(`/subscriptions/${id}/charges`)).body.charges.map((one: { period_index: number }) => one.period_index)

    it.each(['resume', 'charge-now'])(
      'ahead, %s lets the period go on that contains the time of the chain',
      async (action) => {
        const { subscription, end } = await subscribe()
        await act(subscription.id, 'pause')
        wrongBy(FORTY_DAYS_MS)
        const { body } = await act(subscription.id, action)
        expect(body.subscription).toMatchObject({ status: 'active', period_index: 0, current_period_end: end })
        expect(await periods(subscription.id)).toEqual([0])
      },
    )

    it.each(['resume', 'charge-now'])(
      'behind, %s charges the period that contains the time of the chain',
      async (action) => {
        const { subscription } = await subscribe()
        await act(subscription.id, 'pause')
        edge.world.now += FORTY_DAYS_MS
        wrongBy(-FORTY_DAYS_MS)
        const { body } = await act(subscription.id, action)
        expect(body.subscription).toMatchObject({ status: 'active', period_index: 1 })
        expect(await periods(subscription.id)).toEqual([1, 0])
      },
    )
  })

  it('while the chain does not answer, billing stops but does not begin', async () => {
    const { subscription } = await subscribe()
    edge.world.isChainAway = true
    try {
      expect((await act(subscription.id, 'pause')).status).toBe(200)
      for (const action of ['resume', 'charge-now'])
        expect(await act(subscription.id, action)).toMatchObject({ status: 502, body: { error: 'chain_unavailable' } })
      expect((await act(subscription.id, 'cancel', { at_period_end: false })).status).toBe(200)
    } finally {
      edge.world.isChainAway = false
    }
  })

  it('charge-now answers 202 and plans the charge that is due', async () => {
    const { subscription } = await subscribe(tier, {
      status: 'paused',
      nextChargePeriod: 0,
      nextChargeAt: null,
      dueAt: null,
    })
    await edge.database.prisma.charge.updateMany({
      where: { subscriptionId: subscription.id },
      data: { status: 'canceled' },
    })
    await edge.database.prisma.transfer.updateMany({ data: { status: 'failed' } })
    const { status, body } = await act(subscription.id, 'charge-now')
    expect([status, body.subscription]).toMatchObject([202, { status: 'active' }])
    const charges = await get(`/subscriptions/${subscription.id}/charges`)
    expect(charges.body.charges).toMatchObject([{ period_index: 0, status: 'pending' }])
  })

  it('lists are filtered by status, tier and wallet, and come in pages', async () => {
    const other = await addTier(edge.database, edge.tenant)
    const made = [await subscribe(other), await subscribe(other), await subscribe(other, { status: 'paused' })]
    const ids = made.map(({ subscription }) => subscription.id)
    const list = async (query: string) => (await get(`/subscriptions?${query}`)).body
    const idsOf = ({ subscriptions }: { subscriptions: { id: string }[] }) => subscriptions.map(({ id }) => id)
    expect(idsOf(await list(`tier_id=${other.id}`)).toSorted()).toEqual(ids.toSorted())
    expect(idsOf(await list(`tier_id=${other.id}&status=paused`))).toEqual([ids[2]])
    const [first] = made
    expect(idsOf(await list(`subscriber_wallet=${first?.delegation.wallet}`))).toEqual([ids[0]])
    expect(idsOf(await list(`tier_id=${randomUUID()}`))).toEqual([])
    const page = await list(`tier_id=${other.id}&limit=2`)
    expect(idsOf(page)).toHaveLength(2)
    const rest = await list(`tier_id=${other.id}&limit=2&cursor=${encodeURIComponent(page.next_cursor)}`)
    expect(rest.next_cursor).toBeNull()
    expect([...idsOf(page), ...idsOf(rest)].toSorted()).toEqual(ids.toSorted())
  })

  it.each(['', 'nonsense', '\u0000'])(
    'a list for the wallet %j, which is no address, is empty',
    async (subscriberWallet) => {
      await subscribe()
      const query = `query ($filter: BillingSubscriptionFilter) {
    billingSubscriptions(filter: $filter) { edges { cursor } pageInfo { hasNextPage } } }`
      const { body } = await edge.graphql(query, { filter: { subscriberWallet } }, withKey(edge.keys.own))
      expect(body).toEqual({ data: { billingSubscriptions: { edges: [], pageInfo: { hasNextPage: false } } } })
    },
  )

  /** Copies a subscription with its checkout. */
  const COPY = `
WITH copied AS (
  INSERT INTO subscription_intents
  SELECT (jsonb_populate_record(intent, jsonb_build_object('id', gen_random_uuid(), 'token_hash', '\\x' || md5(random()::text)))).*
  FROM subscription_intents intent JOIN billing_subscriptions subscription ON subscription.intent_id = intent.id,
    generate_series(1, $2::int)
  WHERE subscription.id = $1::uuid
  RETURNING id
)
INSERT INTO billing_subscriptions
SELECT (jsonb_populate_record(subscription, jsonb_build_object('id', gen_random_uuid(), 'intent_id', copied.id))).*
FROM billing_subscriptions subscription, copied WHERE subscription.id = $1::uuid`

  describe('a delegation', () => {
    const show = async (wallet: string, key = edge.keys.own) => {
      const { status, body } = await get(`/subscription-delegations/${wallet}`, withKey(key))
      expect(status).toBe(200)
      return { ...body, ids: body.subscriptions.map(({ id }: { id: string }) => id) }
    }
    const on = (delegation: Delegation, createdAt: Date, patch: Partial<BillingSubscription> = {}, of = tier) =>
      addSubscriptionOn(edge.database, of, edge.world.now, delegation, { createdAt, ...patch })

    it('is shown with the subscriptions of the business on it, the newest first, and the limit of a wallet', async () => {
      const { subscription, delegation } = await subscribe()
      const { subscription: newer } = await on(delegation, later(1))
      const { ids, ...body } = await show(delegation.wallet)
      expect([body.delegation, body.count, body.limit]).toEqual([shownDelegation(delegation), 2, 50])
      expect(ids).toEqual([newer.id, subscription.id])
    })

    it('counts the subscriptions that have not ended, and lists all', async () => {
      const { delegation } = await subscribe()
      await on(delegation, later(1), { status: 'incomplete' })
      await on(delegation, later(2), { status: 'exhausted', nextChargeAt: null })
      await on(delegation, later(3), { status: 'canceled', nextChargeAt: null })
      await on(delegation, later(4), { status: 'failed', nextChargeAt: null })
      const { ids, count } = await show(delegation.wallet)
      expect([ids.length, count]).toEqual([5, 3])
    })

    it('has no subscription of the wallet in another token, or of another business', async () => {
      const { subscription, delegation } = await subscribe()
      const inToken = await addTier(edge.database, edge.tenant, { mint: addressNo(9_998) })
      const { wallet } = delegation
      await addSubscription(edge.database, inToken, edge.world.now, {}, { wallet, createdAt: later(-1) })
      await on(delegation, later(1), {}, await addTier(edge.database, edge.other))
      const { ids, count } = await show(wallet)
      expect([ids, count]).toEqual([[subscription.id], 1])
    })

    it('counts more subscriptions than it lists', async () => {
      const { subscription, delegation } = await subscribe()
      await edge.database.query(COPY, [subscription.id, 100])
      const { ids, count } = await show(delegation.wallet)
      expect([ids.length, count]).toEqual([100, 101])
    })

    it('has its own count below each subscription of a page in GraphQL', async () => {
      const own = await addTier(edge.database, edge.tenant)
      const { delegation } = await subscribe(own, { createdAt: later(1) })
      // Enough for several counts in one statement.
      for (let at = 2; at <= 12; at += 2) {
        await subscribe(own, { createdAt: later(at) })
        await on(delegation, later(at + 1), {}, own)
      }
      const filter = `filter: { tierId: "${own.id}" }`
      const query = `{ billingSubscriptions(${filter}) { edges { node { delegation { liveSubscriptions } } } } }`
      const { edges } = (await edge.graphql(query, {}, withKey(edge.keys.own))).body.data.billingSubscriptions
      const counts = edges.map(
        ({ node }: { node: { delegation: { liveSubscriptions: number } } }) => node.delegation.liveSubscriptions,
      )
      expect(counts).toEqual([7, 1, 7, 1, 7, 1, 7, 1, 7, 1, 7, 1, 7])
    })
  })

  it('of a wallet that has subscribed at two businesses, each is shown only its own subscriptions', async () => {
    const { subscription: mine, delegation } = await subscribe()
    const theirTier = await addTier(edge.database, edge.other)
    const { subscription: theirs } = await addSubscriptionOn(edge.database, theirTier, edge.world.now, delegation)
    for (const [key, id] of [
      [edge.keys.own, mine.id],
      [edge.keys.other, theirs.id],
    ] as const) {
      const list = await get(`/subscriptions?subscriber_wallet=${delegation.wallet}`, withKey(key))
      expect(list.body.subscriptions).toMatchObject([{ id }])
      const { body } = await get(`/subscription-delegations/${delegation.wallet}`, withKey(key))
      expect([body.delegation, body.count]).toEqual([shownDelegation(delegation), 1])
      expect(body.subscriptions).toMatchObject([{ id }])
    }
    const all = (await get('/subscriptions?limit=100', withKey(edge.keys.other))).body.subscriptions
    const ids = all.map(({ id }: { id: string }) => id)
    expect([ids.includes(theirs.id), ids.includes(mine.id)]).toEqual([true, false])
  })

  it('a marketplace manages the subscriptions of its seller by the header', async () => {
    const sellerTier = await addTier(edge.database, { ...edge.tenant, accountId: edge.sellers.market })
    const { subscription } = await subscribe(sellerTier)
    const seller = onBehalfOf(edge.keys.market, edge.sellers.market)
    expect((await get(`/subscriptions/${subscription.id}`, seller)).status).toBe(200)
    expect((await get(`/subscriptions/${subscription.id}`)).status).toBe(404)
    expect((await edge.post(`/subscriptions/${subscription.id}/pause`, {}, seller)).body.subscription.status).toBe(
      'paused',
    )
  })
})

// What the routes of subscriptions refuse: each identifier with its status and its keys.
describe('what subscriptions refuse', () => {
  beforeAll(async () => {
    edge = await startBillingEdge()
    tier = await addTier(edge.database, edge.tenant)
  })
  afterAll(() => edge.close())

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
        for (const { status, body } of answers)
          expect([status, body]).toEqual([404, { error: 'subscription_not_found' }])
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
})
