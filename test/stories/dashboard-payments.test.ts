// The pages of payments in a real Chromium: what is listed, found, exported and shown, on a real Solana runtime.
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { generateKeyPairSigner } from '@solana/kit'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
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
import { type Json, STORY_TIMEOUT_MS } from '../support/running-service.ts'

vi.setConfig({ testTimeout: STORY_TIMEOUT_MS, hookTimeout: STORY_TIMEOUT_MS })

let world: DashboardStory
let receiver: Server
/** The status with which the shop answers webhooks. */
let answer = 200

beforeAll(async () => {
  if (!hasBrowser) return
  world = await startDashboardStory()
  receiver = createServer(async (request, response) => {
    await once(request, 'data')
    response.writeHead(answer).end()
  }).listen(0)
})
afterAll(async () => {
  receiver?.close()
  await world?.stop()
})

async function createPayment(key: string, body: object): Promise<Json> {
  const created = await world.story.rest('POST', '/intents', {
    key,
    body: { accepted_tokens: [{ kind: 'sol' }], ...body },
  })
  expect(created.status).toBe(200)
  return created.body
}

async function addWebhookEndpoint(key: string): Promise<void> {
  const address = receiver.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const url = `http://127.0.0.1:${address.port}/hook`
  const { status } = await world.story.rest('POST', '/webhook-endpoints', { key, body: { url } })
  expect(status).toBe(201)
}

/** The references that the list shows. */
const listed = (page: Page): Promise<string[]> =>
  page.getByRole('table', { name: 'Payments' }).locator('td[data-label=Reference]').allInnerTexts()

