// `solana-payments trigger` makes every type of event really happen.
import { afterAll, beforeAll, describe, expect, it, test, vi } from 'vitest'
import { contextFor } from '../../sdk/src/cli/context.ts'
import { Output } from '../../sdk/src/cli/output.ts'
import { TRIGGERS, trigger } from '../../sdk/src/cli/trigger.ts'
import { SolanaPayments } from '../../sdk/src/index.ts'
import { STORY_TIMEOUT_MS, type Story, startStory } from '../support/running-service.ts'

vi.setConfig({ testTimeout: STORY_TIMEOUT_MS, hookTimeout: STORY_TIMEOUT_MS })

let story: Story & { stop(): Promise<void> }
let client: SolanaPayments
let payoutWallet: string
beforeAll(async () => {
  story = await startStory()
  client = new SolanaPayments({ apiKey: story.facts.api_key, baseUrl: story.facts.base_url })
  payoutWallet = await presentPayoutWallet()
})
afterAll(() => story?.stop())

/** Keeps the types that the command shows. */
class Seen extends Output {
  readonly types: string[] = []

  override show(event: object): void {
    this.types.push(Object(event).type)
  }
}

type Found = { readonly business: { readonly sweepDestination: string } }
const presentPayoutWallet = async () =>
  (await client.graphql<Found>('{ business { sweepDestination } }')).business.sweepDestination

async function triggerOf(type: string, output: Output): Promise<void> {
  const { signal } = new AbortController()
  await trigger(await contextFor({ values: { 'data-dir': story.dataDir }, positionals: [type], output, signal }))
}

const OF_OWNERS = ['business.payout_change_requested', 'business.payout_change_canceled']

it('knows every type of GET /config', async () => {
  expect(TRIGGERS.toSorted()).toEqual((await client.config()).webhook_event_types.toSorted())
})

describe('the event really happens, and the payout wallet of the business is then the one before', () => {
  test.each(TRIGGERS.filter((type) => !OF_OWNERS.includes(type)))('%s', async (type) => {
    const output = new Seen(true)
    await triggerOf(type, output)
    expect(output.types.at(-1)).toBe(type)
    expect(await presentPayoutWallet()).toBe(payoutWallet)
  })
})

it.each(OF_OWNERS)('says how an owner makes %s, which no key can', async (type) => {
  await expect(triggerOf(type, new Seen(true))).rejects.toThrow('PAYOUT_CHANGE_DELAY_HOURS')
})
