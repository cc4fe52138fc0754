// The settings of the dashboard in a real Chromium: what buyers see, where they may return to, and who changed what.
import { join as joinPath } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  type DashboardStory,
  expectGood,
  follow,
  hasBrowser,
  shows,
  startDashboardStory,
  WITHOUT_BROWSER,
} from '../support/dashboard-story.ts'
import { type Json, STORY_TIMEOUT_MS } from '../support/running-service.ts'

vi.setConfig({ testTimeout: STORY_TIMEOUT_MS, hookTimeout: STORY_TIMEOUT_MS })

const LOGO = joinPath(import.meta.dirname, '../support/logo.png')

let dashboard: DashboardStory
beforeAll(async () => {
  if (hasBrowser) dashboard = await startDashboardStory()
})
afterAll(() => dashboard?.stop())

const poll = <T>(read: () => Promise<T>) => expect.poll(read, { timeout: 20_000 })
/** Creates a payment in SOL, and returns its body. */
async function createPayment(key: string): Promise<Json> {
  const body = { amount_usd_cents: 2_500, accepted_tokens: [{ kind: 'sol' }] }
  return (await dashboard.story.rest('POST', '/intents', { key, body })).body
}

const card = (page: Page, id: string) => page.locator(`#${id}`)

/** Returns what a buyer's page shows of its business. */
const brandOf = (page: Pick<Page, 'locator'>) => ({
  name: () => page.locator('.payee').innerText(),
  support: () => page.locator('.support').innerText(),
  hasLogo: async () => (await page.locator('img.brand').count()) === 1,
  accent: () =>
    page.locator('html').evaluate((html) => getComputedStyle(html).getPropertyValue('--accent').toLowerCase()),
})

