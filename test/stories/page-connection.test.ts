// The connection of a page in a real Chromium, behind a proxy with the faults of networks. The test moves the clock of the page.
import type { Page, Route } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { operatorClient } from '#demo/service.ts'
import { CHROMIUM, expectAccessible, takePicture } from '../support/browser.ts'
import { type FaultyProxy, startFaultyProxy } from '../support/faulty-proxy.ts'
import { type PageOptions, type PageWorld, startPageWorld } from '../support/page-world.ts'
import { STORY_TIMEOUT_MS } from '../support/running-service.ts'

vi.setConfig({ testTimeout: STORY_TIMEOUT_MS, hookTimeout: STORY_TIMEOUT_MS })

const hasBrowser = CHROMIUM !== null
const WITHOUT = hasBrowser ? '' : ' (skipped: no Chromium is installed; install the package chromium, or set CHROMIUM)'

let world: PageWorld
let proxy: FaultyProxy
beforeAll(async () => {
  if (hasBrowser) world = await startPageWorld()
})
afterAll(() => world?.stop())
beforeEach(async () => {
  if (hasBrowser) proxy = await startFaultyProxy(world.story.facts.base_url)
})
afterEach(() => proxy?.close())

const LOST = 'Connection lost. Reconnecting…'
/** A browser delays a websocket after some that failed, and this machine may be busy. */
const poll = <T>(read: () => T) => expect.poll(read, { timeout: STORY_TIMEOUT_MS / 4 })
const PAY = 'Pay with Wallet that signs'
const press = (page: Page, name: string) => page.getByRole('button', { name }).first().click()
const paid = (page: Page) => page.getByRole('heading', { name: 'Paid', exact: true }).waitFor()

/** Opens this page through the proxy. */
async function open(url: string, options: PageOptions = {}): Promise<Page> {
  const page = await world.open('/health', options)
  await page.clock.install()
  await page.goto(proxy.origin + new URL(url).pathname)
  return page
}

/** Opens a payment that has selected SOL. */
async function openSelected(options: PageOptions = {}) {
  const payment = await world.createPayment()
  const page = await open(payment.checkout_url, options)
  await press(page, 'Solana')
  await page.getByRole('img', { name: 'QR code' }).waitFor()
  return { page, payment, pay: () => world.story.pay(payment.address, 'SOL', 133_266_667n) }
}

/** Waits for the notice, and looks whether it can be seen wherever the page is scrolled to. */
async function showsLost(page: Page, picture: string): Promise<void> {
  await page.getByText(LOST).last().waitFor()
  await expectAccessible(page)
  await takePicture(page, picture)
  await page.evaluate('scrollTo(0, document.body.scrollHeight)')
  const box = await page.getByText(LOST).boundingBox()
  expect(box?.y).toBeGreaterThanOrEqual(0)
  expect(box?.y).toBeLessThan(100)
}

/** Keeps the page of a payment from the state of the service, whose clock the test does not move. */
function keepFromState(): void {
  proxy.refuseUpgrades()
  proxy.silence()
  proxy.lose('PaymentNow', 'unsent')
}

/** Lets the page notice that its connection is silent: it pings, and waits for the answer. */
async function endLive(page: Page): Promise<void> {
  proxy.silence()
  await page.clock.fastForward(10_000)
  await page.clock.fastForward(10_000)
}

/** Waits until the page says that it does not know what became of a signature, and finds no way to pay or sign once more. */
async function showsUnknown(page: Page, picture?: string): Promise<void> {
  await page.getByText('We have no answer yet').last().waitFor()
  expect(await page.getByRole('button', { name: /Pay with|Subscribe with|Sign with/, disabled: false }).count()).toBe(0)
  expect(await page.getByRole('img', { name: 'QR code' }).count()).toBe(0)
  await expectAccessible(page)
  if (picture !== undefined) await takePicture(page, picture)
}

