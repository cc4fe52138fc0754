// The pages in a real Chromium, on a real Solana runtime: buyers pay and subscribers subscribe, with wallets of every kind.
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { CHROMIUM, DESKTOP, expectAccessible, PHONE, takePicture, UNREGISTERED } from '../support/browser.ts'
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

/** Waits until the portal shows how many payments are still allowed. */
const allows = (page: Page, payments: number): Promise<void> =>
  page.locator('.row', { hasText: new RegExp(`^Payments still allowed\\s*${payments}$`) }).waitFor()

/** Waits for a text, and lets axe read the page that shows it, on a phone and on a desktop. `picture` names the screenshot of this state in docs/. */
async function shows(page: Page, text: string, picture?: string): Promise<void> {
  await page
    .getByText(text, { exact: false })
    .first()
    .waitFor({ timeout: STORY_TIMEOUT_MS / 3 })
  const size = page.viewportSize() ?? PHONE
  await expectAccessible(page)
  if (picture !== undefined) await takePicture(page, picture)
  await page.setViewportSize(size.width === PHONE.width ? DESKTOP : PHONE)
  await expectAccessible(page)
  await page.setViewportSize(size)
}
const press = (page: Page, name: string) => page.getByRole('button', { name }).first().click()
const path = (url: string) => new URL(url).pathname
const statusOf = async ({ derivation_index: index }: { derivation_index: number }): Promise<string> =>
  (await world.call('GET', `/status?index=${index}`)).status

