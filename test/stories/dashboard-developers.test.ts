// The pages of developers in a real Chromium: keys that are rolled, and the event log.
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
import { STORY_TIMEOUT_MS } from '../support/running-service.ts'

vi.setConfig({ testTimeout: STORY_TIMEOUT_MS, hookTimeout: STORY_TIMEOUT_MS })

let world: DashboardStory
beforeAll(async () => {
  if (hasBrowser) world = await startDashboardStory()
})
afterAll(async () => {
  await world?.stop()
})

const payments = async (key: string) => (await world.story.rest('GET', '/payments', { key })).status

describe.skipIf(!hasBrowser)(`developers in the dashboard${WITHOUT_BROWSER}`, () => {
  it('rolls a key: the new one works, and the old one for as long as was chosen', async () => {
    const { id, key } = await world.openShop('Roll Shop')
    const page = await world.join(id, 'owner')
    await follow(page, 'Developers')
    await shows(page, 'clock advance 600')
    await press(page, 'Roll')
    expect(await page.getByLabel('The old key').locator('option:checked').innerText()).toBe('works for a day')
    await press(page, 'Cancel')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await press(page, 'Roll')
    await page.getByLabel('The old key').selectOption('works for an hour')
    await expectGood(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Roll' }).click()
    await shows(page, 'Your new key')
    const rolled = await page.locator('dialog code').innerText()
    // No key of the keyboard loses what is shown once.
    for (let at = 0; at < 3; at += 1) await page.keyboard.press('Escape')
    expect(await page.locator('dialog code').innerText()).toBe(rolled)
    await press(page, 'I have kept it')
    await shows(page, 'works until')
    await expectGood(page, 'dashboard-keys')
    expect([await payments(key), await payments(rolled)]).toEqual([200, 200])
    const old = page.locator('tr', { hasText: 'works until' })
    await old.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('Keys that have stopped').click()
    await shows(page, 'stopped ')
    await expect.poll(() => payments(key)).toBe(401)
    expect(await payments(rolled)).toBe(200)
  })

  it('says next to its field what an endpoint or a key lacks, and leaves a form without a change', async () => {
    const { id } = await world.openShop('Form Shop')
    const page = await world.join(id, 'owner')
    await follow(page, 'Developers')
    await press(page, 'Add an endpoint')
    await page.getByLabel('URL').fill('ftp://shop.example/hook')
    await page.locator('form').getByRole('button', { name: 'Add an endpoint' }).click()
    await page.locator('.field', { hasText: 'URL' }).getByText('Enter a public https address').waitFor()
    expect(await page.getByLabel('URL').evaluate((input) => input === document.activeElement)).toBe(true)
    await expectGood(page)
    await press(page, 'Cancel')
    await press(page, 'Create a key')
    await page.getByLabel('Name').fill('Nothing')
    for (const scope of await page.getByRole('checkbox').all()) await scope.uncheck()
    await page.locator('form').getByRole('button', { name: 'Create a key' }).click()
    await page.locator('fieldset').getByText('Choose at least one.').waitFor()
    await expectGood(page, 'dashboard-new-key')
  })

  it('shows the requests with the keys of the business as they come, and what was refused', async () => {
    const { id, key } = await world.openShop('Request Shop')
    const page = await world.join(id, 'developer')
    await follow(page, 'Developers')
    await follow(page, 'Requests')
    await shows(page, 'No requests')
    await world.story.rest('GET', '/payments', { key })
    await world.story.rest('GET', '/status?index=999999', { key })
    await page.locator('td', { hasText: 'GET /payments' }).waitFor()
    await page.locator('td', { hasText: '404 intent_not_found' }).waitFor()
    await expectGood(page, 'dashboard-requests')
    await page.getByLabel('Result').selectOption('refused')
    await page.waitForURL(/result=refused/)
    await page.locator('td', { hasText: 'GET /payments' }).waitFor({ state: 'detached' })
    await page.locator('td', { hasText: 'GET /status' }).waitFor()
  })

  it('shows the events, the newest first, of one type, each with the body of its webhook', async () => {
    const { id, key } = await world.openShop('Event Shop')
    for (let at = 0; at < 30; at += 1) {
      const body = { amount_usd_cents: 1_000, accepted_tokens: [{ kind: 'sol' }], reference: `event-${at}` }
      await world.story.rest('POST', '/intents', { key, body })
    }
    const { body } = await world.story.rest('GET', '/payments?reference=event-29', { key })
    await world.story.rest('POST', '/cancel', { key, body: { index: body.payments[0].derivation_index } })
    const page = await world.join(id, 'developer')
    await follow(page, 'Developers')
    await follow(page, 'Events')
    await page.locator('.log summary').first().getByText('intent.cancelled').click()
    await shows(page, '"reference": "event-29"')
    await expectGood(page, 'dashboard-events')
    expect(await page.locator('.log > li').count()).toBe(25)
    await press(page, 'Older')
    await expect.poll(() => page.locator('.log > li').count()).toBe(6)
    await page.locator('.log summary').last().click()
    await shows(page, '"reference": "event-0"')
    await press(page, 'Newer')
    await expect.poll(() => page.locator('.log > li').count()).toBe(25)
    await page.getByLabel('Type').selectOption('intent.cancelled')
    await page.waitForURL(/type=intent.cancelled/)
    await expect.poll(() => page.locator('.log > li').count()).toBe(1)
    await page.getByLabel('Type').selectOption('intent.swept')
    await shows(page, 'No events yet')
  })
})
