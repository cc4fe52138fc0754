// One payment from create to swept, on a real Solana runtime, for each kind of asset.
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

const operator = async (query: string, variables: object) => {
  const response = await fetch(`${story.facts.operator_url}/operator/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${story.operatorToken}` },
    body: JSON.stringify({ query, variables }),
  })
  return await response.json()
}

describe('a SOL payment', () => {
  it('settles the payment less the network fee, and the deposit address ends at exactly zero', async () => {
    const wallet = await generateKeyPairSigner()
    await operator(
      'mutation($id: UUID!, $to: SolanaAddress) { updateAccount(id: $id, input: { sweepDestination: $to }) { id } }',
      {
        id: story.facts.account_id,
        to: wallet.address,
      },
    )
    const intent = await openIntent(story, 'SOL')
    const signature = await story.pay(intent.deposit, 'SOL', intent.expected)

    const status = await untilStatus(story, intent.index, 'swept')

    expect(status).toMatchObject({ action: 'swept', mint: null, received_lamports: Number(intent.expected) })
    expect(status).not.toHaveProperty('payment_uri')
    expect(status.refund_sender).toBe(story.wallet.address)
    expect(status.settlement.destination_amount).toBe(Number(intent.expected - 10_000n))
    expect(status.settlement.signatures).not.toContain(signature)
    expect(sumOf(status.settlement.legs)).toBe(intent.expected)
    expect(await story.lamportsOf(intent.deposit)).toBe(0n)
    expect(await story.lamportsOf(wallet.address)).toBe(intent.expected - 10_000n)
  })
})

// These payments are independent, so they run at the same time.
describe.concurrent('a SOL payment to the same business', () => {
  it('that is too large sends the excess back in the same transaction', async () => {
    const intent = await openIntent(story, 'SOL')
    const excess = 7_000_000n
    await story.pay(intent.deposit, 'SOL', intent.expected + excess)

    const status = await untilStatus(story, intent.index, 'swept')

    const refund = status.settlement.legs.find(({ role }: { role: string }) => role === 'refund')
    expect(refund).toMatchObject({ destination: story.wallet.address, amount: Number(excess) })
    expect(status.settlement.signatures).toHaveLength(1)
    expect(status.settlement.destination_amount).toBe(Number(intent.expected - 10_000n))
    expect(sumOf(status.settlement.legs)).toBe(intent.expected + excess)
    expect(await story.lamportsOf(intent.deposit)).toBe(0n)
  })

  it('in two parts is underpaid in between, with the shortfall', async () => {
    const intent = await openIntent(story, 'SOL')
    const first = intent.expected / 3n
    await story.pay(intent.deposit, 'SOL', first)

    const underpaid = await untilStatus(story, intent.index, 'underpaid')
    expect(underpaid.shortfall_lamports).toBe(Number(intent.expected - first))

    await story.pay(intent.deposit, 'SOL', intent.expected - first)
    const status = await untilStatus(story, intent.index, 'swept')
    expect(status.received_lamports).toBe(Number(intent.expected))
    expect(await story.lamportsOf(intent.deposit)).toBe(0n)
  })
})

describe.concurrent.each([
  { kind: 'an SPL token', ticker: 'USDD' },
  { kind: 'a Token-2022 token', ticker: 'DEMO' },
])('a payment in $kind', ({ ticker }) => {
  it('settles in full, and the emptied token account is closed', async () => {
    const intent = await openIntent(story, ticker)
    await story.pay(intent.deposit, ticker, intent.expected)
    // The buyer's wallet paid the rent of the token account; the rent comes back.
    expect(await story.tokensOf(intent.deposit, intent.mint)).toMatchObject([{ amount: intent.expected }])

    const status = await untilStatus(story, intent.index, 'swept')

    expect(status.settlement).toMatchObject({ asset: ticker, destination_amount: Number(intent.expected) })
    expect(sumOf(status.settlement.legs)).toBe(intent.expected)
    await until(async () => (await story.tokensOf(intent.deposit, intent.mint)).length === 0, STORY_TIMEOUT_MS)
    expect(await story.tokensOf(intent.deposit, intent.mint)).toEqual([])
    expect(await story.lamportsOf(intent.deposit)).toBe(0n)
  })
})

it.each([1, Number.MAX_SAFE_INTEGER])(
  'a price of %d cents, where only SOL is accepted, is refused at create with the possible prices',
  async (cents) => {
    const body = { amount_usd_cents: cents, accepted_tokens: [{ kind: 'sol' }] }
    const created = await story.rest('POST', '/intents', { key: story.facts.api_key, body })
    expect([created.status, created.body.error]).toEqual([
      400,
      expect.stringMatching(/amount_usd_cents must be from \d+ to \d+/),
    ])
  },
)

const sumOf = (legs: readonly { amount: number }[]): bigint =>
  legs.reduce((sum, { amount }) => sum + BigInt(amount), 0n)