describe.skipIf(!hasBrowser)(`payments in the dashboard${WITHOUT_BROWSER}`, () => {
  it('finds payments by status, days, metadata and text, with the filter in the address', async () => {
    const { id, key } = await world.openShop('Filter Shop')
    await createPayment(key, { amount_usd_cents: 1_000, reference: 'blue-1', metadata: { order: 'A-17' } })
    await createPayment(key, { amount_usd_cents: 2_000, reference: 'blue-2', metadata: { order: 'A-18' } })
    const red = await createPayment(key, { amount_usd_cents: 3_000, reference: 'red-3' })
    await world.story.rest('POST', '/intents/select-token', { body: { client_secret: red.client_secret, mint: null } })
    await world.story.rest('POST', '/cancel', { key, body: { index: red.derivation_index } })
    const page = await world.join(id, 'viewer')
    await follow(page, 'Payments')
    await shows(page, 'red-3')
    await page.getByRole('searchbox').fill('blue')
    await page.getByRole('searchbox').press('Enter')
    await expect.poll(() => listed(page)).toEqual(['blue-2', 'blue-1'])
    await page.getByLabel('Metadata, such as').fill('order=A-17')
    await page.getByLabel('Metadata, such as').press('Enter')
    await expect.poll(() => listed(page)).toEqual(['blue-1'])
    await expectGood(page, 'dashboard-payments')
    await page.getByLabel('Time').selectOption('today')
    await page.waitForURL(/period=today/)
    await expect.poll(() => listed(page)).toEqual(['blue-1'])
    await page.getByLabel('Time').selectOption('chosenDays')
    await page.getByLabel('until').fill('2020-01-31')
    await shows(page, 'No payment matches')
    await expectGood(page)
    await page.reload()
    await shows(page, 'No payment matches')
    await press(page, 'Clear the filters')
    await expect.poll(() => listed(page)).toEqual(['red-3', 'blue-2', 'blue-1'])
    await page.getByLabel('Status').selectOption('cancelled')
    await expect.poll(() => listed(page)).toEqual(['red-3'])
    await page.getByLabel('Status').selectOption('')
    await page.getByLabel('Asset').selectOption('SOL')
    await page.waitForURL(/asset=SOL/)
    await expect.poll(() => listed(page)).toEqual(['red-3'])
  })

  it('keeps a filter under a name, in this browser and for this business', async () => {
    const { id, key } = await world.openShop('View Shop')
    await createPayment(key, { amount_usd_cents: 1_000, reference: 'one' })
    const page = await world.join(id, 'viewer')
    await follow(page, 'Payments')
    await shows(page, 'one')
    await page.getByLabel('Status').selectOption('swept')
    await shows(page, 'No payment matches')
    await press(page, 'Save this view')
    await shows(page, 'The view is kept in this browser only.')
    await page.getByRole('dialog').getByLabel('Name').fill('Swept ones')
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click()
    await follow(page, 'Payments')
    await shows(page, 'one')
    await expectGood(page)
    await page.reload()
    await follow(page, 'Swept ones')
    await page.waitForURL(/status=swept/)
    expect(await page.getByRole('button', { name: 'Save this view' }).count()).toBe(0)
    await press(page, 'Remove the view “Swept ones”')
    await page.getByRole('link', { name: 'Swept ones' }).waitFor({ state: 'detached' })
  })

  it('exports what the filter finds, and nothing else', async () => {
    const { id, key } = await world.openShop('Export Shop')
    for (let at = 0; at < 3; at += 1)
      await createPayment(key, { amount_usd_cents: 1_000 + at, reference: `paper-${at}`, description: 'two\nlines' })
    await createPayment(key, { amount_usd_cents: 5_000, reference: 'glass-1' })
    const page = await world.join(id, 'finance')
    await page.goto(new URL('/dashboard/payments?search=paper', world.story.facts.base_url).href)
    await shows(page, 'paper-2')
    const file = page.waitForEvent('download')
    await press(page, 'Export as CSV')
    await shows(page, '3 records exported')
    const text = await readFile(await (await file).path(), 'utf8')
    expect(text.match(/paper-\d/g)).toEqual(['paper-2', 'paper-1', 'paper-0'])
    expect(text).not.toContain('glass-1')
  })

  it('shows the sellers of a marketplace, and the payments for one of them', async () => {
    const { id, key } = await world.openShop('Bazaar')
    await world.operator('mutation($id: UUID!) { m: approveMarketplace(accountId: $id) { accountId } }', { id })
    const wallet = (await generateKeyPairSigner()).address
    const { body } = await world.story.rest('POST', '/marketplace/sellers', {
      key,
      body: { name: 'Potter', sweep_destination: wallet },
    })
    const forSeller = await fetch(`${world.story.facts.base_url}/intents`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${key}`,
        'x-platform-on-behalf-of': body.id ?? body.seller.id,
      },
      body: JSON.stringify({
        accepted_tokens: [{ kind: 'sol' }],
        amount_usd_cents: 1_000,
        reference: 'a cup',
        customer: { email: 'ada@example.com' },
      }),
    })
    expect(forSeller.status).toBe(200)
    await createPayment(key, { amount_usd_cents: 2_000, reference: 'a stall' })
    const page = await world.join(id, 'viewer')
    await follow(page, 'Payments')
    await expect.poll(() => listed(page)).toEqual(['a stall', 'a cup'])
    await page.getByLabel('Seller').selectOption('Potter')
    await expect.poll(() => listed(page)).toEqual(['a cup'])
    await page.locator('td[data-label=Seller]', { hasText: 'Potter' }).waitFor()
    await expectGood(page)
  })

  it('tells the whole story of a payment: the rate, what arrived, where it went, and each webhook with its attempts', async () => {
    const { id, key } = await world.openShop('Story Shop')
    answer = 200
    await addWebhookEndpoint(key)
    const { client_secret } = await createPayment(key, {
      amount_usd_cents: 1_999,
      reference: 'story-1',
      metadata: { order: 'A-17' },
    })
    await world.story.rest('POST', '/intents/select-token', { body: { client_secret, mint: null } })
    const page = await world.join(id, 'owner')
    await follow(page, 'Payments')
    await follow(page, '$19.99')
    await shows(page, 'The buyer chose how to pay')
    await page.locator('.timeline', { hasText: '1 SOL = $' }).waitFor()
    await press(page, 'Exactly')
    await page.locator('.standing', { hasText: 'swept' }).waitFor()
    await page.locator('.timeline', { hasText: 'Deposit:' }).waitFor()
    await page.locator('.timeline', { hasText: 'Settlement:' }).waitFor()
    const swept = page.locator('.timeline > li', { hasText: 'Arrived in your wallet' })
    await swept.getByText('answered 200').click()
    await swept.getByText(/ms · 200/).waitFor()
    const shares = await page
      .getByRole('table', { name: 'Where the money went' })
      .locator('td[data-label=Share]')
      .allInnerTexts()
    expect(shares.reduce((sum, share) => sum + Number.parseFloat(share), 0)).toBeCloseTo(100, 0)
    await page.getByText('As JSON').click()
    await shows(page, '"reference": "story-1"')
    await expectGood(page)
    await page.emulateMedia({ media: 'print' })
    expect(await page.getByRole('button', { name: 'Print' }).isVisible()).toBe(false)
    expect(await page.getByRole('navigation').first().isVisible()).toBe(false)
    expect(await page.getByText('As JSON').isVisible()).toBe(false)
    await page.emulateMedia({ media: null })
  })

  it('says that a reference is used, and takes another one', async () => {
    const { id, key } = await world.openShop('Twice Shop')
    await createPayment(key, { amount_usd_cents: 1_000, reference: 'A-17' })
    const page = await world.join(id, 'finance')
    await follow(page, 'Payments')
    await press(page, 'New payment link')
    await page.getByLabel('Amount in US dollars').fill('12.50')
    await page.getByLabel('Reference').fill('A-17')
    await press(page, 'Create the link')
    const reference = page.locator('.field', { hasText: 'Reference' })
    await reference.getByText('A payment has this reference already.').waitFor()
    await expectGood(page, 'dashboard-reference-used')
    await page.getByLabel('Reference').fill('A-18')
    await press(page, 'Create the link')
    await page.locator('a[href*="/pay/i/cs_"]').waitFor()
    await page.goBack()
    await press(page, 'New payment link')
    await page.getByLabel('Amount in US dollars').fill('1')
    await page.getByLabel('Reference').fill('A-17')
    await press(page, 'Create the link')
    await follow(page, 'See that payment')
    await page.getByRole('heading', { name: 'Payment of $10.00' }).waitFor()
  })

  it('says that money was sent until it is found, in any asset, and why no asset is wrong', async () => {
    const { id, key } = await world.openShop('Sent Shop')
    const page = await world.join(id, 'finance')
    const tokens = await world.story.rest('GET', '/allowed-tokens', { key })
    const every = tokens.body.tokens.map(({ mint }: Json) => (mint === null ? { kind: 'sol' } : { kind: 'spl', mint }))
    await createPayment(key, { amount_usd_cents: 2_600, reference: 'all-1', accepted_tokens: every })
    await createPayment(key, { amount_usd_cents: 2_700, reference: 'sol-1' })
    await follow(page, 'Payments')
    await follow(page, '$26.00')
    await shows(page, 'There is no wrong asset')
    expect(await page.getByRole('button', { name: 'The wrong asset' }).isDisabled()).toBe(true)
    await expectGood(page)
    await follow(page, 'Payments')
    await follow(page, '$27.00')
    await press(page, 'The wrong asset')
    await page.locator('.sent', { hasText: 'Sent. This page waits' }).waitFor()
    await expectGood(page, 'dashboard-payment-sent')
    // An asset that the payment does not accept is looked for once a minute.
    await page
      .locator('.timeline', { hasText: /Deposit: [\d.,]+\s[A-Z]+ · another asset/ })
      .waitFor({ timeout: 75_000 })
    await page.locator('.sent', { hasText: 'Sent. This page waits' }).waitFor({ state: 'hidden' })
    await expectGood(page)
  })

  it('pays too little in the sandbox, and cancels: what has arrived goes back', async () => {
    const { id, key } = await world.openShop('Half Shop')
    await createPayment(key, { amount_usd_cents: 2_500, reference: 'half-1' })
    const page = await world.join(id, 'finance')
    await follow(page, 'Payments')
    await follow(page, '$25.00')
    await press(page, 'Too little')
    await page.locator('.standing', { hasText: 'paid in part' }).waitFor()
    await press(page, 'Cancel the payment')
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the payment' }).click()
    await page.locator('.standing', { hasText: 'refunded' }).waitFor()
    await page.locator('.timeline', { hasText: 'Back to the buyer:' }).waitFor()
    await expectGood(page)
  })

  it('offers to sweep what could not settle, to people who may, and says in place why it cannot', async () => {
    const { id, key } = await world.openShop('Stuck Shop')
    await createPayment(key, { amount_usd_cents: 2_500, reference: 'sweep-1' })
    const offered: boolean[] = []
    for (const role of ['finance', 'viewer'] as const) {
      const page = await world.join(id, role)
      await follow(page, 'Payments')
      await shows(page, 'sweep-1')
      // As after a failure.
      await page.route('**/graphql', async (route) => {
        if (!String(route.request().postData()).includes('DashboardPaymentDetail')) return await route.continue()
        const response = await route.fetch()
        await route.fulfill({ response, body: (await response.text()).replace('"pending"', '"settle_failed"') })
      })
      await follow(page, '$25.00')
      await page.locator('.standing', { hasText: 'could not settle' }).waitFor()
      const sweep = page.getByRole('button', { name: 'Sweep now' })
      offered.push(await sweep.isVisible())
      if (role === 'viewer') continue
      await sweep.click()
      await page.locator('.head').getByRole('alert').waitFor()
      await expectGood(page)
    }
    expect(offered).toEqual([true, false])
  })

  it('makes a link with a code to scan and the element of a page, which stays on the page of the payment', async () => {
    const { id } = await world.openShop('Link Shop')
    const page = await world.join(id, 'finance')
    await follow(page, 'Payments')
    await press(page, 'New payment link')
    await page.getByLabel('Amount in US dollars').fill('0')
    await press(page, 'Create the link')
    await page.locator('.field', { hasText: 'Amount' }).getByText('Enter an amount above zero').waitFor()
    await page.getByLabel('Amount in US dollars').fill('12.50')
    await press(page, 'Create the link')
    const link = await page.locator('a[href*="/pay/i/cs_"]').getAttribute('href')
    await page.getByRole('img', { name: 'QR code of the link' }).waitFor()
    await page.getByText('Show it in a page of your own').click()
    await shows(page, `client-secret="${link?.slice(link.lastIndexOf('/') + 1)}"`)
    await shows(page, 'ten minutes from its creation')
    await expectGood(page, 'dashboard-link')
    await press(page, 'See the payment')
    await page.getByRole('heading', { name: 'Payment of $12.50' }).waitFor()
    await page.getByRole('img', { name: 'QR code of the link' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Payment of $12.50' }).waitFor()
    await shows(page, 'Timeline')
    expect(await page.getByRole('img', { name: 'QR code of the link' }).count()).toBe(0)
  })
})