describe.skipIf(!hasBrowser)(`the page of a payment${WITHOUT}`, () => {
  it('is paid with a wallet that signs, and moves nothing when the status changes', async () => {
    const payment = await world.createPayment()
    const page = await world.open(path(payment.checkout_url))
    // How far things in the card moved that no one had touched, as Chromium counts it. The foot of the page follows the card.
    await page.evaluate(`shifts = 0; new PerformanceObserver((list) => {
      for (const { value, hadRecentInput, sources } of list.getEntries())
        if (!hadRecentInput && sources.some(({ node }) => node?.parentElement?.closest('main'))) shifts += value
    }).observe({ type: 'layout-shift', buffered: true })`)
    await page.getByText('Choose how you pay').last().waitFor()
    await page.getByText('Wallet that signs: 1,000 DEMO', { exact: true }).waitFor()
    await takePicture(page, 'payment-choose')
    await press(page, 'Solana')
    await page.getByRole('img', { name: 'QR code' }).waitFor()
    await page.getByText('0.133266667 SOL', { exact: true }).last().waitFor()
    await page.getByText('Network cost: 0.000005 SOL').waitFor()
    await takePicture(page, 'payment-pay')
    const submitted = page
      .waitForResponse((response) => response.request().postData()?.includes('mutation SubmitPayment(') ?? false)
      .then(async (response) => (await response.json()).data.submitted)
    await press(page, 'Pay with Wallet that signs')
    await page.getByRole('heading', { name: 'Paid', exact: true }).waitFor()
    await takePicture(page, 'payment-paid')
    expect(await page.locator('.steps .done').allInnerTexts()).toEqual(['Sent', 'Received', 'Settled'])
    await page.getByText('1 SOL = $150.00', { exact: true }).waitFor()
    expect(await page.evaluate('shifts')).toBeLessThan(0.01)
    const { signature } = await submitted
    const receipt = page.getByRole('group', { name: /^0\.133266667.SOL on / })
    expect(await receipt.innerText()).toContain(signature.slice(-6))
    await page.emulateMedia({ media: 'print' })
    await takePicture(page, 'payment-receipt')
    expect(await page.locator('button:visible').count()).toBe(0)
    await page.context().close()
    await expect.poll(() => statusOf(payment), { timeout: STORY_TIMEOUT_MS / 4 }).toBe('swept')
  })

  it('gives the signed receipt as a file once it has settled, and not before', async () => {
    const payment = await world.createPayment()
    const file = `${payment.checkout_url}/receipt`
    const early = await fetch(file)
    expect([early.status, early.headers.get('error-code')]).toEqual([409, 'nothing_settled'])
    const page = await world.open(path(payment.checkout_url))
    await press(page, 'Solana')
    await press(page, 'Pay with Wallet that signs')
    const link = page.getByRole('link', { name: 'Signed receipt (file)' })
    await link.waitFor({ timeout: STORY_TIMEOUT_MS / 3 })
    await expectAccessible(page)
    await takePicture(page, 'payment-signed-receipt')
    const downloading = page.waitForEvent('download')
    await link.click()
    const download = await downloading
    expect(download.suggestedFilename()).toBe(`receipt-${payment.id}.jws`)
    const jws = readFileSync(await download.path(), 'utf8')
    expect(jws).toBe((await world.call('GET', `/payments/${payment.id}/receipt`)).jws)
    expect((await fetch(`${file.replace(/cs_[^/]+/, 'cs_unknown')}`)).status).toBe(401)
    await page.context().close()
  })

  it('is paid in a token by a wallet that sends by itself, on a desktop in the dark', async () => {
    const payment = await world.createPayment()
    const page = await world.open(path(payment.checkout_url), {
      viewport: DESKTOP,
      colorScheme: 'dark',
      wallets: ['sends'],
    })
    await press(page, 'Demo Dollar')
    await shows(page, '19.99 USDD', 'payment-desktop-dark')
    await press(page, 'Pay with Wallet that sends')
    await shows(page, 'Paid')
    await page.context().close()
  })

  it('shows the rest of a part that a wallet changed, and takes it', async () => {
    const payment = await world.createPayment()
    const page = await world.open(path(payment.checkout_url), { wallets: ['alters', 'signs'] })
    await press(page, 'Solana')
    await page.clock.install()
    await press(page, 'Pay with Wallet that alters')
    await page.getByText('Received', { exact: true }).waitFor()
    // The page waits for all that is due as long as it can land.
    await page.clock.fastForward(120_000)
    await shows(page, 'Partial payment received')
    await shows(page, '0.015794176 SOL', 'payment-part')
    await press(page, 'Pay with Wallet that signs')
    await shows(page, 'Paid')
    await page.context().close()
  })

  it('sends nothing when the wallet refuses, and can be canceled', async () => {
    const payment = await world.createPayment()
    const page = await world.open(path(payment.checkout_url), { wallets: ['refuses'] })
    await press(page, 'Solana')
    await press(page, 'Pay with Wallet that refuses')
    await shows(page, 'The wallet did not sign. Nothing was sent.', 'payment-refused')
    await press(page, 'Cancel the payment')
    await page.getByRole('dialog').waitFor()
    await expectAccessible(page)
    await takePicture(page, 'payment-cancel')
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the payment' }).click()
    await shows(page, 'This payment is closed', 'payment-closed')
    expect(await statusOf(payment)).toBe('cancelled')
    await page.context().close()
  })

  it('shows a refund of a part, after the cancel', async () => {
    const payment = await world.createPayment({ accepted_tokens: [{ kind: 'sol' }] })
    const page = await world.open(path(payment.checkout_url))
    await press(page, 'Solana')
    await shows(page, '0.133266667 SOL')
    await world.story.pay(payment.address, 'SOL', 50_000_000n)
    await shows(page, 'Partial payment received')
    await press(page, 'Cancel the payment')
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the payment' }).click()
    await shows(page, 'Refunded', 'payment-refunded')
    await page.context().close()
  })

  it('asks for the details that the business wants, once', async () => {
    const payment = await world.createPayment()
    const page = await world.open(`${path(payment.checkout_url)}?details=name,email`)
    await shows(page, 'Demo Shop asks for them for your order.', 'payment-details')
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
    expect(await page.locator('aside').getByText('0.133266667 SOL').isVisible()).toBe(true)
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
    await shows(page, text, `payment-${language}`)
    expect(await page.locator('html').getAttribute('dir')).toBe(direction)
    const widths = await page.evaluate('[document.documentElement.scrollWidth, innerWidth]')
    expect(widths).toEqual([390, 390])
    await page.context().close()
  })

  it('says that a link does not work, with its status', async () => {
    const page = await world.open('/pay/i/cs_unknown')
    await shows(page, 'This link does not work', 'problem')
    await page.context().close()
  })

  it('has the brand of the business and leads back to it', async () => {
    await world.call('POST', '/subscription-domains', { host: 'shop.example' })
    const logo = readFileSync(new URL('../support/logo.png', import.meta.url)).toString('base64')
    await setBrand({ logo, accentColor: '#0a7', supportEmail: 'help@shop.example' })
    const { checkout_url } = await world.createPayment({
      reference: 'order-1001',
      description: 'Two bags of beans',
      line_items: [{ name: 'Beans', quantity: 2, amount_usd_cents: 1_999 }],
      success_url: 'https://shop.example/thanks',
    })
    const complaints: string[] = []
    const page = await world.open(path(checkout_url))
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    await page.route('https://shop.example/**', (route) => route.fulfill({ body: 'the shop' }))
    await page.reload()
    await shows(page, 'Two bags of beans', 'payment-brand')
    await press(page, 'Solana')
    await press(page, 'Pay with Wallet that signs')
    await page.waitForURL('https://shop.example/thanks')
    expect(complaints).toEqual([])
    await page.context().close()
    await setBrand({ logo: null, accentColor: null, supportEmail: null })
  })

  it('loads less than 60 kB of script, and breaks no rule of its policy', async () => {
    const page = await world.open('/health')
    const scripts: Promise<number>[] = []
    const complaints: string[] = []
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    page.on('requestfinished', (request) => {
      if (request.url().endsWith('.js')) scripts.push(request.sizes().then(({ responseBodySize }) => responseBodySize))
    })
    const { checkout_url } = await world.createPayment()
    await page.goto(checkout_url)
    await page.waitForLoadState('networkidle')
    await page.context().close()
    const bytes = (await Promise.all(scripts)).reduce((sum, one) => sum + one, 0)
    expect(bytes).toBeGreaterThan(0)
    expect(bytes).toBeLessThan(60_000)
    expect(complaints).toEqual([])
  })
})