describe.skipIf(!hasBrowser)(`the page of a payment${WITHOUT}`, () => {
  it('opens a silent connection again', async () => {
    const { page, pay } = await openSelected()
    proxy.silence()
    await pay()
    await endLive(page)
    await paid(page)
    await page.clock.fastForward(5_000)
    await poll(() => proxy.upgrades()).toBe(2)
    await page.context().close()
  })

  it('asks over HTTP behind a proxy that passes no websocket', async () => {
    proxy.refuseUpgrades()
    const { page, pay } = await openSelected()
    await pay()
    await paid(page)
    expect(await page.getByText(LOST).count()).toBe(0)
    await page.context().close()
  })

  it.each(['html', 'cut'] as const)(
    'does not know what became of a payment whose answer is lost (%s), and pays once',
    async (how) => {
      const { page, payment } = await openSelected()
      keepFromState()
      proxy.lose('SubmitPayment', how)
      proxy.lose('PaymentNow', how)
      await endLive(page)
      await press(page, PAY)
      await showsUnknown(page, how === 'html' ? 'payment-unknown' : undefined)
      expect(await page.getByText('Nothing was taken').count()).toBe(0)
      const submitted = () => proxy.asked.filter((one) => one === 'SubmitPayment').length
      await page.clock.fastForward(2_000)
      await poll(submitted).toBeGreaterThan(1)
      proxy.lose('PaymentNow', null)
      await page.clock.fastForward(2_000)
      await paid(page)
      const status = await world.call('GET', `/status?index=${payment.derivation_index}`)
      expect(status.received_lamports).toBe(133_266_667)
      await page.context().close()
    },
  )

  it('does not know what became of a payment when a wallet fails after it has sent it', async () => {
    const { page } = await openSelected({ wallets: ['sends'] })
    keepFromState()
    await endLive(page)
    await page.evaluate('void (afterSending = Promise.reject(new Error("Request timed out")))')
    await press(page, 'Pay with Wallet that sends')
    await showsUnknown(page)
    proxy.lose('PaymentNow', null)
    await paid(page)
    await page.context().close()
  })

  it('waits for a payment that did not arrive as long as it can land, also after a part, a reload and a refusal', async () => {
    const { page, payment } = await openSelected()
    const canLandSeconds = 90
    await page.route('**/graphql', async (route) => {
      const response = await route.fetch().catch(() => null)
      if (response === null) return await route.abort()
      const answer = await response.json().catch(() => null)
      if (!answer?.data?.prepared) return await route.fulfill({ response })
      answer.data.prepared.expiresInSeconds = canLandSeconds
      await route.fulfill({ response, json: answer })
    })
    proxy.lose('SubmitPayment', 'unsent')
    await press(page, PAY)
    await showsUnknown(page)
    await world.story.pay(payment.address, 'SOL', 1_000_000n)
    await page.getByText('Received', { exact: true }).waitFor()
    await showsUnknown(page)
    await page.reload()
    await showsUnknown(page)
    await refuse(page, 'SubmitPayment', { code: 'transaction_refused' })
    const refused = page.waitForResponse(async (response) => (await response.text()).includes('transaction_refused'))
    await page.reload()
    await refused
    await showsUnknown(page)
    // What has landed in the last block is shown soon after it.
    await page.clock.fastForward(1_000 * canLandSeconds)
    await showsUnknown(page)
    await page.clock.fastForward(15_000)
    await page.getByText('Your payment did not arrive').last().waitFor()
    await takePicture(page, 'payment-not-arrived')
    expect(await page.getByRole('button', { name: PAY }).isEnabled()).toBe(true)
    await page.context().close()
  })

  it('asks the buyer to try again where nothing is repeated, and calls no price unknown without an answer', async () => {
    const payment = await world.createPayment()
    const page = await open(payment.checkout_url)
    proxy.lose('PaymentQuote', 'unsent')
    proxy.lose('SelectAsset', 'unsent')
    await press(page, 'Solana')
    await page.getByText('The payment service did not answer.').last().waitFor()
    await page.clock.fastForward(15_000)
    await poll(() => proxy.asked).toContain('PaymentQuote')
    await expectAccessible(page)
    await takePicture(page, 'payment-no-answer')
    expect(await page.getByText('No price is available').count()).toBe(0)
    expect(await page.getByText(LOST).count()).toBe(0)
    await page.context().close()
  })

  it('says that the connection is lost, and tries again every five seconds', async () => {
    const { page, pay } = await openSelected()
    let attempts = 0
    page.on('websocket', () => {
      attempts += 1
    })
    proxy.stop()
    await showsLost(page, 'payment-offline')
    await pay()
    for (let done = 0; done < 5; done += 1) {
      const before = attempts
      await page.clock.fastForward(5_000)
      await poll(() => attempts).toBeGreaterThan(before)
    }
    proxy.restore()
    await page.clock.fastForward(2_000)
    await paid(page)
    expect(await page.getByText(LOST).count()).toBe(0)
    await page.context().close()
  })

  it('tries again at once when the browser is online, or the page is shown again', async () => {
    const { page } = await openSelected()
    const asked = () => proxy.asked.filter((one) => one === 'PaymentNow').length
    let live = 0
    page.on('websocket', (socket) =>
      socket.on('framereceived', ({ payload }) => {
        if (String(payload).includes('"type":"next"')) live += 1
      }),
    )
    await page.reload()
    await poll(() => live).toBe(1)
    await page.clock.pauseAt(new Date(Date.now() + 5_000))
    for (const [at, sign] of ['online', 'pageshow', 'visibilitychange'].entries()) {
      const read = asked()
      proxy.stop()
      await page.getByText(LOST).last().waitFor()
      proxy.restore()
      await page.evaluate(`document.dispatchEvent(new Event('${sign}', { bubbles: true }))`)
      await page.getByText(LOST).last().waitFor({ state: 'detached' })
      await poll(() => live).toBe(at + 2)
      expect(asked()).toBeGreaterThan(read)
    }
    await page.context().close()
  })
})

