// `solana-payments trigger` makes every type of event really happen.
import { afterAll, beforeAll, describe, expect, it, test, vi } from 'vitest'
import { TRIGGERS } from '../../sdk/src/cli/trigger.ts'
import { SolanaPayments } from '../../sdk/src/index.ts'
import { STORY_TIMEOUT_MS, type Story, startStory } from '../support/running-service.ts'
import { runCommand } from '../support/sdk-command.ts'

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

type Found = { readonly business: { readonly sweepDestination: string } }
const presentPayoutWallet = async () =>
  (await client.graphql<Found>('{ business { sweepDestination } }')).business.sweepDestination

it('knows every type of GET /config', async () => {
  expect(TRIGGERS.toSorted()).toEqual((await client.config()).webhook_event_types.toSorted())
})

describe('the event really happens, and the payout wallet of the business is then the one before', () => {
  test.each(TRIGGERS)('%s', async (type) => {
    const { code, out, err } = await runCommand(['trigger', type, '--json'], { DATA_DIR: story.dataDir })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(JSON.parse(out.trim().split('\n').at(-1) ?? '{}')).toMatchObject({ type })
    expect(await presentPayoutWallet()).toBe(payoutWallet)
  })
})
