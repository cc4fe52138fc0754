// The marketplace pages of the dashboard in a real Chromium, over real payments for sellers.
import { readFile } from 'node:fs/promises'
import { generateKeyPairSigner } from '@solana/kit'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { takePicture } from '../support/browser.ts'
import {
  type DashboardStory,
  expectGood,
  follow,
  hasBrowser,
  press,
  type Role,
  shows,
  startDashboardStory,
  WITHOUT_BROWSER,
} from '../support/dashboard-story.ts'
import { type Json, STORY_TIMEOUT_MS } from '../support/running-service.ts'
import { until } from '../support/until.ts'

vi.setConfig({ testTimeout: STORY_TIMEOUT_MS, hookTimeout: STORY_TIMEOUT_MS })

const PLATFORM_BPS = 150

let dashboard: DashboardStory
beforeAll(async () => {
  if (!hasBrowser) return
  const { address } = await generateKeyPairSigner()
  dashboard = await startDashboardStory({ PLATFORM_FEE_BPS: String(PLATFORM_BPS), PLATFORM_WALLET: address })
})
afterAll(() => dashboard?.stop())

const newWallet = async (): Promise<string> => (await generateKeyPairSigner()).address

const APPROVE = 'mutation($id: UUID!) { approveMarketplace(accountId: $id, terms: { defaultFeeBps: 1000 }) { status } }'
const REFUSE = 'mutation($id: UUID!, $reason: Line!) { refuseMarketplace(accountId: $id, reason: $reason) { state } }'

async function openMarketplace(name: string) {
  const shop = await dashboard.openShop(name)
  await dashboard.operator(APPROVE, { id: shop.id })
  return shop
}

async function ask(key: string, path: string, body: object, headers: Record<string, string> = {}): Promise<Json> {
  const response = await fetch(dashboard.story.facts.base_url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...headers },
    body: JSON.stringify(body),
  })
  const answer = await response.json()
  expect(response.ok, JSON.stringify(answer)).toBe(true)
  return answer
}

const addSeller = async (key: string, name: string, fields: object = {}): Promise<string> =>
  (await ask(key, '/marketplace/sellers', { name, sweep_destination: await newWallet(), ...fields })).id

const sell = (key: string, sellerId: string, fields: object = {}): Promise<Json> =>
  ask(
    key,
    '/intents',
    { amount_usd_cents: 3_000, accepted_tokens: [{ kind: 'sol' }], customer: { email: 'ada@example.com' }, ...fields },
    { 'x-platform-on-behalf-of': sellerId },
  )

/** Sells for a seller, and pays until the payment is swept. */
async function settle(key: string, sellerId: string): Promise<void> {
  const { story } = dashboard
  const { address, client_secret: secret, derivation_index: index } = await sell(key, sellerId)
  const chosen = await story.rest('POST', '/intents/select-token', { body: { client_secret: secret, mint: null } })
  await story.pay(address, 'SOL', BigInt(chosen.body.expected_lamports))
  await until(async () => (await story.rest('GET', `/status?index=${index}`, { key })).body.status === 'swept')
}

/** Joins a marketplace, and returns the page of its sellers. */
async function joinMarketplace(id: string, role: Role = 'owner'): Promise<Page> {
  const page = await dashboard.join(id, role)
  await follow(page, 'Marketplace')
  await page.getByRole('heading', { name: 'Marketplace', exact: true }).waitFor()
  return page
}

