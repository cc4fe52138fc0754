// The audit over payments on a real Solana runtime, by the operator's command.
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { runOperator } from '#operator/program.ts'
import { openIntent, STORY_TIMEOUT_MS, type Story, startStory, untilStatus } from '../support/running-service.ts'

vi.setConfig({ testTimeout: STORY_TIMEOUT_MS, hookTimeout: STORY_TIMEOUT_MS })

let story: Story & { stop(): Promise<void> }
beforeAll(async () => {
  // The priority fee of a real network.
  story = await startStory({ PRIORITY_FEE_MICROLAMPORTS: '20000' })
})
afterAll(() => story?.stop())

async function audit() {
  const out: string[] = []
  const err: string[] = []
  const args = ['--url', story.facts.base_url, '--token', story.operatorToken, 'audit', '--network', 'live', '--json']
  const code = await runOperator(args, {}, { out: (line) => out.push(line), err: (line) => err.push(line) })
  const { clean, networks, differences } = JSON.parse(out.join('\n'))
  return { code, clean, differences, network: networks[0] }
}

const statusOf = async (index: number): Promise<string> =>
  (await story.rest('GET', `/status?index=${index}`, { key: story.facts.api_key })).body.status

const assetOf = ({ assets }: { assets: { asset: string }[] }, asset: string | null) =>
  assets.find((one) => one.asset === asset)

it('settlements in SOL cost the fee payer nothing, by figures of the audit that are those of the chain', async () => {
  const { fee_payer: before } = (await audit()).network
  const payments = [await openIntent(story, 'SOL'), await openIntent(story, 'SOL'), await openIntent(story, 'SOL')]
  await Promise.all(payments.map(({ deposit, expected }) => story.pay(deposit, 'SOL', expected)))
  await Promise.all(payments.map(({ index }) => untilStatus(story, index, 'swept')))
  const { fee_payer: after } = (await audit()).network
  // The fee of each of three transactions, and what the default network fee repays of it.
  expect(after.spent - before.spent).toBe(3 * 10_032)
  expect(after.repaid - before.repaid).toBe(3 * 10_050)
  expect(after.lamports - before.lamports).toBe(3 * 18)
  expect(await story.lamportsOf(after.address)).toBe(BigInt(after.lamports))
  expect(after.funded).toBe(before.funded)
})

it('every lamport and token of a SOL and a token payment is accounted for, at every moment', async () => {
  const sol = await openIntent(story, 'SOL')
  const token = await openIntent(story, 'USDD')
  await Promise.all([
    story.pay(sol.deposit, 'SOL', sol.expected + 9_000_000n),
    story.pay(token.deposit, 'USDD', token.expected),
  ])
  const statuses = () => Promise.all([sol, token].map(({ index }) => statusOf(index)))
  await expect.poll(statuses, { timeout: STORY_TIMEOUT_MS }).not.toContain('pending')
  // From here on the chain shows a deposit before it is booked, and later a transfer before it is booked.
  while ((await statuses()).some((status) => status !== 'swept')) {
    expect(await audit()).toMatchObject({ code: 0, clean: true })
  }

  const { code, clean, differences, network } = await audit()

  expect({ code, clean, differences }).toEqual({ code: 0, clean: true, differences: [] })
  expect(network.addresses).toBe(5)
  const swept = { ledger: 0, chain: 0, in_flight: 0, difference: 0 }
  expect(assetOf(network, 'SOL')).toMatchObject({
    ...swept,
    addresses: 5,
    received: 4 * Number(sol.expected) + 9_000_000,
    settled: 4 * Number(sol.expected),
    returned: 9_000_000,
  })
  expect(assetOf(network, token.mint)).toMatchObject({ ...swept, settled: Number(token.expected), returned: 0 })
  expect(network.fee_payer.spent).toBeGreaterThan(0)
  // An underpaid payment is audited like a complete payment.
  const half = await openIntent(story, 'SOL')
  await story.pay(half.deposit, 'SOL', half.expected / 2n)
  await untilStatus(story, half.index, 'underpaid')
  expect(await audit()).toMatchObject({ code: 0, clean: true })
})