/** Changes how the pages of the demo business look, as its operator does. */
async function setBrand(input: object): Promise<void> {
  const { facts, operatorToken } = world.story
  const query = 'mutation($id: UUID!, $input: BrandInput!) { setBrand(id: $id, input: $input) { logoUrl } }'
  const answer = await fetch(`${facts.operator_url}/operator/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${operatorToken}` },
    body: JSON.stringify({ query, variables: { id: facts.account_id, input } }),
  })
  const { errors } = await answer.json()
  expect(errors).toBeUndefined()
}

describe.skipIf(!hasBrowser)(`the pages of a subscriber${WITHOUT}`, () => {
  it('subscribe with a wallet that signs in, show the charge, return, and manage everything', async () => {
    const checkout = await world.createCheckout()
    const page = await world.open(path(checkout.checkout_url), { wallets: ['signs_in', 'refuses'] })
    await page.route('https://shop.example/**', (route) => route.fulfill({ body: 'the shop' }))
    await shows(page, 'may charge $239.88 in all: 12 payments of $19.99', 'checkout')
    await press(page, 'Subscribe with Wallet that signs in')
    await press(page, 'Stay here')
    await shows(page, 'You are subscribed', 'checkout-subscribed')
    await page.getByRole('link', { name: 'Back to Demo Shop' }).click()
    await page.waitForURL('https://shop.example/thanks')

    await page.goto(`${world.story.facts.base_url}/pay/manage`)
    await shows(page, 'Sign a message with the wallet that pays.', 'recovery')
    await press(page, 'Sign in with Wallet that signs in')
    await page.getByRole('link', { name: 'Coffee Club · Monthly box' }).click()
    await shows(page, 'The next payment is on', 'portal')
    expect(await page.locator('.charges li').count()).toBe(1)

    await press(page, 'Pause')
    await shows(page, 'You will not be charged until you resume it.', 'portal-paused')
    await press(page, 'Resume')
    await shows(page, 'The next payment is on')

    await page.getByText('Change the plan').click()
    await press(page, 'Large box')
    await shows(page, 'may then charge $29.99 every month. Number of payments: 11.', 'portal-sign')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Your signature is needed')
    await press(page, 'Sign with Wallet that refuses')
    await shows(page, 'The wallet did not sign. Nothing was sent.')
    await press(page, 'Sign with Wallet that signs in')
    await allows(page, 11)

    await press(page, 'Renew: allow $359.88 again')
    await press(page, 'Sign with Wallet that signs in')
    await allows(page, 12)

    await press(page, 'Cancel the subscription')
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the subscription' }).click()
    await shows(page, 'You will not be charged again.', 'portal-ending')
    await press(page, 'Keep the subscription')
    await shows(page, 'The next payment is on')

    const { subscriptions } = await world.call('GET', '/subscriptions')
    const { portal_url } = await world.call('POST', `/subscriptions/${subscriptions[0].id}/portal-link`)
    await page.goto(portal_url)
    await press(page, 'Pause')
    await shows(page, 'You will not be charged until you resume it.')
    await press(page, 'Resume')
    await shows(page, 'only you can start again what you have stopped', 'portal-resumption')
    await press(page, 'Sign with Wallet that signs in')
    await page.waitForURL((url) => url.href !== portal_url)
    await shows(page, 'The next payment is on')

    await press(page, 'End it at once')
    await page.getByRole('dialog').getByRole('button', { name: 'End it at once' }).click()
    await shows(page, 'The permission is still in your wallet', 'portal-revocable')
    await press(page, 'Remove the permission')
    await press(page, 'Sign with Wallet that signs in')
    const status = async () => {
      const { delegation } = await world.call('GET', `/subscription-delegations/${world.addressOf('signs_in')}`)
      return [delegation.status, delegation.chain_delegate]
    }
    await expect.poll(status, { timeout: STORY_TIMEOUT_MS / 4 }).toEqual(['cleared', null])
    await page.getByText('Your signature is needed').last().waitFor({ state: 'detached' })
    expect(await page.getByText('The permission is still in your wallet').count()).toBe(0)
    await page.context().close()
  })

  it('show the time to sign, and have the next transaction when a wallet answers after it', async () => {
    const checkout = await world.createCheckout()
    const page = await world.open(path(checkout.checkout_url))
    const prepared: string[] = []
    page.on('response', async (response) => {
      const answer = await response.json().catch(() => null)
      if (answer?.data?.prepared?.transaction) prepared.push(answer.data.prepared.transaction)
    })
    await page.evaluate('void (dialog = new Promise((resolve) => { answer = resolve }))')
    await press(page, 'Subscribe with Wallet that signs')
    expect(await page.getByRole('timer').innerText()).toMatch(/Time left\s*0:[0-3]\d/)
    await takePicture(page, 'checkout-signing')
    await shows(page, 'Signing took too long', 'checkout-too-long')
    await expect.poll(() => prepared.length, { timeout: STORY_TIMEOUT_MS / 4 }).toBe(2)
    await page.evaluate('dialog = undefined')
    await press(page, 'Subscribe with Wallet that signs')
    await shows(page, 'You are subscribed')
    await page.evaluate('answer()')
    await page.context().close()
  })

  it('take nothing altered and no refusal, and then a wallet with signMessage that sends by itself, on a desktop', async () => {
    const checkout = await world.createCheckout()
    const page = await world.open(path(checkout.checkout_url), {
      viewport: DESKTOP,
      colorScheme: 'dark',
      wallets: ['refuses', 'alters', 'sends'],
    })
    await press(page, 'Subscribe with Wallet that refuses')
    await shows(page, 'The wallet did not sign. Nothing was sent.')
    await press(page, 'Subscribe with Wallet that alters')
    await shows(page, 'The wallet signed something else than what was asked.', 'checkout-altered-desktop-dark')
    await press(page, 'Subscribe with Wallet that sends')
    await shows(page, 'You are subscribed')

    // This wallet has no signIn: it proves itself by signMessage.
    await page.goto(`${world.story.facts.base_url}/pay/manage`)
    await press(page, 'Sign in with Wallet that alters')
    await shows(page, 'The wallet signed something else than what was asked.')
    await press(page, 'Sign in with Wallet that sends')
    await page.getByRole('link', { name: 'Coffee Club' }).click()
    await shows(page, 'The next payment is on')

    // A renewal that changes neither status nor amounts ends the wait as soon as it shows.
    await allows(page, 11)
    await press(page, 'Renew: allow $239.88 again')
    await press(page, 'Sign with Wallet that sends')
    await allows(page, 12)
    await page.getByText('Your signature is needed').last().waitFor({ state: 'detached' })
    await page.context().close()
  })

  it('say that a signature takes the permission of another app away, before the wallet is asked', async () => {
    const { key } = await world.approve('refuses', 'USDD')
    const checkout = await world.createCheckout()
    const page = await world.open(path(checkout.checkout_url), { wallets: ['refuses'] })
    const delegates: string[] = []
    page.on('response', async (response) => {
      const answer = await response.json().catch(() => null)
      if (answer?.data?.prepared) delegates.push(answer.data.prepared.replacesDelegate)
    })
    await press(page, 'Subscribe with Wallet that refuses')
    await shows(page, 'other subscriptions that are paid through it will stop', 'checkout-other-delegate')
    await expect.poll(() => delegates).toEqual([key])
    await press(page, 'Subscribe with Wallet that refuses')
    await shows(page, 'The wallet did not sign. Nothing was sent.')
    await page.context().close()
  })

  it('begin with a trial, which ends in three days after its announcement and is then paid for, once for each wallet', async () => {
    const product = await world.call('POST', '/subscription-products', { name: 'Tea Club' })
    const terms = { name: 'Weekly', interval: 'week', price_usd_cents: 700, authorization_periods: 4, trial_days: 14 }
    const { id: tier_id } = await world.call('POST', `/subscription-products/${product.id}/tiers`, terms)
    const checkout = await world.createCheckout({ tier_id })
    const page = await world.open(path(checkout.checkout_url), { wallets: ['signs_in'] })
    await shows(page, '14 days free', 'checkout-trial')
    await press(page, 'Subscribe with Wallet that signs in')
    await press(page, 'Stay here')
    await shows(page, 'Your free trial has begun', 'checkout-trial-begun')
    const { subscription_id: id } = await world.call('GET', `/subscription-intents/${checkout.id}`)
    const shown = async () => {
      const { subscription } = await world.call('GET', `/subscriptions/${id}`)
      return [subscription.status, subscription.spent_amount]
    }
    expect(await shown()).toEqual(['trialing', 0])
    const types = async (): Promise<readonly string[]> => {
      const { events } = await world.call('GET', '/events?limit=100')
      const own = events.filter(({ data }: { data: { id: string } }) => data.id === id)
      return own.map(({ type }: { type: string }) => type)
    }
    const wait = { timeout: STORY_TIMEOUT_MS / 4 }
    await world.advance(11 * 86_400)
    await expect.poll(types, wait).toEqual(['subscription.created', 'subscription.trial_ending'])
    expect(await shown()).toEqual(['trialing', 0])
    await world.advance(3 * 86_400)
    await expect.poll(shown, wait).toEqual(['active', 7_000_000])
    expect((await types()).at(-1)).toBe('subscription.activated')

    const { portal_url } = await world.call('POST', `/subscriptions/${id}/portal-link`)
    await page.goto(portal_url)
    await shows(page, 'The next payment is on')
    const again = await world.createCheckout({ tier_id })
    await page.goto(again.checkout_url)
    await press(page, 'Subscribe with Wallet that signs in')
    await shows(page, 'Choose the wallet again to subscribe without a trial.', 'checkout-trial-used')
    await shows(page, 'This wallet has had its free trial')
    await press(page, 'Subscribe with Wallet that signs in')
    await press(page, 'Stay here')
    await shows(page, 'You are subscribed')
    await page.context().close()
  })

  it('accept no other wallet than the one that the business named', async () => {
    const checkout = await world.createCheckout({ subscriber_wallet: world.addressOf('signs') })
    const page = await world.open(path(checkout.checkout_url), { wallets: ['sends'] })
    await shows(page, 'This checkout is for the wallet')
    await press(page, 'Subscribe with Wallet that sends')
    await shows(page, 'This page is for another wallet.', 'checkout-other-wallet')
    await page.context().close()
  })

  it('explain an unknown link and a canceled checkout', async () => {
    const checkout = await world.createCheckout()
    await world.call('POST', `/subscription-intents/${checkout.id}/cancel`)
    const page = await world.open(path(checkout.checkout_url))
    await shows(page, 'This checkout is closed', 'checkout-closed')
    await page.goto(`${world.story.facts.base_url}/pay/m/po_unknown`)
    await shows(page, 'This link does not work')
    await page.context().close()
  })

  it('take a code, show the new price at once, and are charged it', async () => {
    const terms = { code: 'WELCOME', percent_off: 50, periods: 3, max_uses: 100, max_uses_per_wallet: 1 }
    const coupon = await world.call('POST', '/subscription-coupons', terms)
    const checkout = await world.createCheckout()
    const page = await world.open(path(checkout.checkout_url), { wallets: ['signs'] })
    await shows(page, 'Have a code?', 'checkout-code')
    await page.getByText('Have a code?').click()
    await press(page, 'Apply the code')
    await shows(page, 'Enter your code.')
    await page.getByLabel('Code').fill('no-such-code')
    await press(page, 'Apply the code')
    await shows(page, 'This code is not known here.', 'checkout-code-unknown')
    await page.getByLabel('Code').fill('welcome')
    await press(page, 'Apply the code')
    await shows(page, '50% off the first 3 payments', 'checkout-coupon')
    await shows(page, 'may charge $209.91 in all: 3 payments of $10.00, then 9 of $19.99')
    await press(page, 'Remove the code')
    await shows(page, '12 payments of $19.99')
    await page.getByText('Have a code?').click()
    await page.getByLabel('Code').fill('Welcome')
    await press(page, 'Apply the code')
    await shows(page, 'From payment 4 on')
    // Another tab takes it back while the wallet is asked for: nothing is signed for a price that the page has not shown.
    const token = checkout.checkout_url.split('/').at(-1)
    const codeIs = (code: string | null) => world.call('POST', `/pay/s/${token}/coupon`, { code })
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('PrepareCheckout')) await codeIs(null)
      await route.continue()
    })
    await press(page, 'Subscribe with Wallet that signs')
    await shows(page, 'The price has changed.', 'checkout-price-changed')
    await page.unrouteAll()
    await shows(page, '12 payments of $19.99')
    // The approve that was prepared can still land for a while.
    await vi.waitFor(() => codeIs('welcome'), { timeout: STORY_TIMEOUT_MS / 4, interval: 500 })
    await shows(page, 'From payment 4 on')
    await press(page, 'Subscribe with Wallet that signs')
    await shows(page, 'You are subscribed')
    const { subscription_id: id } = await world.call('GET', `/subscription-intents/${checkout.id}`)
    const { charges } = await world.call('GET', `/subscriptions/${id}/charges`)
    expect(charges[0]).toMatchObject({ amount: 10_000_000, status: 'succeeded' })
    const { subscription } = await world.call('GET', `/subscriptions/${id}`)
    expect(subscription.discount).toMatchObject({ code: 'WELCOME', amount: 10_000_000, periods_left: 2 })
    expect((await world.call('GET', `/subscription-coupons/${coupon.id}`)).uses).toBe(1)

    // The wallet has used it, and enters it once more.
    const again = await world.createCheckout({ coupon: coupon.id })
    await page.goto(again.checkout_url)
    await press(page, 'Subscribe with Wallet that signs')
    await shows(page, 'This code has been used as often as it can be.', 'checkout-code-used')
    await world.call('POST', `/subscription-coupons/${coupon.id}/archive`)

    await page.goto(`${world.story.facts.base_url}/pay/manage`)
    await press(page, 'Sign in with Wallet that signs')
    await page.getByRole('link', { name: 'Coffee Club' }).first().click()
    await shows(page, '50% off the next 2 payments', 'portal-discount')
    await press(page, 'Renew: allow $219.90 again')
    await shows(page, 'may then charge $10.00 every month, and $19.99 after 2 payments. Number of payments: 12.')
    await press(page, 'Not now')
    await page.context().close()
  })
})

