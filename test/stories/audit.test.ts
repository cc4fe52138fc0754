// The audit over payments on a real Solana runtime, by the operator's command.
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { runOperator } from '#operator/program.ts'
import { openIntent, STORY_TIMEOUT_MS, type Story, startStory, untilStatus } from '../support/running-service.ts'

vi.setConfig({ testTimeout: STORY_TIMEOUT_MS, hookTimeout: STORY_TIMEOUT_MS })

let story: Story & { stop(): Promise<void> }
beforeAll(async () => {
  story = await startStory()
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
  expect(network.addresses).toBe(2)
  const swept = { ledger: 0, chain: 0, in_flight: 0, difference: 0 }
  expect(assetOf(network, 'SOL')).toMatchObject({
    ...swept,
    addresses: 2,
    received: Number(sol.expected) + 9_000_000,
    settled: Number(sol.expected),
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
