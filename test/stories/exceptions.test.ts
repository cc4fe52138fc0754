// Exceptional payments on a real Solana runtime: cancelled, expired, underpaid, late, in the wrong asset.
import { generateKeyPairSigner } from '@solana/kit'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openIntent, STORY_TIMEOUT_MS, type Story, startStory, untilStatus } from '../support/running-service.ts'
import { until } from '../support/until.ts'

vi.setConfig({ testTimeout: STORY_TIMEOUT_MS, hookTimeout: STORY_TIMEOUT_MS })

let story: Story & { stop(): Promise<void> }
beforeAll(async () => {
  story = await startStory()
})
afterAll(() => story?.stop())

const post = (path: string, body: object) => story.rest('POST', path, { key: story.facts.api_key, body })
const status = async (index: number) =>
  (await story.rest('GET', `/status?index=${index}`, { key: story.facts.api_key })).body
const NETWORK_FEE = 10_000n

describe('a cancel', () => {
  it('of an unpaid intent cancels it, and a second cancel changes nothing', async () => {
    const { index, clientSecret } = await openIntent(story, 'SOL')
    expect(await post('/cancel', { index })).toMatchObject({
      status: 200,
      body: { status: 'cancelled', action: 'cancelled' },
    })
    const version = (await status(index)).updated_at
    const again = await story.rest('POST', '/intents/cancel', { body: { client_secret: clientSecret } })
    expect(again).toMatchObject({ status: 200, body: { status: 'cancelled', updated_at: version } })
  })

  it('of an underpaid SOL intent returns what arrived, less the network fee', async () => {
    const { index, deposit, expected } = await openIntent(story, 'SOL')
    const paid = expected / 2n
    await story.pay(deposit, 'SOL', paid)
    await untilStatus(story, index, 'underpaid')
    const before = await story.lamportsOf(story.wallet.address)

    expect(await post('/cancel', { index })).toMatchObject({ status: 200, body: { status: 'refunding' } })

    await untilStatus(story, index, 'refunded')
    expect(await story.lamportsOf(deposit)).toBe(0n)
    expect(await story.lamportsOf(story.wallet.address)).toBe(before + paid - NETWORK_FEE)
    expect(await post('/cancel', { index })).toMatchObject({ status: 200, body: { status: 'refunded' } })
  })

  it('loses to a payment that has landed, also before it is detected', async () => {
    const { index, deposit, expected } = await openIntent(story, 'SOL')
    await story.pay(deposit, 'SOL', expected)
    expect(await post('/cancel', { index })).toMatchObject({ status: 409, body: { error: expect.any(String) } })
    await untilStatus(story, index, 'swept')
    expect((await post('/cancel', { index })).status).toBe(409)
  })

  it('of an unknown intent is 404, and with another intent’s client secret 401', async () => {
    expect((await post('/cancel', { index: 999_999 })).status).toBe(404)
    expect((await story.rest('POST', '/intents/cancel', { body: { client_secret: 'cs_nobody' } })).status).toBe(401)
    expect((await story.rest('POST', '/intents/cancel', { body: {} })).status).toBe(400)
  })
})

describe('a selection', () => {
  it('loses to a payment that has landed, also before it is detected, and the payment counts', async () => {
    const { index, deposit, expected, clientSecret } = await openIntent(story, 'SOL', 1_500, ['USDD'])
    await story.pay(deposit, 'SOL', expected)
    for (const mint of [mintOf('USDD'), null]) {
      const answer = await story.rest('POST', '/intents/select-token', { body: { client_secret: clientSecret, mint } })
      expect(answer).toMatchObject({ status: 409, body: { error: expect.any(String) } })
    }
    const body = await untilStatus(story, index, 'swept')
    expect(body).toMatchObject({ mint: null, expected_lamports: Number(expected) })
    expect(body.token_refunds).toBeUndefined()
  })
})