describe.skipIf(!hasBrowser)(`the widget${WITHOUT}`, () => {
  let shop: Server
  beforeAll(async () => {
    const example = readFileSync(new URL('../../examples/checkout.html', import.meta.url), 'utf8')
    shop = createServer((request, response) => {
      const { searchParams, pathname } = new URL(request.url ?? '/', 'http://localhost')
      response.setHeader('content-type', 'text/html')
      if (pathname === '/example')
        return response.end(example.replace('http://127.0.0.1:4000', world.story.facts.base_url))
      return response.end(`<!doctype html><html lang="en"><title>Shop</title><main><h1>Shop</h1>
        <script src="${world.story.facts.base_url}/pay/widget.js"></script>
        <solana-payment id="payment" client-secret="${searchParams.get('secret')}" ${searchParams.get('attribute')}>
        </solana-payment></main>
        <script>
          window.seen = []
          for (const name of ['loaded', 'failed', 'status', 'closed'])
            payment.addEventListener(name, ({ detail }) => seen.push(name + (detail ? ' ' + detail.status : '')))
        </script></html>`)
    })
    await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve))
  })
  afterAll(() => void shop.close())

  /** Opens a page of a shop that embeds a payment, and keeps the events of the element. */
  async function openShop(secret: string, attribute = '', host = 'localhost'): Promise<Page> {
    const address = shop.address()
    const port = typeof address === 'object' ? address?.port : undefined
    return await world.open(`http://${host}:${port}/?secret=${secret}&attribute=${attribute}`, { viewport: DESKTOP })
  }
  const seen = (page: Page) => page.evaluate('seen')

  it('works in the example as it is', async () => {
    const payment = await world.createPayment()
    const page = await openShop(payment.client_secret)
    await page.goto(new URL(`/example?secret=${payment.client_secret}`, page.url()).href)
    await page.getByText('The payment is pending.').last().waitFor()
    await page.frameLocator('iframe').getByRole('button', { name: 'Solana' }).waitFor()
    await page.context().close()
  })

  it('embeds a payment that is paid inside of it, and reports each status', async () => {
    const payment = await world.createPayment()
    const page = await openShop(payment.client_secret)
    const frame = page.frameLocator('iframe')
    await frame.getByRole('button', { name: 'Solana' }).click()
    await frame.getByRole('button', { name: 'Pay with Wallet that signs', exact: true }).click()
    await frame.getByRole('heading', { name: 'Paid', exact: true }).waitFor({ timeout: STORY_TIMEOUT_MS / 3 })
    await expect.poll(() => seen(page)).toContain('status swept')
    expect(await seen(page)).toEqual(expect.arrayContaining(['loaded', 'status pending', 'status swept']))
    await expectAccessible(page)
    await takePicture(page, 'widget')
    await frame.getByRole('button', { name: 'Close' }).click()
    await expect.poll(() => seen(page)).toContain('closed')
    expect(await page.locator('iframe').count()).toBe(0)
    await page.evaluate('payment.open()')
    await frame.getByRole('heading', { name: 'Paid', exact: true }).waitFor()
    await page.context().close()
  })

  it('opens as a modal with a name, and closes by its button, by Escape, and by a press next to it', async () => {
    const payment = await world.createPayment()
    const page = await openShop(payment.client_secret, 'modal')
    await page.locator('dialog').waitFor({ state: 'attached' })
    expect(await page.locator('dialog').isVisible()).toBe(false)
    await page.evaluate('payment.open()')
    await page.frameLocator('iframe').getByRole('button', { name: 'Solana' }).waitFor()
    const dialog = page.getByRole('dialog', { name: 'Payment', exact: true })
    await expectAccessible(page)
    await takePicture(page, 'widget-modal')
    const closes = async (act: () => Promise<void>) => {
      await page.evaluate('payment.open()')
      await dialog.waitFor()
      await act()
      await dialog.waitFor({ state: 'hidden' })
    }
    await closes(() => page.keyboard.press('Escape'))
    await closes(() => dialog.getByRole('button', { name: 'Close' }).click())
    await closes(() => page.mouse.click(10, 10))
    await closes(async () => {
      await page.frameLocator('iframe').getByRole('button', { name: 'Solana' }).focus()
      await page.keyboard.press('Escape')
    })
    expect(await seen(page)).toEqual(expect.arrayContaining(['closed', 'closed', 'closed', 'closed']))
    // Escape closes a question of the page alone.
    await page.evaluate('payment.open()')
    await page.frameLocator('iframe').getByRole('button', { name: 'Cancel the payment' }).click()
    await page.keyboard.press('Escape')
    await page.frameLocator('iframe').getByRole('dialog').waitFor({ state: 'hidden' })
    expect(await dialog.isVisible()).toBe(true)
    await page.context().close()
  })

  it.each([
    ['on a page whose domain is not registered', UNREGISTERED, (secret: string) => secret],
    ['for a client secret that is wrong', 'localhost', () => 'cs_unknown'],
  ])('says %s that it cannot show the payment, and leads to its page', async (_case, host, given) => {
    const secret = given((await world.createPayment()).client_secret)
    const page = await openShop(secret, 'lang=de', host)
    const link = page.getByRole('alert').getByRole('link', { name: 'Zahlung öffnen' })
    await link.waitFor()
    expect(await link.getAttribute('href')).toBe(`${world.story.facts.base_url}/pay/i/${secret}?lang=de`)
    expect(await page.locator('iframe').isVisible()).toBe(false)
    expect(await seen(page)).toEqual(['failed'])
    await expectAccessible(page)
    await takePicture(page, 'widget-failed')
    await page.context().close()
  })

  it('is as wide as a card at most, and in the theme that the page asks for', async () => {
    const payment = await world.createPayment()
    const page = await openShop(payment.client_secret, 'theme=dark')
    const frame = page.frameLocator('iframe')
    await frame.getByRole('button', { name: 'Solana' }).waitFor()
    expect(await frame.locator('body').evaluate('getComputedStyle(document.body).backgroundColor')).toBe(
      'rgb(25, 28, 37)',
    )
    expect((await page.locator('iframe').boundingBox())?.width).toBe(448)
    await page.evaluate("payment.setAttribute('theme', 'light')")
    await expect
      .poll(() => frame.locator('body').evaluate('getComputedStyle(document.body).backgroundColor'))
      .toBe('rgb(255, 255, 255)')
    await page.context().close()
  })

  it('believes no message but that of its own frame', async () => {
    const payment = await world.createPayment()
    const page = await openShop(payment.client_secret)
    await expect.poll(() => seen(page)).toContain('loaded')
    const forged = { from: 'solana-payment', message: { type: 'status', status: 'swept', action: 'swept' } }
    await page.evaluate(`window.postMessage(${JSON.stringify(forged)}, '*')`)
    await page.evaluate(`new Promise((resolve) => setTimeout(resolve, 100))`)
    expect(await seen(page)).not.toContain('status swept')
    await page.context().close()
  })
})
