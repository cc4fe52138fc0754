// The pages of subscriptions in the dashboard, in a real Chromium on a real Solana runtime.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { expectAccessible } from '../support/browser.ts'
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
import { type Subscribed, subscribe } from '../support/subscribing.ts'
import { until } from '../support/until.ts'

vi.setConfig({ testTimeout: STORY_TIMEOUT_MS, hookTimeout: STORY_TIMEOUT_MS })

let dashboard: DashboardStory

beforeAll(async () => {
  if (hasBrowser) dashboard = await startDashboardStory()
})
afterAll(() => dashboard?.stop())

async function call(key: string, path: string, body: object): Promise<Json> {
  const answer = await dashboard.story.rest('POST', path, { key, body })
  expect([200, 201], JSON.stringify(answer.body)).toContain(answer.status)
  return answer.body
}

/** The price of a period of the tiers here, in base units of the demo token. */
const UNIT = 9_000_000n

const addProduct = async (key: string, name: string): Promise<string> =>
  (await call(key, '/subscription-products', { name })).id
const addTier = async (key: string, productId: string, terms: object = {}): Promise<Json> =>
  await call(key, `/subscription-products/${productId}/tiers`, {
    name: 'Monthly',
    price_usd_cents: 900,
    interval: 'month',
    ...terms,
  })

/** Gives tokens of the settlement coin. */
const fund = (address: string, amount: bigint): Promise<Json> =>
  dashboard.operator('mutation($input: FaucetInput!) { faucet(input: $input) { signature } }', {
    input: { network: 'live', address, asset: dashboard.story.facts.tokens[0]?.mint, amount: String(amount) },
  })

/** Completes a checkout with a new wallet that has these tokens, and waits for its first charge. */
async function addSubscriber(key: string, tierId: string, tokens: bigint, coupon?: string): Promise<Subscribed> {
  const subscribed = await subscribe(dashboard.story, { key, tierId, coupon, fund: (wallet) => fund(wallet, tokens) })
  await untilStatus(key, subscribed.id, 'active')
  return subscribed
}

const untilStatus = (key: string, id: string, status: string): Promise<void> =>
  until(async () => {
    const { body } = await dashboard.story.rest('GET', `/subscriptions/${id}`, { key })
    return body.subscription.status === status
  }, STORY_TIMEOUT_MS / 2)

const openSubscription = async (page: Page, { wallet }: Subscribed): Promise<void> => {
  await follow(page, 'Subscriptions')
  await page.getByTitle(wallet.address).click()
  await page.locator('.standing').waitFor()
}

const openProducts = async (page: Page): Promise<void> => {
  await follow(page, 'Subscriptions')
  await follow(page, 'Products')
  await page.getByRole('heading', { name: 'Products' }).waitFor()
}

/** Fills in the form that is open. */
const fill = async (page: Page, values: Readonly<Record<string, string>>): Promise<void> => {
  for (const [label, value] of Object.entries(values)) await page.locator('.form').getByLabel(label).fill(value)
}

