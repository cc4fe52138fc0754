// The connection of a page in a real Chromium, behind a proxy with the faults of networks. The test moves the clock of the page.
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
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
  await page.getByText(LOST).waitFor()
  await expectAccessible(page)
  await takePicture(page, picture)
  await page.evaluate('scrollTo(0, document.body.scrollHeight)')
  const box = await page.getByText(LOST).boundingBox()
  expect(box?.y).toBeGreaterThanOrEqual(0)
  expect(box?.y).toBeLessThan(100)
}

describe.skipIf(!hasBrowser)(`the page of a payment${WITHOUT}`, () => {
  it('opens a silent connection again', async () => {
    const { page, pay } = await openSelected()
    proxy.silence()
    await pay()
    await page.clock.fastForward(10_000)
    await page.clock.fastForward(10_000)
    await paid(page)
    await page.clock.fastForward(5_000)
    await expect.poll(() => proxy.upgrades()).toBe(2)
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

  it('says that the connection is lost, tries again every five seconds, and at once when the browser is online', async () => {
    const { page, pay } = await openSelected()
    proxy.stop()
    await showsLost(page, 'payment-offline')
    await pay()
    for (let seconds = 0; seconds < 97; seconds += 5) await page.clock.fastForward(5_000)
    proxy.restore()
    await page.evaluate('dispatchEvent(new Event("online"))')
    await paid(page)
    expect(await page.getByText(LOST).count()).toBe(0)
    await page.context().close()
  })
})

describe.skipIf(!hasBrowser)(`the pages of a subscriber${WITHOUT}`, () => {
  it('ask over HTTP, and say that the connection is lost', async () => {
    proxy.refuseUpgrades()
    const checkout = await world.createCheckout()
    const page = await open(checkout.checkout_url)
    await press(page, 'Subscribe with Wallet that signs')
    await page.getByText('You are subscribed').waitFor()
    proxy.stop()
    await page.clock.fastForward(5_000)
    await page.getByText(LOST).waitFor()
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
    await page.getByText('Nothing is charged until it goes on.').waitFor()
    expect(await page.getByText(LOST).count()).toBe(0)
    await page.context().close()
  })
})
