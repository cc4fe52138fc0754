// A receipt, from the payment to a person who trusts neither the shop nor the service, and checks it.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AccountRole, address, generateKeyPairSigner } from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { sendTransaction } from '#sandbox/chain/send-transaction.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { type Json, STORY_TIMEOUT_MS, type Story, startStory } from '../support/running-service.ts'
import { runCommand } from '../support/spawned-program.ts'
import { subscribe } from '../support/subscribing.ts'

vi.setConfig({ testTimeout: STORY_TIMEOUT_MS, hookTimeout: STORY_TIMEOUT_MS })

let story: Story & { stop(): Promise<void> }
let key: string
let keys: string
beforeAll(async () => {
  story = await startStory({ RECEIPT_KEY_VERSION: '2' })
  key = story.facts.api_key
  keys = await file('jwks.json', await (await fetch(`${story.facts.base_url}/.well-known/jwks.json`)).text())
})
afterAll(() => story?.stop())

async function file(name: string, content: string): Promise<string> {
  const path = join(story.dataDir, name)
  await writeFile(path, content)
  return path
}

type Paid = { readonly id: string; readonly address: string; readonly index: number; readonly secret: string }

async function create(ticker: string): Promise<Paid & { readonly amount: bigint }> {
  const { mint = null } = story.facts.tokens.find((one) => one.ticker === ticker) ?? {}
  const accepted = mint === null ? { kind: 'sol' } : { kind: 'spl', mint }
  const { body } = await story.rest('POST', '/intents', {
    key,
    body: { amount_usd_cents: 1_999, accepted_tokens: [accepted], reference: `order in ${ticker} ${Math.random()}` },
  })
  const selected = await story.rest('POST', '/intents/select-token', {
    body: { client_secret: body.client_secret, mint },
  })
  const amount = BigInt(selected.body.expected_lamports)
  return { id: body.id, address: body.address, index: body.derivation_index, secret: body.client_secret, amount }
}

const statusOf = async ({ index }: Paid): Promise<Json> =>
  (await story.rest('GET', `/status?index=${index}`, { key })).body

async function pay(ticker: string, excess: bigint): Promise<Paid> {
  const payment = await create(ticker)
  await story.pay(payment.address, ticker, payment.amount + excess)
  await expect.poll(async () => (await statusOf(payment)).status, { timeout: 60_000 }).toBe('swept')
  return payment
}

const receiptOf = async ({ id }: Paid): Promise<Json> =>
  (await story.rest('GET', `/payments/${id}/receipt`, { key })).body
const read = (jws: string): Json => JSON.parse(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString())
const verify = (...args: string[]) => runCommand(['verify', ...args], {})

const faucet = (to: string, asset: string) =>
  fetch(`${story.facts.operator_url}/operator/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${story.operatorToken}` },
    body: JSON.stringify({
      query: 'mutation($input: FaucetInput!) { faucet(input: $input) { signature } }',
      variables: { input: { network: 'live', address: to, asset, amount: '27000000' } },
    }),
  })

