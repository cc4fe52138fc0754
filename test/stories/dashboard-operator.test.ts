// The dashboard of the operator in a real Chromium, on a real Solana runtime: the way in, what needs a person, and each action.
import { generateKeyPairSigner } from '@solana/kit'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { makeAddress } from '#core/chain/base58.ts'
import { SOL } from '#core/chain/types.ts'
import { makeLamports } from '#core/money/amounts.ts'
import type { Halt } from '#ports/halts.ts'
import type { TransferSummary } from '#services/platform/platform-services.ts'
import {
  type DashboardStory,
  expectGood,
  follow,
  hasBrowser,
  press,
  shows,
  startDashboardStory,
  WITHOUT_BROWSER,
} from '../support/dashboard-story.ts'
import { openIntent, STORY_TIMEOUT_MS, untilStatus } from '../support/running-service.ts'
import { OPERATOR_TOKEN, startTestService } from '../support/services.ts'

vi.setConfig({ testTimeout: STORY_TIMEOUT_MS, hookTimeout: STORY_TIMEOUT_MS })

let world: DashboardStory
beforeAll(async () => {
  if (hasBrowser) world = await startDashboardStory({ PAYOUT_CHANGE_DELAY_HOURS: '24' })
})
afterAll(async () => {
  await world?.stop()
})

/** Opens the operator's dashboard in a browser of its own, and logs in. */
async function enter(options: BrowserContextOptions = {}, logIn = 'Log in'): Promise<Page> {
  const page = await world.open(`${world.story.facts.operator_url}/operator/dashboard`, options)
  await page.locator('input[name=token]').fill(world.story.operatorToken)
  await press(page, logIn)
  await page.locator('.frame').waitFor()
  return page
}

