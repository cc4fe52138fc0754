// Refunds in the dashboard, in a real Chromium on a real Solana runtime: created on a page, paid by the wallet of the business.
import { readFile } from 'node:fs/promises'
import { AccountRole, address, generateKeyPairSigner, type KeyPairSigner } from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { addressOfBytes } from '#core/chain/public-key.ts'
import { fundSol } from '#sandbox/chain/faucet.ts'
import { sendTransaction } from '#sandbox/chain/send-transaction.ts'
import { addWallets, expectAccessible, newWallet, takePicture } from '../support/browser.ts'
import {
  type DashboardStory,
  expectGood,
  follow,
  hasBrowser,
  press,
  type Role,
  shows,
  startDashboardStory,
  WITHOUT_BROWSER,
} from '../support/dashboard-story.ts'
import { type Json, STORY_TIMEOUT_MS } from '../support/running-service.ts'
import { subscribe } from '../support/subscribing.ts'
import { until } from '../support/until.ts'

vi.setConfig({ testTimeout: STORY_TIMEOUT_MS, hookTimeout: STORY_TIMEOUT_MS })

let world: DashboardStory
beforeAll(async () => {
  if (hasBrowser) world = await startDashboardStory()
})
afterAll(() => world?.stop())

type Shop = { readonly id: string; readonly key: string; readonly wallet: KeyPairSigner }

/** Opens a business whose payout wallet can pay. */
async function openShop(name: string): Promise<Shop> {
  const wallet = await generateKeyPairSigner()
  await fundSol(world.story.facts.rpc_url, wallet.address, 10_000_000_000n)
  return { ...(await world.openShop(name, wallet.address)), wallet }
}

async function call(key: string, path: string, body: object, headers: Record<string, string> = {}): Promise<Json> {
  const response = await fetch(world.story.facts.base_url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...headers },
    body: JSON.stringify(body),
  })
  const answer = await response.json()
  expect(response.status, JSON.stringify(answer)).toBeLessThan(300)
  return answer
}

/** Creates a payment in SOL that a buyer pays, and waits until it has settled. */
async function settled(key: string, cents: number, headers: Record<string, string> = {}): Promise<Json> {
  const terms = { amount_usd_cents: cents, accepted_tokens: [{ kind: 'sol' }], customer: { email: 'ada@example.com' } }
  const { id, derivation_index: index } = await call(key, '/intents', terms, headers)
  const query = 'mutation($index: Int!) { paid: simulateDeposit(index: $index, kind: exact) { signature } }'
  const { errors } = await call(key, '/graphql', { query, variables: { index } })
  expect(errors).toBeUndefined()
  const read = async () => (await world.story.rest('GET', `/payments/${id}`, { key })).body
  await until(async () => (await read()).status === 'swept', STORY_TIMEOUT_MS / 2)
  return await read()
}

const open = async (
  { id }: Pick<Shop, 'id'>,
  path: string,
  role: Role = 'finance',
  options: BrowserContextOptions = {},
) => {
  const page = await world.join(id, role, options)
  await page.goto(new URL(`/dashboard${path}`, world.story.facts.base_url).href)
  return page
}

const dialogOf = (page: Page) => page.getByRole('dialog')

async function createRefund(page: Page): Promise<void> {
  await press(page, 'Create the refund')
  await shows(page, 'Pay this refund')
}

/** Pays what the page asks for, or less, in the way that a wallet reads its link. */
async function pay(page: Page, wallet: KeyPairSigner, part = (amount: bigint): bigint => amount): Promise<void> {
  const uri = (await page.getByTitle('solana:').getAttribute('title')) ?? ''
  const [, recipient = '', query = ''] = /^solana:(\w+)\?(.*)$/.exec(uri) ?? []
  const asked = new URLSearchParams(query)
  const [whole = '0', fraction = ''] = (asked.get('amount') ?? '').split('.')
  const amount = part(BigInt(whole + fraction.padEnd(9, '0')))
  const transfer = getTransferSolInstruction({ source: wallet, destination: address(recipient), amount })
  const reference = { address: address(asked.get('reference') ?? ''), role: AccountRole.READONLY }
  await sendTransaction(world.story.facts.rpc_url, wallet, [
    { ...transfer, accounts: [...transfer.accounts, reference] },
  ])
}

