// An address for held money, in a real Chromium and on a real Solana runtime: the buyer enters it on the page of the payment, the
// business decides in the dashboard, and the money arrives.
import { address, generateKeyPairSigner } from '@solana/kit'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { DESKTOP, expectAccessible, PHONE, takePicture } from '../support/browser.ts'
import {
  type DashboardStory,
  expectGood,
  hasBrowser,
  press,
  shows,
  startDashboardStory,
  WITHOUT_BROWSER,
} from '../support/dashboard-story.ts'
import { type Json, STORY_TIMEOUT_MS } from '../support/running-service.ts'
import { until } from '../support/until.ts'

vi.setConfig({ testTimeout: STORY_TIMEOUT_MS, hookTimeout: STORY_TIMEOUT_MS })

let world: DashboardStory
beforeAll(async () => {
  if (hasBrowser) world = await startDashboardStory()
})
afterAll(() => world?.stop())

const token = () => {
  const found = world.story.facts.tokens.find(({ ticker }) => ticker === 'USDD')
  if (found === undefined) throw new Error('there is no USDD')
  return found
}

const mintTo = (owner: string, amount: bigint): Promise<Json> =>
  world.operator('mutation($input: FaucetInput!) { faucet(input: $input) { signature } }', {
    input: { network: 'live', address: owner, asset: token().mint, amount: String(amount) },
  })

/** A payment whose money has no sender, cancelled. */
async function stuckPayment(key: string): Promise<Json> {
  const { story } = world
  const created = await story.rest('POST', '/intents', {
    key,
    body: { amount_usd_cents: 500, accepted_tokens: [{ kind: 'spl', mint: token().mint }], reference: 'order-7' },
  })
  const { derivation_index: index, address: deposit } = created.body
  const statusOf = async (): Promise<string> => (await story.rest('GET', `/status?index=${index}`, { key })).body.status
  await mintTo(deposit, 3_000_000n)
  await until(async () => (await statusOf()) === 'underpaid', STORY_TIMEOUT_MS / 2)
  await story.rest('POST', '/cancel', { key, body: { index } })
  await until(async () => (await statusOf()) === 'refund_failed', STORY_TIMEOUT_MS / 2)
  return created.body
}

/** A wallet that can receive the token. */
async function newWallet(): Promise<string> {
  const wallet = (await generateKeyPairSigner()).address
  await mintTo(wallet, 1n)
  return wallet
}

async function enter(page: Page, text: string): Promise<void> {
  await page.locator('input[name=address]:visible').fill(text)
  await page.getByRole('button', { name: 'to send it here' }).filter({ visible: true }).click()
}

