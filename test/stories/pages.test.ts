// The pages in a real Chromium, on a real Solana runtime: buyers pay and subscribers subscribe, with wallets of every kind.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { CHROMIUM, DESKTOP, expectAccessible } from '../support/browser.ts'
import { type PageWorld, startPageWorld } from '../support/page-world.ts'
import { STORY_TIMEOUT_MS } from '../support/running-service.ts'

vi.setConfig({ testTimeout: STORY_TIMEOUT_MS, hookTimeout: STORY_TIMEOUT_MS })

const hasBrowser = CHROMIUM !== null
const WITHOUT = hasBrowser ? '' : ' (skipped: no Chromium is installed; install the package chromium, or set CHROMIUM)'

let world: PageWorld
beforeAll(async () => {
  if (hasBrowser) world = await startPageWorld()
})
afterAll(() => world?.stop())

/** Waits for a text, and lets axe read the page that shows it. */
async function shows(page: Page, text: string): Promise<void> {
  await page
    .getByText(text, { exact: false })
    .first()
    .waitFor({ timeout: STORY_TIMEOUT_MS / 3 })
  await expectAccessible(page)
}
const press = (page: Page, name: string) => page.getByRole('button', { name }).first().click()
const path = (url: string) => new URL(url).pathname
const statusOf = async ({ derivation_index: index }: { derivation_index: number }): Promise<string> =>
  (await world.call('GET', `/status?index=${index}`)).status

describe.skipIf(!hasBrowser)(`the page of a payment${WITHOUT}`, () => {
  it('is paid with a wallet that signs, and shows each state without moving its foot', async () => {
    const payment = await world.createPayment()
    const page = await world.open(path(payment.checkout_url))
    await shows(page, 'Choose how you pay')
    const foot = async () => (await page.locator('footer').boundingBox())?.y
    const before = await foot()
    await press(page, 'Solana')
    await shows(page, '0.133266667 SOL')
    expect(await page.getByRole('img', { name: 'QR code' }).count()).toBe(1)
    await press(page, 'Pay with Wallet that signs')
    await shows(page, 'Paid')
    expect(await foot()).toBe(before)
    await page.context().close()
    await expect.poll(() => statusOf(payment), { timeout: STORY_TIMEOUT_MS / 4 }).toBe('swept')
  })

  it('is paid in a token by a wallet that sends by itself, on a desktop in the dark', async () => {
    const payment = await world.createPayment()
    const page = await world.open(path(payment.checkout_url), { viewport: DESKTOP, colorScheme: 'dark' })
    await press(page, 'Demo Dollar')
    await shows(page, '19.99 USDD')
    await press(page, 'Pay with Wallet that sends')
    await shows(page, 'Paid')
    await page.context().close()
  })

  it('shows the rest of a part that a wallet changed, and takes it', async () => {
    const payment = await world.createPayment()
    const page = await world.open(path(payment.checkout_url))
    await press(page, 'Solana')
    await press(page, 'Pay with Wallet that alters')
    await shows(page, 'A part has arrived')
    await shows(page, '0.015794176 SOL')
    await press(page, 'Pay with Wallet that signs')
    await shows(page, 'Paid')
    await page.context().close()
  })

  it('sends nothing when the wallet refuses, and can be canceled', async () => {
    const payment = await world.createPayment()
    const page = await world.open(path(payment.checkout_url))
    await press(page, 'Solana')
    await press(page, 'Pay with Wallet that refuses')
    await shows(page, 'The wallet did not sign. Nothing was sent.')
    await press(page, 'Cancel the payment')
    await page.getByRole('dialog').waitFor()
    await expectAccessible(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the payment' }).click()
    await shows(page, 'This payment is closed')
    expect(await statusOf(payment)).toBe('cancelled')
    await page.context().close()
  })

  it('shows a refund of a part, after the cancel', async () => {
    const payment = await world.createPayment({ accepted_tokens: [{ kind: 'sol' }] })
    const page = await world.open(path(payment.checkout_url))
    await press(page, 'Solana')
    await shows(page, '0.133266667 SOL')
    await world.story.pay(payment.address, 'SOL', 50_000_000n)
    await shows(page, 'A part has arrived')
    await press(page, 'Cancel the payment')
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the payment' }).click()
    await shows(page, 'Refunded')
    await page.context().close()
  })

  it('asks for the details that the business wants, once', async () => {
    const payment = await world.createPayment()
    const page = await world.open(`${path(payment.checkout_url)}?details=name,email`)
    await shows(page, 'Demo Shop asks for them for your order.')
    await page.getByLabel('First name').fill('Ada')
    await page.getByLabel('Last name').fill('Lovelace')
    await page.getByLabel('Email').fill('ada@example.com')
    await press(page, 'Save')
    await page.getByLabel('Email').waitFor({ state: 'detached' })
    const stored = await world.call('GET', `/status?index=${payment.derivation_index}`)
    expect(stored.customer_details).toEqual({ first_name: 'Ada', last_name: 'Lovelace', email: 'ada@example.com' })
    await page.context().close()
  })

  it('can be read without JavaScript', async () => {
    const payment = await world.createPayment()
    const page = await world.open(path(payment.checkout_url), { javaScriptEnabled: false })
    expect(await page.locator('h1').textContent()).toBe('$19.99')
    expect(await page.getByText('0.133266667 SOL').count()).toBe(1)
    expect(await page.locator('footer noscript').isVisible()).toBe(true)
    await page.context().close()
  })

  it.each([
    ['de', 'ltr', 'Wie möchten Sie zahlen?'],
    ['es', 'ltr', 'Elija cómo pagar'],
    ['ja', 'ltr', '支払い方法を選んでください'],
    ['ar', 'rtl', 'اختر طريقة الدفع'],
  ])('speaks %s', async (language, direction, text) => {
    const payment = await world.createPayment()
    const page = await world.open(path(payment.checkout_url), { locale: language })
    await shows(page, text)
    expect(await page.locator('html').getAttribute('dir')).toBe(direction)
    const widths = await page.evaluate('[document.documentElement.scrollWidth, innerWidth]')
    expect(widths).toEqual([390, 390])
    await page.context().close()
  })

  it('says that a link does not work, with its status', async () => {
    const page = await world.open('/pay/i/cs_unknown')
    await shows(page, 'This link does not work')
    await page.context().close()
  })

  it('loads less than 60 kB of script, breaks no rule of its policy, and paints within a second on a slow phone', async () => {
    const payment = await world.createPayment()
    const page = await world.open('/health')
    const loaded: { url: string; bytes: number }[] = []
    const complaints: string[] = []
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    page.on('requestfinished', async (request) => {
      const { responseBodySize: bytes } = await request.sizes()
      loaded.push({ url: request.url(), bytes })
    })
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('Network.enable')
    // The profile that Chromium's tools call Slow 4G, on a processor with a quarter of the speed.
    await devtools.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 150,
      downloadThroughput: (1.6 * 1024 * 1024) / 8,
      uploadThroughput: (750 * 1024) / 8,
    })
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: 4 })
    await page.goto(payment.checkout_url)
    await page.getByRole('button', { name: 'Solana' }).waitFor()
    const paint = await page.evaluate('performance.getEntriesByName("first-contentful-paint")[0].startTime')
    expect(paint).toBeLessThan(1_000)
    const scripts = loaded.filter(({ url }) => url.endsWith('.js'))
    expect(scripts.length).toBeGreaterThan(0)
    expect(scripts.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(60_000)
    expect(complaints).toEqual([])
    await page.context().close()
  })
})