describe.skipIf(!hasBrowser)(`products and tiers in the dashboard${WITHOUT_BROWSER}`, () => {
  it('lead from the first product to a checkout link, with each price in words', async () => {
    const { id } = await dashboard.openShop('Coffee Club')
    const page = await dashboard.join(id, 'finance')
    await openProducts(page)
    await shows(page, 'No products yet')
    await expectGood(page, 'dashboard-products-empty')
    await press(page, 'New product')
    await fill(page, { Name: 'Coffee of the month', Description: 'A bag of beans in your letter box' })
    await press(page, 'Create the product')
    await page.getByRole('heading', { name: 'Coffee of the month' }).waitFor()
    await shows(page, 'No tiers yet')

    await press(page, 'New tier')
    await fill(page, { Name: 'Monthly', 'Amount in US dollars': '9.00' })
    await expectGood(page, 'dashboard-tier-new')
    await press(page, 'Create the tier')
    await shows(page, '$9.00 every month, in USDD')
    await shows(page, '$108.00, for 12 charges')
    await press(page, 'New tier')
    await fill(page, { Name: 'Each quarter', 'Amount in US dollars': '25' })
    await fill(page, { 'Length of a period': '3', 'Charges that a subscriber allows at the start': '1' })
    await fill(page, { 'Days of free trial': '14' })
    await press(page, 'Create the tier')
    await shows(page, '$25.00 every 3 months, in USDD')
    await shows(page, '$25.00, for one charge')
    await shows(page, 'before that, 14 days free')
    await expectGood(page, 'dashboard-product')

    await press(page, 'Checkout link')
    const link = page.getByRole('dialog').getByRole('link')
    await page.getByRole('img', { name: 'QR code of the link' }).waitFor()
    await expectAccessible(page)
    await expectGood(page, 'dashboard-checkout-link')
    const checkout = await dashboard.open((await link.getAttribute('href')) ?? '')
    await shows(checkout, 'Coffee of the month')
    await shows(checkout, '$25.00')
  })

  it('are sold for less with a coupon, whose uses and discount the pages show', async () => {
    const { id, key } = await dashboard.openShop('Discount Shop')
    const tier = await addTier(key, await addProduct(key, 'Coffee of the month'))
    const page = await dashboard.join(id, 'owner')
    await follow(page, 'Subscriptions')
    await follow(page, 'Coupons')
    await shows(page, 'No coupons yet')
    await expectGood(page, 'dashboard-coupons-empty')
    await press(page, 'New coupon')
    await fill(page, { Code: 'welcome', 'Percent, from 1 to 99': '25', 'Charges with the discount': '3' })
    await fill(page, { 'Most uses in all': '100', 'Most uses of one wallet': '1', 'Last day': '2099-12-31' })
    await expectGood(page, 'dashboard-coupon-new')
    await press(page, 'Create the coupon')
    await shows(page, '25% off, for 3 charges')
    await press(page, 'New coupon')
    await fill(page, { Code: 'Welcome', 'Percent, from 1 to 99': '5' })
    await press(page, 'Create the coupon')
    await shows(page, 'An active coupon has this code already.')
    await page.getByLabel('What it takes off').selectOption('amount')
    await fill(page, { Code: 'less', 'Amount in US dollars': '2.50' })
    await press(page, 'Create the coupon')
    await shows(page, '$2.50 off, for every charge')
    const subscribed = await addSubscriber(key, tier.id, 12n * UNIT, 'WELCOME')
    await page.reload()
    await shows(page, '1 of 100')
    await expectGood(page, 'dashboard-coupons')
    await page.getByRole('row', { name: 'LESS' }).getByRole('button', { name: 'Archive' }).click()
    await shows(page, 'Archive LESS?')
    await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click()
    await page.locator('.badge', { hasText: 'archived' }).waitFor()
    await openSubscription(page, subscribed)
    await shows(page, '25% off, for 2 charges')
    await shows(page, '6.75 USDD each')
    await expectGood(page, 'dashboard-subscription-discount')
    await page.getByLabel('Language').selectOption('ar')
    await page.locator('html[lang="ar"] h1').waitFor()
    await expectGood(page, 'dashboard-subscription-discount-ar')
  })

  it('are read from right to left, in the dark, on a narrow phone', async () => {
    const { id, key } = await dashboard.openShop('متجر القهوة')
    await addTier(key, await addProduct(key, 'قهوة'))
    const page = await dashboard.join(id, 'owner', { colorScheme: 'dark' })
    await page.getByLabel('Language').selectOption('ar')
    await follow(page, 'الاشتراكات')
    await follow(page, 'المنتجات')
    await follow(page, 'قهوة')
    await page.getByRole('button', { name: 'رابط الاشتراك' }).waitFor()
    await expectGood(page, 'dashboard-product-ar')
    await page.setViewportSize({ width: 320, height: 640 })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
  })

  it('say what is wrong with a price, and keep what was entered', async () => {
    const { id, key } = await dashboard.openShop('Cheap Shop')
    await addProduct(key, 'Tea')
    const page = await dashboard.join(id)
    await openProducts(page)
    await follow(page, 'Tea')
    await press(page, 'New tier')
    await fill(page, { Name: 'Monthly', 'Amount in US dollars': '0.01' })
    await press(page, 'Create the tier')
    await shows(page, 'The price is lower than this service permits.')
    expect(await page.getByLabel('Amount in US dollars').inputValue()).toBe('0.01')
    await fill(page, { 'Amount in US dollars': '1' })
    await press(page, 'Create the tier')
    await shows(page, '$1.00 every month')
  })

  it('are archived after a question, and offered again', async () => {
    const { id, key } = await dashboard.openShop('Closing Shop')
    const productId = await addProduct(key, 'Tea')
    await addTier(key, productId)
    const page = await dashboard.join(id)
    await openProducts(page)
    await follow(page, 'Tea')
    const archived = page.locator('.badge', { hasText: 'archived' })
    await page.getByRole('row').getByRole('button', { name: 'Archive' }).click()
    await shows(page, 'Archive “Monthly”?')
    await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click()
    await archived.waitFor()
    await page.getByRole('row').getByRole('button', { name: 'Offer again' }).click()
    await archived.waitFor({ state: 'detached' })
    await press(page, 'Archive')
    await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click()
    // The tier is archived with its product.
    await expect.poll(() => archived.count()).toBe(2)
    expect(await page.getByRole('button', { name: 'Checkout link' }).count()).toBe(0)
    await press(page, 'Offer again')
    await page.getByRole('button', { name: 'Checkout link' }).waitFor()
    expect(await archived.count()).toBe(0)
  })

  it('keep their filters in the address, and are listed in pages', async () => {
    const { id, key } = await dashboard.openShop('Large Shop')
    for (let at = 0; at < 27; at += 1) await addProduct(key, `Bag ${at}`)
    const page = await dashboard.join(id, 'viewer')
    await openProducts(page)
    await shows(page, 'Bag 26')
    expect(await page.getByRole('row').count()).toBe(26)
    await press(page, 'Older')
    await page.getByText('Bag 1', { exact: true }).waitFor()
    expect(await page.getByRole('row').count()).toBe(3)
    await page.getByRole('searchbox').fill('bag 1')
    await page.getByRole('searchbox').press('Enter')
    await page.waitForURL(/search=bag/)
    await shows(page, 'Bag 19')
    expect(await page.getByRole('row').count()).toBe(12)
    await page.getByLabel('Status').selectOption('archived')
    await shows(page, 'No product matches')
    await page.reload()
    await shows(page, 'No product matches')
    await page.goBack()
    await shows(page, 'Bag 19')
  })

  it('are changed by the members who may, and only read by the others', async () => {
    const { id, key } = await dashboard.openShop('Team Shop')
    await addTier(key, await addProduct(key, 'Tea'))
    const seen: Record<string, readonly boolean[]> = {}
    for (const role of ['owner', 'developer', 'finance', 'viewer'] as const) {
      const page = await dashboard.join(id, role)
      const has = (name: string) => page.getByRole('button', { name, exact: true }).first().isVisible()
      await openProducts(page)
      await shows(page, 'Tea')
      const mayCreate = await has('New product')
      await follow(page, 'Tea')
      await shows(page, '$9.00 every month')
      seen[role] = [
        mayCreate,
        await has('New tier'),
        await has('Archive'),
        await has('Checkout link'),
        await has('Edit'),
      ]
      await page.context().close()
    }
    const all = [true, true, true, true, true]
    const none = [false, false, false, false, false]
    expect(seen).toEqual({ owner: all, developer: none, finance: all, viewer: none })
  })
})

