// A shop that sells a poster: it creates a payment, sends the buyer to its page, and fulfils the order on a verified webhook.
//
//   SOLANA_PAYMENTS_KEY=sk_… WEBHOOK_SECRET=whsec_… npm run shop
import { randomUUID } from 'node:crypto'
import express, { type Express } from 'express'
import { SolanaPayments, SolanaPaymentsError, verifyWebhook } from 'solana-payments-client'

/** Your database has these. `version` is that of the payment: an event that is not above it says nothing new. */
export type Order = { readonly id: string; isFulfilled: boolean; version: number }

export type Shop = {
  readonly client: SolanaPayments
  readonly webhookSecret: string
  /** Where buyers reach the shop. Outside a sandbox the domain has to be registered. */
  readonly url: string
  readonly orders: Map<string, Order>
}

export function createShop({ client, webhookSecret, url, orders }: Shop): Express {
  const shop = express()

  shop.get('/', (_request, response) => {
    response.send('<h1>A poster, $19.99</h1><form method="post" action="/orders"><button>Buy</button></form>')
  })

  shop.post('/orders', async (_request, response) => {
    const id = randomUUID()
    const page = `${url}/orders/${id}`
    // The order comes first: the webhook can be there before this request has ended.
    orders.set(id, { id, isFulfilled: false, version: 0 })
    const { checkout_url } = await client.payments.create({
      amount_usd_cents: 1999,
      accepted_tokens: [{ kind: 'sol' }],
      reference: id,
      description: 'A poster',
      success_url: page,
      cancel_url: page,
    })
    response.redirect(303, checkout_url ?? page)
  })

  shop.get('/orders/:id', (request, response) => {
    const order = orders.get(request.params.id)
    if (order === undefined) return response.sendStatus(404)
    response.send(order.isFulfilled ? 'Thank you. The poster is on its way.' : 'Your payment is not here yet.')
  })

  shop.post('/webhooks', express.raw({ type: '*/*' }), (request, response) => {
    try {
      const event = verifyWebhook(request.body, request.headers, webhookSecret)
      if (event.type === 'intent.swept') fulfil(event.data.reference, event.data.version)
      response.sendStatus(204)
    } catch (error) {
      if (!(error instanceof SolanaPaymentsError)) throw error
      response.status(401).send(error.message)
    }
  })

  /** Does nothing the second time: the same event can arrive twice. */
  function fulfil(reference: string | null, version: number): void {
    const order = orders.get(reference ?? '')
    if (order === undefined || order.version >= version) return
    order.version = version
    order.isFulfilled = true
    console.log(`order ${order.id} is paid: send the poster`)
  }

  return shop
}

if (import.meta.main) {
  const { SOLANA_PAYMENTS_KEY: apiKey, SOLANA_PAYMENTS_URL: baseUrl, WEBHOOK_SECRET: webhookSecret = '' } = process.env
  const url = process.env.SHOP_URL ?? 'http://localhost:8080'
  const client = new SolanaPayments({ apiKey, baseUrl })
  createShop({ client, webhookSecret, url, orders: new Map() }).listen(new URL(url).port || 8080)
  console.log(`the shop is at ${url}, and takes webhooks at ${url}/webhooks`)
}
