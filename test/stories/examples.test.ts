// Each program of examples/node, with the client and a whole service.
import type { Server } from 'node:http'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { monthlyReport } from '../../examples/node/report.ts'
import { createShop, type Order } from '../../examples/node/shop.ts'
import { type Entitlements, entitle, isEntitled, openCheckout } from '../../examples/node/subscription.ts'
import { Wallet } from '../../sdk/src/cli/wallet.ts'
import { SolanaPayments } from '../../sdk/src/index.ts'
import { freePort } from '../support/free-port.ts'
import { STORY_TIMEOUT_MS, type Story, startStory } from '../support/running-service.ts'

vi.setConfig({ testTimeout: STORY_TIMEOUT_MS, hookTimeout: STORY_TIMEOUT_MS })

let story: Story & { stop(): Promise<void> }
let client: SolanaPayments
beforeAll(async () => {
  story = await startStory()
  client = new SolanaPayments({ apiKey: story.facts.api_key, baseUrl: story.facts.base_url })
})
afterAll(() => story?.stop())

async function pay(index: number): Promise<void> {
  await client.graphql('mutation ($index: Int!) { simulateDeposit(index: $index, kind: exact) { signature } }', {
    index,
  })
  await client.waitFor(index, 'swept')
}

describe('the shop', () => {
  let server: Server | undefined
  afterAll(() => server?.close())

  it('sends the buyer to the page of a payment, fulfils the order once it is swept, and brings the buyer back', async () => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const orders = new Map<string, Order>()
    const { secret: webhookSecret } = await client.webhookEndpoints.create({ url: `${url}/webhooks` })
    server = createShop({ client, webhookSecret, url, orders }).listen(port)
    expect(await (await fetch(url)).text()).toContain('Buy')

    const bought = await fetch(`${url}/orders`, { method: 'POST', redirect: 'manual' })
    expect([bought.status, bought.headers.get('location')]).toEqual([303, expect.stringContaining('/pay/i/')])
    const [order] = orders.values()
    const page = async () => await (await fetch(`${url}/orders/${order?.id}`)).text()
    expect(await page()).toContain('not here yet')

    const payment = await client.payments.find({ reference: order?.id ?? '' })
    expect(payment.success_url).toBe(`${url}/orders/${order?.id}`)
    await pay(payment.derivation_index)
    await expect.poll(page).toContain('Thank you')

    expect((await fetch(`${url}/webhooks`, { method: 'POST', body: '{"type": "intent.swept"}' })).status).toBe(401)
  })
})

describe('the report', () => {
  it('adds up what each seller and the marketplace received, exactly, and agrees with the statistics', async () => {
    await fetch(`${story.facts.operator_url}/operator/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${story.operatorToken}` },
      body: JSON.stringify({
        query: 'mutation ($id: UUID!) { approveMarketplace(accountId: $id, terms: { defaultFeeBps: 500 }) { status } }',
        variables: { id: story.facts.account_id },
      }),
    })
    const { id } = await client.marketplace.sellers.create({ name: 'Ada', sweep_destination: new Wallet().address })
    for (const cents of [2_000, 3_000]) {
      const order = {
        amount_usd_cents: cents,
        accepted_tokens: [{ kind: 'sol' }],
        customer: { email: 'a@example.com' },
      } as const
      const { derivation_index: index } = await client.payments.create(order, { onBehalfOf: id })
      await pay(index)
    }
    const now = Date.now()
    const month = { from: new Date(now - 86_400_000).toISOString(), to: new Date(now + 86_400_000).toISOString() }
    const [row, other] = await monthlyReport(client, month)
    expect(other).toBeUndefined()
    expect(row).toMatchObject({ seller: 'Ada', asset: 'SOL', payments: 2, price: '$50.00' })
    const { by_asset } = await client.marketplace.stats.summary(month)
    const lamports = (text: string | undefined) => BigInt((text ?? '').replace('.', ''))
    expect(lamports(row?.marketplace_fee)).toBe(by_asset[0]?.fee_revenue)
    expect(lamports(row?.seller_received)).toBeGreaterThan(0n)
  })
})

describe('the subscription', () => {
  it('opens a checkout, and entitles the customer until the end of the period that is paid', async () => {
    const { checkout_token: token } = await openCheckout(client, 'customer-1')
    expect((await openCheckout(client, 'customer-2')).tier_id).toBe((await openCheckout(client, 'customer-3')).tier_id)
    const wallet = new Wallet()
    await client.graphql('mutation ($wallet: SolanaAddress!) { fundDemoWallet(wallet: $wallet) }', {
      wallet: wallet.address,
    })
    const prepared = await client.subscriptionCheckout.prepare(token, { wallet: wallet.address })
    const { subscription_id: id } = prepared
    const transaction = wallet.signTransaction((prepared.requires_signature && prepared.transaction) || '')
    await client.subscriptionCheckout.activate(token, { subscription_id: id, transaction })

    const entitlements: Entitlements = new Map()
    await expect
      .poll(async () => {
        for await (const event of client.events.list({ limit: 100 })) entitle(entitlements, event)
        return isEntitled(entitlements, id, new Date())
      })
      .toBe(true)
    expect(isEntitled(entitlements, id, new Date(Date.now() + 40 * 86_400_000))).toBe(false)
  })
})