describe.skipIf(!hasBrowser)(`the marketplace in the dashboard${WITHOUT_BROWSER}`, () => {
  it('begins with an application: it waits, is refused with a reason, is sent again, and is approved', async () => {
    const { id } = await dashboard.openShop('Bazaar')
    const page = await joinMarketplace(id, 'developer')
    await page.getByLabel('Website').fill('http://bazaar.example')
    await page.getByLabel('What is sold').fill('Pottery of forty workshops')
    await page.getByLabel('Expected volume').fill('$20,000 in 500 payments')
    await expectGood(page, 'dashboard-marketplace-apply')
    await press(page, 'Apply')
    await page.getByRole('alert').waitFor()
    await page.getByLabel('Website').fill('https://bazaar.example')
    await press(page, 'Apply')
    await shows(page, 'waiting for the operator')
    expect(await page.getByRole('button', { name: 'Apply' }).count()).toBe(0)

    await dashboard.operator(REFUSE, { id, reason: 'Which workshops?' })
    await page.reload()
    await shows(page, 'Which workshops?')
    await expectGood(page, 'dashboard-marketplace-refused')
    expect(await page.getByLabel('Website').inputValue()).toBe('https://bazaar.example/')
    await press(page, 'Apply')
    await shows(page, 'waiting for the operator')
    await dashboard.operator(APPROVE, { id })
    await page.reload()
    await shows(page, 'No sellers yet')
  })

  it('creates a seller, finds it again, changes it with a new proof, and archives it', async () => {
    const { id, key } = await openMarketplace('Market')
    await addSeller(key, 'Other Seller')
    const page = await joinMarketplace(id)
    await press(page, 'New seller')
    await page.locator('.form').getByLabel('Name').fill('Blue Shop')
    await page.locator('.form').getByLabel('External id').fill('shop-17')
    await page.locator('.form').getByLabel('Your fee in percent').fill('2.5')
    await expectGood(page, 'dashboard-marketplace-new-seller')
    await press(page, 'Create the seller')
    await page.getByRole('heading', { name: 'Blue Shop' }).waitFor()
    await shows(page, 'needs a wallet')

    await press(page, 'Edit')
    const wallet = await newWallet()
    let isLater = true
    await page.route('**/graphql', async (route) => {
      if (!isLater || !String(route.request().postData()).includes('DashboardUpdateSeller'))
        return await route.continue()
      isLater = false
      await route.fulfill({
        json: { data: { seller: null }, errors: [{ message: 'x', extensions: { code: 'step_up_required' } }] },
      })
    })
    await page.getByLabel('Wallet of the seller').fill(wallet)
    await press(page, 'Save')
    await shows(page, 'Is it still you?')
    await page.getByRole('dialog').getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByText(wallet, { exact: true }).waitFor()
    await page.locator('.badge', { hasText: 'active' }).waitFor()
    await shows(page, '2.5%')

    await follow(page, 'Sellers')
    await page.getByRole('searchbox').fill('SHOP-1')
    await page.getByRole('searchbox').press('Enter')
    await page.waitForURL(/search=SHOP-1/)
    await page.getByText('Other Seller').waitFor({ state: 'detached' })
    await expectGood(page, 'dashboard-marketplace-sellers')
    await follow(page, 'Blue Shop')
    await press(page, 'Archive')
    await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click()
    await page.locator('.badge', { hasText: 'archived' }).waitFor()
    await follow(page, 'Sellers')
    await shows(page, 'Other Seller')
    expect(await page.getByText('Blue Shop').count()).toBe(0)
    await page.getByLabel('Status').selectOption('shown')
    await shows(page, 'Blue Shop')
  })

  it('shows a seller with its payments, and says what stands in the way of archiving it', async () => {
    const { id, key } = await openMarketplace('Gallery')
    const sellerId = await addSeller(key, 'Painter')
    await sell(key, sellerId, { reference: 'painting-1' })
    const page = await joinMarketplace(id)
    await follow(page, 'Painter')
    await shows(page, 'painting-1')
    await shows(page, '10% (default)')
    await expectGood(page, 'dashboard-marketplace-seller')
    await press(page, 'Archive')
    await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click()
    await shows(page, 'Payments that are open or still move: 1.')
    await expectGood(page)
    await page.getByRole('dialog').getByRole('link').click()
    await page.getByRole('heading', { name: 'Payment of $30.00' }).waitFor()
  })

  it('shows how a payment is divided, and changes the default fee', async () => {
    const { id } = await openMarketplace('Fair')
    const page = await joinMarketplace(id)
    await follow(page, 'Split')
    await shows(page, '$88.50 · 88.5%')
    await shows(page, '$1.50 · 1.5%')
    await expectGood(page, 'dashboard-marketplace-terms')
    await page.getByLabel('Your fee in percent').fill('5,25')
    await press(page, 'Save')
    await shows(page, '$93.25 · 93.25%')
    await page.getByLabel('Your fee in percent').fill('99')
    await press(page, 'Save')
    await page.getByRole('alert').waitFor()
  })

  it('shows what was sold and earned by day, week and month of a time zone, for all sellers and for one', async () => {
    const { id, key } = await openMarketplace('Mall')
    const [sold, idle] = [await addSeller(key, 'Busy Seller'), await addSeller(key, 'Idle Seller')]
    await settle(key, sold)
    const page = await joinMarketplace(id, 'viewer')
    await follow(page, 'Figures')
    await page.getByText('The last 30 days').waitFor()
    const table = () => page.getByRole('table', { name: /^By (day|week|month)$/ })
    await table().waitFor()
    expect(await table().getByRole('row').count()).toBe(31)
    expect(await table().getByRole('row').nth(1).innerText()).toMatch(/\$30\.00\s+\$3\.00\s+1\s+1/)
    await page.getByRole('table', { name: 'By asset' }).getByText('SOL').first().waitFor()
    await expectGood(page, 'dashboard-marketplace-figures')
    const download = page.waitForEvent('download')
    await press(page, 'Settlements (CSV)')
    const file = await download
    expect(file.suggestedFilename()).toBe('settlements.csv')
    const records = (await readFile(await file.path(), 'utf8')).trim().split('\n')
    await shows(page, `${records.length - 1} records exported`)
    expect(records.filter((record) => record.includes(',Busy Seller,')).length).toBe(records.length - 1)
    expect(records.some((record) => record.includes(',marketplace,'))).toBe(true)
    await page.locator('.filters select').first().selectOption('month')
    await page.getByText('The last 12 months').waitFor()
    await page.getByLabel('Time zone').selectOption('Asia/Tokyo')
    await page.waitForURL(/interval=month&zone=Asia/)
    await page.reload()
    await page.getByText('The last 12 months').waitFor()
    await table().waitFor()
    expect(await table().getByRole('row').count()).toBe(13)
    expect(await table().getByRole('row').nth(2).innerText()).toMatch(/ 1, /)
    await page.goto(new URL(`/dashboard/marketplace/sellers/${idle}`, dashboard.story.facts.base_url).href)
    await page.getByText('Nothing settled in this time').waitFor()
  })

  it('shows who changed what of the marketplace, and of one seller', async () => {
    const { id, key } = await openMarketplace('Traced')
    const sellerId = await addSeller(key, 'Traced Seller')
    await addSeller(key, 'Second Seller')
    const page = await joinMarketplace(id, 'viewer')
    await follow(page, 'Audit trail')
    await shows(page, 'Second Seller')
    await shows(page, 'Traced Seller')
    await page.getByLabel('What').selectOption('marketplace_updated')
    await page.locator('.log').getByText('Terms of the marketplace changed').first().waitFor()
    await page.locator('.log').getByText('Traced Seller').first().waitFor({ state: 'detached' })
    await expectGood(page, 'dashboard-marketplace-audit')
    await page.goto(new URL(`/dashboard/marketplace/sellers/${sellerId}`, dashboard.story.facts.base_url).href)
    await page.locator('.panel').getByRole('link', { name: 'Audit trail' }).click()
    await page.waitForURL(/audit\?seller=/)
    await page.locator('.log').getByText('Traced Seller').first().waitFor()
    expect(await page.locator('.log').getByText('Second Seller').count()).toBe(0)
  })

  it('is read from right to left in Arabic, in the dark, on the narrowest phone', async () => {
    const { id, key } = await openMarketplace('سوق')
    const sellerId = await addSeller(key, 'متجر أزرق', { external_id: 'shop-with-a-rather-long-external-id-17' })
    await sell(key, sellerId, { reference: 'order-1' })
    const page = await dashboard.join(id, 'owner', { colorScheme: 'dark' })
    await page.getByLabel('Language').selectOption('ar')
    await expect.poll(() => page.evaluate('document.documentElement.dir')).toBe('rtl')
    for (const path of ['', '/figures', '/terms', '/audit', `/sellers/${sellerId}`]) {
      await page.goto(new URL(`/dashboard/marketplace${path}`, dashboard.story.facts.base_url).href)
      await page.locator('.panel').first().waitFor()
      await page.locator('.loading').waitFor({ state: 'detached' })
      await page.setViewportSize({ width: 320, height: 800 })
      await takePicture(page, `dashboard-marketplace-ar${path.split('/')[1] ?? ''}`)
      expect(await page.evaluate('document.documentElement.scrollWidth'), path).toBeLessThanOrEqual(320)
    }
  })

  it('offers each role what it may do, and nothing else', async () => {
    const { id, key } = await openMarketplace('Roles')
    const { id: plain } = await dashboard.openShop('Plain')
    await addSeller(key, 'Only Seller')
    const seen: Record<string, readonly boolean[]> = {}
    for (const role of ['owner', 'developer', 'finance', 'viewer'] as const) {
      const page = await joinMarketplace(id, role)
      const has = (name: string) => page.getByRole('button', { name, exact: true }).first().isVisible()
      await shows(page, 'Only Seller')
      const mayCreate = await has('New seller')
      await follow(page, 'Only Seller')
      await page.getByRole('heading', { name: 'Only Seller' }).waitFor()
      const mayEdit = [await has('Edit'), await has('Archive')]
      await follow(page, 'Split')
      await shows(page, 'Whom a payment')
      seen[role] = [mayCreate, ...mayEdit, await has('Save'), await has('Change the wallet')]
      await page.context().close()
      const other = await joinMarketplace(plain, role)
      await shows(other, 'Sell for others')
      seen[role] = [...seen[role], await other.getByRole('button', { name: 'Apply' }).isVisible()]
      await other.context().close()
    }
    expect(seen).toEqual({
      owner: [true, true, true, true, true, true],
      developer: [false, false, false, false, false, true],
      finance: [true, true, true, true, false, false],
      viewer: [false, false, false, false, false, false],
    })
  })
})
