// Subscriptions on a real Solana runtime, through the service as it runs: checkouts by their token, charges by the workers,
// periods by the sandbox's clock, and every change as a signed webhook.
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { type Address, generateKeyPairSigner, type KeyPairSigner } from '@solana/kit'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { revokeAllowance } from '#sandbox/chain/payment.ts'
import { answerWith, type Receiver, startReceiver } from '../support/receiver.ts'
import { type Json, STORY_TIMEOUT_MS, type Story, startStory } from '../support/running-service.ts'
import { INHERITED } from '../support/spawned-program.ts'
import { subscribe as subscribeTo } from '../support/subscribing.ts'
import { until } from '../support/until.ts'

vi.setConfig({ testTimeout: STORY_TIMEOUT_MS, hookTimeout: STORY_TIMEOUT_MS })

/** One period costs 5 dollars, of which the platform takes 2%. */
const UNIT = 5_000_000n
const FEE = 100_000n
const SOL = 1_000_000_000n
const WAIT_MS = STORY_TIMEOUT_MS / 4

type Dollar = Story['facts']['tokens'][number]
type Shop = { readonly key: string; readonly secret: string; readonly receiver: Receiver; readonly payout: Address }
type Subscriber = { readonly wallet: KeyPairSigner; readonly id: string }

let story: Story & { stop(): Promise<void> }
let dollar: Dollar
let platformWallet: Address
let shop: Shop
let tierId: string
let steady: Subscriber
let poor: Subscriber
let pausing: Subscriber
let revoking: Subscriber
let leaving: Subscriber

beforeAll(async () => {
  platformWallet = await newWallet()
  story = await startStory({ SUBSCRIPTION_FEE_BPS: '200', PLATFORM_WALLET: platformWallet })
  const found = story.facts.tokens[0]
  if (found === undefined) throw new Error('the demo chain has a Demo Dollar')
  dollar = found
  shop = await openShop()
  const product = await call('POST', '/subscription-products', { name: 'Coffee' })
  const terms = { name: 'Monthly', price_usd_cents: 500, interval: 'month', authorization_periods: 6 }
  const tier = await call('POST', `/subscription-products/${product.id}/tiers`, terms)
  tierId = tier.id
  ;[steady, poor, pausing, revoking, leaving] = await Promise.all([
    subscribe(6n * UNIT),
    subscribe(UNIT),
    subscribe(6n * UNIT),
    subscribe(6n * UNIT),
    subscribe(6n * UNIT),
  ])
  await call('POST', `/subscriptions/${pausing.id}/pause`)
  const canceling = (await call('POST', `/subscriptions/${leaving.id}/cancel`)).subscription
  expect(canceling).toMatchObject({ status: 'active', cancel_at_period_end: true })
  await fund(revoking.wallet.address, 'SOL', SOL)
  await revokeAllowance(story.facts.rpc_url, revoking.wallet, dollar)
  await advance(61)
  await untilSubscription(revoking.id, { status: 'revoked' })
  await nextPeriod(steady.id)
  await untilSubscription(steady.id, { spent_amount: Number(2n * UNIT) })
})
afterAll(async () => {
  await story?.stop()
  await shop?.receiver.close()
})

const newWallet = async (): Promise<Address> => (await generateKeyPairSigner()).address

async function graphql(url: string, query: string, variables: object, token?: string): Promise<Json> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ query, variables }),
  })
  const { data, errors } = await response.json()
  expect(errors, JSON.stringify(errors)).toBeUndefined()
  return data
}

const operator = (query: string, variables: object): Promise<Json> =>
  graphql(`${story.facts.operator_url}/operator/graphql`, query, variables, story.operatorToken)

async function openShop(): Promise<Shop> {
  const receiver = await startReceiver(answerWith(204))
  const payout = await newWallet()
  const { createAccount } = await operator(
    `mutation($input: CreateAccountInput!) { createAccount(input: $input) { apiKey webhookSecret } }`,
    { input: { name: 'Roastery', mode: 'live', sweepDestination: payout, webhookUrl: receiver.url } },
  )
  return { key: createAccount.apiKey, secret: createAccount.webhookSecret, receiver, payout }
}