describe.skipIf(!hasBrowser)(`the pages of a subscriber${WITHOUT}`, () => {
  it('ask over HTTP, say that the connection is lost, and do not take a lost answer for a failure', async () => {
    proxy.refuseUpgrades()
    // The page does not leave by itself.
    const checkout = await world.createCheckout({ success_url: undefined })
    const page = await open(checkout.checkout_url)
    proxy.lose('ActivateCheckout', 'html')
    proxy.lose('CheckoutPage', 'html')
    await press(page, 'Subscribe with Wallet that signs')
    await showsUnknown(page, 'checkout-unknown')
    proxy.lose('CheckoutPage', null)
    await page.clock.fastForward(5_000)
    await page.getByText('You are subscribed').last().waitFor()
    proxy.stop()
    await page.clock.fastForward(5_000)
    await page.getByText(LOST).last().waitFor()
    proxy.restore()

    const { subscriptions } = await world.call('GET', '/subscriptions')
    const { portal_url } = await world.call('POST', `/subscriptions/${subscriptions[0].id}/portal-link`)
    await page.goto(proxy.origin + new URL(portal_url).pathname)
    proxy.stop()
    await page.evaluate('dispatchEvent(new Event("offline"))')
    await showsLost(page, 'portal-offline')
    await world.call('POST', `/subscriptions/${subscriptions[0].id}/pause`)
    proxy.restore()
    await page.evaluate('dispatchEvent(new Event("pageshow"))')
    await page.getByText('You will not be charged until you resume it.').last().waitFor()
    expect(await page.getByText(LOST).count()).toBe(0)

    proxy.lose('ResumeSubscription', 'cut')
    await press(page, 'Resume')
    await page.getByText('See on this page whether it worked').last().waitFor()
    await takePicture(page, 'portal-unknown')
    await page.getByText('The next payment is on').last().waitFor()
    await page.context().close()
  })
})

describe.skipIf(!hasBrowser)(`a first charge that a wallet cannot pay${WITHOUT}`, () => {
  it('says what it takes, waits where it was tried just now, and is made when the wallet is filled', async () => {
    const product = await world.call('POST', '/subscription-products', { name: 'Machine' })
    const terms = { name: 'Yearly', interval: 'year', authorization_periods: 1, price_usd_cents: 150_000 }
    const { id: tier_id } = await world.call('POST', `/subscription-products/${product.id}/tiers`, terms)
    const checkout = await world.createCheckout({ tier_id, success_url: undefined, cancel_url: undefined })
    const page = await open(checkout.checkout_url, { wallets: ['signs_in'] })
    await press(page, 'Subscribe with Wallet that signs in')
    const wallet = world.addressOf('signs_in')
    const shown = `1,500 USDD, and your wallet ${wallet.slice(0, 6)}…${wallet.slice(-6)} holds less`
    await page.getByText(shown).last().waitFor()
    await press(page, 'Try again')
    await page.getByRole('timer').waitFor()
    await expectAccessible(page)
    await takePicture(page, 'checkout-poor')

    const { facts, operatorToken } = world.story
    const mint = facts.tokens.find(({ ticker }) => ticker === 'USDD')?.mint ?? ''
    await operatorClient(facts, operatorToken).fund(wallet, mint, 2_000_000_000n)
    await world.advance(60)
    await page.getByText('You are subscribed').last().waitFor()
    await page.context().close()
  })
})

/** Lets the service refuse an operation of a page. Returns what ends that. */
async function refuse(page: Page, operation: string, extensions: object): Promise<() => Promise<void>> {
  const handler = async (route: Route): Promise<void> =>
    route.request().postData()?.includes(`mutation ${operation}(`)
      ? await route.fulfill({ json: { errors: [{ message: 'refused', extensions }] } })
      : await route.fallback()
  await page.route('**/graphql', handler)
  return () => page.unroute('**/graphql', handler)
}