describe('a late payment', () => {
  it('to a cancelled intent goes back, and the status shows it', async () => {
    const { index, deposit, expected } = await openIntent(story, 'USDD')
    await post('/cancel', { index })
    const [before] = await story.tokensOf(story.wallet.address, mintOf('USDD'))
    await story.pay(deposit, 'USDD', expected)

    const body = await untilStatus(story, index, 'refunded')

    expect(body.late_payments).toMatchObject([{ mint: mintOf('USDD'), amount: Number(expected), status: 'refunded' }])
    const [after] = await story.tokensOf(story.wallet.address, mintOf('USDD'))
    expect(after?.amount).toBe(before?.amount)
  })
})

// The payments of this group and of the next three are independent, so they run at the same time.
describe.concurrent('a wrong asset', () => {
  it('goes back while the intent stays payable', async () => {
    const { index, deposit, expected } = await openIntent(story, 'USDD')
    const wrong = 50_000_000n
    await story.pay(deposit, 'SOL', wrong)
    await until(async () => (await status(index)).token_refunds?.[0]?.status === 'refunded', STORY_TIMEOUT_MS)
    expect((await status(index)).token_refunds).toMatchObject([
      { mint: 'So11111111111111111111111111111111111111112', status: 'refunded' },
    ])
    expect(await story.lamportsOf(deposit)).toBe(0n)
    expect((await status(index)).status).toBe('pending')

    await story.pay(deposit, 'USDD', expected)
    expect((await untilStatus(story, index, 'swept')).token_refunds).toHaveLength(1)
  })
})

describe.concurrent('a sweep on demand', () => {
  it('takes an underpayment to the business, and a repeat answers with the same transfer', async () => {
    const { index, deposit, expected } = await openIntent(story, 'SOL')
    const paid = expected / 2n
    await story.pay(deposit, 'SOL', paid)
    await untilStatus(story, index, 'underpaid')
    await until(async () => (await post('/sweep', { index })).status === 200, STORY_TIMEOUT_MS)

    const first = await post('/sweep', { index })
    expect(first.status).toBe(200)
    expect(first.body).toMatchObject({
      lamports_swept: Number(paid - NETWORK_FEE),
      platform_fee_lamports: 0,
      from: deposit,
    })
    expect((await post('/sweep', { index })).body).toEqual(first.body)
    expect((await status(index)).status).toBe('swept')
  })

  it('of index 0 or without money is 400, of an unknown intent 404', async () => {
    const { index } = await openIntent(story, 'SOL')
    expect((await post('/sweep', { index: 0 })).status).toBe(400)
    expect((await post('/sweep', { index })).status).toBe(400)
    expect((await post('/sweep', { index: 999_999 })).status).toBe(404)
  })
})

describe.concurrent('a simulated deposit', () => {
  const simulate = async (index: number, kind: string, asset: string | null = null) => {
    const response = await fetch(`${story.facts.base_url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${story.facts.api_key}` },
      body: JSON.stringify({
        query: `mutation($index: Int!, $kind: SimulatedDeposit!, $asset: Asset) {
          simulateDeposit(index: $index, kind: $kind, asset: $asset) { signature asset amount } }`,
        variables: { index, kind, asset },
      }),
    })
    return await response.json()
  }

  it('lets an integrator move an intent from underpaid to swept without a wallet', async () => {
    const { index, expected } = await openIntent(story, 'DEMO')
    expect((await simulate(index, 'under')).data.simulateDeposit.amount).toBe(((expected + 1n) / 2n).toString())
    await untilStatus(story, index, 'underpaid')
    await simulate(index, 'exact')
    expect((await untilStatus(story, index, 'swept')).received_lamports).toBe(Number(expected))
  })

  it('before a selection selects the asset for the buyer', async () => {
    const created = await post('/intents', { amount_usd_cents: 900, accepted_tokens: [{ kind: 'sol' }] })
    const { derivation_index: index } = created.body
    await simulate(index, 'exact', 'SOL')
    expect(await untilStatus(story, index, 'swept')).toMatchObject({ mint: null, mint_decimals: 9 })
  })

  it('of more than the sandbox has, or of less than the rent minimum, is refused with a reason', async () => {
    const open = async (cents: number, kind: object) =>
      (await post('/intents', { amount_usd_cents: cents, accepted_tokens: [kind] })).body.derivation_index
    const mint = story.facts.tokens.find(({ ticker }) => ticker === 'DEMO')?.mint
    const codeOf = async (index: number, kind: string) => (await simulate(index, kind)).errors[0].extensions.code
    expect(await codeOf(await open(100_000_000_000, { kind: 'sol' }), 'over')).toBe('invalid_request')
    expect(await codeOf(await open(100_000_000_000, { kind: 'spl', mint }), 'exact')).toBe('invalid_request')
    expect(await codeOf(await open(14, { kind: 'sol' }), 'under')).toBe('amount_too_small')
  })

  it('reaches no intent of another business', async () => {
    expect((await simulate(999_999, 'exact')).errors[0].extensions.code).toBe('intent_not_found')
  })
})