/** A provider that answers as the chain does, but for what `lie` changes in the text of an answer. */
const startLiar = (lie: (answer: string) => string): Promise<Receiver> =>
  startReceiver((response, { body }) => {
    void fetch(story.facts.rpc_url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
      .then((answer) => answer.text())
      .then((text) => response.writeHead(200).end(lie(text)))
  })

describe('the receipt of a payment', () => {
  it.each([
    ['SOL', 5_000_000n],
    ['USDC', 2_000_000n],
  ])('in %s with an excess is good offline, by its issuer, and on the chain', async (ticker, excess) => {
    const payment = await pay(ticker, excess)
    const { jws, as_of } = await receiptOf(payment)
    const receipt = read(jws)
    expect(receipt).toMatchObject({ iss: story.facts.base_url, kind: 'payment', id: payment.id, as_of })
    expect(receipt.order).toMatchObject({ price_usd: '19.99' })
    expect(receipt.quote.sources).toEqual([{ name: 'fixed', usd: receipt.quote.usd, at: expect.any(String) }])
    expect(receipt.deposits[0].senders).toEqual([story.wallet.address])
    expect((await receiptOf(payment)).jws).toBe(jws)

    const path = await file('receipt.jws', jws)
    const offline = await verify(path, '--jwks', keys)
    expect([offline.code, offline.err]).toEqual([0, ''])
    expect(offline.out).toMatch(/price +19\.99 USD\n/)
    expect(offline.out).toMatch(/paid, merchant/)
    expect(offline.out).toContain('The chain was not asked')
    const online = await verify(path, '--issuer', story.facts.base_url, '--rpc', story.facts.rpc_url)
    expect([online.code, online.err]).toEqual([0, ''])
    expect(online.out).toMatch(/The chain confirms all \d transactions/)
    expect(JSON.parse((await verify(path, '--jwks', keys, '--json')).out)).toEqual(receipt)
  })

  it('of late money that went back is a newer one, and both are good', async () => {
    const payment = await pay('SOL', 0n)
    const before = await receiptOf(payment)
    await story.pay(payment.address, 'SOL', 30_000_000n)
    const lateOf = async () => (await statusOf(payment)).late_payments?.[0]?.status
    await expect.poll(lateOf, { timeout: 60_000 }).toBe('refunded')
    const after = await receiptOf(payment)
    expect(read(after.jws).returned.map(({ role }: Json) => role)).toContain('refund')
    expect(Date.parse(after.as_of)).toBeGreaterThan(Date.parse(before.as_of))
    for (const { jws } of [before, after]) {
      const path = await file('receipt.jws', jws)
      expect((await verify(path, '--rpc', story.facts.rpc_url)).code).toBe(0)
    }
  })

  it('does not exist before the payment has settled', async () => {
    const { id, secret } = await create('SOL')
    const { status, headers } = await story.rest('GET', `/payments/${id}/receipt`, { key })
    expect([status, headers.get('error-code')]).toEqual([409, 'nothing_settled'])
    const query = 'query ($secret: String!) { checkout(clientSecret: $secret) { status receipt { jws } } }'
    const { body } = await story.rest('POST', '/graphql', { body: { query, variables: { secret } } })
    expect(body).toMatchObject({
      data: { checkout: { status: 'pending', receipt: null } },
      errors: [{ extensions: { code: 'nothing_settled' } }],
    })
  })

  it('is given to the buyer by the client secret, and is the same', async () => {
    const payment = await pay('SOL', 0n)
    const query = 'query ($secret: String!) { checkout(clientSecret: $secret) { receipt { jws } } }'
    const { body } = await story.rest('POST', '/graphql', { body: { query, variables: { secret: payment.secret } } })
    expect(body.data.checkout.receipt.jws).toBe((await receiptOf(payment)).jws)
  })
})

describe('the receipt of a charge', () => {
  it('is good offline, by its issuer, and on the chain, and does not exist before the charge is paid', async () => {
    const create = async (path: string, body: object): Promise<Json> =>
      (await story.rest('POST', path, { key, body })).body
    const product = await create('/subscription-products', { name: 'Coffee' })
    const terms = { name: 'Monthly', price_usd_cents: 900, interval: 'month' }
    const tier = await create(`/subscription-products/${product.id}/tiers`, terms)
    const [dollar] = story.facts.tokens
    if (dollar === undefined) throw new Error('the demo chain has a Demo Dollar')
    const { wallet, id } = await subscribe(story, {
      key,
      tierId: tier.id,
      fund: (to) => faucet(to, dollar.mint),
    })
    const chargesOf = async (): Promise<Json> =>
      (await story.rest('GET', `/subscriptions/${id}/charges`, { key })).body.charges
    await expect.poll(async () => (await chargesOf())[0]?.status, { timeout: 60_000 }).toBe('succeeded')
    const [charge] = await chargesOf()
    const { body } = await story.rest('GET', `/charges/${charge.id}/receipt`, { key })
    const path = await file('charge.jws', body.jws)
    expect(read(body.jws)).toMatchObject({
      kind: 'charge',
      id: charge.id,
      order: { price_usd: '9', subscription_id: id, period_index: 0 },
      address: wallet.address,
      quote: { mint: dollar.mint, amount: '9000000', usd: '1' },
    })
    const offline = await verify(path, '--jwks', keys)
    expect([offline.code, offline.err]).toEqual([0, ''])
    const online = await verify(path, '--issuer', story.facts.base_url, '--rpc', story.facts.rpc_url)
    expect([online.code, online.err]).toEqual([0, ''])
    expect(online.out).toMatch(/The chain confirms all 1 transactions/)
    const liar = await startLiar((text) => text.replaceAll('"amount":"9000000"', '"amount":"8999999"'))
    const denied = await verify(path, '--jwks', keys, '--rpc', liar.url)
    expect([denied.code, denied.err]).toEqual([1, expect.stringContaining('received')])
    await liar.close()
  })
})

describe('the receipt of a refund', () => {
  it('is good offline, by its issuer, and on the chain, and does not exist before the refund is paid', async () => {
    const payment = await pay('SOL', 0n)
    const { address: to } = await generateKeyPairSigner()
    const asked = { payment: payment.id, amount: 70_000_000, to }
    const { body: refund } = await story.rest('POST', '/refunds', { key, body: asked })
    const path = `/refunds/${refund.id}/receipt`
    const early = await story.rest('GET', path, { key })
    expect([early.status, early.headers.get('error-code')]).toEqual([409, 'nothing_settled'])
    const transfer = getTransferSolInstruction({
      source: story.wallet,
      destination: to,
      amount: 70_000_000n,
    })
    const reference = { address: address(refund.reference_key), role: AccountRole.READONLY }
    const accounts = [...transfer.accounts, reference]
    await sendTransaction(story.facts.rpc_url, story.wallet, [{ ...transfer, accounts }])
    const statusOfRefund = async () => (await story.rest('GET', `/refunds/${refund.id}`, { key })).body.status
    await expect.poll(statusOfRefund, { timeout: 60_000 }).toBe('succeeded')
    const { body } = await story.rest('GET', path, { key })
    expect(read(body.jws)).toMatchObject({
      kind: 'refund',
      id: refund.id,
      order: { payment_id: payment.id, charge_id: null },
      amount: '70000000',
      paid_amount: '70000000',
      transactions: [{ amount: '70000000', paid_by: story.wallet.address }],
    })
    expect((await story.rest('GET', path, { key })).body.jws).toBe(body.jws)
    const jws = await file('refund.jws', body.jws)
    const offline = await verify(jws, '--jwks', keys)
    expect([offline.code, offline.err]).toEqual([0, ''])
    const online = await verify(jws, '--issuer', story.facts.base_url, '--rpc', story.facts.rpc_url)
    expect([online.code, online.err]).toEqual([0, ''])
    const liar = await startLiar((text) => text.replaceAll(refund.reference_key, refund.payer))
    const denied = await verify(jws, '--jwks', keys, '--rpc', liar.url)
    expect([denied.code, denied.err]).toEqual([1, expect.stringContaining('does not name')])
    await liar.close()
  })
})

describe('a receipt that is not good', () => {
  it('is refused: a changed text, a key of another issuer, and a wrong issuer', async () => {
    const { jws } = await receiptOf(await pay('SOL', 0n))
    const [header = '', , signature = ''] = jws.split('.')
    const other = { ...read(jws), id: 'another' }
    const forged = [header, Buffer.from(JSON.stringify(other)).toString('base64url'), signature].join('.')
    const good = await file('good.jws', jws)
    const { keys: known } = JSON.parse(await (await fetch(`${story.facts.base_url}/.well-known/jwks.json`)).text())
    const swapped = { keys: [{ ...known[0], kid: 'receipts-2' }] }
    for (const [args, reason] of [
      [[await file('forged.jws', forged), '--jwks', keys], 'The signature is wrong.'],
      [[good, '--jwks', await file('swapped.json', JSON.stringify(swapped))], 'The signature is wrong.'],
      [[good, '--jwks', keys, '--issuer', 'https://pay.example.com'], 'not by https://pay.example.com.'],
      [[await file('text.jws', 'hello'), '--jwks', keys], 'It is no compact JWS.'],
    ] as const) {
      const { code, err } = await verify(...args)
      expect([code, err]).toEqual([1, expect.stringContaining(reason)])
    }
  })

  it('is refused where the chain says another amount or a failure', async () => {
    const { jws } = await receiptOf(await pay('SOL', 0n))
    const path = await file('receipt.jws', jws)
    const receipt = read(jws)
    const amount = receipt.deposits[0].amount
    for (const [lie, reason] of [
      [
        (text: string) => text.replace(/(?<="postBalances":\[\d+,)\d+/, (digits) => String(BigInt(digits) - 1n)),
        'received',
      ],
      [(text: string) => text.replace('"err":null', '"err":{"InstructionError":[0,"Custom"]}'), 'failed.'],
    ] as const) {
      const liar = await startLiar(lie)
      const { code, err } = await verify(path, '--jwks', keys, '--rpc', liar.url)
      expect([code, err], amount).toEqual([1, expect.stringContaining(reason)])
      await liar.close()
    }
  })

  it('has another exit code than a receipt that could not be checked', async () => {
    const path = await file('receipt.jws', (await receiptOf(await pay('SOL', 0n))).jws)
    for (const args of [
      [],
      ['/nowhere.jws'],
      [path, '--jwks', '/nowhere.json'],
      [path, '--jwks', path],
      [path, '--jwks', keys, '--rpc', 'http://127.0.0.1:1'],
    ])
      expect((await verify(...args)).code).toBe(2)
  })
})

describe('the keys', () => {
  it('are public, for every version up to the present one and the next, and may be kept for an hour', async () => {
    const answer = await fetch(`${story.facts.base_url}/.well-known/jwks.json`)
    expect(answer.headers.get('cache-control')).toBe('public, max-age=3600')
    expect(answer.headers.get('content-type')).toBe('application/jwk-set+json')
    const { keys: listed } = JSON.parse(await answer.text())
    expect(listed.map(({ kid }: Json) => kid)).toEqual(['receipts-1', 'receipts-2', 'receipts-3'])
    for (const one of listed) expect(Object.keys(one).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x'])
    expect((await fetch(`${story.facts.base_url}/.well-known/jwks.json`, { method: 'POST' })).status).toBe(405)
  })
})