describe.skipIf(!hasBrowser)(`subscriptions in the dashboard${WITHOUT_BROWSER}`, () => {
  let shop: { readonly id: string; readonly key: string }
  let tierId: string
  let steady: Subscribed
  let poor: Subscribed

  beforeAll(async () => {
    if (!hasBrowser) return
    shop = await dashboard.openShop('Roastery')
    const productId = await addProduct(shop.key, 'Coffee of the month')
    tierId = (await addTier(shop.key, productId)).id
    await addTier(shop.key, productId, { name: 'Small', price_usd_cents: 500 })
    await addTier(shop.key, productId, { name: 'Large', price_usd_cents: 2_900 })
    steady = await addSubscriber(shop.key, tierId, 12n * UNIT)
    poor = await addSubscriber(shop.key, tierId, UNIT)
    await dashboard.operator('mutation { advanceClock(seconds: 2764800) { now } }', {})
    await untilStatus(shop.key, poor.id, 'past_due')
  })

  it('are listed by state, product and wallet, with their filters in the address', async () => {
    const tea = await addTier(shop.key, await addProduct(shop.key, 'Tea'), { name: 'Weekly', interval: 'week' })
    const drinker = await addSubscriber(shop.key, tea.id, 12n * UNIT)
    const page = await dashboard.join(shop.id, 'viewer')
    await follow(page, 'Subscriptions')
    await page.getByTitle(steady.wallet.address).waitFor()
    await expectGood(page, 'dashboard-subscriptions')
    const rows = async () => (await page.getByRole('row').count()) - 1
    expect(await rows()).toBe(3)
    await page.getByLabel('Status').selectOption('past_due')
    await page.getByTitle(drinker.wallet.address).waitFor({ state: 'detached' })
    await page.getByTitle(poor.wallet.address).waitFor()
    expect(await rows()).toBe(1)
    await page.getByLabel('Status').selectOption('')
    await page.getByLabel('Product').selectOption('Tea')
    await page.getByTitle(poor.wallet.address).waitFor({ state: 'detached' })
    await page.getByTitle(drinker.wallet.address).waitFor()
    expect(await rows()).toBe(1)
    await page.getByRole('searchbox').fill(steady.wallet.address)
    await page.getByRole('searchbox').press('Enter')
    await shows(page, 'No subscription matches')
    await page.getByLabel('Product').selectOption('')
    await page.getByTitle(steady.wallet.address).waitFor()
    await page.reload()
    await page.getByTitle(steady.wallet.address).waitFor()
    expect(await rows()).toBe(1)
  })

  it('say how they stand, what happens next, what was charged, and what the wallet still allows', async () => {
    const page = await dashboard.join(shop.id, 'viewer')
    await openSubscription(page, steady)
    await shows(page, 'It is charged when each period begins: the next time')
    await page.locator('.badge', { hasText: 'paid' }).nth(1).waitFor()
    await shows(page, '90 USDD of 108 USDD')
    await shows(page, 'covers what is charged')
    await shows(page, 'Checkout completed: charges up to 108 USDD are allowed')
    await shows(page, 'Charge of period 1 paid: 9 USDD')
    await shows(page, 'Period 2 has begun')
    await expectGood(page, 'dashboard-subscription')
    await page.goBack()
    await openSubscription(page, poor)
    await shows(page, 'A charge failed. The next try is')
    await shows(page, 'The wallet holds too little.')
    await shows(page, 'It is tried again, also when the wallet is filled.')
    await shows(page, 'Charge of period 2 failed at try 1: The wallet holds too little.')
    await shows(page, 'A charge was not paid: the subscription is past due')
    await expectGood(page, 'dashboard-subscription-past-due')
    expect(await page.getByRole('button', { name: 'Pause' }).count()).toBe(0)
  })

  it('are paused and resumed, kept or ended, and each change is shown at once', async () => {
    const subscribed = await addSubscriber(shop.key, tierId, 12n * UNIT)
    const page = await dashboard.join(shop.id, 'finance')
    await openSubscription(page, subscribed)
    await press(page, 'Pause')
    await shows(page, 'You have paused it.')
    await press(page, 'Resume')
    await shows(page, 'It is charged when each period begins')
    await press(page, 'Cancel at the end of the period')
    const confirm = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true }).click()
    await confirm('Cancel at the end of the period')
    await shows(page, 'Until then it can be used, and nothing more is charged.')
    await expectGood(page)
    await press(page, 'Keep the subscription')
    await shows(page, 'It is charged when each period begins')
    await press(page, 'Cancel now')
    await confirm('Cancel now')
    await shows(page, 'It has ended, and nothing more is charged.')
    await shows(page, 'It was canceled, and has ended')
    const happened = await page.locator('.timeline p').allInnerTexts()
    expect(happened.map((text) => text.trim()).slice(-5)).toEqual([
      'You paused it',
      'Resumed',
      'You canceled it: it ends with the period',
      'The cancellation was taken back',
      'It was canceled, and has ended',
    ])
    expect(await page.getByRole('button', { name: 'Pause' }).count()).toBe(0)
  })

  it('change to a cheaper tier, and say that a dearer one needs the subscriber', async () => {
    const page = await dashboard.join(shop.id, 'finance')
    await openSubscription(page, steady)
    const dialog = page.getByRole('dialog')
    await press(page, 'Change the tier')
    await dialog.getByLabel('Tier').selectOption({ label: 'Large: $29.00 every month, in USDD' })
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Change the tier' }).click()
    await shows(page, 'That raises what is charged, so the subscriber has to sign it')
    await dialog.getByLabel('Tier').selectOption({ label: 'Small: $5.00 every month, in USDD' })
    await dialog.getByRole('button', { name: 'Change the tier' }).click()
    await page.getByRole('heading', { name: 'Coffee of the month · Small' }).waitFor()
    await shows(page, 'The terms changed: 9 USDD became 5 USDD a period')
  })

  it('have a link to the portal, in which the subscriber stops what the business cannot start again', async () => {
    const subscribed = await addSubscriber(shop.key, tierId, 12n * UNIT)
    const page = await dashboard.join(shop.id, 'finance')
    await openSubscription(page, subscribed)
    await press(page, 'Portal link')
    const link = await page.getByRole('dialog').getByRole('link').getAttribute('href')
    await press(page, 'I have kept it')
    const portal = await dashboard.open(link ?? '')
    await shows(portal, 'Coffee of the month')
    const { status } = await dashboard.story.rest('POST', `${new URL(link ?? '').pathname}/pause`, { body: {} })
    expect(status).toBe(200)
    await shows(page, 'The subscriber has paused it, and only the subscriber can resume it.')
    await shows(page, 'The subscriber paused it')
    expect(await page.getByRole('button', { name: 'Resume' }).count()).toBe(0)
  })

  it('have figures: what was charged by month, what is due and covered, and why charges failed', async () => {
    const page = await dashboard.join(shop.id, 'viewer')
    await follow(page, 'Subscriptions')
    await follow(page, 'Figures')
    const next = page.getByRole('figure', { name: 'The next 30 days' })
    await next.getByRole('slider').waitFor()
    await expectGood(page, 'dashboard-subscription-figures')
    await next.getByRole('button', { name: 'Show as a table' }).click()
    expect(await next.getByRole('row').count()).toBeOneOf([31, 32])
    const months = page.getByRole('table', { name: 'The last twelve months' })
    expect(await months.getByRole('row').count()).toBe(13)
    const failed = page.getByRole('table', { name: 'Failed charges of the last 30 days' })
    await failed.getByRole('row', { name: 'The wallet holds too little. 1 $9.00' }).waitFor()
  })

  it('are charged now when that is asked for, and a wallet that was filled pays', async () => {
    const page = await dashboard.join(shop.id, 'finance')
    await openSubscription(page, poor)
    await fund(poor.wallet.address, 2n * UNIT)
    await press(page, 'Charge now')
    await page.locator('.standing', { hasText: 'active' }).waitFor()
  })
})