/** Returns what the signed receipt says that the page gives as a file. */
async function receiptOn(page: Page): Promise<Json> {
  const [file] = await Promise.all([page.waitForEvent('download'), press(page, 'Signed receipt (file)')])
  expect(file.suggestedFilename()).toMatch(/^receipt-[0-9a-f-]{36}\.jws$/)
  const [, payload = ''] = (await readFile(await file.path(), 'utf8')).split('.')
  return JSON.parse(Buffer.from(payload, 'base64url').toString())
}

/** Moves the clock on until nothing can land any more that was signed in the time of the refund. */
async function untilEnded(key: string, payment: string): Promise<void> {
  await until(async () => {
    await world.operator('mutation { advanceClock(seconds: 900) { now } }', {})
    const { body } = await world.story.rest('GET', `/refunds?payment=${payment}`, { key })
    return body.refunds[0].ended_at !== null
  }, STORY_TIMEOUT_MS / 2)
}

const standing = (page: Page, status: string) => page.locator('.standing', { hasText: status }).waitFor()

describe.skipIf(!hasBrowser)(`refunds in the dashboard${WITHOUT_BROWSER}`, () => {
  it('give back a whole payment: created on its page, paid by a wallet, and seen there without a reload', async () => {
    const shop = await openShop('Whole Shop')
    const payment = await settled(shop.key, 2_500)
    const page = await open(shop, `/payments/${payment.id}`)
    await press(page, 'Refund')
    await expect.poll(() => dialogOf(page).innerText()).toContain('The wallet that paid:')
    await dialogOf(page).getByLabel('Reason').fill('The book came back')
    await expectGood(page, 'dashboard-refund-create')
    await createRefund(page)
    await expectGood(page, 'dashboard-refund-to-pay')
    expect(await page.getByRole('img', { name: 'QR code for your wallet' }).count()).toBe(1)
    await page.getByTitle(shop.wallet.address).first().waitFor()
    await page.evaluate('globalThis.isSamePage = true')
    await pay(page, shop.wallet)
    await standing(page, 'paid back')
    await shows(page, 'The money is in the wallet of the buyer.')
    expect(await page.getByText('Pay this refund').count()).toBe(0)
    await shows(page, 'The book came back')
    expect(await page.evaluate('globalThis.isSamePage')).toBe(true)
    expect(await receiptOn(page)).toMatchObject({ kind: 'refund', order: { payment_id: payment.id } })
    await expectGood(page, 'dashboard-refund-succeeded')
    await follow(page, 'See the payment')
    await page.getByRole('table', { name: 'Refunds' }).locator('.badge', { hasText: 'paid back' }).waitFor()
    await shows(page, 'Can still go back: 0 SOL')
    expect(await receiptOn(page)).toMatchObject({ kind: 'payment', id: payment.id })
    await page.locator('.timeline', { hasText: 'Refund created:' }).waitFor()
    await page.locator('.timeline > li', { hasText: /Refund of .*: paid back/ }).waitFor()
    expect(await page.getByRole('button', { name: 'Refund', exact: true }).count()).toBe(0)
    await expectGood(page, 'dashboard-payment-refunded')
  })

  it('give back a part, say which amount is wrong, and show what is missing when too little was paid', async () => {
    const shop = await openShop('Part Shop')
    const payment = await settled(shop.key, 2_500)
    const page = await open(shop, `/payments/${payment.id}`)
    await press(page, 'Refund')
    const dialog = dialogOf(page)
    await dialog.getByLabel('How much').selectOption('amount')
    await dialog.getByLabel('Amount in SOL').fill('999')
    await press(page, 'Create the refund')
    await dialog
      .locator('.field', { hasText: 'Amount in SOL' })
      .getByText('That is more than can still go back')
      .waitFor()
    await expectGood(page, 'dashboard-refund-too-large')
    await dialog.getByLabel('How much').selectOption('amountUsdCents')
    await dialog.getByLabel('Amount in US dollars').fill('26')
    await press(page, 'Create the refund')
    await dialog
      .locator('.field', { hasText: 'Amount in US dollars' })
      .getByText('That is more than can still go back')
      .waitFor()
    await dialog.getByLabel('Amount in US dollars').fill('10.00')
    await createRefund(page)
    await pay(page, shop.wallet, (amount) => amount / 4n)
    await standing(page, 'paid in part')
    await shows(page, 'The code asks for the rest.')
    expect(await page.getByRole('button', { name: 'Cancel the refund' }).count()).toBe(0)
    await expectGood(page, 'dashboard-refund-part-paid')
    await pay(page, shop.wallet)
    await standing(page, 'paid back')
    const { body } = await world.story.rest('GET', `/payments/${payment.id}`, { key: shop.key })
    const [refund] = body.business_refunds
    expect(refund.paid_amount).toBe(refund.amount)
    expect(Math.round((refund.amount / (refund.amount + body.refundable_amount)) * 100)).toBe(40)
  })

  it('are paid by a wallet of the browser with a click, where it offers the account that is to pay', async () => {
    const [own, other] = [await newWallet('sends'), await newWallet('sends')]
    const payer = addressOfBytes(Uint8Array.from(own.publicKey))
    await fundSol(world.story.facts.rpc_url, payer, 10_000_000_000n)
    const shop = await world.openShop('Click Shop', payer)
    const payment = await settled(shop.key, 2_500)
    const { id } = await call(shop.key, '/refunds', { payment: payment.id })
    const at = new URL(`/dashboard/payments/refunds/${id}`, world.story.facts.base_url).href
    const sent: string[] = []
    const send = async (transaction: string): Promise<string> => {
      sent.push(transaction)
      const params = [transaction, { encoding: 'base64' }]
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'sendTransaction', params })
      const headers = { 'content-type': 'application/json' }
      const answer: Json = await (await fetch(world.story.facts.rpc_url, { method: 'POST', headers, body })).json()
      expect(answer.error).toBeUndefined()
      return Buffer.from(transaction, 'base64').subarray(1, 65).toString('base64')
    }
    const openWith = async (wallet: typeof own): Promise<Page> => {
      const page = await world.join(shop.id, 'finance')
      await addWallets(page.context(), [wallet], send)
      await page.goto(at)
      await press(page, 'Pay with Wallet that sends')
      return page
    }
    await shows(await openWith(other), 'The wallet did not offer the account that is to pay.')
    expect(sent).toEqual([])
    const page = await openWith(own)
    await shows(page, 'The wallet has sent it.')
    await expectGood(page, 'dashboard-refund-by-wallet')
    await standing(page, 'paid back')
    expect(sent).toHaveLength(1)
  })

  it('go to another address when that is chosen, which must be a wallet', async () => {
    const shop = await openShop('Elsewhere Shop')
    const payment = await settled(shop.key, 1_500)
    const page = await open(shop, `/payments/${payment.id}`)
    await press(page, 'Refund')
    const dialog = dialogOf(page)
    await dialog.getByLabel('To whom').selectOption('other')
    await shows(page, 'An exchange may credit no one')
    await dialog.getByLabel('Address of the buyer').fill('nobody')
    await press(page, 'Create the refund')
    await dialog
      .locator('.field', { hasText: 'Address of the buyer' })
      .getByText('Enter the address of a Solana')
      .waitFor()
    const { address: buyer } = await generateKeyPairSigner()
    await dialog.getByLabel('Address of the buyer').fill(buyer)
    await createRefund(page)
    await page.getByTitle(buyer).first().waitFor()
  })

  it('say why a transaction did not count, and are canceled while nothing was paid', async () => {
    const shop = await openShop('Cancel Shop')
    const payment = await settled(shop.key, 1_500)
    const page = await open(shop, `/payments/${payment.id}`)
    await press(page, 'Refund')
    await createRefund(page)
    await pay(page, shop.wallet, () => 0n)
    await shows(page, 'A transaction did not count:')
    await expectGood(page, 'dashboard-refund-problem')
    await press(page, 'Cancel the refund')
    await dialogOf(page).getByRole('button', { name: 'Cancel the refund' }).click()
    await standing(page, 'canceled')
    await shows(page, 'Do not pay it any more')
    expect(await page.locator('.qr').count()).toBe(0)
    await follow(page, 'See the payment')
    await page.getByRole('table', { name: 'Refunds' }).locator('.badge', { hasText: 'canceled' }).waitFor()
    await untilEnded(shop.key, payment.id)
    await page.getByRole('button', { name: 'Refund', exact: true }).waitFor()
  })

  it('are listed by status, time and reference, and not offered to a role that may not', async () => {
    const shop = await openShop('List Shop')
    const payment = await settled(shop.key, 1_500)
    for (const reference of ['return-1', 'return-2'])
      await call(shop.key, '/refunds', { payment: payment.id, amount: 1_000_000, reference })
    const page = await open(shop, '/payments')
    await follow(page, 'Refunds')
    const rows = page.getByRole('table', { name: 'Refunds' }).locator('tbody tr')
    await expect.poll(() => rows.count()).toBe(2)
    await expectGood(page, 'dashboard-refunds')
    await page.getByRole('searchbox').fill('return-1')
    await page.getByRole('searchbox').press('Enter')
    await expect.poll(() => rows.count()).toBe(1)
    await page.getByLabel('Status').selectOption('succeeded')
    await shows(page, 'No refund matches.')
    await press(page, 'Clear the filters')
    await expect.poll(() => rows.count()).toBe(2)
    await page.clock.setFixedTime(new Date(Date.now() + 3 * 86_400_000))
    await page.getByLabel(/^Time/).selectOption('today')
    await shows(page, 'No refund matches.')
    await page.getByLabel(/^Time/).selectOption('days7')
    await expect.poll(() => rows.count()).toBe(2)
    await rows.first().getByRole('link').first().click()
    await shows(page, 'Pay this refund')
    for (const role of ['developer', 'viewer'] as const) {
      const other = await open(shop, `/payments/${payment.id}`, role)
      await other.getByRole('table', { name: 'Refunds' }).waitFor()
      expect(await other.getByRole('button', { name: 'Refund', exact: true }).count()).toBe(0)
      await other.getByRole('table', { name: 'Refunds' }).getByRole('link').first().click()
      await shows(other, 'Pay this refund')
      expect(await other.getByRole('button', { name: 'Cancel the refund' }).count()).toBe(0)
      await other.context().close()
    }
  })

  it('of a payment for a seller say who pays, and have a part of the marketplace when it gives its fee back', async () => {
    const shop = await openShop('Bazaar')
    await world.operator('mutation($id: UUID!) { m: approveMarketplace(accountId: $id) { accountId } }', {
      id: shop.id,
    })
    const { address: wallet } = await generateKeyPairSigner()
    const made = await call(shop.key, '/marketplace/sellers', {
      name: 'Potter',
      sweep_destination: wallet,
      marketplace_fee_bps: 1_000,
    })
    const seller = made.id ?? made.seller.id
    const payment = await settled(shop.key, 10_000, { 'x-platform-on-behalf-of': seller })
    const page = await open(shop, `/payments/${payment.id}`)
    await press(page, 'Refund')
    await shows(page, 'Next, the seller pays it')
    await page.getByLabel('The marketplace gives its fee back').check()
    await expectGood(page, 'dashboard-refund-marketplace')
    await createRefund(page)
    await page.getByRole('table', { name: 'The other part' }).getByText('part of the marketplace').waitFor()
    await expectGood(page, 'dashboard-refund-parts')
    await page.getByRole('table', { name: 'The other part' }).getByRole('link').first().click()
    await shows(page, 'Pay this refund')
  })

  it('give back a charge of a subscription to its subscriber', async () => {
    const shop = await openShop('Roastery')
    const product = await call(shop.key, '/subscription-products', { name: 'Coffee' })
    const tier = await call(shop.key, `/subscription-products/${product.id}/tiers`, {
      name: 'Monthly',
      price_usd_cents: 900,
      interval: 'month',
    })
    const asset = world.story.facts.tokens[0]?.mint
    const subscribed = await subscribe(world.story, {
      key: shop.key,
      tierId: tier.id,
      fund: (wallet) =>
        world.operator('mutation($input: FaucetInput!) { faucet(input: $input) { signature } }', {
          input: { network: 'live', address: wallet, asset, amount: '27000000' },
        }),
    })
    await until(async () => {
      const { body } = await world.story.rest('GET', `/subscriptions/${subscribed.id}`, { key: shop.key })
      return body.subscription.status === 'active'
    }, STORY_TIMEOUT_MS / 2)
    const page = await open(shop, `/subscriptions/${subscribed.id}`)
    expect(await receiptOn(page)).toMatchObject({ kind: 'charge', order: { subscription_id: subscribed.id } })
    await press(page, 'Refund')
    await dialogOf(page).getByLabel('How much').selectOption('amountUsdCents')
    await dialogOf(page).getByLabel('Amount in US dollars').fill('4')
    await createRefund(page)
    await page.getByTitle(subscribed.wallet.address).first().waitFor()
    await page.goto(new URL(`/dashboard/subscriptions/${subscribed.id}`, world.story.facts.base_url).href)
    await page.getByRole('link', { name: /^Refund of 4/ }).waitFor()
    await expectGood(page, 'dashboard-charge-refund')
  })

  it('fit a phone of 320 pixels in Arabic and in the dark', async () => {
    const shop = await openShop('متجر')
    const payment = await settled(shop.key, 2_500)
    const page = await open(shop, `/payments/${payment.id}`, 'owner', {
      colorScheme: 'dark',
      hasTouch: true,
      isMobile: true,
      viewport: { width: 320, height: 640 },
    })
    await press(page, 'Menu')
    await page.getByLabel('Language').selectOption('ar')
    await press(page, 'رد المبلغ')
    await page.getByRole('dialog').getByLabel('إلى من').selectOption('other')
    await expectAccessible(page)
    await takePicture(page, 'dashboard-refund-create-ar')
    await page.getByRole('dialog').getByLabel('إلى من').selectOption('sender')
    await press(page, 'إنشاء عملية الرد')
    const link = page.getByRole('link', { name: 'فتح في محفظة على هذا الجهاز' })
    await link.waitFor()
    // What a phone can do is before what another device does.
    const topOf = async (part: Locator) => (await part.boundingBox())?.y ?? 0
    expect(await topOf(link)).toBeLessThan(await topOf(page.locator('.qr')))
    await expectAccessible(page)
    await takePicture(page, 'dashboard-refund-to-pay-ar')
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
  })

  it('need an address where the wallet that paid belongs to an exchange, and say so', async () => {
    const shop = await openShop('Exchange Shop')
    const payment = await settled(shop.key, 1_500)
    const query = 'query($id: String!) { terms: refundTerms(paymentId: $id) { recipient } }'
    const { data } = await call(shop.key, '/graphql', { query, variables: { id: payment.id } })
    const page = await open(shop, `/payments/${payment.id}`)
    await press(page, 'Refund')
    await expect.poll(() => dialogOf(page).innerText()).toContain('The wallet that paid:')
    const custodian = { address: data.terms.recipient, label: 'Exchange' }
    const save =
      'mutation($all: [CustodianInput!]!) { saved: saveCustodians(network: live, custodians: $all) { address } }'
    await world.operator(save, { all: [custodian] })
    // It has become one while the form was open.
    await press(page, 'Create the refund')
    await shows(page, 'Ask the buyer for an address.')
    expect(await dialogOf(page).getByLabel('To whom').count()).toBe(0)
    await expectGood(page, 'dashboard-refund-unknown')
    const { address: buyer } = await generateKeyPairSigner()
    await dialogOf(page).getByLabel('Address of the buyer').fill(buyer)
    await createRefund(page)
    await page.getByTitle(buyer).first().waitFor()
    await world.operator(
      'mutation($address: SolanaAddress!) { removed: removeCustodian(network: live, address: $address) }',
      { address: custodian.address },
    )
  })
  it('that failed are named on the first page, and say what to do about the rest', async () => {
    const shop = await openShop('Late Shop')
    const payment = await settled(shop.key, 2_500)
    const page = await open(shop, `/payments/${payment.id}`)
    await press(page, 'Refund')
    await createRefund(page)
    await pay(page, shop.wallet, (amount) => amount / 2n)
    await standing(page, 'paid in part')
    await world.operator('mutation { advanceClock(seconds: 86400) { now } }', {})
    await untilEnded(shop.key, payment.id)
    await standing(page, 'too little paid')
    await shows(page, 'Create a refund for the rest.')
    await follow(page, 'Home')
    await shows(page, 'A refund of the last seven days failed')
    await expectGood(page, 'dashboard-refund-failed')
    await follow(page, 'Show them')
    await page.getByRole('table', { name: 'Refunds' }).locator('.badge', { hasText: 'too little paid' }).waitFor()
  })
})