describe.concurrent('the faucet', () => {
  const MAX_U64 = '18446744073709551615'
  const SYSTEM = '11111111111111111111111111111111'
  const CLOCK = 'SysvarC1ock11111111111111111111111111111111'

  const give = async (address: string, asset: string, amount: string) => {
    const response = await fetch(`${story.facts.operator_url}/operator/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${story.operatorToken}` },
      body: JSON.stringify({
        query: 'mutation($input: FaucetInput!) { faucet(input: $input) { signature } }',
        variables: { input: { network: 'live', address, asset, amount } },
      }),
    })
    const { data, errors } = await response.json()
    return errors === undefined ? typeof data.faucet.signature : errors[0].extensions.code
  }

  it('pays up to its limits, and refuses larger amounts with a reason', async () => {
    const fresh = (await generateKeyPairSigner()).address
    const mint = story.facts.tokens.find(({ ticker }) => ticker === 'DEMO')?.mint ?? ''
    expect(await give(fresh, 'SOL', '0')).toBe('invalid_request')
    expect(await give(fresh, 'SOL', '-1')).toBe('invalid_request')
    expect(await give(fresh, 'SOL', '18446744073709551616')).toBe('invalid_request')
    expect(await give(fresh, 'SOL', MAX_U64)).toBe('invalid_request')
    expect(await give(fresh, 'SOL', '1')).toBe('amount_too_small')
    expect(await give(fresh, mint, MAX_U64)).toBe('invalid_request')
    expect(await give(fresh, fresh, '1')).toBe('invalid_mint')
    for (const address of [SYSTEM, CLOCK])
      expect(await give(address, 'SOL', '1000000000')).toBe('destination_not_usable')
    expect(await give('none', 'SOL', '1')).toBe('invalid_request')
    expect(await give(fresh, 'SOL', '1000000000000000')).toBe('string')
  })

  it('pays to an address without a key, and to a deposit address', async () => {
    const mint = story.facts.tokens.find(({ ticker }) => ticker === 'DEMO')?.mint ?? ''
    const { deposit } = await openIntent(story, 'SOL')
    for (const address of ['ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL', deposit]) {
      expect(await give(address, mint, '5')).toBe('string')
    }
    expect(await give(deposit, 'SOL', '1000000000')).toBe('string')
  })
})

// Runs last, because it moves the shared clock.
describe('the end of the window', () => {
  it('cancels an unpaid intent and returns an underpayment', async () => {
    const [unpaid, part] = [await openIntent(story, 'SOL'), await openIntent(story, 'SOL')]
    await story.pay(part.deposit, 'SOL', part.expected / 2n)
    await untilStatus(story, part.index, 'underpaid')
    await fetch(`${story.facts.operator_url}/operator/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${story.operatorToken}` },
      body: JSON.stringify({ query: 'mutation { advanceClock(seconds: 601) { now } }' }),
    })
    await untilStatus(story, unpaid.index, 'cancelled')
    await untilStatus(story, part.index, 'refunded')
    const { clientSecret } = unpaid
    const selected = await story.rest('POST', '/intents/select-token', {
      body: { client_secret: clientSecret, mint: null },
    })
    expect(selected.status).toBe(400)
    expect(await story.lamportsOf(part.deposit)).toBe(0n)
  })
})

const mintOf = (ticker: string): string => {
  const token = story.facts.tokens.find((candidate) => candidate.ticker === ticker)
  if (token === undefined) throw new Error(`no demo token ${ticker}`)
  return token.mint
}
