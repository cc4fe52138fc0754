// The dashboard in a real Chromium: people join, log in, and do what their roles permit, on a real Solana runtime.
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { generateKeyPairSigner } from '@solana/kit'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { expectAccessible, newWallet } from '../support/browser.ts'
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

vi.setConfig({ testTimeout: STORY_TIMEOUT_MS, hookTimeout: STORY_TIMEOUT_MS })

let dashboard: DashboardStory
let receiver: Server
const received: string[] = []

beforeAll(async () => {
  if (!hasBrowser) return
  dashboard = await startDashboardStory()
  receiver = createServer(async (request, response) => {
    const [body] = await once(request, 'data')
    received.push(JSON.parse(String(body)).type)
    response.end()
  }).listen(0)
})
afterAll(async () => {
  receiver?.close()
  await dashboard?.stop()
})

/** Creates a payment in SOL by REST, and returns its body. */
async function createPayment(key: string, body: object): Promise<Json> {
  const answer = await dashboard.story.rest('POST', '/intents', {
    key,
    body: { accepted_tokens: [{ kind: 'sol' }], ...body },
  })
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
  return answer.body
}

describe.skipIf(!hasBrowser)(`the dashboard${WITHOUT_BROWSER}`, () => {
  it('leads from an invitation to a swept payment: passkey, payout wallet, key, endpoint, payment', async () => {
    const { id } = await dashboard.openShop('Fresh Shop', null)
    const page = await dashboard.open(await dashboard.invite(id))
    await shows(page, 'Ada, you are invited as owner')
    await expectGood(page, 'dashboard-join')
    await press(page, 'Use a passkey')
    await shows(page, 'Until your first payment is swept')
    await expectGood(page)

    await follow(page, 'Set the wallet that receives your money')
    await press(page, 'Set the wallet')
    await page.getByLabel('Address of the new wallet').fill('not a wallet')
    await press(page, 'Change the wallet')
    await page.getByRole('alert').waitFor()
    const wallet = (await generateKeyPairSigner()).address
    await page.getByLabel('Address of the new wallet').fill(wallet)
    await press(page, 'Change the wallet')
    await page.getByText(wallet, { exact: true }).waitFor()
    await expectGood(page, 'dashboard-settings')

    await follow(page, 'Developers')
    await press(page, 'Create a key')
    await page.getByLabel('Name').fill('Online shop')
    await expectGood(page)
    await page.locator('form').getByRole('button', { name: 'Create a key' }).click()
    const key = await page.locator('dialog code').innerText()
    await expectAccessible(page)
    await press(page, 'I have kept it')
    expect((await dashboard.story.rest('GET', '/payments', { key })).body).toEqual({ payments: [], next_cursor: null })

    await press(page, 'Add an endpoint')
    const address = receiver.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    await page.getByLabel('URL').fill(`http://127.0.0.1:${address.port}/hook`)
    await page.locator('form').getByRole('button', { name: 'Add an endpoint' }).click()
    await shows(page, 'whsec_')
    await press(page, 'I have kept it')
    await press(page, 'Send a test')
    await shows(page, 'answered 200')
    await expectGood(page, 'dashboard-developers')

    await follow(page, 'Payments')
    await press(page, 'New payment link')
    await page.getByLabel('Amount in US dollars').fill('19.99')
    await page.getByLabel('Reference').fill('order-1')
    await expectGood(page)
    await press(page, 'Create the link')
    await page.locator('a[href*="/pay/i/cs_"]').waitFor()
    await expectGood(page)
    await press(page, 'See the payment')
    await press(page, 'Exactly')
    await page.locator('.standing', { hasText: 'swept' }).waitFor()
    await shows(page, 'Arrived in your wallet')
    await expectGood(page, 'dashboard-payment')
    await expect.poll(() => received).toContain('intent.swept')

    await follow(page, 'Home')
    await page.getByRole('table', { name: 'Latest payments' }).waitFor()
    expect(await page.getByText('Until your first payment is swept').count()).toBe(0)
    await expectGood(page, 'dashboard-home')
  })

  it('shows a payment that comes, and how it goes on, without a reload', async () => {
    const { id, key } = await dashboard.openShop('Live Shop')
    const page = await dashboard.join(id)
    await shows(page, 'No payments yet')
    const intent = await createPayment(key, { amount_usd_cents: 2_500, reference: 'live-1' })
    await shows(page, 'live-1')
    await shows(page, 'waiting for the buyer')
    await dashboard.story.rest('POST', '/cancel', { key, body: { index: intent.derivation_index } })
    await page.locator('.badge', { hasText: 'cancelled' }).waitFor()
  })

  it('keeps the filter of payments in the address: a reload and the way back find it', async () => {
    const { id, key } = await dashboard.openShop('Busy Shop')
    for (let at = 0; at < 30; at += 1)
      await createPayment(key, { amount_usd_cents: 1_000 + at, reference: `order-${at}` })
    const page = await dashboard.join(id, 'viewer')
    await follow(page, 'Payments')
    await shows(page, 'order-29')
    expect(await page.getByRole('row').count()).toBe(26)
    await press(page, 'Older')
    await page.getByText('order-0', { exact: true }).waitFor()
    await press(page, 'Newer')
    await shows(page, 'order-29')
    await page.getByRole('searchbox').fill('ORDER-1')
    await page.getByRole('searchbox').press('Enter')
    await page.waitForURL(/search=ORDER-1/)
    await page.getByText('order-29', { exact: true }).waitFor({ state: 'detached' })
    expect(await page.getByRole('row').count()).toBe(12)
    await page.getByLabel('Status').selectOption('swept')
    await shows(page, 'No payment matches')
    await expectGood(page)
    await page.reload()
    await shows(page, 'No payment matches')
    await page.goBack()
    await shows(page, 'order-19')
    await follow(page, '$10.19')
    await page.getByRole('heading', { name: 'Payment of $10.19' }).waitFor()
    await page.goBack()
    await shows(page, 'order-19')
  })

  it('offers each role what it may do, and nothing else', async () => {
    const { id, key } = await dashboard.openShop('Team Shop')
    const intent = await createPayment(key, { amount_usd_cents: 1_000 })
    const seen: Record<string, readonly boolean[]> = {}
    for (const role of ['owner', 'developer', 'finance', 'viewer'] as const) {
      const page = await dashboard.join(id, role)
      const has = (name: string) => page.getByRole('button', { name, exact: true }).first().isVisible()
      await follow(page, 'Payments')
      await shows(page, '$10.00')
      const mayCreate = await has('New payment link')
      await follow(page, '$10.00')
      await shows(page, intent.address.slice(0, 6))
      const mayCancel = await has('Cancel the payment')
      await follow(page, 'Developers')
      await page.getByRole('heading', { name: 'Developers' }).waitFor()
      await page.locator('.panel').first().waitFor()
      const mayMakeKeys = await has('Create a key')
      await follow(page, 'Settings')
      await shows(page, 'Where you are logged in')
      seen[role] = [
        mayCreate,
        mayCancel,
        mayMakeKeys,
        await has('Change the wallet'),
        await has('Save'),
        await has('Invite a member'),
      ]
      await page.context().close()
    }
    expect(seen).toEqual({
      owner: [true, true, true, true, true, true],
      developer: [false, false, true, false, true, false],
      finance: [true, true, false, false, false, false],
      viewer: [false, false, false, false, false, false],
    })
  })

  it('lets a wallet join, log out and log in again, at the address that was asked for', async () => {
    const { id } = await dashboard.openShop('Wallet Shop')
    const wallet = await newWallet('signs_in')
    const page = await dashboard.open(await dashboard.invite(id), {}, [wallet])
    await press(page, 'Use Wallet that signs in')
    await page.getByRole('heading', { name: 'Hello, Ada' }).waitFor()
    await press(page, 'Log out')
    await page.getByRole('heading', { name: 'Log in' }).waitFor()
    await expectGood(page, 'dashboard-login')
    await page.goto(new URL('/dashboard/settings', dashboard.story.facts.base_url).href)
    await press(page, 'Use Wallet that signs in')
    await page.getByRole('heading', { name: 'Settings' }).waitFor()
  })

  it('shows the way in before the service has answered anything', async () => {
    const page = await dashboard.open('about:blank')
    await page.route('**/graphql', () => {})
    await page.goto(new URL('/dashboard', dashboard.story.facts.base_url).href)
    await page.getByRole('heading', { name: 'Log in' }).waitFor()
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  it('says what to do with a link that was used, and with a login that is not known', async () => {
    const { id } = await dashboard.openShop('Link Shop')
    const link = await dashboard.invite(id)
    const page = await dashboard.open(link)
    await press(page, 'Use a passkey')
    await page.getByRole('heading', { name: 'Hello, Ada' }).waitFor()
    const other = await dashboard.open(link, {}, [await newWallet('signs_in')])
    await shows(other, 'Ask an owner of the business, or the operator, for a new one')
    await expectGood(other)
    await follow(other, 'Log in')
    await press(other, 'Use Wallet that signs in')
    await shows(other, 'This login is not known here')
  })

  it('asks for a new proof when a change needs one, and then makes the change', async () => {
    const { id } = await dashboard.openShop('Careful Shop')
    const page = await dashboard.join(id)
    await follow(page, 'Settings')
    await shows(page, 'Invite a member')
    // As five minutes later.
    let isLater = true
    await page.route('**/graphql', async (route) => {
      if (!isLater || !String(route.request().postData()).includes('DashboardInvite')) return await route.continue()
      isLater = false
      await route.fulfill({
        json: { data: { invited: null }, errors: [{ message: 'x', extensions: { code: 'step_up_required' } }] },
      })
    })
    await press(page, 'Invite a member')
    await page.locator('form').getByLabel('Name').last().fill('Grace')
    await page.locator('form').getByRole('button', { name: 'Invite a member' }).click()
    await shows(page, 'Is it still you?')
    await expectAccessible(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Use a passkey' }).click()
    await shows(page, '/dashboard/join#li_')
    await press(page, 'I have kept it')
    await shows(page, 'invited')
  })

  it('is read from right to left, and in the dark', async () => {
    const { id } = await dashboard.openShop('متجر')
    const page = await dashboard.join(id, 'owner', { colorScheme: 'dark' })
    await page.getByLabel('Language').selectOption('ar')
    await expect.poll(() => page.evaluate('document.documentElement.dir')).toBe('rtl')
    await page.locator('.panel').first().waitFor()
    await expectGood(page, 'dashboard-home-ar')
  })

  it('says that the connection is lost, and shows afterwards what was missed', async () => {
    const { id, key } = await dashboard.openShop('Unsteady Shop')
    const page = await dashboard.join(id)
    await shows(page, 'No payments yet')
    await page.context().setOffline(true)
    await shows(page, 'Connection lost')
    await expectAccessible(page)
    await createPayment(key, { amount_usd_cents: 4_200, reference: 'missed-1' })
    await page.context().setOffline(false)
    await shows(page, 'missed-1')
    await page.getByText('Connection lost').waitFor({ state: 'detached' })
  })
})
