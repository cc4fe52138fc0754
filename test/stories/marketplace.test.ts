// Two marketplaces on a real Solana runtime: each sells for a seller, and neither can see the other. The payment goes
// through REST; its course is followed over websockets and webhooks.
import { type Address, generateKeyPairSigner } from '@solana/kit'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { subscribe, webSocketClient } from '../support/graphql-client.ts'
import { answerWith, type Receiver, startReceiver } from '../support/receiver.ts'
import { type Answer, type Json, STORY_TIMEOUT_MS, type Story, startStory } from '../support/running-service.ts'
import { until } from '../support/until.ts'

vi.setConfig({ testTimeout: STORY_TIMEOUT_MS, hookTimeout: STORY_TIMEOUT_MS })

const NETWORK_FEE = 10_000n
const CUT_BPS = 1_000n
const PLATFORM_BPS = 150n

type Marketplace = {
  readonly accountId: string
  readonly key: string
  readonly secret: string
  readonly receiver: Receiver
  readonly feeWallet: Address
  readonly seller: { readonly id: string; readonly wallet: Address }
}

let story: Story & { stop(): Promise<void> }
let platformWallet: Address
let bazaar: Marketplace
let mall: Marketplace
beforeAll(async () => {
  platformWallet = await newWallet()
  story = await startStory({ PLATFORM_FEE_BPS: String(PLATFORM_BPS), PLATFORM_WALLET: platformWallet })
  bazaar = await openMarketplace('Bazaar')
  mall = await openMarketplace('Mall')
})
afterAll(async () => {
  await story?.stop()
  await Promise.all([bazaar?.receiver.close(), mall?.receiver.close()])
})

const newWallet = async (): Promise<Address> => (await generateKeyPairSigner()).address

async function operator(query: string, variables: object): Promise<Json> {
  const response = await fetch(`${story.facts.operator_url}/operator/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${story.operatorToken}` },
    body: JSON.stringify({ query, variables }),
  })
  const { data, errors } = await response.json()
  expect(errors).toBeUndefined()
  return data
}

