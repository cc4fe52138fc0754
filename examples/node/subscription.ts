// A service that is sold by subscription: it opens a checkout, and follows the events to know who may use it until when.
//
//   SOLANA_PAYMENTS_KEY=sk_… npm run subscription
import { type Event, SolanaPayments } from 'solana-payments-client'

/** Makes the product and its tier where they are missing, and opens a checkout for one customer. */
export async function openCheckout(client: SolanaPayments, customerId: string) {
  // A repeat with the same external_id answers with the same product.
  const product = await client.subscriptionProducts.create({ name: 'Coffee club', external_id: 'coffee-club' })
  const { tiers } = await client.subscriptionProducts.tiers.list(product.id).page()
  const tier =
    tiers[0] ??
    (await client.subscriptionProducts.tiers.create(product.id, {
      name: 'Monthly',
      price_usd_cents: 1500,
      interval: 'month',
      authorization_periods: 12,
    }))
  return await client.subscriptionIntents.create({ tier_id: tier.id, metadata: { customer: customerId } })
}

/** Until when each subscription is paid. Your database has it, with the cursor of the last event. */
export type Entitlements = Map<string, Date>

/** Takes an event of the log. Returns whether it changed something. */
export function entitle(entitlements: Entitlements, event: Event): boolean {
  if (!event.type.startsWith('subscription.') || !('current_period_end' in event.data)) return false
  const { id, current_period_end: end } = event.data
  if (end === null) return false
  // A subscription that is past due, paused or canceled is paid until the end of its period, and no longer.
  entitlements.set(id, new Date(end))
  return true
}

export const isEntitled = (entitlements: Entitlements, id: string, now: Date): boolean =>
  (entitlements.get(id)?.getTime() ?? 0) > now.getTime()

if (import.meta.main) {
  const { SOLANA_PAYMENTS_KEY: apiKey, SOLANA_PAYMENTS_URL: baseUrl } = process.env
  const client = new SolanaPayments({ apiKey, baseUrl })
  const { checkout_url } = await openCheckout(client, 'customer-1')
  console.log(`subscribe at ${checkout_url}`)
  const entitlements: Entitlements = new Map()
  for await (const { event } of client.followEvents()) {
    if (entitle(entitlements, event)) console.log(event.type, [...entitlements])
  }
}