describe.skipIf(!hasBrowser)(`subscriptions that are not available${WITHOUT_BROWSER}`, () => {
  it('are explained to a business in test mode', async () => {
    const { created } = await dashboard.operator(
      'mutation { created: createAccount(input: { name: "Trial", mode: test }) { account { id } } }',
      {},
    )
    const page = await dashboard.join(created.account.id)
    await follow(page, 'Subscriptions')
    await shows(page, 'This is a test account. Subscriptions need a live account.')
    expect(await page.getByRole('button', { name: 'New product' }).count()).toBe(0)
    await expectGood(page)
  })

  it('are explained where the service has them turned off', async () => {
    const { id } = await dashboard.openShop('Off Shop')
    const page = await dashboard.join(id)
    await page.route('**/graphql', async (route) => {
      if (!String(route.request().postData()).includes('DashboardSubscriptions')) return await route.continue()
      const refusal = { message: 'x', extensions: { code: 'subscription_service_unavailable' } }
      await route.fulfill({ json: { data: { subscriptions: null }, errors: [refusal] } })
    })
    await follow(page, 'Subscriptions')
    await shows(page, 'They are turned off in this service')
    await expectGood(page, 'dashboard-subscriptions-off')
  })

  it('have no entry in the menu of a member without the permission', async () => {
    const { id } = await dashboard.openShop('Closed Shop')
    const page = await dashboard.join(id)
    await page.route('**/graphql', async (route) => {
      if (!String(route.request().postData()).includes('DashboardMe')) return await route.continue()
      const answer = await (await route.fetch()).text()
      await route.fulfill({ body: answer.replace('"subscriptions-view",', ''), contentType: 'application/json' })
    })
    await page.reload()
    await page.getByRole('link', { name: 'Payments' }).waitFor()
    expect(await page.getByRole('link', { name: 'Subscriptions' }).count()).toBe(0)
  })
})