async function call(method: 'GET' | 'POST', path: string, body?: object): Promise<Json> {
  const answer = await story.rest(method, path, { key: shop.key, ...(body !== undefined && { body }) })
  expect([200, 201, 202], `${path}: ${JSON.stringify(answer.body)}`).toContain(answer.status)
  return answer.body
}

const fund = (address: string, asset: string, amount: bigint): Promise<Json> =>
  operator('mutation($input: FaucetInput!) { faucet(input: $input) { signature } }', {
    input: { network: 'live', address, asset, amount: String(amount) },
  })

/** Completes a checkout with a new wallet that has these tokens and no SOL. */
async function subscribe(tokens: bigint): Promise<Subscriber> {
  const fundWallet = (wallet: string) => fund(wallet, dollar.mint, tokens)
  const { wallet, id, allowed } = await subscribeTo(story, { key: shop.key, tierId, fund: fundWallet })
  expect(allowed).toBe(6n * UNIT)
  await untilSubscription(id, { status: 'active' })
  return { wallet, id }
}

const subscriptionOf = async (id: string): Promise<Json> => (await call('GET', `/subscriptions/${id}`)).subscription
const chargesOf = async (id: string): Promise<readonly Json[]> =>
  (await call('GET', `/subscriptions/${id}/charges`)).charges
const statusesOf = async (id: string) =>
  (await chargesOf(id)).map(({ period_index, status }) => [period_index, status]).toReversed()

async function untilSubscription(id: string, wanted: Readonly<Record<string, unknown>>): Promise<Json> {
  let seen: Json
  await until(async () => {
    seen = await subscriptionOf(id)
    return Object.entries(wanted).every(([field, value]) => seen[field] === value)
  }, WAIT_MS).catch(() => expect(seen).toMatchObject(wanted))
  return seen
}

const untilCharges = (id: string, wanted: readonly unknown[]): Promise<void> =>
  until(async () => JSON.stringify(await statusesOf(id)) === JSON.stringify(wanted), WAIT_MS).catch(async () =>
    expect(await statusesOf(id)).toEqual(wanted),
  )

const advance = async (seconds: number): Promise<Date> =>
  new Date(
    (await operator('mutation($seconds: Int!) { advanceClock(seconds: $seconds) { now } }', { seconds })).advanceClock
      .now,
  )

/** Moves the clock until the next period of every subscription has begun. */
async function nextPeriod(id: string): Promise<void> {
  const { current_period_end: end } = await subscriptionOf(id)
  const now = await advance(1)
  await advance(Math.max(1, Math.ceil((Date.parse(end) - now.getTime()) / 1_000)) + 60)
}

const balanceOf = async (owner: string): Promise<bigint> =>
  (await story.tokensOf(owner, dollar.mint)).reduce((sum, { amount }) => sum + amount, 0n)

/** Every webhook so far about the subscription or its charges, each verified. */
function webhooksOf(id: string): readonly Json[] {
  const verifier = new Webhook(shop.secret)
  return shop.receiver.received
    .map(({ body, headers }): Json => verifier.verify(body, headers as Record<string, string>))
    .filter(({ data }) => data.id === id || data.subscription_id === id)
}
const typesOf = (id: string) => new Set(webhooksOf(id).map(({ type }) => type))

it('the first charge follows the approve, and pays business and platform in one transaction', async () => {
  const { id, wallet } = steady
  const [first] = (await chargesOf(id)).toReversed()
  expect(first).toMatchObject({ status: 'succeeded', amount: Number(UNIT), fee_amount: Number(FEE) })
  expect(await story.lamportsOf(wallet.address)).toBe(0n)
  // The first charges of all five, and the second one of `steady`.
  expect(await balanceOf(shop.payout)).toBe(6n * (UNIT - FEE))
  expect(await balanceOf(platformWallet)).toBe(6n * FEE)
})