describe.skipIf(!hasBrowser)(`the settings of the dashboard${WITHOUT_BROWSER}`, () => {
  it('shows how the page of a buyer will look while it is entered, and it looks so when it is saved', async () => {
    const { id, key } = await dashboard.openShop('Brand Shop')
    const page = await dashboard.join(id, 'developer')
    await follow(page, 'Settings')
    const brand = card(page, 'brand')
    const preview = page.frameLocator('.preview iframe')
    await preview.locator('.payee', { hasText: 'Brand Shop' }).waitFor()
    await brand.getByLabel('Label').fill('The Brand')
    await brand.getByLabel('Accent colour').last().fill('#aa3355')
    await brand.getByLabel('Page for questions').fill('https://help.example/us')
    await brand.getByLabel('Logo').setInputFiles(LOGO)
    await preview.locator('.payee', { hasText: 'The Brand' }).waitFor()
    await poll(brandOf(preview).accent).toBe('#aa3355')
    await poll(brandOf(preview).hasLogo).toBe(true)
    expect(await brandOf(preview).support()).toContain('help.example')
    await expectGood(page, 'dashboard-settings-brand')

    const { checkout_url: before } = await createPayment(key)
    const buyer = await dashboard.open(before)
    expect(await brandOf(buyer).name()).toBe('Brand Shop')
    await brand.getByRole('button', { name: 'Save' }).click()
    await brand.getByText('Saved', { exact: true }).waitFor()
    const { checkout_url: after } = await createPayment(key)
    await buyer.goto(after)
    const [shown, real] = [brandOf(preview), brandOf(buyer)]
    expect(await real.name()).toBe(await shown.name())
    expect(await real.support()).toBe(await shown.support())
    expect(await real.accent()).toBe(await shown.accent())
    expect(await real.hasLogo()).toBe(true)

    await brand.getByRole('button', { name: 'Remove the logo' }).click()
    await poll(shown.hasLogo).toBe(false)
    await brand.getByRole('button', { name: 'Save' }).click()
    await brand.getByText('Saved', { exact: true }).waitFor()
    expect(await brand.getByRole('button', { name: 'Remove the logo' }).count()).toBe(0)
  })

  it('takes a default page at a registered domain only, and says so in its place', async () => {
    const { id } = await dashboard.openShop('Domain Shop')
    const page = await dashboard.join(id)
    await follow(page, 'Settings')
    const [defaults, domains] = [card(page, 'defaults'), card(page, 'domains')]
    await domains.getByText('No domains yet').waitFor()
    await defaults.getByLabel('Page after paying').fill('https://shop.example/thanks')
    await defaults.getByRole('button', { name: 'Save' }).click()
    await defaults.getByText('Only an https page at one of your domains works here.').waitFor()
    await domains.getByRole('button', { name: 'Add a domain' }).click()
    await domains.getByLabel('Domain').fill('https://shop.example')
    await domains.locator('form').getByRole('button', { name: 'Add a domain' }).click()
    await domains.getByText('This is no domain').waitFor()
    await domains.getByLabel('Domain').fill('Shop.example')
    await domains.locator('form').getByRole('button', { name: 'Add a domain' }).click()
    await domains.getByText('shop.example', { exact: true }).waitFor()
    await defaults.getByRole('checkbox').first().check()
    await defaults.getByLabel('Tolerated shortfall').fill('6')
    await defaults.getByRole('button', { name: 'Save' }).click()
    await defaults.getByText('Enter 0 to 5 percent').waitFor()
    await defaults.getByLabel('Tolerated shortfall').fill('1,5')
    await defaults.getByRole('button', { name: 'Save' }).click()
    await defaults.getByText('Saved', { exact: true }).waitFor()
    await expectGood(page, 'dashboard-settings')
    await page.reload()
    await poll(() => defaults.getByLabel('Page after paying').inputValue()).toBe('https://shop.example/thanks')
    expect(await defaults.getByRole('checkbox').first().isChecked()).toBe(true)
    expect(await defaults.getByLabel('Tolerated shortfall').inputValue()).toBe('1.5')
    await domains.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await domains.getByText('No domains yet').waitFor()
    await follow(page, 'Audit log')
    await page.locator('.log li').first().getByText('Domain removed').waitFor()
  })

  it('shows who changed what, when, from where, and the values before and after it', async () => {
    const { id } = await dashboard.openShop('Watched Shop')
    const page = await dashboard.join(id)
    await follow(page, 'Settings')
    const brand = card(page, 'brand')
    for (const label of ['Seen Shop', 'Read Shop']) {
      await brand.getByLabel('Label').fill(label)
      await brand.getByRole('button', { name: 'Save' }).click()
      await brand.getByText('Saved', { exact: true }).waitFor()
    }
    await follow(page, 'Audit log')
    await page.getByRole('heading', { name: 'Audit log' }).waitFor()
    const entry = page.locator('.log li').first()
    await entry.getByText('Settings changed').waitFor()
    const words = await entry.innerText()
    expect(words).toContain('Ada · from 127.0.0.1')
    expect(words).toMatch(/Label\s+Seen Shop → Read Shop/)
    await shows(page, 'The operator of the service')
    await expectGood(page, 'dashboard-audit')

    await page.getByLabel('What').selectOption('key_revoked')
    await shows(page, 'No change of this kind')
    await page.getByLabel('What').selectOption('member_invited')
    await page.waitForURL(/action=member_invited/)
    await poll(() => page.locator('.log li').count()).toBe(1)
    await page.reload()
    await poll(() => page.locator('.log li').count()).toBe(1)
    await follow(page, 'Members')
    await page.waitForURL(/settings#members/)
    await poll(() => card(page, 'members').evaluate((one) => one.getBoundingClientRect().top)).toBeLessThan(800)
  })

  it('changes the role of a member, and keeps an owner', async () => {
    const { id } = await dashboard.openShop('Staff Shop')
    await dashboard.invite(id, 'viewer', 'Grace')
    const page = await dashboard.join(id)
    await follow(page, 'Settings')
    const members = card(page, 'members')
    const row = (name: string) => members.locator('tbody tr', { hasText: name })
    const choose = async (name: string, role: string) => {
      await row(name).getByRole('button', { name: 'Change the role' }).click()
      await page.getByRole('dialog').getByLabel('Role').selectOption(role)
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    }
    await choose('Grace', 'finance')
    await row('Grace').locator('td', { hasText: 'finance' }).waitFor()
    await choose('Ada', 'viewer')
    await page.getByRole('dialog').getByText('A business needs an owner.').waitFor()
    await expectGood(page, 'dashboard-role')
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await row('Ada').locator('td', { hasText: 'owner' }).waitFor()
  })

  it('lets a person whose session has ended log in again, and keeps what was entered', async () => {
    const { id } = await dashboard.openShop('Late Shop')
    const page = await dashboard.join(id)
    await follow(page, 'Settings')
    const brand = card(page, 'brand')
    await brand.getByLabel('Label').fill('Still here')
    await page.context().clearCookies()
    // What is shown is read again at any moment, so the dialog may be above the button already.
    await brand.getByRole('button', { name: 'Save' }).dispatchEvent('click')
    const dialog = page.getByRole('dialog', { name: 'Log in' })
    await dialog.getByText('Your session has ended.').waitFor()
    await expectGood(page, 'dashboard-session-ended')
    await dialog.getByRole('button', { name: 'Use a passkey' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(page.url()).toMatch(/settings$/)
    await brand.getByRole('button', { name: 'Save' }).click()
    await brand.getByText('Saved', { exact: true }).waitFor()
    expect(await brand.getByLabel('Label').inputValue()).toBe('Still here')
  })

  it('shows the login to a reader whose session has ended, and then the page that was asked for', async () => {
    const { id } = await dashboard.openShop('Reader Shop')
    const page = await dashboard.join(id)
    await page.context().clearCookies()
    await page.getByRole('link', { name: 'Payments', exact: true }).first().dispatchEvent('click')
    const dialog = page.getByRole('dialog', { name: 'Log in' })
    await dialog.getByRole('button', { name: 'Use a passkey' }).click()
    await shows(page, 'No payments yet')
  })

  it('offers each role the settings that it may change, and every role who changed what', async () => {
    const { id } = await dashboard.openShop('Role Shop')
    const seen: Record<string, readonly string[]> = {}
    for (const role of ['owner', 'developer', 'finance', 'viewer'] as const) {
      const page = await dashboard.join(id, role)
      await follow(page, 'Settings')
      await page.locator('#domains .empty').waitFor()
      const links = await page.getByRole('navigation', { name: 'Settings' }).getByRole('link').allInnerTexts()
      const mayAdd = await page.getByRole('button', { name: 'Add a domain' }).isVisible()
      seen[role] = mayAdd ? [...links, '+ domain'] : links
      await page.context().close()
    }
    const every = ['Wallet', 'Domains', 'Members', 'Sessions', 'Audit log']
    const all = ['Wallet', 'What buyers see', 'Payment defaults', ...every.slice(1)]
    expect(seen).toEqual({
      owner: [...all, '+ domain'],
      developer: all,
      finance: [...every, '+ domain'],
      viewer: every,
    })
  })

  it('is read from right to left in Arabic, in the dark', async () => {
    const { id } = await dashboard.openShop('متجر')
    const page = await dashboard.join(id, 'owner', { colorScheme: 'dark' })
    await page.getByLabel('Language').selectOption('ar')
    await poll(() => page.evaluate('document.documentElement.dir')).toBe('rtl')
    await page.goto(new URL('/dashboard/settings/audit', dashboard.story.facts.base_url).href)
    await page.locator('.log li').first().waitFor()
    await expectGood(page, 'dashboard-audit-ar')
    await page.goto(new URL('/dashboard/settings', dashboard.story.facts.base_url).href)
    await page.frameLocator('.preview iframe').locator('.payee').waitFor()
    await expectGood(page, 'dashboard-settings-ar')
  })
})