/** The wallet asks, and no person answers until `answer()` is called in the page. */
const holdDialog = (page: Page) =>
  page.evaluate('void (dialog = new Promise((resolve) => { answer = () => (dialog = undefined, resolve()) }))')

describe.skipIf(!hasBrowser)(`a press on the page of a payment${WITHOUT}`, () => {
  it('keeps the focus, is announced in a region that was there before, and changes the title', async () => {
    const payment = await world.createPayment()
    const page = await open(payment.checkout_url)
    const focused = () => page.evaluate('document.activeElement.textContent')
    await page.evaluate(`region = document.querySelector('.stage [role=status]'); said = []
      new MutationObserver(() => said.push(region.textContent)).observe(region, { childList: true, characterData: true, subtree: true })`)
    await page.getByRole('button', { name: 'Solana' }).press('Enter')
    await page.getByRole('img', { name: 'QR code' }).waitFor()
    await expect.poll(focused).toMatch(/^Amount due/)
    expect(await page.title()).toBe('Pay Demo Shop')
    await page.getByRole('button', { name: PAY }).press('Enter')
    await paid(page)
    expect(await focused()).not.toContain('Time left')
    await expect.poll(() => page.title()).toBe('Paid · Demo Shop')
    expect(await page.evaluate('region.isConnected && region.textContent')).toContain('The payment is complete.')
    expect(await page.evaluate('said.length')).toBeGreaterThan(1)
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H2')
    await page.context().close()
  })

  it('shows in its place why it was refused', async () => {
    const { page } = await openSelected()
    await refuse(page, 'CancelPayment', { code: 'payment_arriving' })
    await press(page, 'Cancel the payment')
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the payment' }).click()
    await page.locator('button:text("Cancel the payment") + .notice:text("A payment is arriving right now")').waitFor()
    await expectAccessible(page)
    await takePicture(page, 'payment-cancel-refused')
    await page.context().close()
  })

  it('counts down and tries again by itself after a rate limit', async () => {
    const payment = await world.createPayment()
    const page = await open(payment.checkout_url)
    const allow = await refuse(page, 'SelectAsset', { code: 'rate_limited', retryAfter: 30 })
    await press(page, 'Solana')
    await page.getByText('Trying again automatically').last().waitFor()
    expect(await page.locator('.asset:has-text("Solana") + .notice').getByRole('timer').innerText()).toMatch(/0:[23]\d/)
    await expectAccessible(page)
    await takePicture(page, 'payment-wait')
    await allow()
    await page.clock.fastForward(30_000)
    await page.getByRole('img', { name: 'QR code' }).waitFor()
    await page.context().close()
  })

  it('shows progress on the wallet that was chosen, can be canceled there, and ends with its time', async () => {
    const { page } = await openSelected({ wallets: ['signs', 'refuses'] })
    await holdDialog(page)
    const button = page.getByRole('button', { name: PAY })
    await button.click()
    const asking = page.getByRole('button', { name: 'Confirm in your wallet…' })
    await asking.waitFor()
    expect(await asking.count()).toBe(1)
    await page.getByRole('button', { name: 'Pay with Wallet that refuses', disabled: true }).waitFor()
    await page.getByRole('button', { name: 'Cancel', exact: true }).click()
    await page.locator('button:text("Wallet that signs") + .notice:text("Canceled on this page")').waitFor()
    await page.evaluate('answer()')

    await holdDialog(page)
    await button.click()
    await asking.waitFor()
    await expectAccessible(page)
    await takePicture(page, 'payment-confirm')
    await page.clock.fastForward(120_000)
    await page.locator('button:text("Wallet that signs") + .notice:text("Signing took too long")').waitFor()
    expect(await page.getByRole('button', { name: /^Pay with/, disabled: false }).count()).toBe(3)
    expect(proxy.asked).not.toContain('SubmitPayment')
    await page.context().close()
  })

  it('says that a payment may still arrive when a wallet that sends by itself does not answer, and sees it through', async () => {
    const { page } = await openSelected({ wallets: ['sends'] })
    // It sends at once, and only its answer is late: a transaction of this chain can land for three seconds.
    keepFromState()
    await page.evaluate('void (afterSending = new Promise((resolve) => { answer = resolve }))')
    await press(page, 'Pay with Wallet that sends')
    await page.getByText('Confirm in your wallet…').last().waitFor()
    for (const name of ['Choose something else', 'Cancel the payment'])
      expect(await page.getByRole('button', { name }).isDisabled()).toBe(true)
    await page.clock.fastForward(120_000)
    await page.getByText('it may still arrive, so do not pay twice').last().waitFor()
    await expectAccessible(page)
    await takePicture(page, 'payment-may-arrive')
    expect(await page.getByRole('button', { name: 'Pay with Wallet that sends' }).isEnabled()).toBe(true)
    await press(page, 'Choose something else')
    await page.getByText('Choose how you pay').last().waitFor()
    await endLive(page)
    await page.evaluate('answer()')
    await page.getByText('Please do not pay again.').last().waitFor()
    expect(await page.getByText('Choose how you pay').count()).toBe(0)
    proxy.lose('PaymentNow', null)
    await page.clock.fastForward(2_000)
    await paid(page)
    await page.context().close()
  })

  it('remembers what a wallet that sends by itself is asked for, until it refuses or the time is over', async () => {
    const { page, payment } = await openSelected({ wallets: ['sends'] })
    const button = page.getByRole('button', { name: 'Pay with Wallet that sends' })
    await page.evaluate('void (dialog = Promise.reject(new Error("User rejected the request.")))')
    await button.click()
    await page.getByText('The wallet did not sign.').last().waitFor()
    await page.reload()
    await button.waitFor()

    await holdDialog(page)
    await button.click()
    await page.getByText('Confirm in your wallet…').last().waitFor()
    await world.story.pay(payment.address, 'SOL', 1_000_000n)
    await page.getByText('Reject the request in your wallet as well').last().waitFor()
    await page.reload()
    await showsUnknown(page)
    await page.clock.fastForward(120_000)
    await page.getByText('Your payment did not arrive').last().waitFor()
    await page.reload()
    await page.getByText('Partial payment received').last().waitFor()
    expect(await button.isEnabled()).toBe(true)
    await page.context().close()
  })
})

