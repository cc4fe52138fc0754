// The hosted checkout through GraphQL: what its token shows, what it lets a subscriber do, and how often.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DEFAULT_RATE_LIMITS } from '#graphql/limits.ts'
import { createCheckoutServices } from '#services/billing/checkout/checkout.ts'
import { SOL } from '../../support/chain.ts'
import { UNIT } from '../../support/charging-world.ts'
import { answered, signedBy, startCheckoutWorld } from '../../support/checkout-world.ts'
import { startTestService, type TestService } from '../../support/services.ts'
import { until } from '../../support/until.ts'

let world: Awaited<ReturnType<typeof startCheckoutWorld>>
let service: TestService

beforeAll(async () => {
  world = await startCheckoutWorld()
  service = await startTestService({
    services: { subscriptionCheckout: world.services },
    settings: { rateLimits: { ...DEFAULT_RATE_LIMITS, publicAddressPerMinute: 3 } },
  })
}, 90_000)
afterAll(async () => {
  await service.close()
  await world.stop()
})

async function ask(query: string, variables: Readonly<Record<string, unknown>>) {
  const response = await fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  })
  return await response.json()
}

const READ = `query ($token: String!) { subscriptionCheckout(token: $token) {
  status subscriptionId merchantName mint subscriberWallet walletPinned successUrl cancelUrl expiresAt
  product { name } tier { name priceUsdCents interval intervalCount authorizationPeriods unitBaseUnits decimals }
  totalAuthorization { usdCents baseUnits }
  firstCharge { status failureCode failureMessage recoveryAction signature explorerUrl } } }`
const PREPARE = `mutation ($token: String!, $wallet: String!) { prepareSubscriptionCheckout(token: $token, wallet: $wallet) {
  subscriptionId requiresSignature transaction amountBaseUnits delegate replacesDelegate expiresAt } }`
const ACTIVATE = `mutation ($token: String!, $id: String!, $transaction: String!) {
  activateSubscriptionCheckout(token: $token, subscriptionId: $id, transaction: $transaction) { status subscriptionId } }`

test('a subscriber reads, prepares and activates a checkout by its token', async () => {
  const tier = await world.tier(await world.addBusiness())
  const owner = await world.wallet(20n * UNIT, 0n)
  const { token } = await world.open(tier)
  expect((await ask(READ, { token })).data.subscriptionCheckout).toMatchObject({
    status: 'open',
    subscriptionId: null,
    mint: tier.mint,
    walletPinned: false,
    product: { name: 'Newsletter' },
    tier: { priceUsdCents: 100, interval: 'month', unitBaseUnits: `${UNIT}` },
    totalAuthorization: { usdCents: '1200', baseUnits: `${12n * UNIT}` },
    firstCharge: null,
  })
  const prepared = (await ask(PREPARE, { token, wallet: owner.address })).data.prepareSubscriptionCheckout
  expect(prepared).toMatchObject({
    requiresSignature: true,
    amountBaseUnits: `${12n * UNIT}`,
    delegate: world.delegate,
    replacesDelegate: null,
  })
  const signed = await signedBy(owner, { transaction: Uint8Array.from(Buffer.from(prepared.transaction, 'base64')) })
  const transaction = Buffer.from(signed).toString('base64')
  await until(async () => {
    const { data, errors } = await ask(ACTIVATE, { token, id: prepared.subscriptionId, transaction })
    expect(errors).toBeUndefined()
    return data.activateSubscriptionCheckout.status === 'completed'
  })
  expect((await ask(READ, { token })).data.subscriptionCheckout).toMatchObject({
    status: 'completed',
    subscriptionId: prepared.subscriptionId,
    subscriberWallet: owner.address,
    firstCharge: { status: 'pending' },
  })
  expect(await world.tools.solOf(owner.address)).toBe(SOL)
})

const CONFIRM = `mutation ($token: String!, $wallet: String!, $nonce: String, $signature: String) {
  confirmSubscriptionCheckout(token: $token, wallet: $wallet, nonce: $nonce, signature: $signature) { status subscriptionId } }`
const PREPARE_TEXT = `mutation ($token: String!, $wallet: String!) { prepareSubscriptionCheckout(token: $token, wallet: $wallet) {
  subscriptionId requiresSignature transaction amountBaseUnits delegate expiresAt
  challenge { nonce message expiresAt input { domain statement chainId nonce expirationTime resources } } } }`

test('a subscriber whose allowance has room confirms with a signed text', async () => {
  const tier = await world.tier(await world.addBusiness())
  const owner = await world.wallet(20n * UNIT, 12n * UNIT)
  const { token } = await world.open(tier)
  const prepared = (await ask(PREPARE_TEXT, { token, wallet: owner.address })).data.prepareSubscriptionCheckout
  const { challenge } = prepared
  expect(prepared).toMatchObject({ requiresSignature: false, transaction: null, amountBaseUnits: null, delegate: null })
  expect(challenge.input).toMatchObject({ domain: 'pay.example.com', nonce: challenge.nonce })
  const answer = await answered(owner, prepared)
  const incomplete = await ask(CONFIRM, { ...answer, token, signature: null })
  expect(incomplete.errors[0].extensions.code).toBe('incomplete_proof')
  const { data } = await ask(CONFIRM, { ...answer, token })
  expect(data.confirmSubscriptionCheckout).toEqual({ status: 'completed', subscriptionId: prepared.subscriptionId })
  expect((await ask(READ, { token })).data.subscriptionCheckout).toMatchObject({
    status: 'completed',
    firstCharge: { status: 'pending' },
  })
})

test('a token has 30 requests a minute', async () => {
  const { token } = await world.open(await world.tier(await world.addBusiness()))
  for (let request = 0; request < 30; request += 1) expect((await ask(READ, { token })).errors).toBeUndefined()
  const [error] = (await ask(READ, { token })).errors
  expect(error.extensions).toMatchObject({ code: 'rate_limited', retryAfter: expect.any(Number) })
})

test('tokens that no checkout has count against their address', async () => {
  const codes: string[] = []
  for (let guess = 0; guess < 5; guess += 1) {
    const { errors } = await ask(READ, { token: randomUUID() })
    codes.push(errors[0].extensions.code)
  }
  expect(codes).toEqual([...Array(3).fill('checkout_not_found'), ...Array(2).fill('rate_limited')])
})

test('disabled billing has no checkouts', async () => {
  await expect(createCheckoutServices(null).readCheckout('x')).rejects.toEqual(
    expect.objectContaining({ code: 'subscription_service_unavailable' }),
  )
})
