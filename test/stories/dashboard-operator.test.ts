// The dashboard of the operator in a real Chromium, on a real Solana runtime: the way in, what needs a person, and each action.
import { generateKeyPairSigner } from '@solana/kit'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  type DashboardStory,
  expectGood,
  hasBrowser,
  press,
  shows,
  startDashboardStory,
  WITHOUT_BROWSER,
} from '../support/dashboard-story.ts'
import { openIntent, STORY_TIMEOUT_MS, untilStatus } from '../support/running-service.ts'

vi.setConfig({ testTimeout: STORY_TIMEOUT_MS, hookTimeout: STORY_TIMEOUT_MS })

let world: DashboardStory
beforeAll(async () => {
  if (hasBrowser) world = await startDashboardStory({ SOLANA_TEST_RPC_URL: '' })
})
afterAll(async () => {
  await world?.stop()
})

/** Opens the operator's dashboard in a browser of its own, and logs in. */
async function enter(options: BrowserContextOptions = {}, logIn = 'Log in'): Promise<Page> {
  const page = await world.open(`${world.story.facts.operator_url}/operator/dashboard`, options)
  await page.locator('input[name=token]').fill(world.story.operatorToken)
  await press(page, logIn)
  await page.locator('.frame').waitFor()
  return page
}

describe.skipIf(!hasBrowser)(`the operator in the dashboard${WITHOUT_BROWSER}`, () => {
  it('enters with the token only, stays logged in after a reload, and leaves', async () => {
    const page = await world.open(`${world.story.facts.operator_url}/operator/dashboard`)
    await page.getByRole('heading', { name: 'Log in' }).waitFor()
    await expectGood(page, 'dashboard-operator-login')
    await page.getByLabel('Operator token').fill('not the token')
    await page.keyboard.press('Enter')
    await shows(page, 'This is not the token of the operator.')
    await expectGood(page)
    await page.getByLabel('Operator token').fill(world.story.operatorToken)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    const stored = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])')
    expect(stored).toBe('[{},{},""]')
    await press(page, 'Log out')
    await page.getByRole('heading', { name: 'Log in' }).waitFor()
    expect(await page.context().cookies()).toEqual([])
  })

  it('says that nothing needs a person, and shows the state of the service', async () => {
    const page = await enter()
    await shows(page, 'Nothing needs a person.')
    await shows(page, 'Fee payer')
    await shows(page, 'Processes that move money')
    await expectGood(page, 'dashboard-operator-overview')
  })

  it('says where held money goes: to the business, or to another wallet', async () => {
    const { story } = world
    const custodians = [{ address: story.wallet.address, label: 'An exchange' }]
    await world.operator(
      'mutation ($custodians: [CustodianInput!]!) { saveCustodians(network: live, custodians: $custodians) { address } }',
      { custodians },
    )
    const first = await openIntent(story, 'USDD')
    const second = await openIntent(story, 'USDD')
    for (const { deposit } of [first, second]) await story.pay(deposit, 'SOL', 30_000_000n)
    const page = await enter()
    const table = page.getByRole('table', { name: 'Held money' })
    await expect.poll(() => table.getByRole('button', { name: 'Release' }).count()).toBe(2)
    await expectGood(page, 'dashboard-operator-held')
    const row = (index: number) => table.getByRole('row', { name: `#${index}` })
    await row(first.index).getByRole('button', { name: 'Release' }).click()
    await expectGood(page, 'dashboard-operator-release')
    await page.keyboard.press('Escape')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Release')

    await row(first.index).getByRole('button', { name: 'Release' }).click()
    await page.getByLabel('Why there').fill('It is a late order.')
    await press(page, 'Send it')
    await expect.poll(() => table.getByRole('button', { name: 'Release' }).count()).toBe(1)

    const { address } = await generateKeyPairSigner()
    await row(second.index).getByRole('button', { name: 'Release' }).click()
    await page.getByLabel('To another wallet').check()
    await page.getByLabel('Address of the wallet').fill('no wallet')
    await page.getByLabel('Why there').fill('The buyer asked for it.')
    await press(page, 'Send it')
    await page.getByRole('alert').waitFor()
    await page.getByLabel('Address of the wallet').fill(address)
    await press(page, 'Send it')
    await expect.poll(() => table.count()).toBe(0)
    await expect.poll(() => story.lamportsOf(address)).toBeGreaterThan(20_000_000n)
    const { releases } = await world.operator('{ releases { to reason } }', {})
    expect(releases.map(({ reason }: { reason: string }) => reason)).toEqual([
      'The buyer asked for it.',
      'It is a late order.',
    ])
    for (const { index } of [first, second])
      await story.rest('POST', '/cancel', { key: story.facts.api_key, body: { index } })
    await untilStatus(story, second.index, 'cancelled')
  })

  it.each([
    ['right to left', { locale: 'ar' }, 'ar', 'تسجيل الدخول'],
    ['dark', { colorScheme: 'dark' }, 'dark', 'Log in'],
  ] as const)('reads well %s', async (_what, options, name, logIn) => {
    const page = await enter(options, logIn)
    await page.locator('.facts').first().waitFor()
    await expectGood(page, `dashboard-operator-${name}`)
    await page.setViewportSize({ width: 320, height: 700 })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320)
  })
})