async function ask(
  { key }: Pick<Marketplace, 'key'>,
  method: string,
  path: string,
  { body, onBehalfOf }: { readonly body?: object; readonly onBehalfOf?: string } = {},
): Promise<Answer> {
  const response = await fetch(story.facts.base_url + path, {
    method,
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${key}`,
      ...(onBehalfOf !== undefined && { 'x-platform-on-behalf-of': onBehalfOf }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: await response.json(), headers: response.headers }
}

/** Opens a business with a webhook endpoint. The operator approves it, and it creates a seller with a payout wallet. */
async function openMarketplace(name: string): Promise<Marketplace> {
  const receiver = await startReceiver(answerWith(204))
  const [sweepDestination, feeWallet, wallet] = [await newWallet(), await newWallet(), await newWallet()]
  const { createAccount } = await operator(
    `mutation($input: CreateAccountInput!) {
      createAccount(input: $input) { account { id } apiKey webhookSecret }
    }`,
    { input: { name, mode: 'live', sweepDestination, webhookUrl: receiver.url } },
  )
  const { account, apiKey: key, webhookSecret: secret } = createAccount
  await operator('mutation($id: UUID!) { approveMarketplace(accountId: $id) { status } }', { id: account.id })
  const terms = { default_fee_bps: Number(CUT_BPS), fee_wallet: feeWallet }
  expect((await ask({ key }, 'PATCH', '/marketplace', { body: terms })).status).toBe(200)
  const { body: seller } = await ask({ key }, 'POST', '/marketplace/sellers', {
    body: { name: `${name} Seller`, external_id: 'seller-1', sweep_destination: wallet },
  })
  expect(seller).toMatchObject({ created: true, sweep_destination: wallet })
  return { accountId: account.id, key, secret, receiver, feeWallet, seller: { id: seller.id, wallet } }
}

type Sale = { readonly id: string; readonly index: number; readonly expected: bigint; readonly clientSecret: string }

const ORDER = {
  amount_usd_cents: 3_000,
  accepted_tokens: [{ kind: 'sol' }],
  customer: { email: 'ada@example.com' },
}

/** Creates a payment for the seller, and selects SOL. */
async function sell(marketplace: Marketplace): Promise<Sale & { readonly deposit: string }> {
  const created = await ask(marketplace, 'POST', '/intents', { body: ORDER, onBehalfOf: marketplace.seller.id })
  expect(created.status).toBe(200)
  const { id, derivation_index: index, address: deposit, client_secret: clientSecret } = created.body
  const selected = await story.rest('POST', '/intents/select-token', {
    body: { client_secret: clientSecret, mint: null },
  })
  return { id, index, deposit, clientSecret, expected: BigInt(selected.body.expected_lamports) }
}

/**
 * Subscribes, and waits for the first status. Returns a function that follows the payment until it is swept, and returns
 * the statuses without repeats.
 */
async function follow(
  query: string,
  variables: Record<string, unknown>,
  connectionParams?: Record<string, unknown>,
): Promise<() => Promise<readonly string[]>> {
  const client = webSocketClient(story.facts.base_url, connectionParams)
  const results = subscribe(client, query, variables)
  const next = async (): Promise<string> => {
    const { data, errors } = await results.next()
    expect(errors).toBeUndefined()
    const [payment] = Object.values(data ?? {})
    return String(new Map(Object.entries(payment ?? {})).get('status'))
  }
  const seen = [await next()]
  return async () => {
    while (seen.at(-1) !== 'swept') {
      const status = await next()
      if (status !== seen.at(-1)) seen.push(status)
    }
    await results.stop()
    await client.dispose()
    return seen
  }
}

const followAsBuyer = ({ clientSecret }: Sale) =>
  follow('subscription($secret: String!) { checkoutUpdated(clientSecret: $secret) { status } }', {
    secret: clientSecret,
  })
const followAsMarketplace = ({ key }: Marketplace, { index }: Sale) =>
  follow(
    'subscription($index: Int!) { paymentIntentUpdated(index: $index) { status } }',
    { index },
    { authorization: `Bearer ${key}` },
  )

/** Returns the webhooks of a marketplace. Each must have a valid signature of its secret. */
const webhooksOf = ({ receiver, secret }: Marketplace): readonly Json[] =>
  receiver.received.map(({ headers, body }) => {
    const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const
    return new Webhook(secret).verify(body, Object.fromEntries(names.map((name) => [name, String(headers[name])])))
  })

async function sellAndSettle(marketplace: Marketplace): Promise<Sale> {
  const sale = await sell(marketplace)
  // The payment starts when both have the first status: it would be over before a slow machine had opened the websockets.
  const followed = await Promise.all([followAsBuyer(sale), followAsMarketplace(marketplace, sale)])
  await story.pay(sale.deposit, 'SOL', sale.expected)
  for (const seen of await Promise.all(followed.map((statuses) => statuses()))) {
    expect(seen[0]).toBe('pending')
    expect(seen.slice(-2)).toEqual(['settling', 'swept'])
  }
  await until(async () => webhooksOf(marketplace).some(({ type }) => type === 'intent.swept'), STORY_TIMEOUT_MS / 2)
  return sale
}

describe('two marketplaces that sell at the same time', () => {
  let sales: readonly [Sale, Sale]
  beforeAll(async () => {
    sales = await Promise.all([sellAndSettle(bazaar), sellAndSettle(mall)])
  })
  const each = () =>
    [
      { own: bazaar, sale: sales[0], other: mall, foreign: sales[1] },
      { own: mall, sale: sales[1], other: bazaar, foreign: sales[0] },
    ] as const

  it('each have the payment split in one transaction: seller, marketplace, platform and network fee', async () => {
    for (const { own, sale } of each()) {
      const { body } = await ask(own, 'GET', `/marketplace/payments/${sale.id}`)
      const cut = (sale.expected * CUT_BPS) / 10_000n
      const platform = (sale.expected * PLATFORM_BPS) / 10_000n
      const payout = sale.expected - cut - platform - NETWORK_FEE
      const legs: readonly Json[] = body.settlement.legs
      expect(legs.map(({ role, destination, amount }) => [role, destination, BigInt(amount)])).toEqual([
        ['seller', own.seller.wallet, payout],
        ['marketplace', own.feeWallet, cut],
        ['platform', platformWallet, platform],
        ['network_fee', expect.any(String), NETWORK_FEE],
      ])
      expect(new Set(legs.map(({ signature }) => signature)).size).toBe(1)
      expect(body).toMatchObject({
        status: 'swept',
        ticker: 'SOL',
        seller_account_id: own.seller.id,
        seller: { id: own.seller.id, external_id: 'seller-1' },
        marketplace_fee_bps: Number(CUT_BPS),
      })
      expect(await story.lamportsOf(own.seller.wallet)).toBe(payout)
      expect(await story.lamportsOf(own.feeWallet)).toBe(cut)
    }
  })

  it('each receive every event of their own payment, signed with their secret, as events of a seller', () => {
    for (const { own, sale } of each()) {
      const webhooks = webhooksOf(own)
      const types = new Set(webhooks.map(({ type }) => type))
      for (const type of ['created', 'token_selected', 'paid', 'settling', 'swept'])
        expect(types).toContain(`intent.${type}`)
      for (const { account, data } of webhooks) {
        expect(account).toEqual({
          id: own.seller.id,
          name: expect.stringMatching(/Seller$/),
          is_seller: true,
          external_id: 'seller-1',
        })
        expect(data.id).toBe(sale.id)
      }
    }
  })

  it('receive no event of each other, and could not verify it', () => {
    for (const { own, other, foreign } of each()) {
      expect(webhooksOf(own).map(({ data }) => data.id)).not.toContain(foreign.id)
      expect(() => webhooksOf({ ...own, secret: other.secret })).toThrow('No matching signature found')
    }
  })

  it('list only their own sellers, payments and audit entries', async () => {
    for (const { own, sale } of each()) {
      const { body: listed } = await ask(own, 'GET', '/marketplace/sellers?include_archived=true')
      expect(listed.sellers.map(({ id }: Json) => id)).toEqual([own.seller.id])
      const { body: paid } = await ask(own, 'GET', '/marketplace/payments')
      expect(paid.payments.map(({ id }: Json) => id)).toEqual([sale.id])
      const { body: audited } = await ask(own, 'GET', '/marketplace/audit')
      const named: readonly Json[] = audited.audit.filter(({ seller_id }: Json) => seller_id !== null)
      expect(new Set(named.map(({ seller_id }) => seller_id))).toEqual(new Set([own.seller.id]))
      expect(named.map(({ action }) => action)).toEqual(['payment.created', 'seller.created'])
      const { body: summary } = await ask(own, 'GET', '/marketplace/stats/summary')
      expect(summary.payments_count).toBe(1)
    }
  })

  it('cannot take a payment whose part for the seller an empty wallet could not hold', async () => {
    const usdd = story.facts.tokens.find(({ ticker }) => ticker === 'USDD')?.mint
    // More than the rent minimum, but half of it is less.
    const small = { ...ORDER, amount_usd_cents: 20, application_fee_bps: 5_000 }
    const sellFor = (body: object) => ask(bazaar, 'POST', '/intents', { body, onBehalfOf: bazaar.seller.id })
    const refused = await sellFor(small)
    expect([refused.status, refused.body.error]).toEqual([400, expect.stringMatching(/must be from 2[5-9] to/)])
    const { body } = await sellFor({ ...small, accepted_tokens: [{ kind: 'sol' }, { kind: 'spl', mint: usdd }] })
    const secret = body.client_secret
    const quoted = await story.rest('GET', `/intents/quote?client_secret=${secret}`)
    expect(quoted.body.quotes.map(({ symbol }: Json) => symbol)).toEqual(['USDD'])
    const selected = await story.rest('POST', '/intents/select-token', { body: { client_secret: secret, mint: null } })
    expect([selected.status, selected.body.error]).toEqual([400, expect.stringContaining('too small')])
  })

  it.each([
    ['GET', '/marketplace/sellers/SELLER', {}],
    ['PATCH', '/marketplace/sellers/SELLER', { body: { name: 'Mine' } }],
    ['DELETE', '/marketplace/sellers/SELLER', {}],
    ['GET', '/marketplace/payments?seller_id=SELLER', {}],
    ['GET', '/marketplace/audit?seller_id=SELLER', {}],
    ['GET', '/marketplace/stats/summary?seller_id=SELLER', {}],
    ['GET', '/marketplace/stats/timeseries?seller_id=SELLER', {}],
  ])('are answered 404 for each other’s seller: %s %s', async (method, path, options) => {
    for (const { own, other } of each()) {
      const answer = await ask(own, method, path.replace('SELLER', other.seller.id), options)
      expect([answer.status, answer.body]).toEqual([404, { error: 'seller not found' }])
    }
  })

  it('cannot sell for each other’s seller', async () => {
    for (const { own, other } of each()) {
      const answer = await ask(own, 'POST', '/intents', { body: ORDER, onBehalfOf: other.seller.id })
      expect([answer.status, answer.body]).toEqual([404, { error: 'seller not found' }])
    }
  })

  it.each([
    ['GET', '/marketplace/payments/ID', null],
    ['GET', '/status?index=INDEX', null],
    ['POST', '/cancel', 'index'],
    ['POST', '/sweep', 'index'],
  ])('are answered 404 for each other’s payment: %s %s', async (method, path, field) => {
    for (const { own, foreign } of each()) {
      const at = path.replace('ID', foreign.id).replace('INDEX', String(foreign.index))
      const answer = await ask(own, method, at, field === null ? {} : { body: { [field]: foreign.index } })
      expect(answer.status).toBe(404)
    }
  })

  it('cannot follow each other’s payment', async () => {
    for (const { own, foreign } of each()) {
      const client = webSocketClient(story.facts.base_url, { authorization: `Bearer ${own.key}` })
      const query = 'subscription($index: Int!) { paymentIntentUpdated(index: $index) { status } }'
      const { data, errors } = await subscribe(client, query, { index: foreign.index }).next()
      expect(data ?? null).toBeNull()
      expect(errors?.[0]?.extensions).toMatchObject({ code: 'intent_not_found' })
      await client.dispose()
    }
  })
})