describe.skipIf(!hasBrowser)(`the pages of a subscriber${WITHOUT}`, () => {
  it('subscribe with a wallet that signs in, show the charge, return, and manage everything', async () => {
    const checkout = await world.createCheckout()
    const page = await world.open(path(checkout.checkout_url))
    await page.route('https://shop.example/**', (route) => route.fulfill({ body: 'the shop' }))
    await shows(page, 'may charge $239.88 in all: 12 payments of $19.99')
    await press(page, 'Subscribe with Wallet that signs in')
    await shows(page, 'You are subscribed')
    await page.getByRole('link', { name: 'Back to Demo Shop' }).click()
    await page.waitForURL('https://shop.example/thanks')

    await page.goto(`${world.story.facts.base_url}/pay/manage`)
    await shows(page, 'Sign a text with the wallet that pays.')
    await press(page, 'Sign in with Wallet that signs in')
    await page.getByRole('link', { name: 'Coffee Club' }).click()
    await shows(page, 'The next payment is on')
    expect(await page.locator('.charges li').count()).toBe(1)

    await press(page, 'Pause')
    await shows(page, 'Nothing is charged until it goes on.')
    await press(page, 'Continue')
    await shows(page, 'The next payment is on')

    await page.getByText('Change the plan').click()
    await press(page, 'Large box')
    await shows(page, 'may then charge $29.99 every month, for 11 payments.')
    await press(page, 'Sign with Wallet that refuses')
    await shows(page, 'The wallet did not sign. Nothing was sent.')
    await press(page, 'Sign with Wallet that signs in')
    await shows(page, '11 × $29.99')

    await press(page, 'Renew: allow $359.88 again')
    await press(page, 'Sign with Wallet that signs in')
    await shows(page, '12 × $29.99')

    await press(page, 'Cancel the subscription')
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the subscription' }).click()
    await shows(page, 'Nothing more is charged.')
    await press(page, 'Keep the subscription')
    await shows(page, 'The next payment is on')
    await page.context().close()
  })

  it('take no altered transaction and no refusal, and then a wallet that sends by itself, on a desktop', async () => {
    const checkout = await world.createCheckout()
    const page = await world.open(path(checkout.checkout_url), { viewport: DESKTOP, colorScheme: 'dark' })
    await press(page, 'Subscribe with Wallet that refuses')
    await shows(page, 'The wallet did not sign. Nothing was sent.')
    await press(page, 'Subscribe with Wallet that alters')
    await shows(page, 'The wallet signed something else than what was asked.')
    await press(page, 'Subscribe with Wallet that sends')
    await shows(page, 'You are subscribed')
    await page.context().close()
  })

  it('accept no other wallet than the one that the business named', async () => {
    const checkout = await world.createCheckout({ subscriber_wallet: world.addressOf('signs') })
    const page = await world.open(path(checkout.checkout_url))
    await shows(page, 'This checkout is for the wallet')
    await press(page, 'Subscribe with Wallet that sends')
    await shows(page, 'This checkout is for another wallet.')
    await page.context().close()
  })

  it('explain an unknown link and a canceled checkout', async () => {
    const checkout = await world.createCheckout()
    await world.call('POST', `/subscription-intents/${checkout.id}/cancel`)
    const page = await world.open(path(checkout.checkout_url))
    await shows(page, 'This checkout is closed')
    await page.goto(`${world.story.facts.base_url}/pay/m/po_unknown`)
    await shows(page, 'This link does not work')
    await page.context().close()
  })
})