describe.skipIf(!hasBrowser)(`an address from the buyer${WITHOUT_BROWSER}`, () => {
  it('is entered by the buyer, declined, entered again, approved, and paid', async () => {
    const { id, key } = await world.openShop('Held Shop')
    const payment = await stuckPayment(key)
    const [first, second] = [await newWallet(), await newWallet()]
    const buyer = await world.open(payment.checkout_url, { viewport: PHONE })
    await shows(buyer, 'We cannot send this back by itself')
    await enter(buyer, payment.address)
    await shows(buyer, 'This address cannot receive the money')
    await enter(buyer, first)
    await shows(buyer, 'Your address is being checked')
    await expectAccessible(buyer)

    const page = await world.join(id)
    await shows(page, 'These buyers have entered an address')
    await expectGood(page, 'dashboard-needs-address')
    await page
      .getByRole('table', { name: /These buyers/ })
      .getByRole('link')
      .first()
      .click()
    await shows(page, 'The link proves the order, not the person.')
    await page.locator('.proposal', { hasText: first }).waitFor()
    await expectGood(page, 'dashboard-payment-address')
    await press(page, 'Decline')
    await page.getByLabel('Why').fill('You did not answer our email.')
    await expectGood(page, 'dashboard-payment-address-decline')
    await page.getByRole('dialog').getByRole('button', { name: 'Decline' }).click()
    await shows(page, 'You declined this address')

    // The page of the buyer follows.
    await shows(buyer, 'You did not answer our email.')
    await enter(buyer, first)
    await shows(buyer, 'Your address is being checked')
    await press(page, 'Approve and send')
    await page.getByRole('dialog').getByText(first).first().waitFor()
    // The buyer swaps the address under the eyes of the business: the question is gone, and the new address is another question.
    await buyer.getByText('Enter another address').click()
    await enter(buyer, second)
    await page.locator('.proposal', { hasText: second }).waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
    const answer = await world.story.rest('POST', `/payments/${payment.id}/refund-address/approve`, {
      key,
      body: { address: first },
    })
    expect(answer.status).toBe(409)
    expect(await world.story.tokensOf(address(first), address(token().mint))).toMatchObject([{ amount: 1n }])

    await page.emulateMedia({ colorScheme: 'dark' })
    await press(page, 'Approve and send')
    await shows(page, 'Send up to 3 USDD to this address?')
    await expectGood(page, 'dashboard-payment-address-approve-dark')
    await page.getByRole('dialog').getByRole('button', { name: 'Approve and send' }).click()
    await shows(page, 'You approved this address')
    await shows(buyer, 'Your address was approved')
    await until(async () => {
      const { body } = await world.story.rest('GET', `/payments/${payment.id}`, { key })
      return body.status === 'refunded'
    }, STORY_TIMEOUT_MS / 2)
    expect(await world.story.tokensOf(address(second), address(token().mint))).toMatchObject([{ amount: 3_000_001n }])
    await shows(buyer, 'Refunded')
    await buyer.emulateMedia({ colorScheme: 'dark' })
    await buyer.setViewportSize(DESKTOP)
    await expectAccessible(buyer)
    await takePicture(buyer, 'payment-address-approved-dark')
    await shows(page, 'The address of the buyer was approved')

    await page.goto(`${world.story.facts.base_url}/dashboard/settings/audit`)
    await page.locator('.log', { hasText: 'Address of a buyer declined' }).waitFor()
    await shows(page, 'The buyer, by the link of the payment')
    await expectGood(page, 'dashboard-audit-address')
    await buyer.context().close()
    await page.context().close()
  })

  it('is seen by a member who may not decide, in Arabic too', async () => {
    const { id, key } = await world.openShop('Viewed Shop')
    const payment = await stuckPayment(key)
    const body = { client_secret: payment.client_secret, address: await newWallet() }
    expect((await world.story.rest('POST', '/intents/refund-address', { body })).status).toBe(200)
    const page = await world.open(await world.invite(id, 'viewer'), { locale: 'ar' })
    await page.getByRole('button').first().click()
    await page.getByText('أدخل هؤلاء المشترون عنوانًا').first().waitFor()
    await page.goto(`${world.story.facts.base_url}/dashboard/payments/${payment.id}`)
    await page.locator('.proposal', { hasText: body.address }).waitFor()
    expect(await page.getByRole('button', { name: 'الموافقة والإرسال' }).count()).toBe(0)
    await expectGood(page, 'dashboard-payment-address-ar')
    await page.context().close()
  })

  it('that cannot receive the token is asked for again, and the fee payer pays for no account', async () => {
    const { key } = await world.openShop('Account Shop')
    const payment = await stuckPayment(key)
    const wallet = (await generateKeyPairSigner()).address
    const { story } = world
    const propose = () =>
      story.rest('POST', '/intents/refund-address', { body: { client_secret: payment.client_secret, address: wallet } })
    const approve = () =>
      story.rest('POST', `/payments/${payment.id}/refund-address/approve`, { key, body: { address: wallet } })
    const read = async () => (await story.rest('GET', `/payments/${payment.id}`, { key })).body
    expect((await propose()).status).toBe(200)
    expect((await approve()).status).toBe(200)
    await until(async () => (await read()).status === 'refund_failed', STORY_TIMEOUT_MS / 2)
    const failed = await read()
    expect(failed.message).toContain('has no account for this token')
    expect(failed.refund_address).toMatchObject({ wanted: true, proposal: { status: 'not_sent' } })
    expect(await story.tokensOf(wallet, address(token().mint))).toEqual([])
    await mintTo(wallet, 1n)
    expect((await propose()).status).toBe(200)
    expect((await approve()).status).toBe(200)
    await until(async () => (await read()).status === 'refunded', STORY_TIMEOUT_MS / 2)
    expect(await story.tokensOf(wallet, address(token().mint))).toMatchObject([{ amount: 3_000_001n }])
  })
})