describe.skipIf(!hasBrowser)(`the time of a payment${WITHOUT}`, () => {
  it('runs on each screen before the payment, and warns in the last minute', async () => {
    const { page, payment } = await openSelected()
    const clock = page.getByRole('timer')
    keepFromState()
    await page.clock.fastForward(545_000)
    await page.getByRole('status').filter({ hasText: 'Less than a minute left' }).waitFor()
    expect(await clock.innerText()).toMatch(/^0:\d\d$/)
    await expectAccessible(page)
    await takePicture(page, 'payment-last-minute')
    await press(page, 'Choose something else')
    await page.getByText('Choose how you pay').last().waitFor()
    expect(await page.getByText('Less than a minute left').count()).toBe(1)
    await takePicture(page, 'payment-last-minute-choose')

    await page.goto(proxy.origin + new URL(payment.checkout_url).pathname)
    expect(await clock.innerText()).toMatch(/^(10:00|9:\d\d)$/)
    expect(
      await page
        .getByRole('status')
        .filter({ hasText: /^Time left$/ })
        .count(),
    ).toBe(1)
    await page.context().close()
  })
})

describe.skipIf(!hasBrowser)(`a checkout that expires while it is open${WITHOUT}`, () => {
  it('says so, and what to do, by its own clock and after a refusal', async () => {
    const checkout = await world.createCheckout({ expires_in: 300 })
    const [counting, late] = [await open(checkout.checkout_url), await open(checkout.checkout_url)]
    for (const page of [counting, late]) await page.getByRole('button', { name: 'Subscribe with' }).first().waitFor()
    await world.advance(300)
    await counting.clock.fastForward(300_000)
    await press(late, 'Subscribe with Wallet that signs')
    for (const page of [counting, late]) {
      await page.getByRole('heading', { name: 'This checkout has expired' }).waitFor()
      await page.getByText('Ask the business for a new link.').last().waitFor()
      expect(await page.getByRole('button', { name: 'Subscribe with' }).count()).toBe(0)
    }
    await takePicture(counting, 'checkout-expired')
    for (const page of [counting, late]) await page.context().close()
  })

  it('does so for a payment', async () => {
    const { page } = await openSelected()
    keepFromState()
    await page.clock.fastForward(600_000)
    await page.getByRole('heading', { name: 'This payment has expired' }).waitFor()
    await page.getByText('ask the business for a new link').last().waitFor()
    expect(await page.getByRole('button', { name: PAY }).count()).toBe(0)
    await takePicture(page, 'payment-expired')
    await page.context().close()
  })
})