describe.skipIf(!hasBrowser)(`the operator in the dashboard${WITHOUT_BROWSER}`, () => {
  it('enters with the token only, stays logged in after a reload, and leaves', async () => {
    const page = await world.open(`${world.story.facts.operator_url}/operator/dashboard`)
    await page.getByRole('heading', { name: 'Log in' }).waitFor()
    await expectGood(page, 'dashboard-operator-login')
    await page.getByLabel('Language').selectOption('Deutsch')
    await page.getByRole('heading', { name: 'Anmelden' }).waitFor()
    await page.getByLabel('Sprache').selectOption('English')
    await page.getByRole('heading', { name: 'Log in' }).waitFor()
    await page.keyboard.type('not the token')
    await page.keyboard.press('Enter')
    await shows(page, 'This is not the token of the operator.')
    await expectGood(page)
    await page.getByLabel('Operator token').fill(world.story.operatorToken)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(await page.title()).toBe('Overview · Operator')
    await page.reload()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    const stored = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])')
    expect(stored).toBe('[{"language":"en"},{},""]')
    await press(page, 'Log out')
    await page.getByRole('heading', { name: 'Log in' }).waitFor()
    expect(await page.context().cookies()).toEqual([])
  })

  it('says that nothing needs a person, and shows the state of the service', async () => {
    const page = await enter()
    await shows(page, 'Nothing needs a person.')
    await shows(page, 'Fee payer')
    await shows(page, 'Processes that move money')
    await shows(page, 'What waits')
    await shows(page, 'Cost of refunds in 24 hours')
    await expectGood(page, 'dashboard-operator-overview')
  })

  it('says where held money goes: to the business, to the sender, or to another wallet', async () => {
    const { story } = world
    const custodians = [{ address: story.wallet.address, label: 'An exchange' }]
    await world.operator(
      'mutation ($custodians: [CustodianInput!]!) { saveCustodians(network: live, custodians: $custodians) { address } }',
      { custodians },
    )
    const first = await openIntent(story, 'USDD')
    const second = await openIntent(story, 'USDD')
    const third = await openIntent(story, 'USDD')
    for (const { deposit } of [first, second, third]) await story.pay(deposit, 'SOL', 30_000_000n)
    const page = await enter()
    const table = page.getByRole('table', { name: 'Held money' })
    await expect.poll(() => table.getByRole('button', { name: 'Release' }).count()).toBe(3)
    await expectGood(page, 'dashboard-operator-held')
    const row = (index: number) => table.getByRole('row', { name: `#${index}` })
    await row(first.index).getByRole('button', { name: 'Release' }).click()
    await page.getByLabel('To the wallet that sent 0.03 SOL').waitFor()
    await expectGood(page, 'dashboard-operator-release')
    await press(page, 'Cancel')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Release')

    await row(first.index).getByRole('button', { name: 'Release' }).click()
    await page.getByLabel('Why there').fill('It is a late order.')
    await press(page, 'Send it')
    await expect.poll(() => table.getByRole('button', { name: 'Release' }).count()).toBe(2)

    await row(third.index).getByRole('button', { name: 'Release' }).click()
    await page.getByLabel('To the wallet that sent 0.03 SOL').check()
    await page.getByLabel('Why there').fill('The exchange confirms it.')
    await press(page, 'Send it')
    await expect.poll(() => table.getByRole('button', { name: 'Release' }).count()).toBe(1)

    const { address } = await generateKeyPairSigner()
    await row(second.index).getByRole('button', { name: 'Release' }).click()
    await page.getByLabel('To another wallet').check()
    await page.getByLabel('Address of the wallet').fill('no wallet')
    await page.getByLabel('Why there').fill('The buyer asked for it.')
    await press(page, 'Send it')
    await shows(page, 'Enter the address of a Solana wallet.')
    await page.getByLabel('Address of the wallet').fill(address)
    await press(page, 'Send it')
    await expect.poll(() => table.count()).toBe(0)
    await expect.poll(() => story.lamportsOf(address)).toBeGreaterThan(20_000_000n)
    const released = page.getByRole('table', { name: 'Released lately' })
    await expect.poll(() => released.getByRole('row').count()).toBe(4)
    await released.getByText('The buyer asked for it.').waitFor()
    await expectGood(page, 'dashboard-operator-released')
    const { releases } = await world.operator('{ releases { to reason } }', {})
    expect(releases[1].to).toBe(story.wallet.address)
    expect(releases.map(({ reason }: { reason: string }) => reason)).toEqual([
      'The buyer asked for it.',
      'The exchange confirms it.',
      'It is a late order.',
    ])
    for (const { index } of [first, second, third])
      await story.rest('POST', '/cancel', { key: story.facts.api_key, body: { index } })
    await untilStatus(story, second.index, 'cancelled')
  })

  it('opens a business: with its wallet, its first owner and a key that can be revoked', async () => {
    const page = await enter()
    await follow(page, 'Businesses')
    await page.getByRole('table', { name: 'Businesses' }).waitFor()
    await expectGood(page, 'dashboard-operator-businesses')
    await press(page, 'New business')
    await page.getByLabel('Name', { exact: true }).fill('Mugs & More')
    await expectGood(page)
    await press(page, 'Create the business')
    const [key = ''] = await page.locator('dialog code').allInnerTexts()
    expect((await world.story.rest('GET', '/payments', { key })).status).toBe(200)
    await expectGood(page)
    await press(page, 'I have kept both')
    await page.getByRole('heading', { name: 'Mugs & More' }).waitFor()

    const { address } = await generateKeyPairSigner()
    await press(page, 'Change the wallet')
    await page.getByLabel('Address of the new wallet').fill('no wallet')
    await page.locator('form').getByRole('button', { name: 'Change the wallet' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByLabel('Address of the new wallet').fill(address)
    await page.locator('form').getByRole('button', { name: 'Change the wallet' }).click()
    await shows(page, address)

    await press(page, 'Invite a member')
    await page.getByLabel('Name', { exact: true }).fill('Ada')
    await page.locator('form').getByRole('button', { name: 'Invite a member' }).click()
    await shows(page, '/dashboard/join#li_')
    await press(page, 'I have kept it')
    await press(page, 'New link')
    await shows(page, '/dashboard/join#li_')
    await press(page, 'I have kept it')
    await press(page, 'Create a key')
    await page.locator('form').getByRole('button', { name: 'Create a key' }).click()
    await shows(page, 'sk_live_')
    await press(page, 'I have kept it')
    await expect.poll(() => page.getByRole('table', { name: 'API keys' }).getByRole('row').count()).toBe(3)
    await expectGood(page, 'dashboard-operator-business')
    await page.getByRole('row', { name: 'First key' }).getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await shows(page, 'stopped ')
    await expect.poll(async () => (await world.story.rest('GET', '/payments', { key })).status).toBe(401)
    await page.getByRole('row', { name: 'Ada' }).getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await shows(page, 'No members yet')

    await follow(page, 'Businesses')
    await page.getByRole('searchbox').fill('mugs')
    await page.keyboard.press('Enter')
    await page.waitForURL(/search=mugs/)
    await expect.poll(() => page.getByRole('table', { name: 'Businesses' }).getByRole('row').count()).toBe(2)
    await page.getByRole('searchbox').fill('nothing of that name')
    await page.keyboard.press('Enter')
    await shows(page, 'No business matches.')
    await page.goto(`${world.story.facts.operator_url}/operator/dashboard/businesses/none`)
    await shows(page, 'No business matches.')
  })

  it('disables a business for a reason that its people read on every page, and enables it again', async () => {
    const { id, key } = await world.openShop('Corner Shop')
    const member = await world.join(id)
    const page = await enter()
    await page.goto(`${world.story.facts.operator_url}/operator/dashboard/businesses/${id}`)
    await press(page, 'Disable')
    await page.getByLabel('Why').fill('Its buyers got nothing.')
    await expectGood(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click()
    await shows(page, 'Its buyers got nothing.')
    await expectGood(page, 'dashboard-operator-disabled')
    await follow(page, 'Businesses')
    await page.getByRole('row', { name: /Corner Shop.* disabled/ }).waitFor()

    const create = () =>
      world.story.rest('POST', '/intents', { key, body: { amount_usd_cents: 500, accepted_tokens: [{ kind: 'sol' }] } })
    expect((await create()).status).toBe(403)
    await member.reload()
    await shows(member, 'The operator has disabled this business: “Its buyers got nothing.”')
    await expectGood(member, 'dashboard-disabled')
    await member.goto(`${world.story.facts.base_url}/dashboard/payments/new`)
    await shows(member, 'The operator has disabled this business: “Its buyers got nothing.”')

    await page.goBack()
    await press(page, 'Enable')
    await page.getByRole('button', { name: 'Disable' }).waitFor()
    await expect.poll(async () => (await create()).status).toBe(200)
    await member.reload()
    await member.getByRole('button', { name: 'Log out' }).waitFor()
    expect(await member.getByText('The operator has disabled').count()).toBe(0)
  })

  it('keeps the old wallet of a business while a change waits', async () => {
    const { id } = await world.openShop('Careful Shop')
    const member = await world.join(id)
    await follow(member, 'Settings')
    const { address } = await generateKeyPairSigner()
    await press(member, 'Change the wallet')
    await member.getByLabel('Address of the new wallet').fill(address)
    await member.locator('form').getByRole('button', { name: 'Change the wallet' }).click()
    await shows(member, 'receives the money')
    const page = await enter()
    await page.goto(`${world.story.facts.operator_url}/operator/dashboard/businesses/${id}`)
    await shows(page, 'Asked for by Ada')
    await expectGood(page)
    await press(page, 'Keep the old wallet')
    await expect.poll(() => page.getByText('Asked for by Ada').count()).toBe(0)
  })

  it('allows a token with consent to what its issuer can do, and turns it off and on', async () => {
    const token = world.story.facts.tokens.find(({ ticker }) => ticker === 'DEMO')
    if (token === undefined) throw new Error('there is no token of Token-2022')
    const page = await enter()
    await follow(page, 'Tokens')
    const row = page.getByRole('row', { name: /DEMO Demo Token/ }).first()
    await row.getByText('Take tokens out of any account').waitFor()
    await expectGood(page, 'dashboard-operator-tokens')
    await row.getByRole('button', { name: 'Turn off' }).click()
    await expectGood(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Turn off' }).click()
    await row.getByRole('button', { name: 'Turn on' }).click()
    await row.getByRole('button', { name: 'Turn off' }).waitFor()

    await press(page, 'Allow a token')
    await page.getByLabel('Mint').fill('no mint')
    await page.getByLabel('Name', { exact: true }).fill('Demo Token again')
    await page.getByLabel('Ticker').fill('DEMO')
    await press(page, 'Allow')
    await shows(page, 'Enter the address of a mint, or SOL.')
    await page.getByLabel('Mint').fill(token.mint)
    await press(page, 'Allow')
    await shows(page, 'Consent to each')
    await expectGood(page, 'dashboard-operator-consent')
    for (const box of await page.getByRole('dialog').getByRole('checkbox').all()) await box.check()
    await press(page, 'Allow')
    await shows(page, 'Demo Token again')
  })

  it('approves an application with its terms, and declines one with a reason that the business reads', async () => {
    const apply = async (name: string): Promise<string> => {
      const { id } = await world.openShop(name)
      const member = await world.join(id)
      await follow(member, 'Marketplace')
      await member.getByLabel('Website').fill('https://bazaar.example')
      await member.getByLabel('What is sold').fill('Mugs')
      await member.getByLabel('Expected volume').fill('$20,000')
      await press(member, 'Apply')
      await shows(member, 'waiting for the operator')
      return id
    }
    const [first, second] = [await apply('Bazaar'), await apply('Souk')]
    const page = await enter()
    await page.getByRole('table', { name: 'Applications' }).waitFor()
    await follow(page, 'Applications')
    const card = (name: string) => page.locator('.panel', { has: page.getByRole('heading', { name }) })
    await card('Bazaar').waitFor()
    await expectGood(page, 'dashboard-operator-applications')
    await card('Bazaar').getByRole('button', { name: 'Approve' }).click()
    await page.getByLabel('Default fee in percent').fill('2.5')
    await page.getByLabel('Most sellers').fill('10')
    await expectGood(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click()
    await expect.poll(() => card('Bazaar').count()).toBe(0)
    const query = 'query ($id: UUID!) { accountMarketplace(accountId: $id) { status defaultFeeBps sellerLimit } }'
    expect((await world.operator(query, { id: first })).accountMarketplace).toEqual({
      ...{ status: 'active', defaultFeeBps: 250, sellerLimit: 10 },
    })
    await card('Souk').getByRole('button', { name: 'Decline' }).click()
    await page.getByLabel('Reason').fill('No sellers yet.')
    await page.getByRole('dialog').getByRole('button', { name: 'Decline' }).click()
    await shows(page, 'No application waits.')
    await page.getByLabel('Status').selectOption('All')
    await shows(page, 'No sellers yet.')
    await expectGood(page)
    expect(second).not.toBe(first)
  })

  it('runs an audit with its progress, shows no step as done that was not, and that everything is accounted for', async () => {
    const page = await enter()
    await follow(page, 'Audit')
    await expectGood(page)
    await page.route('**/operator/graphql', (route, request) =>
      request.postData()?.includes('OperatorAuditPage') ? route.abort() : route.fallback(),
    )
    await press(page, 'Start an audit')
    await shows(page, 'The service did not answer')
    await shows(page, 'Stopped.')
    expect(await page.locator('.steps .done').count()).toBe(0)
    await page.unroute('**/operator/graphql')
    // While it runs, other pages say so, and it goes on.
    const held = Promise.withResolvers<void>()
    await page.route('**/operator/graphql', async (route, request) => {
      if (request.postData()?.includes('OperatorAuditPage')) await held.promise
      await route.fallback()
    })
    await press(page, 'Start an audit')
    await follow(page, 'Tokens')
    await page.getByRole('table', { name: 'Tokens' }).waitFor()
    await shows(page, 'An audit is running')
    await expectGood(page)
    held.resolve()
    await expect.poll(() => page.getByText('An audit is running').count()).toBe(0)
    await page.unroute('**/operator/graphql')
    await follow(page, 'Audit')
    await shows(page, 'Everything is accounted for.')
    await page.getByRole('table', { name: 'By asset' }).waitFor()
    await expectGood(page, 'dashboard-operator-audit')
  })

  it('lists what was changed, with what was given', async () => {
    const page = await enter()
    await follow(page, 'Log')
    await page.locator('summary', { hasText: 'Declined an application' }).click()
    await shows(page, '"reason": "No sellers yet."')
    expect(await page.getByText('Logged in').count()).toBe(0)
    await page.getByLabel('Show logins and logouts as well').check()
    await shows(page, 'Logged in')
    await page.getByLabel('Show logins and logouts as well').uncheck()
    await page.locator('summary', { hasText: 'Logged in' }).first().waitFor({ state: 'detached' })
    await expectGood(page, 'dashboard-operator-log')
  })

  it('says that the connection is lost, keeps what it shows, and reads again when the service answers', async () => {
    const page = await enter()
    await page.locator('.facts').first().waitFor()
    await page.route('**/operator/graphql', (route) => route.abort())
    await shows(page, 'Connection lost')
    await shows(page, 'Fee payer')
    await expectGood(page)
    await page.unroute('**/operator/graphql')
    await expect.poll(() => page.getByText('Connection lost').count()).toBe(0)
  })

  it('says that a page was not loaded, and loads it when the service answers again', async () => {
    const page = await enter()
    await page.route('**/*.js', (route) => route.abort())
    await follow(page, 'Tokens')
    await page.getByRole('heading', { name: 'This page was not loaded' }).waitFor()
    await expectGood(page)
    await page.unroute('**/*.js')
    await press(page, 'Try again')
    await page.getByRole('table', { name: 'Tokens' }).waitFor()
  })

  it('asks for the token in place when the session has ended, and goes on', async () => {
    const page = await enter()
    await follow(page, 'Businesses')
    await press(page, 'New business')
    await page.getByLabel('Name', { exact: true }).fill('Half Entered')
    await page.context().clearCookies()
    await shows(page, 'Your session has ended')
    await expectGood(page)
    await page.getByLabel('Operator token').fill(world.story.operatorToken)
    await page.keyboard.press('Enter')
    await expect.poll(() => page.getByText('Your session has ended').count()).toBe(0)
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Half Entered')
  })

  it.each([
    ['right to left', { locale: 'ar' }, 'ar', 'تسجيل الدخول'],
    ['dark', { colorScheme: 'dark' }, 'dark', 'Log in'],
  ] as const)('reads well %s', async (_what, options, name, logIn) => {
    const page = await enter(options, logIn)
    await page.locator('.facts').first().waitFor()
    await expectGood(page, `dashboard-operator-${name}`)
    await page.setViewportSize({ width: 320, height: 700 })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320)
  })
})

// What is rare: the services are replaced by answers.

const OTHER = '7RXtDPWyeUhJpUg9Cnw1Nuhn1kRtWTLXQuZGAMk9wQCV'
const ID = '0b9d7f4e-93b4-4a0a-8f0a-5f3a52b1d0aa'
const at = new Date('2026-11-20T10:00:00Z')

const halt: Halt = {
  id: ID,
  network: 'live',
  address: OTHER,
  intentId: ID,
  intentIndex: 42,
  reason: 'The chain has 5 SOL less than the ledger.',
  faults: [],
  haltedAt: at,
  clearedAt: null,
  clearedBy: null,
  clearedReason: null,
}
const transfer: TransferSummary = {
  id: ID,
  key: 'sweep:intent:42:1',
  kind: 'sweep',
  status: 'failed',
  reason: 'The token account of the wallet is frozen.',
  network: 'live',
  asset: SOL,
  attempts: 8,
  signature: null,
  intentIndex: 42,
  createdAt: at,
  doneAt: null,
}
const network = {
  ...{ genesisHash: 'GENESIS', feePayer: makeAddress(OTHER), feePayerLamports: makeLamports(50_000_000n), slot: 7n },
  ...{ lagSeconds: 75, isStalled: false, clockBehindSeconds: 0, providers: { configured: 2, answering: 1 } },
  providerHealth: [
    { provider: 1, faults: 0, resting: false, latencyMs: 84.6, failures: 2 },
    { provider: 2, faults: 9, resting: true, latencyMs: null, failures: 1_204 },
  ],
  pace: { consensus: 'alpenglow', slotMs: 204.4, finalAfterSlots: 1 },
  deposits: null,
} as const

describe.skipIf(!hasBrowser)(`what is rare in the dashboard of the operator${WITHOUT_BROWSER}`, () => {
  it('shows halts, transfers that stopped and a provider that fails, and acts on each', async () => {
    const asked: unknown[] = []
    let [halts, failed]: [readonly Halt[], readonly TransferSummary[]] = [[halt], [transfer]]
    const ok = { status: 'ok', detail: null } as const
    const chain = { status: 'degraded', detail: 'The live network is 75 seconds behind.' } as const
    const service = await startTestService({
      services: {
        operatorLog: { logged: async (_asked, change) => await change() },
        tokens: { list: async () => [] },
        applications: { list: async () => [] },
        held: { payments: async () => ({ payments: [], nextIndex: null, dustPayments: 3 }), releases: async () => [] },
        audit: {
          halts: async () => halts,
          async clearHalt(id, reason) {
            asked.push([id, reason])
            halts = []
            return halt
          },
        },
        platform: {
          health: async () => ({
            ...{ status: 'degraded', version: '1.2.3' },
            checks: { database: ok, chain, priceFeed: ok, workers: ok },
          }),
          operatorStatus: async () => ({
            ...{
              networks: { live: network, test: null },
              workers: [],
              openIntents: 3,
              unfinishedTransfers: 1,
              queues: [{ name: 'sweep', waiting: 2, oldestSince: new Date('2026-11-20T12:00:00Z'), retries: 5 }],
              refunds: [],
            },
            ...{
              billing: null,
              alerts: ['The fee payer of the live network has 0.05 SOL left.', 'Use `halt clear ID`.'],
            },
          }),
          transfers: async ({ status }) => (status === 'failed' ? failed : []),
          async retryTransfer(id) {
            asked.push(id)
            failed = []
            return transfer
          },
        },
      },
    })
    onTestFinished(() => service.close())
    const page = await world.open(`${service.operatorUrl}/operator/dashboard`)
    await page.getByLabel('Operator token').fill(OPERATOR_TOKEN)
    await page.keyboard.press('Enter')
    await shows(page, 'The fee payer of the live network has 0.05 SOL left.')
    await shows(page, 'The live network is 75 seconds behind.')
    await page.getByRole('link', { name: 'Go to: Halted addresses' }).click()
    expect(await page.evaluate('location.hash')).toBe('#halts')
    await page.getByRole('row', { name: 'Settlements 2 5' }).waitFor()
    await page.getByRole('row', { name: '#2' }).getByText('1,204').waitFor()
    await shows(page, 'This network does not answer.')
    await page.locator('.needs', { hasText: 'No worker runs' }).waitFor()
    await expectGood(page, 'dashboard-operator-needs')
    await page.getByRole('table', { name: 'Halted addresses' }).getByRole('button', { name: 'Clear' }).click()
    await page.getByLabel('Why that is right').fill('The issuer took them.')
    await expectGood(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Clear' }).click()
    await expect.poll(() => page.getByRole('table', { name: 'Halted addresses' }).count()).toBe(0)
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('H1')
    await press(page, 'Try again')
    await expect.poll(() => page.getByRole('table', { name: 'Transfers that stopped' }).count()).toBe(0)
    expect(asked).toEqual([[ID, 'The issuer took them.'], ID])
  })
})
