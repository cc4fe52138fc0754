// The pages of the dashboard where they are very large, very narrow, or on paper.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { expectAccessible, takePicture } from '../support/browser.ts'
import {
  type DashboardStory,
  hasBrowser,
  press,
  shows,
  startDashboardStory,
  WITHOUT_BROWSER,
} from '../support/dashboard-story.ts'
import { STORY_TIMEOUT_MS } from '../support/running-service.ts'

vi.setConfig({ testTimeout: STORY_TIMEOUT_MS, hookTimeout: STORY_TIMEOUT_MS })

let world: DashboardStory
beforeAll(async () => {
  if (hasBrowser) world = await startDashboardStory()
})
afterAll(() => world?.stop())

/** Opens a business with a payment that has a long reference. */
async function openShop(name: string) {
  const { id, key } = await world.openShop(name)
  const body = { amount_usd_cents: 2_500, accepted_tokens: [{ kind: 'sol' }], reference: 'order-'.repeat(15) }
  const { body: payment } = await world.story.rest('POST', '/intents', { key, body })
  return { id, payment: `/payments/${payment.id}` }
}

/** The screens of a desktop at 4K, and of a laptop whose reader has enlarged everything to 200 %. */
const SCREENS = [
  ['4k', { viewport: { width: 3_840, height: 2_160 } }],
  ['zoom', { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 }],
] as const

describe.skipIf(!hasBrowser)(`the sizes of the dashboard${WITHOUT_BROWSER}`, () => {
  it.each(SCREENS)('shows each main page whole on a screen of %s', async (name, options) => {
    const { id, payment } = await openShop(`Screen Shop ${name}`)
    const page = await world.join(id, 'owner', options)
    for (const path of [
      '',
      '/payments',
      payment,
      '/payments/new',
      '/developers',
      '/developers/requests',
      '/settings',
    ]) {
      await page.goto(new URL(`/dashboard${path}`, world.story.facts.base_url).href)
      await page.locator('main .panel').first().waitFor()
      await page.locator('main .loading').first().waitFor({ state: 'detached' })
      await expectAccessible(page)
      const width = await page.evaluate('document.documentElement.scrollWidth')
      expect(width, `${path} is not wider than the screen`).toBeLessThanOrEqual(options.viewport.width)
      // A line of text that is longer is hard to read to its end and back.
      const widest = await page
        .locator('main .panel')
        .evaluateAll((panels) => Math.max(...panels.map((panel) => panel.getBoundingClientRect().width)))
      expect(widest, `${path} has lines that can be read`).toBeLessThanOrEqual(1_400)
      if (path === payment) await takePicture(page, `dashboard-${name}`)
    }
  })

  it('prints a payment on A4: what it is and what has happened, and nothing to press', async () => {
    const { id, payment } = await openShop('Paper Shop')
    const page = await world.join(id, 'finance')
    await page.goto(new URL(`/dashboard${payment}`, world.story.facts.base_url).href)
    await shows(page, 'Payment of $25.00')
    await press(page, 'Exactly')
    await page.locator('.standing', { hasText: 'swept' }).waitFor()
    await page.getByRole('table', { name: 'Where the money went' }).waitFor()
    await page.emulateMedia({ media: 'print' })
    await page.setViewportSize({ width: 718, height: 1_000 })
    for (const text of ['Payment of $25.00', 'Where the money went', 'Arrived in your wallet', 'Deposit:'])
      expect(await page.getByText(text).first().isVisible(), text).toBe(true)
    for (const hidden of ['button', 'select', 'nav', 'summary', '.banner', '.unprinted'])
      expect(await page.locator(hidden).filter({ visible: true }).count(), hidden).toBe(0)
    const ends = await page
      .locator('.ends')
      .evaluateAll((all) => all.map((one) => [one.parentElement?.title, getComputedStyle(one, '::after').content]))
    expect(ends.length).toBeGreaterThan(2)
    for (const [whole, printed] of ends) expect(printed).toBe(`"${whole}"`)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(718)
    await takePicture(page, 'dashboard-print')
  })
})