it('each period is charged when it begins, and once', async () => {
  const { id, wallet } = steady
  await untilCharges(id, [
    [0, 'succeeded'],
    [1, 'succeeded'],
  ])
  const { status, period_index, spent_amount } = await subscriptionOf(id)
  expect([status, period_index, BigInt(spent_amount)]).toEqual(['active', 1, 2n * UNIT])
  expect(await balanceOf(wallet.address)).toBe(4n * UNIT)
  await until(async () => webhooksOf(id).filter(({ type }) => type === 'charge.succeeded').length === 2, WAIT_MS)
  expect(new Set(webhooksOf(id).map(({ type }) => type))).toEqual(
    new Set([
      'subscription.created',
      'charge.created',
      'charge.succeeded',
      'subscription.activated',
      'subscription.updated',
    ]),
  )
})

it('an allowance that the wallet takes back is noticed within a minute, and ends charging', async () => {
  expect(await subscriptionOf(revoking.id)).toMatchObject({ status: 'revoked', billing_stopped: true })
  await expectOneCharge(revoking)
})

it('a cancel at the end of the period ends the subscription before another charge', async () => {
  await untilSubscription(leaving.id, { status: 'canceled', billing_stopped: true })
  await expectOneCharge(leaving)
})

it('a paused subscription is not charged, and a resume charges the present period', async () => {
  await expectOneCharge(pausing)
  expect((await call('POST', `/subscriptions/${pausing.id}/resume`)).subscription.status).toBe('active')
  await untilCharges(pausing.id, [
    [0, 'succeeded'],
    [1, 'succeeded'],
  ])
})

it('a charge that fails makes the subscription past due, and is made when the wallet is refilled', async () => {
  const { id, wallet } = poor
  await untilSubscription(id, { status: 'past_due' })
  expect((await chargesOf(id))[0]).toMatchObject({ failure_code: 'insufficient_funds', recovery_action: 'retry' })
  await fund(wallet.address, dollar.mint, UNIT)
  // Less than the first delay of dunning: the refill is noticed by itself.
  await advance(60)
  await untilSubscription(id, { status: 'active' })
  await untilCharges(id, [
    [0, 'succeeded'],
    [1, 'succeeded'],
  ])
  expect(await balanceOf(wallet.address)).toBe(0n)
  await until(async () => ['subscription.past_due', 'charge.failed'].every((type) => typesOf(id).has(type)), WAIT_MS)
})

it('the demo shows charges, a failure with its recovery, a renewal, and the end of the subscription', async () => {
  const main = new URL('../../src/demo/main.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [main, '--subscription', '--cents', '250'], {
    env: { ...INHERITED, DATA_DIR: story.dataDir },
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: STORY_TIMEOUT_MS,
  })
  const shown = await text(child.stdout)
  const lines = shown.split('\n').map((line) => line.replace(/^ *[\d.]+ s {2}/, ''))
  const steps = lines.filter((line) => /^(charged|failed|refilled|renewed|canceled|done)/.test(line))
  expect(steps.map((line) => line.replace(/transaction \w{60,}$/, 'transaction'))).toEqual([
    'charged   period 0: 2.5 USDD, transaction',
    'charged   period 1: 2.5 USDD, transaction',
    'failed    period 2: insufficient_funds, nothing was sent; recovery: retry',
    'refilled  the wallet has 10 USDD; the service looks for it every minute',
    'charged   period 2: 2.5 USDD, transaction',
    'charged   period 3: 2.5 USDD, transaction',
    'renewed   another 4 periods, by an approve for the new total',
    'charged   period 4: 2.5 USDD, transaction',
    'canceled  at the end of the period; until then the subscriber keeps the coffee',
    'done      the subscription is canceled; 5 periods were charged, each of them once',
  ])
  expect(lines).toContain('webhook   subscription.past_due, signature verified')
})

async function expectOneCharge({ id, wallet }: Subscriber): Promise<void> {
  expect(await statusesOf(id)).toEqual([[0, 'succeeded']])
  expect(await balanceOf(wallet.address)).toBe(5n * UNIT)
}
