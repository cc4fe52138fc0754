// The start page of the dashboard in a real Chromium: what needs a person, and the figures of a period.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { newPerson } from '../support/approves.ts'
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
import { STORY_TIMEOUT_MS } from '../support/running-service.ts'

vi.setConfig({ testTimeout: STORY_TIMEOUT_MS, hookTimeout: STORY_TIMEOUT_MS })

let dashboard: DashboardStory
beforeAll(async () => {
  if (hasBrowser) dashboard = await startDashboardStory()
})
afterAll(() => dashboard?.stop())

async function createPayments(key: string, count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    const body = { accepted_tokens: [{ kind: 'sol' }], amount_usd_cents: 1_000 + at }
    const { status } = await dashboard.story.rest('POST', '/intents', { key, body })
    expect(status).toBe(200)
  }
}

describe.skipIf(!hasBrowser)(`the start page${WITHOUT_BROWSER}`, () => {
  it('shows figures of a period, with the keyboard and as a table, and keeps the choice in the address', async () => {
    const { id, key } = await dashboard.openShop('Figures Shop')
    await createPayments(key, 3)
    const page = await dashboard.join(id)
    const tile = page.getByRole('button', { name: /^Payments/ })
    await expect.poll(() => tile.innerText()).toContain('3')
    await tile.click()
    await press(page, '7 days')
    await page.waitForURL(/period=7d&figure=payments/)

    const plot = page.getByRole('slider', { name: 'Payments', exact: true })
    await plot.locator('canvas').waitFor()
    await plot.focus()
    await plot.press('ArrowRight')
    await shows(page, 'This period: 3 · Period before: 0')
    await plot.press('ArrowLeft')
    await shows(page, 'This period: 0 · Period before: 0')
    await plot.press('End')
    await expectGood(page, 'dashboard-home')

    await press(page, 'Show as a table')
    expect(await page.getByRole('table', { name: 'Payments', exact: true }).getByRole('row').count()).toBe(8)
    await expectGood(page)

    await page.reload()
    await expect.poll(() => tile.getAttribute('aria-pressed')).toBe('true')
    expect(await page.getByRole('button', { name: '7 days' }).getAttribute('aria-pressed')).toBe('true')
  })

  describe('before its script is there', () => {
    const EARLY = ['DashboardMe', 'DashboardNow', 'DashboardPayments']

    /** Opens the start page as a member who is logged in, and holds its script back until it is let go. */
    async function openWithoutScript(key: string, id: string) {
      await createPayments(key, 1)
      const page = await (await dashboard.join(id)).context().newPage()
      const asked: string[] = []
      page.on('request', (request) => {
        if (request.method() === 'POST' && request.url().endsWith('/graphql'))
          asked.push(request.postDataJSON().operationName)
      })
      const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
      await page.route(/\/dashboard-\w+\.js$/, async (route) => {
        await held
        await route.continue()
      })
      const answered = page.waitForResponse((one) => one.request().postData()?.includes('DashboardPayments') === true)
      await page.goto(`${dashboard.story.facts.base_url}/dashboard`, { waitUntil: 'commit' })
      await answered
      await expect.poll(() => asked.toSorted()).toEqual(EARLY)
      return { page, asked, letGo, latest: page.locator('main table').last().getByRole('row') }
    }

    it('is asked for once', async () => {
      const { id, key } = await dashboard.openShop('Early Shop')
      const { page, asked, letGo, latest } = await openWithoutScript(key, id)
      // Once connected, it reads everything again.
      await page.routeWebSocket(/\/graphql$/, () => {})
      letGo()
      await expect.poll(() => latest.count()).toBe(2)
      await expect.poll(() => page.getByRole('button', { name: /^Payments/ }).innerText()).toContain('1')
      expect(asked.filter((name) => EARLY.includes(name)).toSorted()).toEqual(EARLY)
    })

    it('is not asked for on the page of an invitation', async () => {
      const { id } = await dashboard.openShop('Inviting Shop')
      const page = await (await dashboard.join(id)).context().newPage()
      const asked: string[] = []
      page.on('request', (request) => asked.push(request.postData() ?? ''))
      await page.goto(await dashboard.invite(id, 'viewer', 'Bob'))
      await page.getByRole('button', { name: 'Use a passkey' }).waitFor()
      expect(asked.filter((body) => /Dashboard(Me|Now|Payments)\b/.test(body))).toEqual([])
    })

    it('misses nothing that happens until it is connected', async () => {
      const { id, key } = await dashboard.openShop('Changing Shop')
      const { letGo, latest } = await openWithoutScript(key, id)
      await createPayments(key, 1)
      letGo()
      await expect.poll(() => latest.count()).toBe(3)
    })
  })

  it('counts a payment that comes, without a reload', async () => {
    const { id, key } = await dashboard.openShop('Live Figures Shop')
    await createPayments(key, 1)
    const page = await dashboard.join(id)
    const tile = page.getByRole('button', { name: /^Payments/ })
    await expect.poll(() => tile.innerText()).toContain('1')
    await createPayments(key, 1)
    await expect.poll(() => tile.innerText()).toContain('2')
  })

  it('has no figures for a business with nothing', async () => {
    const { id } = await dashboard.openShop('Empty Shop', null)
    const page = await dashboard.join(id)
    await shows(page, 'No payments yet')
    await shows(page, 'Set the wallet that receives your money')
    expect(await page.getByRole('heading', { name: /Figures|Needs you/ }).count()).toBe(0)
    await expectGood(page, 'dashboard-home-empty')
  })

  it('names an endpoint that does not take its events, while it is enabled', async () => {
    const { id, key } = await dashboard.openShop('Failing Shop')
    const { status } = await dashboard.story.rest('POST', '/webhook-endpoints', {
      key,
      body: { url: 'http://127.0.0.1:9/hook' },
    })
    expect(status).toBe(201)
    await createPayments(key, 1)
    const page = await dashboard.join(id)
    await shows(page, 'http://127.0.0.1:9/hook did not take the latest event')
    await expectGood(page, 'dashboard-needs')
    await follow(page, 'Go to the endpoints')
    await page.getByRole('heading', { name: 'Developers' }).waitFor()
  })

  it('says which asset the payout wallet cannot receive, and why', async () => {
    const { rpc_url, tokens } = dashboard.story.facts
    const token = tokens.find(({ ticker }) => ticker === 'USDD')
    const wallet = newPerson().address
    const params = [wallet, token?.mint, { amount: 0, state: 'frozen' }, token?.token_program]
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'surfnet_setTokenAccount', params })
    await fetch(rpc_url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    const { id, key } = await dashboard.openShop('Frozen Shop', wallet)
    await createPayments(key, 1)
    const page = await dashboard.join(id)
    await shows(page, `Your wallet cannot receive USDD. The token account of ${wallet} is frozen by its issuer.`)
    await expectGood(page, 'dashboard-needs-wallet')
  })

  it('says first what needs a person, and leads to where it is done', async () => {
    const { id, key } = await dashboard.openShop('Needy Shop')
    await createPayments(key, 1)
    await dashboard.operator(
      'mutation($id: UUID!) { updateAccount(id: $id, input: { sweepDestination: null }) { id } }',
      { id },
    )
    const page = await dashboard.join(id)
    await shows(page, 'No wallet receives your money')
    await expectGood(page)
    await follow(page, 'Set the wallet')
    await page.getByRole('heading', { name: 'Settings' }).waitFor()
  })
})
