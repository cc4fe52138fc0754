// Every state that a page can show, in a real Chromium: axe reads each, on a phone and in the dark on a desktop. The service
// behind the pages is a stand-in; test/stories/pages.test.ts has the whole way on a real chain.
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { decodeQR } from 'qr/decode.js'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Brand, NO_BRAND } from '#core/accounts/brand.ts'
import type { Coupon } from '#core/billing/coupon.ts'
import { SUBSCRIPTION_STATUSES } from '#core/billing/subscription.ts'
import { makeAddress, makeSignature } from '#core/chain/base58.ts'
import { ServiceError } from '#core/errors.ts'
import { makeBasisPoints, makeLamports, makeUsdCents } from '#core/money/amounts.ts'
import { applyCustomerPatch, judgeCustomerPatch } from '#core/payments/customer-details.ts'
import type { OrderDetails } from '#core/payments/intent-values.ts'
import { type Deposit, INTENT_STATUSES, type PaymentIntent } from '#core/payments/payment-intent.ts'
import { LANGUAGES } from '#pay/texts/texts.ts'
import type { CheckoutView } from '#services/billing/checkout/checkout-services.ts'
import type { PortalView, TermOutcome } from '#services/billing/portal/portal-services.ts'
import type { Quote } from '#services/payments/intent-services.ts'
import { CHROMIUM, DESKTOP, expectAccessible, expectFits, openBrowser, PHONE, takePicture } from '../support/browser.ts'
import {
  exampleChange,
  exampleCharge,
  exampleCheckout,
  exampleCoupon,
  examplePortal,
  examplePortalServices,
  examplePreparedApprove,
  exampleProof,
  PORTAL_TOKEN,
} from '../support/example-billing.ts'
import { MERCHANT, SIGNATURE } from '../support/example-intent.ts'
import {
  choice,
  deposit,
  intentWith,
  OTHER_MINT,
  SOL_TOKEN,
  token,
  UNKNOWN_MINT,
  USDC,
  units,
} from '../support/payment.ts'
import { CLIENT_SECRET, startTestService, type TestService } from '../support/services.ts'

const hasBrowser = CHROMIUM !== null
const WITHOUT = hasBrowser ? '' : ' (skipped: no Chromium is installed; install the package chromium, or set CHROMIUM)'

const OWN_WALLET = makeAddress('7RXtDPWyeUhJpUg9Cnw1Nuhn1kRtWTLXQuZGAMk9wQCV')

let service: TestService
let browser: Browser
let page: Page
let payment: PaymentIntent
let deposits: readonly Deposit[] = []
let secondsLeft = 300
let brand: Brand = NO_BRAND
let checkout: CheckoutView
let portal: PortalView
/** What the portal answers to a change of the tier. */
let changeTier = (_tierId: string): Promise<TermOutcome> => Promise.resolve(exampleProof)
/** The assets that the operator took off the allowlist. */
let disallowed: readonly string[] = []
/** The stream of the payment. */
let followPayment = (signal: AbortSignal) => unchanged(payment, signal)
/** The name of each token that can be chosen; null gives them their own. */
let tokenName: string | null = null
/** What each asset costs now. */
let quotes: Quote['quotes'] = []
let unquoted: Quote['unquoted'] = []
/** How often the funds of a wallet were read. */
let fundsRead = 0
/** Whether the names of tokens cannot be read. */
let isAway = false
const isAllowed = ({ asset }: { asset: string }): boolean => !disallowed.includes(asset)

/** A token that is allowed, and that no payment here accepts. */
const OTHER = token({ asset: OTHER_MINT, mint: OTHER_MINT, ticker: 'OTH', decimals: 2 })

beforeAll(async () => {
  if (!hasBrowser) return
  service = await startTestService({
    live: { follow: (_id, signal) => followPayment(signal) },
    liveSubscriptions: {
      follow: (_id, signal) => unchanged(portal.subscription, signal),
      watch: (signal) => ({ include: () => false, changed: () => aborted(signal).then(() => false) }),
    },
    services: {
      intents: {
        checkoutStatus: async () => payment,
        deposits: async () => deposits,
        async updateDetails(_secret, patch) {
          const refusal = judgeCustomerPatch(patch)
          if (refusal !== null) throw new ServiceError(refusal)
          const customerDetails = applyCustomerPatch(payment.customerDetails, patch)
          payment = { ...payment, customerDetails, version: payment.version + 1 }
          return payment
        },
        quote: async () => ({ priceUsdCents: payment.priceUsdCents, expiresInSeconds: 300, quotes, unquoted }),
        async proposeRefundAddress(_secret, address) {
          if (address === payment.address) throw new ServiceError('invalid_address', { field: 'address' })
          payment = heldFor(proposalOf('proposed', { address }), payment.version + 1)
          return payment
        },
      },
      tokens: {
        allowed: async () =>
          [SOL_TOKEN, USDC].filter(isAllowed).map((token) => ({ ...token, name: tokenName ?? token.name })),
        async known() {
          if (isAway) throw new ServiceError('database_unavailable')
          return [SOL_TOKEN, USDC, OTHER]
        },
        tickerOf: async (_network, mint) =>
          [SOL_TOKEN, USDC, OTHER].find(({ asset }) => asset === mint)?.ticker ?? null,
      },
      walletPayments: {
        async walletFunds() {
          fundsRead += 1
          return [{ asset: 'SOL', amount: units(1_500_000_000n), cost: makeLamports(5_000n) }]
        },
      },
      accounts: { brandOf: async () => brand },
      images: { urlOf: (name) => name && `data:image/png;base64,${LOGO}` },
      catalogue: { mayEmbed: async (_business, origin) => origin === PARENT },
      billing: { now: () => new Date(payment.expiresAt.getTime() - secondsLeft * 1_000) },
      subscriptionCheckout: { readCheckout: async () => checkout, prepareCheckout: async () => examplePreparedApprove },
      subscriptionPortal: {
        ...examplePortalServices,
        readPortal: async () => portal,
        changeTierInPortal: async (_token, tierId) => await changeTier(tierId),
      },
    },
    settings: {
      pay: { publicUrl: 'http://127.0.0.1', payUrl: 'http://127.0.0.1/pay', isSandbox: false, chains: CHAINS },
    },
  })
  browser = await openBrowser()
  page = await (await browser.newContext({ viewport: PHONE })).newPage()
})
afterAll(async () => {
  await browser?.close()
  await service?.close()
})

/** A picture of one pixel. */
const LOGO = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII='
/** A page that may embed a payment. */
const PARENT = 'https://shop.example'

/** The transaction that returned money. */
const RETURN = makeSignature('4'.repeat(87))

const CHAINS = { live: 'solana:mainnet', test: 'solana:devnet' }

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve()))

/** What is followed stays as it is. */
async function* unchanged<T>(present: T, signal: AbortSignal): AsyncGenerator<T> {
  yield present
  await aborted(signal)
}

/** Opens a page in its state, and returns its text. */
async function open(path: string, picture: string): Promise<string> {
  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto(`${service.url}${path}`)
  await page.locator('h1').waitFor()
  await expectFits(page)
  await expectAccessible(page)
  await takePicture(page, picture)
  await page.setViewportSize(DESKTOP)
  await page.emulateMedia({ colorScheme: 'dark' })
  await expectAccessible(page)
  return (await page.locator('main').innerText()).replaceAll('\u00a0', ' ')
}

/** Opens a checkout in a language on a narrow phone, where it fits, and returns its text. */
async function openNarrow(picture: string, locale: string): Promise<string> {
  const context = await browser.newContext({ viewport: { width: 320, height: 640 }, locale })
  const narrow = await context.newPage()
  await narrow.goto(`${service.url}/pay/s/co_token`)
  await narrow.locator('h1').waitFor()
  await expectFits(narrow)
  await takePicture(narrow, picture)
  const text = await narrow.locator('main').innerText()
  await context.close()
  return text.replaceAll('\u00a0', ' ')
}

/** Returns the texts of the rows with this label. */
async function rows(label: string): Promise<readonly string[]> {
  const found = await page
    .locator('.row', { has: page.locator('dt', { hasText: label }) })
    .locator('dd')
    .allInnerTexts()
  return found.map((text) => text.replaceAll(/\s+/g, ' ').trim())
}

describe.skipIf(!hasBrowser)(`a payment${WITHOUT}`, () => {
  const SAYS: Readonly<Record<PaymentIntent['status'], string>> = {
    pending: 'Amount due',
    underpaid: 'Still to pay',
    paid: 'Payment received',
    overpaid: 'Payment received, and more than needed',
    settling: 'Payment received',
    swept: 'The payment is complete.',
    refunding: 'Your refund is on its way',
    refunded: 'Your money was sent to the wallet that paid, or to another address that was agreed.',
    cancelled: 'No payment arrived in time, or it was cancelled.',
    settle_failed: 'Payment received',
    refund_failed: 'Your money is safe: contact Corner Shop.',
  }

  it.each(INTENT_STATUSES)('that is %s says so, and what comes next', async (status) => {
    secondsLeft = 300
    payment = intentWith({
      status,
      payeeLabel: 'Corner Shop',
      acceptedAssets: ['SOL', USDC.asset],
      selection: choice('SOL', 25_000_000n),
      received: units(status === 'pending' ? 0n : status === 'underpaid' ? 10_000_000n : 25_000_000n),
      refunds: status === 'refunded' ? [{ mint: null, amount: units(25_000_000n), signatures: [SIGNATURE] }] : [],
    })
    const shown = await open(`/pay/i/${CLIENT_SECRET}`, `state-payment-${status}`)
    expect(shown).toContain(SAYS[status])
    expect(shown.includes('Cancel the payment')).toBe(status === 'pending' || status === 'underpaid')
    expect(await page.getByRole('link', { name: '555555…555555' }).count()).toBe(status === 'refunded' ? 1 : 0)
    expect(await rows('Sent out')).toEqual(status === 'refunded' ? ['0.025 SOL 555555…555555'] : [])
    const steps = status === 'swept' ? 3 : SAYS[status].startsWith('Payment received') ? 2 : 0
    expect(await page.locator('.steps .done').count()).toBe(steps)
  })

  it('that is being refunded shows the amount before there is a transaction', async () => {
    payment = intentWith({
      status: 'refunding',
      acceptedAssets: ['SOL'],
      selection: choice('SOL', 50_000_000n),
      received: units(25_000_000n),
      refunds: [{ mint: null, amount: units(24_995_000n), signatures: [] }],
    })
    await open(`/pay/i/${CLIENT_SECRET}`, 'state-payment-on-its-way-back')
    expect(await rows('On its way')).toEqual(['0.024995 SOL'])
    expect(await page.getByText('The network fee was taken out of the refund.').count()).toBe(1)
  })

  it('shows a fraction of a token with two digits or more', async () => {
    secondsLeft = 300
    payment = intentWith({ acceptedAssets: ['SOL', USDC.asset], selection: choice(USDC.asset, 1_500_000n) })
    await page.goto(`${service.url}/pay/i/${CLIENT_SECRET}`)
    expect(await rows('Amount due')).toEqual(['1.50 USDC'])
  })

  it('that is settled shows the excess that went back apart from the settlement', async () => {
    const leg = {
      destination: MERCHANT,
      mint: null,
      asset: 'SOL',
      decimals: 9,
      feeBps: null,
      signature: SIGNATURE,
    }
    payment = intentWith({
      status: 'swept',
      acceptedAssets: ['SOL'],
      selection: choice('SOL', 25_000_000n),
      received: units(32_000_000n),
      settlement: {
        asset: 'SOL',
        decimals: 9,
        destinationAmount: units(25_000_000n),
        platformFeeAmount: units(0n),
        pendingAmount: units(0n),
        signatures: [SIGNATURE],
        legs: [
          { ...leg, role: 'merchant', amount: units(25_000_000n) },
          { ...leg, role: 'refund', amount: units(7_000_000n) },
        ],
      },
    })
    deposits = [deposit(1, 32_000_000n, { signature: RETURN })]
    await open(`/pay/i/${CLIENT_SECRET}`, 'state-payment-excess-returned')
    deposits = []
    expect(await page.getByRole('group', { name: /^0\.032.SOL on / }).innerText()).toContain('444444…444444')
    expect(await rows('Transaction')).toEqual([])
    expect(await rows('Sent out')).toEqual(['0.007 SOL 555555…555555'])
  })

  it('whose time is over offers no way to pay', async () => {
    payment = intentWith({ status: 'pending', selection: choice('SOL', 25_000_000n), acceptedAssets: ['SOL'] })
    secondsLeft = 0
    const shown = await open(`/pay/i/${CLIENT_SECRET}`, 'state-payment-over')
    expect(shown).toContain('Do not send anything now.')
    expect(await page.getByRole('img').count()).toBe(0)
  })

  const [MOVING, RETURNED] = [
    { amount: units(6_995_000n), signatures: [] },
    { amount: units(6_995_000n), signatures: [RETURN] },
  ]
  const heldSol = { mint: null, reason: 'The sender is not known for certain.' }
  it.each([
    ['pending', null, 'It goes back to the wallet that paid where that is possible.', []],
    ['settling', MOVING, 'It is on its way.', ['0.006995 SOL']],
    [
      'refunded',
      RETURNED,
      'It was sent to the wallet that paid, or to another address that was agreed.',
      ['0.006995 SOL 444444…444444'],
    ],
    ['held', null, 'It is safe: contact Corner Shop.', []],
    ['failed', null, 'It is safe: contact Corner Shop.', []],
  ] as const)(
    'that gets money late, which is %s, says so, and shows its transaction and its refund',
    async (...one) => {
      const [status, refund, text, sentOut] = one
      const late = { mint: null, amount: units(7_000_000n), status, signature: SIGNATURE, count: 1, refund }
      const isHeld = status === 'held' || status === 'failed'
      payment = intentWith({
        status: 'cancelled',
        payeeLabel: 'Corner Shop',
        acceptedAssets: ['SOL'],
        latePayments: [late],
        held: isHeld ? [{ ...heldSol, amount: late.amount }] : [],
      })
      const shown = await open(`/pay/i/${CLIENT_SECRET}`, `state-payment-late-${status}`)
      expect(shown).toContain(`0.007 SOL arrived too late. `)
      expect(shown).toContain(text)
      expect(await rows('Transaction')).toEqual(['555555…555555'])
      expect([...(await rows('On its way')), ...(await rows('Sent out'))]).toEqual(sentOut)
    },
  )

  it('that gets late SOL which left as a network fee says that it was too little to send back', async () => {
    const late = { mint: null, amount: units(500_000n), signature: SIGNATURE, count: 1 }
    const latePayments = [{ ...late, status: 'failed', refund: null } as const]
    payment = intentWith({ status: 'refunded', payeeLabel: 'Corner Shop', acceptedAssets: ['SOL'], latePayments })
    const shown = await open(`/pay/i/${CLIENT_SECRET}`, 'state-payment-late-fee')
    expect(shown).toContain('0.0005 SOL arrived too late. It was too little to send back.')
    expect(shown).not.toContain('It is safe')
  })

  it('that gets late SOL does not say that it was too little while `held` is not shown in full', async () => {
    const late = { mint: null, amount: units(500_000n), signature: SIGNATURE, count: 1 }
    const latePayments = [{ ...late, status: 'failed', refund: null } as const]
    const listTotals = { latePayments: null, tokenRefunds: null, held: { count: 21, totals: [] } }
    payment = intentWith({ status: 'refunded', acceptedAssets: ['SOL'], latePayments, listTotals })
    expect(await open(`/pay/i/${CLIENT_SECRET}`, 'state-payment-late-cut')).not.toContain('too little')
  })

  it('that refunds late money shows that refund once', async () => {
    const late = { mint: null, amount: units(7_000_000n), status: 'refunded', signature: SIGNATURE, count: 1 } as const
    const refund = { amount: units(6_995_000n), signatures: [RETURN] }
    payment = intentWith({
      status: 'refunded',
      acceptedAssets: ['SOL'],
      refunds: [{ mint: null, ...refund }],
      latePayments: [{ ...late, refund }],
    })
    await open(`/pay/i/${CLIENT_SECRET}`, 'state-payment-late-once')
    expect(await rows('Sent out')).toEqual(['0.006995 SOL 444444…444444'])
  })

  it('that is settled and refunds late money shows that refund next to the refund of an excess', async () => {
    const late = { mint: null, amount: units(7_000_000n), status: 'refunded', signature: SIGNATURE, count: 1 } as const
    const refund = { amount: units(6_995_000n), signatures: [RETURN] }
    payment = intentWith({
      status: 'swept',
      acceptedAssets: ['SOL'],
      selection: choice('SOL', 25_000_000n),
      received: units(30_000_000n),
      refunds: [{ mint: null, amount: units(4_995_000n), signatures: [SIGNATURE] }],
      latePayments: [{ ...late, refund }],
    })
    await open(`/pay/i/${CLIENT_SECRET}`, 'state-payment-late-next-to-excess')
    expect(await rows('Sent out')).toEqual(['0.004995 SOL 555555…555555', '0.006995 SOL 444444…444444'])
  })

  const lateSol = { mint: null, status: 'held', signature: SIGNATURE, count: 1 } as const
  it.each([
    ['another lamport', 5_000_000_001n, '5.000000001 SOL', { amount: units(1n), refund: null }],
    [
      'the rest of a late payment',
      6_000_000_000n,
      '6 SOL',
      { amount: units(7_000_000_000n), refund: { amount: units(6_000_000_000n), signatures: [RETURN] } },
    ],
  ] as const)('whose excess is held together with %s shows what is held', async (...one) => {
    const [, amount, figure, late] = one
    payment = intentWith({
      status: 'swept',
      payeeLabel: 'Corner Shop',
      acceptedAssets: ['SOL'],
      selection: choice('SOL', 25_000_000n),
      received: units(5_025_000_000n),
      latePayments: [{ ...lateSol, ...late }],
      held: [{ ...heldSol, amount: units(amount) }],
    })
    const shown = await open(`/pay/i/${CLIENT_SECRET}`, 'state-payment-excess-held')
    expect(shown).toContain(`${figure} could not be sent on automatically. It is safe: contact Corner Shop.`)
    expect(shown).toContain('arrived too late. It could not be sent back automatically.')
  })

  it('that holds late money of several senders shows it once', async () => {
    payment = intentWith({
      status: 'cancelled',
      payeeLabel: 'Corner Shop',
      acceptedAssets: ['SOL'],
      latePayments: [
        { ...lateSol, amount: units(7_000_000n), refund: null },
        { ...lateSol, amount: units(8_000_000n), refund: { amount: units(7_995_000n), signatures: [] } },
      ],
      held: [{ ...heldSol, amount: units(15_000_000n) }],
    })
    const shown = await open(`/pay/i/${CLIENT_SECRET}`, 'state-payment-late-held-once')
    expect(shown).not.toContain('Some money is on hold')
    expect(shown.match(/contact Corner Shop/g)).toHaveLength(2)
  })
})

type Proposal = NonNullable<NonNullable<PaymentIntent['refundAddress']>['proposal']>

const proposalOf = (status: Proposal['status'], patch: Partial<Proposal> = {}): Proposal => ({
  address: OWN_WALLET,
  status,
  reason: null,
  number: 1,
  proposedAt: new Date('2026-11-20T12:15:00Z'),
  decidedAt: status === 'proposed' ? null : new Date('2026-11-20T13:02:00Z'),
  ...patch,
})

/** A payment whose money cannot go back by itself. */
const heldFor = (proposal: Proposal | null, version = 1, isWanted = true): PaymentIntent =>
  intentWith({
    status: 'refund_failed',
    payeeLabel: 'Corner Shop',
    acceptedAssets: ['SOL'],
    selection: choice('SOL', 25_000_000n),
    received: units(10_000_000n),
    held: [{ mint: null, amount: units(10_000_000n), reason: 'The sender is not known for certain.' }],
    refundAddress: { isWanted, proposal },
    version,
  })

describe.skipIf(!hasBrowser)(`an address for held money${WITHOUT}`, () => {
  const enter = async (address: string): Promise<void> => {
    await page.getByLabel('Your address').last().fill(address)
    await page.getByRole('button', { name: 'Ask Corner Shop to send it here' }).click()
  }

  it('is asked for, with a warning about exchanges, and waits for the business', async () => {
    payment = heldFor(null)
    const shown = await open(`/pay/i/${CLIENT_SECRET}`, 'state-payment-address')
    expect(shown).toContain('We cannot send this back by itself.')
    expect(shown).toContain('Do not enter an address of an exchange')
    await takePicture(page, 'state-payment-address-dark')
    for (const address of ['', 'my wallet', payment.address]) {
      await enter(address)
      await page.getByText('This address cannot receive the money.').waitFor()
    }
    await expectAccessible(page)
    await enter(` ${OWN_WALLET} `)
    await page.getByText('Your address is being checked').first().waitFor()
    expect(await page.locator('code').allInnerTexts()).toEqual([OWN_WALLET])
    expect(await page.getByLabel('Your address').last().isVisible()).toBe(false)
    await page.getByText('Enter another address').click()
    await enter(MERCHANT)
    await expect.poll(() => page.locator('code').allInnerTexts()).toEqual([MERCHANT])
  })

  it.each([
    ['proposed', {}, true, 'decides whether the money goes to this address'],
    ['approved', {}, false, 'lets the money go to this address'],
    ['approved', {}, true, 'lets the money go to this address'],
    ['not_sent', {}, true, 'The money could not be sent there'],
    ['declined', { reason: 'You did not answer our email.' }, true, 'You did not answer our email.'],
  ] as const)('that is %s %j, with money for the buyer: %s', async (status, patch, isWanted, text) => {
    payment = heldFor(proposalOf(status, patch), 1, isWanted)
    const shown = await open(`/pay/i/${CLIENT_SECRET}`, `state-payment-address-${status}-${isWanted}`)
    expect(shown).toContain(text)
    expect(shown).toContain(OWN_WALLET)
    const isAsked = await page.getByRole('heading', { name: 'Enter an address of yours' }).isVisible()
    expect(isAsked).toBe(isWanted && status !== 'proposed')
  })

  it('that was closed is not shown, and nothing is asked for where nothing is wanted', async () => {
    payment = heldFor(proposalOf('closed'), 1, false)
    const shown = await open(`/pay/i/${CLIENT_SECRET}`, 'state-payment-address-closed')
    expect(shown).not.toContain(OWN_WALLET)
    expect(shown).not.toContain('Enter an address of yours')
  })

  it.each(LANGUAGES)('fits in the language %s', async (locale) => {
    payment = heldFor(proposalOf('declined', { reason: 'You did not answer our email.' }))
    const own = await (await browser.newContext({ viewport: PHONE, locale })).newPage()
    await own.goto(`${service.url}/pay/i/${CLIENT_SECRET}`)
    await own.locator('input[name=address]').waitFor()
    await expectFits(own)
    await expectAccessible(own)
    await takePicture(own, `state-payment-address-${locale}`)
    await own.context().close()
  })
})

describe.skipIf(!hasBrowser)(`a part that the business settles${WITHOUT}`, () => {
  it.each([
    ['settling', 'It is being settled.'],
    ['settle_failed', 'It is being settled.'],
    ['swept', 'It was settled.'],
  ] as const)('of a payment that is %s is shown as a part, with what is missing', async (status, text) => {
    payment = intentWith({ status, selection: choice('SOL', 25_000_000n), received: units(10_000_000n) })
    const shown = await open(`/pay/i/${CLIENT_SECRET}`, `state-payment-part-${status}`)
    expect(shown).toContain('A part was received')
    expect(shown).toContain(`${text} Do not send the rest now; ask Corner Shop what happens next.`)
    expect(shown).not.toContain('complete')
    expect(await rows('Received')).toEqual(['0.01 SOL'])
    expect(await rows('Missing')).toEqual(['0.015 SOL'])
  })
})

describe.skipIf(!hasBrowser)(`a payment that is short by what the business tolerates${WITHOUT}`, () => {
  it.each(['settling', 'swept'] as const)('and %s is shown as paid', async (status) => {
    const underpaymentToleranceBps = makeBasisPoints(500)
    const received = units(24_000_000n)
    payment = intentWith({ status, selection: choice('SOL', 25_000_000n), received, underpaymentToleranceBps })
    const shown = await open(`/pay/i/${CLIENT_SECRET}`, `state-payment-tolerated-${status}`)
    expect(shown).not.toContain('A part was received')
    expect(await rows('Received')).toEqual(['0.024 SOL'])
    expect(await rows('Missing')).toEqual([])
  })
})

describe.skipIf(!hasBrowser)(`money that does not count for a payment${WITHOUT}`, () => {
  const inSol = { acceptedAssets: ['SOL'], selection: choice('SOL', 25_000_000n) } as const
  const wrong = { mint: OTHER_MINT, amount: units(700n), status: 'pending', refund: null } as const
  const [MOVING, RETURNED] = [
    { amount: units(699n), signatures: [] },
    { amount: units(699n), signatures: [RETURN] },
  ]

  it.each([
    ['pending', null, 'It goes back to the wallet that paid where that is possible.', []],
    ['settling', MOVING, 'It is on its way.', ['6.99 OTH']],
    [
      'refunded',
      RETURNED,
      'It was sent to the wallet that paid, or to another address that was agreed.',
      ['6.99 OTH 444444…444444'],
    ],
    ['failed', null, 'It is safe: contact Corner Shop.', []],
  ] as const)('because it is another token, and is %s, is shown next to what is due', async (...one) => {
    const [status, refund, text, sentOut] = one
    secondsLeft = 300
    const held =
      status === 'failed' ? [{ mint: OTHER_MINT, amount: wrong.amount, reason: 'Its sender is not known.' }] : []
    payment = intentWith({ ...inSol, tokenRefunds: [{ ...wrong, status, refund }], held })
    const shown = await open(`/pay/i/${CLIENT_SECRET}`, `state-payment-wrong-${status}`)
    expect(shown).toContain('7 OTH arrived, but does not count for this payment. ')
    expect(shown).toContain(text)
    expect(await rows('Amount due')).toEqual(['0.025 SOL'])
    expect([...(await rows('On its way')), ...(await rows('Sent out'))]).toEqual(sentOut)
  })

  it.each([
    ['before a selection', { status: 'pending', selection: null }, 300],
    ['after the time', { status: 'pending' }, 0],
    ['after the end', { status: 'swept', received: units(25_000_000n) }, 0],
  ] as const)('is shown %s', async (_, patch, seconds) => {
    secondsLeft = seconds
    payment = intentWith({ ...inSol, tokenRefunds: [wrong], ...patch })
    expect(await open(`/pay/i/${CLIENT_SECRET}`, 'state-payment-wrong')).toContain('7 OTH arrived')
  })

  it('because it is SOL is shown as SOL, which no payment here accepts', async () => {
    secondsLeft = 300
    const tokenRefunds = [{ ...wrong, mint: SOL_TOKEN.mint, amount: units(7_000_000n) }]
    const late = { mint: null, status: 'pending', signature: SIGNATURE, count: 1, refund: null } as const
    const latePayments = [{ ...late, amount: units(8_000_000n) }]
    payment = intentWith({ status: 'cancelled', acceptedAssets: [USDC.asset], tokenRefunds, latePayments })
    const shown = await open(`/pay/i/${CLIENT_SECRET}`, 'state-payment-wrong-sol')
    expect(shown).toContain('0.007 SOL arrived, but')
    expect(shown).toContain('0.008 SOL arrived too late.')
  })

  it('because it is SOL which left as a network fee was too little to send back', async () => {
    const tokenRefunds = [{ ...wrong, mint: SOL_TOKEN.mint, amount: units(500_000n), status: 'failed' as const }]
    payment = intentWith({ status: 'cancelled', acceptedAssets: [USDC.asset], tokenRefunds })
    const shown = await open(`/pay/i/${CLIENT_SECRET}`, 'state-payment-wrong-fee')
    expect(shown).toContain('0.0005 SOL arrived, but does not count for this payment. It was too little to send back.')
    expect(shown).not.toContain('It is safe')
  })

  it('because it is held asks to contact the business, once', async () => {
    const held = [
      { mint: OTHER_MINT, amount: units(700n), reason: 'The sender is not known for certain.' },
      { mint: null, amount: units(5_000_000n), reason: 'It lies in another account.' },
    ]
    payment = intentWith({ ...inSol, tokenRefunds: [{ ...wrong, status: 'failed' }], held })
    const shown = await open(`/pay/i/${CLIENT_SECRET}`, 'state-payment-held')
    expect(shown).toContain('0.005 SOL could not be sent on automatically. It is safe: contact Corner Shop.')
    expect(shown.match(/7 OTH/g)).toHaveLength(1)
  })

  it('has no figure when its decimals are not known', async () => {
    payment = intentWith({ ...inSol, tokenRefunds: [{ ...wrong, mint: UNKNOWN_MINT, refund: MOVING }] })
    const shown = await open(`/pay/i/${CLIENT_SECRET}`, 'state-payment-wrong-unknown')
    expect(shown).toContain('An amount arrived, but does not count for this payment.')
    expect(await rows('On its way')).toEqual(['An amount'])
  })
})

describe.skipIf(!hasBrowser)(`an asset in which the price cannot be paid${WITHOUT}`, () => {
  it.each([
    ['amount_too_small', 'Amount too small for SOL'],
    ['price_feed_unreachable', 'Not available right now'],
  ] as const)('because of %s says so, next to one that can be chosen', async (code, text) => {
    secondsLeft = 300
    quotes = [{ asset: USDC.asset, symbol: 'USDC', decimals: 6, expected: units(10_000n) }]
    unquoted = [{ asset: 'SOL', code }]
    payment = intentWith({ acceptedAssets: ['SOL', USDC.asset] })
    const shown = await open(`/pay/i/${CLIENT_SECRET}`, 'state-payment-unquoted')
    expect(shown).toContain('0.01 USDC')
    expect(shown).toContain(text)
    expect(await page.locator('.asset:disabled .name').allInnerTexts()).toEqual(['Solana'])
    quotes = []
    unquoted = []
  })
})

describe.skipIf(!hasBrowser)(`a payment by hand${WITHOUT}`, () => {
  const copied = async (label: string): Promise<string> => {
    await page.getByRole('group', { name: label, exact: true }).getByRole('button', { name: 'Copy' }).click()
    await page.getByRole('group', { name: label, exact: true }).getByText('Copied').waitFor()
    return String(await page.evaluate('navigator.clipboard.readText()'))
  }

  it('copies the exact amount, the address and the mint, with the warning in sight before', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    secondsLeft = 300
    payment = intentWith({ acceptedAssets: [USDC.asset], selection: choice(USDC.asset, 1_234_500_000n) })
    await page.goto(`${service.url}/pay/i/${CLIENT_SECRET}`)
    expect(await page.getByText('Do not send from an exchange').isVisible()).toBe(true)
    await page.getByText('Or send it manually').click()
    await expectFits(page)
    await expectAccessible(page)
    await takePicture(page, 'state-payment-by-hand')
    const all = [await copied('Amount'), await copied('Address'), await copied('Mint address of USDC')]
    expect(all).toEqual(['1234.5', payment.address, USDC.asset])
    expect(await page.locator('main').innerText()).not.toContain('goes back to the wallet')
  })

  it('of SOL has no mint, and keeps the zeros of a whole amount', async () => {
    payment = intentWith({ acceptedAssets: ['SOL'], selection: choice('SOL', 20_000_000_000n) })
    await page.goto(`${service.url}/pay/i/${CLIENT_SECRET}`)
    await page.getByText('Or send it manually').click()
    expect(await page.getByRole('group').getByRole('code').allInnerTexts()).toEqual(['20', payment.address])
  })
})

describe.skipIf(!hasBrowser)(`the details of a buyer${WITHOUT}`, () => {
  const ask = async (details: string, patch: Partial<PaymentIntent> = {}): Promise<void> => {
    secondsLeft = 300
    payment = intentWith({ acceptedAssets: ['SOL'], ...patch })
    await page.goto(`${service.url}/pay/i/${CLIENT_SECRET}?details=${details}`)
  }
  const save = () => page.getByRole('button', { name: 'Save' }).click()
  const taken = async () => {
    await page.getByText('Your details').waitFor({ state: 'detached' })
    return payment.customerDetails
  }

  it('are asked before the payment, and a mistake is shown once, at its field', async () => {
    await ask('name,email', { selection: choice('SOL', 25_000_000n) })
    const heights = async (...selectors: string[]) =>
      await Promise.all(selectors.map(async (one) => (await page.locator(one).boundingBox())?.y ?? 0))
    const [form = 0, code = 0] = await heights('form', '.qr')
    expect(form).toBeLessThan(code)
    await page.getByLabel('First name').fill('Ada')
    await page.getByLabel('Email').fill('ada@example')
    await save()
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('alert').allInnerTexts()).toEqual([
      'Enter a valid email address, such as name@example.com.',
    ])
    const email = page.getByLabel('Email')
    expect(await email.getAttribute('aria-invalid')).toBe('true')
    expect(await email.getAttribute('aria-describedby')).toBe(await page.getByRole('alert').getAttribute('id'))
    await page.waitForFunction('document.activeElement.name === "email"')
    await expectAccessible(page)
    await takePicture(page, 'state-payment-details-fault')
  })

  it.each([
    ['a space of autofill', ' ada@example.com '],
    ['an invisible character', '\u200bada@exa\u2060mple.com\ufeff'],
  ])('are taken with %s next to or inside an email address', async (_what, email) => {
    await ask('email')
    await page.getByLabel('Email').fill(email)
    await save()
    expect(await taken()).toEqual({ email: 'ada@example.com' })
  })

  it('are complete with one name, and not with an invisible one', async () => {
    await ask('name')
    await page.getByLabel('First name').fill(' \u200b ')
    await save()
    expect(await page.getByRole('alert').innerText()).toBe('Enter your name.')
    await page.getByLabel('First name').fill('Suharto ')
    await save()
    expect(await taken()).toEqual({ first_name: 'Suharto' })
  })
})

describe.skipIf(!hasBrowser)(`the stream of a payment${WITHOUT}`, () => {
  async function* refused(code: 'rate_limited' | 'database_unavailable'): AsyncGenerator<PaymentIntent> {
    yield* []
    throw new ServiceError(code, { retry_after_seconds: 1 })
  }
  async function* withoutNames(signal: AbortSignal): AsyncGenerator<PaymentIntent> {
    isAway = true
    yield* unchanged(intentWith({ status: 'pending' }), signal)
  }

  it.each([
    ['ends because of a limit', () => refused('rate_limited')],
    ['ends in an outage', () => refused('database_unavailable')],
    ['has a state that cannot be shown', withoutNames],
  ])('that %s is opened again, and shows the payment as it is by then', async (_case, first) => {
    secondsLeft = 300
    payment = intentWith({ status: 'pending', acceptedAssets: ['SOL'], selection: choice('SOL', 25_000_000n) })
    const ever = followPayment
    followPayment = (signal) => {
      payment = { ...payment, version: payment.version + 1, status: 'paid', received: units(25_000_000n) }
      followPayment = (again) => {
        isAway = false
        return ever(again)
      }
      return first(signal)
    }
    await page.goto(`${service.url}/pay/i/${CLIENT_SECRET}`)
    await page.getByText('Payment received').last().waitFor()
    await page.getByText('The connection is lost').waitFor({ state: 'hidden' })
  })
})

describe.skipIf(!hasBrowser)(`a token that is no longer allowed${WITHOUT}`, () => {
  const inUsdc = { acceptedAssets: ['SOL', USDC.asset], selection: choice(USDC.asset, 25_000_000n) } as const
  beforeAll(() => {
    secondsLeft = 300
    disallowed = [USDC.asset]
  })
  afterAll(() => {
    disallowed = []
  })

  it('can still be paid where it was selected, and another asset can be chosen instead', async () => {
    payment = intentWith(inUsdc)
    await open(`/pay/i/${CLIENT_SECRET}`, 'state-payment-disallowed')
    expect(await rows('Amount due')).toEqual(['25 USDC'])
    expect(await page.getByRole('img', { name: '25 USDC' }).count()).toBe(1)
    await page.getByRole('button', { name: 'Choose something else' }).click()
    expect(await page.locator('.asset .name').allInnerTexts()).toEqual(['Solana'])
  })

  it('keeps its amounts after the end', async () => {
    const refunds = [{ mint: USDC.mint, amount: units(25_000_000n), signatures: [RETURN] }]
    payment = intentWith({ ...inUsdc, status: 'refunded', received: units(25_000_000n), refunds })
    await open(`/pay/i/${CLIENT_SECRET}`, 'state-payment-disallowed-refunded')
    expect(await rows('Received')).toEqual(['25 USDC'])
    expect(await rows('Sent out')).toEqual(['25 USDC 444444…444444'])
  })

  it('leaves nothing to choose where no other asset is accepted', async () => {
    payment = intentWith({ acceptedAssets: [USDC.asset] })
    const shown = await open(`/pay/i/${CLIENT_SECRET}`, 'state-payment-nothing-accepted')
    expect(shown).toContain('Ask Corner Shop for a new link.')
    expect(await page.locator('.asset').count()).toBe(0)
  })
})

/** Returns what a camera reads from a QR code on the screen. */
async function scanned(code: Locator): Promise<string> {
  const { data, info } = await sharp(await code.screenshot())
    .raw()
    .toBuffer({ resolveWithObject: true })
  return decodeQR({ width: info.width, height: info.height, data }, { timeLimit: 5_000 })
}

describe.skipIf(!hasBrowser)(`the QR code of a payment${WITHOUT}`, () => {
  it.each([
    ['plain', 'Corner Shop'],
    ['emoji', '\u{1f6d2}'.repeat(190)],
    ['japanese', '\u682a\u5f0f\u4f1a\u793e\u6771\u4eac\u9752\u679c\u5e02\u5834'.repeat(6)],
    ['japanese-long', '\u682a\u5f0f\u4f1a\u793e\u6771\u4eac\u9752\u679c\u5e02\u5834'.repeat(20)],
    ['arabic', '\u0645\u062a\u062c\u0631 \u0627\u0644\u0632\u0627\u0648\u064a\u0629 '.repeat(14)],
  ])(
    'of a business with the label %s can be scanned from the screen, with modules of 4 pixels',
    async (name, label) => {
      secondsLeft = 300
      const asset = USDC.asset
      payment = intentWith({ payeeLabel: label, acceptedAssets: [asset], selection: choice(asset, 1_234_567_891n) })
      const status = await service.get(`/intents/status?client_secret=${CLIENT_SECRET}`)
      await open(`/pay/i/${CLIENT_SECRET}`, `state-payment-label-${name}`)
      for (const viewport of [PHONE, DESKTOP]) {
        await page.setViewportSize(viewport)
        const code = page.locator('.qr')
        const { width = 0 } = (await code.boundingBox()) ?? {}
        const modules = Number((await code.getAttribute('viewBox'))?.split(' ')[2])
        expect(width / modules).toBe(4)
        expect(await scanned(code)).toBe(status.body.payment_uri)
      }
    },
  )
})

describe.skipIf(!hasBrowser)(`a text of a shop${WITHOUT}`, () => {
  it.each([
    ['joined emoji', '\u{1f469}\u200d\u{1f469}\u200d\u{1f467}'.repeat(100)],
    ['one long word', 'W'.repeat(500)],
    ['one letter with many marks', `a${'\u0301\u0489'.repeat(200)}`],
    ['Hebrew with marks of direction', '\u05db\u05d4\u05df\u200f (VIP)\u200e '.repeat(30)],
    ['words of a template', '{merchant} $& </script><!-- {amount}'],
    ['invisible characters', '\u200b\ufeff\u00ad\u2060.'],
    ['very wide characters', '\ufdfd\u{12031}'.repeat(100)],
    ['characters that are removed', '\u202e\u2067\ud800\0'],
  ])('of %s breaks no page and is no wider than a page', async (_what, text) => {
    const failures: string[] = []
    const keep = (error: Error) => failures.push(error.message)
    page.on('pageerror', keep)
    secondsLeft = 300
    tokenName = text
    const texts = { name: text, description: text }
    const [product, tier] = [
      { ...exampleCheckout.product, ...texts },
      { ...exampleCheckout.tier, ...texts },
    ]
    const billed = { merchantName: text, product, tier }
    const accepted = { payeeLabel: text, acceptedAssets: ['SOL', USDC.asset] as const }
    const shows = async (path: string) => {
      await page.setViewportSize(PHONE)
      const answer = await page.goto(`${service.url}${path}`)
      expect(answer?.status()).toBe(200)
      await page.locator('h1').waitFor()
      for (const viewport of [PHONE, DESKTOP]) {
        await page.setViewportSize(viewport)
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      }
    }
    for (const patch of [{}, { selection: choice(USDC.asset, 1n) }, { status: 'refund_failed' }] as const) {
      payment = intentWith({ ...accepted, ...patch })
      await shows(`/pay/i/${CLIENT_SECRET}?details=name,email`)
    }
    for (const patch of [{}, { status: 'expired' }] as const) {
      checkout = { ...exampleCheckout, ...billed, ...patch }
      await shows('/pay/s/co_token')
    }
    portal = { ...examplePortal, ...billed, options: [tier], charges: [{ ...exampleCharge, status: 'succeeded' }] }
    await shows(`/pay/m/${PORTAL_TOKEN}`)
    await page.locator('summary').click()
    tokenName = null
    page.off('pageerror', keep)
    expect(failures).toEqual([])
  })
})

/** Opens a page with a wallet that gives its account and has these features. It never answers. */
async function openWithWallet(name: string, features: readonly string[]): Promise<Page> {
  const page = await (await browser.newContext({ viewport: PHONE })).newPage()
  await addWallet(page, name, features)
  return page
}

/** Gives the pages that are opened next a wallet; `connect` is the source of its answer. */
async function addWallet(
  page: Page,
  name: string,
  features: readonly string[],
  connect = 'async () => ({ accounts: [account] })',
): Promise<void> {
  const account = { address: MERCHANT, publicKey: [], chains: [CHAINS.live], features: [] }
  const wallet = {
    version: '1.0.0',
    name,
    chains: [CHAINS.live],
    accounts: [],
    icon: 'data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=',
    features: Object.fromEntries(features.map((feature) => [feature, {}])),
  }
  await page.addInitScript(`window.addEventListener('wallet-standard:app-ready', ({ detail }) => {
    const wallet = ${JSON.stringify(wallet)}
    const account = ${JSON.stringify(account)}
    const connect = ${connect}
    detail.register({ ...wallet, features: { ...wallet.features, 'standard:connect': { connect } } })
  })`)
}

const ORDER: OrderDetails = {
  description: 'Two books',
  lineItems: [
    { name: 'A book', quantity: 2, amountUsdCents: 2_000 },
    { name: 'Shipping', quantity: 1, amountUsdCents: 500 },
  ],
  successUrl: `${PARENT}/thanks`,
  cancelUrl: `${PARENT}/cart`,
}
const BRAND: Brand = {
  logoName: 'logo.png',
  accentColor: '#00aa77',
  supportUrl: `${PARENT}/help`,
  supportEmail: 'help@shop.example',
}

describe.skipIf(!hasBrowser)(`the business of a page${WITHOUT}`, () => {
  const colorOf = (selector: string): Promise<string> =>
    page.evaluate(`getComputedStyle(document.querySelector('${selector}')).color`)
  beforeAll(() => {
    secondsLeft = 300
    checkout = { ...exampleCheckout, intent: { ...exampleCheckout.intent, status: 'open' } }
    payment = intentWith({ payeeLabel: 'Corner Shop', acceptedAssets: ['SOL'], orderDetails: ORDER })
  })
  afterEach(() => {
    brand = NO_BRAND
  })

  it('shows its logo, the order and where to get help, on a payment', async () => {
    brand = BRAND
    const shown = await open(`/pay/i/${CLIENT_SECRET}`, 'state-brand-payment')
    for (const text of ['Two books', 'Order order-1001', '2 × A book', '$20.00', 'Shipping', 'shop.example'])
      expect(shown).toContain(text)
    expect(await page.evaluate('document.querySelector("img.brand").naturalWidth')).toBe(1)
    expect(await page.evaluate('Array.from(document.querySelectorAll(".support a"), ({ href }) => href)')).toEqual([
      `${PARENT}/help`,
      'mailto:help@shop.example',
    ])
  })

  it('folds a long order away', async () => {
    const lineItems = Array.from({ length: 5 }, (_, at) => ({ name: `Book ${at}`, quantity: 1, amountUsdCents: 500 }))
    payment = { ...payment, orderDetails: { ...ORDER, lineItems } }
    expect(await open(`/pay/i/${CLIENT_SECRET}`, 'state-long-order')).not.toContain('Book 4')
    await page.getByText('What you are buying').click()
    await page.getByText('Book 4').waitFor()
  })

  it.each([
    ['checkout', '/pay/s/co_token'],
    ['portal', `/pay/m/${PORTAL_TOKEN}`],
  ])('shows its logo and where to get help, on a %s', async (name, path) => {
    brand = BRAND
    portal = examplePortal
    expect(await open(path, `state-brand-${name}`)).toContain('help@shop.example')
    expect(await page.locator('img.brand').count()).toBe(1)
    expect(await colorOf('.support a')).toBe('rgb(0, 170, 119)')
  })

  it.each([
    // White text on it would have a contrast of 2.9, and the color itself has 2.7 with the ground.
    ['#00aa77', 'rgb(0, 0, 0)', 'rgb(20, 22, 29)', 'rgb(0, 170, 119)'],
    ['#ffffff', 'rgb(0, 0, 0)', 'rgb(20, 22, 29)', 'rgb(255, 255, 255)'],
    ['#1a1a2e', 'rgb(255, 255, 255)', 'rgb(26, 26, 46)', 'rgb(241, 242, 246)'],
  ])('has its accent color %s where it can be read', async (accentColor, onAccent, inLight, inDark) => {
    brand = { ...BRAND, accentColor }
    checkout = { ...exampleCheckout, status: 'expired', intent: { ...exampleCheckout.intent, cancelUrl: PARENT } }
    payment = intentWith({ status: 'swept', payeeLabel: 'Corner Shop', orderDetails: ORDER })
    await open(`/pay/i/${CLIENT_SECRET}`, `state-accent-${accentColor.slice(1)}`)
    expect([await colorOf('a.primary'), await colorOf('.support a')]).toEqual([onAccent, inDark])
    await page.emulateMedia({ colorScheme: 'light' })
    expect(await colorOf('.support a')).toBe(inLight)
  })
})

describe.skipIf(!hasBrowser)(`the way back from a payment${WITHOUT}`, () => {
  const ended = (status: PaymentIntent['status'], patch: Partial<PaymentIntent> = {}) =>
    intentWith({
      status,
      payeeLabel: 'Corner Shop',
      selection: choice('SOL', 25_000_000n),
      received: units(25_000_000n),
      orderDetails: ORDER,
      ...patch,
    })
  const back = (on = page) => on.getByRole('link', { name: 'Back to Corner Shop' })
  const THANKS = `${PARENT}/thanks`
  const CART = `${PARENT}/cart`

  it.each<[PaymentIntent['status'], string]>([
    ['paid', THANKS],
    ['overpaid', THANKS],
    ['settling', THANKS],
    ['swept', THANKS],
    ['refunding', CART],
    ['refunded', CART],
    ['cancelled', CART],
    ['refund_failed', CART],
  ])('that is %s leads to %s, and a page that is opened then does not go there by itself', async (status, url) => {
    payment = ended(status)
    await page.goto(`${service.url}/pay/i/${CLIENT_SECRET}`)
    expect(await back().getAttribute('href')).toBe(url)
    expect(await page.getByRole('button', { name: 'Stay here' }).count()).toBe(0)
  })

  it('leads to no page of success where a part is missing, or the time is over', async () => {
    payment = ended('swept', { received: units(1n) })
    await page.goto(`${service.url}/pay/i/${CLIENT_SECRET}`)
    expect(await back().getAttribute('href')).toBe(CART)
    payment = ended('pending', { received: units(0n) })
    secondsLeft = 0
    await page.goto(`${service.url}/pay/i/${CLIENT_SECRET}`)
    expect(await back().getAttribute('href')).toBe(CART)
    secondsLeft = 300
  })

  it('has a long name of the business in three lines', async () => {
    payment = ended('swept', { payeeLabel: 'Corner Shop '.repeat(40).trim() })
    await page.goto(`${service.url}/pay/i/${CLIENT_SECRET}`)
    expect((await back().boundingBox())?.height).toBeLessThan(110)
  })

  it('is not there in a frame, whose page is the business already', async () => {
    payment = ended('swept')
    const { text } = await service.get(`/pay/i/${CLIENT_SECRET}?parent=${encodeURIComponent(PARENT)}`)
    expect(text).not.toContain('Back to Corner Shop</a>')
  })

  describe('after a payment on the page', () => {
    /** Opens a payment, which is then paid. */
    async function openPaid(patch: Partial<PaymentIntent> = {}): Promise<Page> {
      payment = ended('pending', { received: units(0n), version: 1 })
      let pay = () => {}
      const paid = new Promise<void>((resolve) => {
        pay = resolve
      })
      followPayment = async function* (signal) {
        yield payment
        await paid
        yield* unchanged(payment, signal)
      }
      const page = await (await browser.newContext({ viewport: PHONE })).newPage()
      await page.route(`${PARENT}/**`, (route) => route.fulfill({ body: 'the shop' }))
      await page.goto(`${service.url}/pay/i/${CLIENT_SECRET}`)
      await page.getByText('Amount due').waitFor()
      payment = ended('swept', { version: 2, ...patch })
      pay()
      await back(page).waitFor()
      return page
    }
    afterEach(() => {
      followPayment = (signal) => unchanged(payment, signal)
    })

    it('goes to the business after five seconds', async () => {
      const page = await openPaid()
      await page.getByRole('status').filter({ hasText: 'Returning to the shop in 0:04.' }).waitFor()
      await takePicture(page, 'payment-returning')
      await page.waitForURL(THANKS)
      await page.context().close()
    })

    it.each<[string, Partial<PaymentIntent>]>([
      [
        'in another asset',
        { tokenRefunds: [{ mint: OTHER_MINT, amount: units(1n), status: 'pending', refund: null }] },
      ],
      [
        'that is late',
        {
          latePayments: [
            { mint: null, amount: units(1n), status: 'pending', signature: RETURN, count: 1, refund: null },
          ],
        },
      ],
      ['that is held', { held: [{ mint: null, amount: units(1n), reason: '' }] }],
    ])('stays where the buyer has to read what becomes of money %s', async (_what, patch) => {
      const page = await openPaid(patch)
      expect(await page.getByRole('button', { name: 'Stay here' }).count()).toBe(0)
      expect(await page.getByText('Returning to the shop').count()).toBe(0)
      await page.context().close()
    })

    it('stays when the buyer wants to', async () => {
      const page = await openPaid()
      await page.getByRole('button', { name: 'Stay here' }).press('Enter')
      await page.getByText('Returning to the shop').first().waitFor({ state: 'detached' })
      expect(await page.evaluate('document.activeElement.innerText')).toBe('Paid')
      await expectAccessible(page)
      expect(await page.getByRole('link', { name: 'Back to Corner Shop' }).getAttribute('href')).toBe(THANKS)
      await page.context().close()
    })
  })
})

describe.skipIf(!hasBrowser)(`the balance of a wallet that was connected before${WITHOUT}`, () => {
  it('is shown whatever other wallets do, moves no button, and is read while something can be paid', async () => {
    const page = await (await browser.newContext({ viewport: PHONE })).newPage()
    const whenAsked = '() => new Promise((resolve) => { answer = () => resolve({ accounts: [account] }) })'
    await addWallet(page, 'Connected', ['solana:signTransaction'], whenAsked)
    for (const connect of [
      '() => new Promise(() => {})',
      "() => { throw new Error('locked') }",
      '() => undefined',
      'async () => ({ accounts: [] })',
    ])
      await addWallet(page, `Other ${connect}`, ['solana:signTransaction'], connect)
    payment = intentWith({ acceptedAssets: ['SOL'], selection: choice('SOL', 25_000_000n) })
    await page.goto(`${service.url}/pay/i/${CLIENT_SECRET}`)
    const placeOf = () => page.getByRole('button', { name: 'Pay with Connected' }).boundingBox()
    await page.waitForFunction('window.answer')
    const before = await placeOf()
    await page.evaluate('answer()')
    await page.getByText('Connected: 1.5').waitFor()
    expect(await placeOf()).toEqual(before)
    payment = { ...payment, status: 'swept' }
    fundsRead = 0
    await page.goto(`${service.url}/pay/i/${CLIENT_SECRET}`, { waitUntil: 'networkidle' })
    expect(fundsRead).toBe(0)
    await page.context().close()
  })
})

describe.skipIf(!hasBrowser)(`a wallet that signs no transaction${WITHOUT}`, () => {
  it('is offered where a text can be enough, and is distinguished from a refusal', async () => {
    const page = await openWithWallet('Text wallet', ['solana:signMessage'])
    checkout = exampleCheckout
    payment = intentWith({ acceptedAssets: ['SOL'], selection: choice('SOL', 25_000_000n) })
    await page.goto(`${service.url}/pay/manage`)
    await page.getByRole('button', { name: 'Sign in with Text wallet' }).waitFor()
    await page.goto(`${service.url}/pay/s/co_token`)
    await page.getByRole('button', { name: 'Subscribe with Text wallet' }).click()
    await page.getByText('This wallet cannot sign this. Choose another wallet.').waitFor()
    await page.goto(`${service.url}/pay/i/${CLIENT_SECRET}`)
    await page.getByRole('button', { name: 'Cancel the payment' }).waitFor()
    expect(await page.getByRole('button', { name: 'Text wallet' }).count()).toBe(0)
    await page.context().close()
  })
})

describe.skipIf(!hasBrowser)(`a browser without a wallet${WITHOUT}`, () => {
  const TOUCHED = { hasTouch: true, isMobile: true, permissions: ['clipboard-read', 'clipboard-write'] }
  const SECRET = `/pay/i/${CLIENT_SECRET}?details=email`
  const openIn = async (options: BrowserContextOptions, path: string): Promise<Page> => {
    const page = await (await browser.newContext({ viewport: PHONE, ...options })).newPage()
    await page.goto(`${service.url}${path}`)
    return page
  }
  beforeAll(() => {
    secondsLeft = 300
    checkout = exampleCheckout
    payment = intentWith({ acceptedAssets: ['SOL'], selection: choice('SOL', 25_000_000n) })
  })

  it.each([
    ['a payment', SECRET],
    ['a checkout', '/pay/s/co_token?lang=en&from=a%26b%20%2F#part'],
    ['the recovery of links', '/pay/manage'],
  ])('of a phone opens the whole address of %s in the apps of wallets, and copies it', async (name, path) => {
    const page = await openIn(TOUCHED, path)
    await page.getByRole('link', { name: 'Phantom' }).waitFor()
    const links = await page.getByRole('list', { name: 'Open this page in your wallet app' }).getByRole('link').all()
    const opened = await Promise.all(links.map(async (link) => new URL((await link.getAttribute('href')) ?? '')))
    expect(opened.map(({ host, pathname }) => `${host}${pathname.slice(0, pathname.lastIndexOf('/'))}`)).toEqual([
      'phantom.app/ul/browse',
      'solflare.com/ul/v1/browse',
      'backpack.app/ul/v1/browse',
    ])
    for (const { pathname, search, hash } of opened) {
      expect(decodeURIComponent(pathname.slice(pathname.lastIndexOf('/') + 1))).toBe(page.url())
      expect([search, hash]).toEqual([`?ref=${encodeURIComponent(new URL(page.url()).origin)}`, ''])
    }
    await page.getByRole('button', { name: 'Copy the link' }).click()
    await page.getByText('Copied').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(page.url())
    await expectFits(page)
    await expectAccessible(page)
    // A picture that is taller than the screen is taken without touch.
    await page.setViewportSize({ ...PHONE, height: 1_200 })
    await takePicture(page, `state-no-wallet-${name.replaceAll(' ', '-')}`)
    await page.context().close()
  })

  it('of a phone shows the wallets before the QR code of a payment, which is folded away', async () => {
    const page = await openIn(TOUCHED, `${SECRET}&parent=https%3A%2F%2Fshop.example`)
    const link = page.getByRole('link', { name: 'Phantom' })
    await link.waitFor()
    const code = page.getByRole('img', { name: 'QR code for a Solana wallet' })
    expect(await code.isVisible()).toBe(false)
    // A page of its own is not embedded.
    expect(await link.getAttribute('href')).toContain(`${encodeURIComponent(`${service.url}${SECRET}`)}?ref=`)
    await page.getByText('Show the QR code').click()
    const tops = await Promise.all([link, code].map(async (one) => (await one.boundingBox())?.y ?? 0))
    expect(tops).toEqual(tops.toSorted((a, b) => a - b))
    await page.context().close()
  })

  it('of a desktop continues on a phone by a QR code of the page itself, which a payment folds away', async () => {
    const page = await openIn({ viewport: DESKTOP }, SECRET)
    const code = page.getByRole('img', { name: 'QR code of this page' })
    await page.getByText('Continue on your phone').waitFor()
    expect(await page.getByRole('img', { name: 'QR code for a Solana wallet' }).isVisible()).toBe(true)
    expect([await code.isVisible(), await page.getByRole('link', { name: 'Phantom' }).isVisible()]).toEqual([
      false,
      false,
    ])
    await page.getByText('Continue on your phone').click()
    expect(await scanned(code)).toBe(page.url())
    await expectAccessible(page)
    await takePicture(page, 'state-payment-on-phone')
    await page.goto(`${service.url}/pay/s/co_token`)
    await code.waitFor()
    expect(await scanned(code)).toBe(page.url())
    await expectAccessible(page)
    await takePicture(page, 'state-no-wallet-desktop')
    await page.context().close()
  })
})

describe.skipIf(!hasBrowser)(`without JavaScript${WITHOUT}`, () => {
  let page: Page
  beforeAll(async () => {
    secondsLeft = 300
    checkout = exampleCheckout
    portal = examplePortal
    quotes = [{ asset: USDC.asset, symbol: 'USDC', decimals: 6, expected: units(25_010_000n) }]
    if (hasBrowser) page = await (await browser.newContext({ viewport: PHONE, javaScriptEnabled: false })).newPage()
  })
  afterAll(async () => {
    quotes = []
    await page?.context().close()
  })

  it('a payment shows the amounts, the address and its QR code, and what to do', async () => {
    payment = intentWith({ acceptedAssets: ['SOL', USDC.asset] })
    await page.goto(`${service.url}/pay/i/${CLIENT_SECRET}`)
    const shown = await page.locator('aside').innerText()
    expect(shown).toContain('Send one of these amounts')
    expect(shown.replaceAll('\u00a0', ' ')).toContain('25.01 USDC')
    expect(shown).toContain(payment.address)
    const code = page.getByRole('img', { name: 'QR code of the address' })
    expect(await scanned(code)).toBe(payment.address)
    expect(await page.getByText('Choose how you pay').isVisible()).toBe(false)
    await expectFits(page)
    await takePicture(page, 'state-payment-no-script')
  })

  it.each([
    ['a payment', `/pay/i/${CLIENT_SECRET}?details=name`, 'reload the page to see what has changed'],
    ['a checkout', '/pay/s/co_token', 'This page needs JavaScript.'],
    ['a portal', `/pay/m/${PORTAL_TOKEN}`, 'This page needs JavaScript.'],
    ['the recovery of links', '/pay/manage', 'This page needs JavaScript.'],
  ])('%s shows nothing to press that does nothing', async (name, path, text) => {
    payment = intentWith({ acceptedAssets: ['SOL'], selection: choice('SOL', 25_000_000n) })
    await page.goto(`${service.url}${path}`)
    expect(await page.locator('aside').innerText()).toContain(text)
    expect(await page.getByRole('button').count()).toBe(0)
    expect(await page.getByRole('textbox').count()).toBe(0)
    expect(await page.getByText('Change the plan').isVisible()).toBe(false)
    await takePicture(page, `state-no-script-${name.replaceAll(' ', '-')}`)
  })
})

describe.skipIf(!hasBrowser)(`long names and large amounts${WITHOUT}`, () => {
  const NAME = 'Donaudampfschifffahrtsgesellschaft mbH & Co. KG, International Department of Subscriptions'
  const WALLET = 'A wallet with a name that is much too long for one line of a button'
  const PRICE = 12_345_678_900
  const AMOUNT = units(1_234_567_890_123_456_789n)
  const TIER = { ...exampleCheckout.tier, name: NAME, description: NAME, priceUsdCents: makeUsdCents(PRICE) }
  const BILLED = {
    merchantName: NAME,
    product: { ...exampleCheckout.product, name: NAME, description: NAME },
    tier: TIER,
  }
  const total = { usdCents: 12n * BigInt(PRICE), baseUnits: AMOUNT }
  const moved = { mint: USDC.mint, amount: AMOUNT }
  const refund = { amount: AMOUNT, signatures: [RETURN] }
  const PAYMENT: Partial<PaymentIntent> = {
    payeeLabel: NAME,
    priceUsdCents: makeUsdCents(PRICE),
    acceptedAssets: ['SOL', USDC.asset],
    selection: choice(USDC.asset, AMOUNT),
    received: units(1_000_000_000_000_000_001n),
    latePayments: [{ ...moved, status: 'refunded', signature: SIGNATURE, count: 1, refund }],
    tokenRefunds: [{ ...moved, mint: OTHER_MINT, status: 'refunded', refund }],
    refunds: [{ ...moved, signatures: [SIGNATURE] }],
    orderDetails: {
      description: NAME,
      lineItems: Array.from({ length: 5 }, () => ({ name: NAME, quantity: 2 ** 31 - 1, amountUsdCents: 2 ** 31 - 1 })),
      successUrl: `${PARENT}/thanks`,
      cancelUrl: `${PARENT}/cart`,
    },
  }
  const CHARGES = (['pending', 'submitted', 'failed', 'canceled', 'succeeded'] as const).map((status, at) => ({
    ...exampleCharge,
    amount: AMOUNT,
    periodIndex: 5 - at,
    status,
  }))

  let opened = 0
  let withWallet: Page

  beforeAll(async () => {
    tokenName = NAME
    quotes = [SOL_TOKEN, USDC].map(({ asset, ticker, decimals }) => ({
      asset,
      symbol: ticker,
      decimals,
      expected: AMOUNT,
    }))
    withWallet = await openWithWallet(WALLET, ['solana:signTransaction', 'solana:signMessage'])
  })
  afterAll(async () => {
    tokenName = null
    quotes = []
    await withWallet?.context().close()
  })

  /** Opens a page with everything that is folded away. Its languages take turns. */
  const fits = async (path: string): Promise<void> => {
    opened += 1
    const { pathname, searchParams } = new URL(path, service.url)
    searchParams.set('lang', LANGUAGES[opened % LANGUAGES.length] ?? 'en')
    await withWallet.goto(`${service.url}${pathname}?${searchParams}`)
    for (const folded of await withWallet.locator('summary:visible').all()) await folded.click()
    await expectFits(withWallet)
    await takePicture(withWallet, `long-${opened}`)
  }

  it('fit on every page of a payment', async () => {
    secondsLeft = 300
    const patches = INTENT_STATUSES.map((status) => ({ status }))
    for (const patch of [...patches, { selection: null }]) {
      payment = intentWith({ ...PAYMENT, ...patch })
      await fits(`/pay/i/${CLIENT_SECRET}?details=name,email`)
    }
  })

  it('fit on every page of a subscription', async () => {
    for (const status of ['open', 'completed', 'expired'] as const) {
      checkout = { ...exampleCheckout, ...BILLED, status, totalAuthorization: total }
      await fits('/pay/s/co_token')
    }
    for (const status of SUBSCRIPTION_STATUSES) {
      const subscription = { ...examplePortal.subscription, status }
      portal = {
        ...examplePortal,
        ...BILLED,
        subscription,
        options: [TIER],
        charges: CHARGES,
        totalAuthorization: total,
      }
      await fits(`/pay/m/${PORTAL_TOKEN}`)
    }
  })
})

describe.skipIf(!hasBrowser)(`a checkout of a subscription${WITHOUT}`, () => {
  const failed = (failureCode: string, recoveryAction: 'retry' | 'reapprove' | 'none') => ({
    status: 'failed' as const,
    failureCode,
    failureMessage: '',
    recoveryAction,
    isGivenUp: false,
    signature: null,
    explorerUrl: null,
  })

  it.each([
    ['expired', { status: 'expired' }, 'Nothing was charged.', null],
    [
      'pending',
      { status: 'completed', firstCharge: { ...failed('', 'none'), status: 'pending' } },
      'is being made',
      null,
    ],
    ['poor', { status: 'completed', firstCharge: failed('insufficient_funds', 'retry') }, 'Top it up', 'Try again'],
    [
      'away',
      { status: 'completed', firstCharge: failed('chain_unavailable', 'retry') },
      'cannot be reached',
      'Try again',
    ],
    ['frozen', { status: 'completed', firstCharge: failed('account_frozen', 'retry') }, 'is frozen', 'Try again'],
    [
      'gone',
      { status: 'completed', firstCharge: failed('delegate_revoked', 'reapprove') },
      'Sign once more',
      'Copy the link to this page',
    ],
    [
      'given-up',
      { status: 'completed', firstCharge: { ...failed('insufficient_funds', 'none'), isGivenUp: true } },
      'This checkout is closed',
      null,
    ],
    ['unpayable', { status: 'completed', firstCharge: failed('platform_error', 'none') }, 'contact Corner Shop', null],
  ] as const)('that is %s says what to do', async (name, patch, text, button) => {
    checkout = { ...exampleCheckout, ...patch } as CheckoutView
    const shown = await open('/pay/s/co_token', `state-checkout-${name}`)
    expect(shown).toContain(text)
    expect(await page.getByRole('button').allInnerTexts()).toEqual(button === null ? [] : [button])
  })
})

describe.skipIf(!hasBrowser)(`a checkout of a subscription with a trial${WITHOUT}`, () => {
  const trial = {
    tier: { ...exampleCheckout.tier, trialDays: 14 },
    trialDays: 14,
    trialEndsAt: new Date('2026-12-04T12:00:00Z'),
  }

  it('says until when it is free, what follows, and that a cancel in time costs nothing', async () => {
    checkout = { ...exampleCheckout, ...trial }
    const shown = await open('/pay/s/co_token', 'state-checkout-trial')
    expect(shown).toContain('14 days free')
    expect(shown).toContain('Then $15.00 every month, from Dec 4, 2026')
    expect(shown).toContain('Cancel before Dec 4, 2026, and nothing is charged.')
    expect(await rows('Today')).toEqual(['$0.00'])
    expect(await rows('On Dec 4, 2026')).toEqual(['$15.00'])
  })

  it('says to a wallet that has had one that the first payment is made today', async () => {
    checkout = { ...exampleCheckout, tier: trial.tier }
    const shown = await open('/pay/s/co_token', 'state-checkout-trial-used')
    expect(shown).toContain('This wallet has had its free trial')
    expect(await rows('Today')).toEqual(['$15.00'])
  })

  it('says after it until when it is free', async () => {
    checkout = { ...exampleCheckout, ...trial, status: 'completed' }
    const shown = await open('/pay/s/co_token', 'state-checkout-trial-begun')
    expect(shown).toContain('Your free trial has begun')
    expect(shown).toContain('It is free until Dec 4, 2026. The first payment of $15.00 is made then.')
  })

  it.each([
    ['de', '14 Tage kostenlos'],
    ['es', '14 días gratis'],
    ['ja', '14 日間無料'],
    ['ar', 'مجانًا'],
  ])('says it in %s, also on a narrow phone', async (language, text) => {
    checkout = { ...exampleCheckout, ...trial }
    expect(await openNarrow(`state-checkout-trial-${language}`, language)).toContain(text)
  })
})

describe.skipIf(!hasBrowser)(`a checkout of a subscription with a coupon${WITHOUT}`, () => {
  const coupon: Coupon = { ...exampleCoupon, code: 'A-LONG-CODE-OF-THE-FIRST-AUTUMN', percentOff: 20, periods: 3 }

  it('shows what it takes off, for how many payments, and what follows', async () => {
    checkout = { ...exampleCheckout, coupon, acceptsCoupons: true }
    const shown = await open('/pay/s/co_token', 'state-checkout-coupon')
    expect(shown).toContain('20% off the first 3 payments')
    expect(await rows('Today')).toEqual(['$12.00'])
    expect(await rows('From payment 4 on')).toEqual(['$15.00 every month'])
    expect(await page.getByRole('button').allInnerTexts()).toContain('Remove the code')
  })

  it('says with a trial what is charged after it', async () => {
    const trialEndsAt = new Date('2026-12-04T12:00:00Z')
    checkout = { ...exampleCheckout, coupon, acceptsCoupons: true, trialDays: 14, trialEndsAt }
    const shown = await open('/pay/s/co_token', 'state-checkout-coupon-trial')
    expect(shown).toContain('20% off the first 3 payments')
    expect(await rows('Today')).toEqual(['$0.00'])
    expect(await rows('On Dec 4, 2026')).toEqual(['$12.00'])
  })

  it('asks for its code where the business has one', async () => {
    checkout = { ...exampleCheckout, acceptsCoupons: true }
    expect(await open('/pay/s/co_token', 'state-checkout-code')).toContain('Have a code?')
    await page.getByText('Have a code?').click()
    await expectFits(page)
    await expectAccessible(page)
    await takePicture(page, 'state-checkout-code-open')
  })

  it.each([
    ['de', '20 % Rabatt auf die ersten 3 Zahlungen'],
    ['es', '20 % de descuento en los primeros 3 pagos'],
    ['ja', '最初の 3 回のお支払いから 20% 割引'],
    ['ar', 'على الدفعات الأولى'],
  ])('says it in %s, also on a narrow phone', async (language, text) => {
    checkout = { ...exampleCheckout, coupon, acceptsCoupons: true }
    expect(await openNarrow(`state-checkout-coupon-${language}`, language)).toContain(text)
  })
})

describe.skipIf(!hasBrowser)(`a checkout of a subscription with one payment${WITHOUT}`, () => {
  it('says that nothing is charged after it', async () => {
    checkout = { ...exampleCheckout, tier: { ...exampleCheckout.tier, authorizationPeriods: 1 } }
    const shown = await open('/pay/s/co_token', 'state-checkout-one-payment')
    expect(shown).toContain('may charge $15.00 once')
    expect(await rows('Then')).toEqual([])
  })
})

describe.skipIf(!hasBrowser)(`a portal${WITHOUT}`, () => {
  const SAYS: Readonly<Record<PortalView['subscription']['status'], readonly [text: string, ...buttons: string[]]>> = {
    incomplete: ['Your first payment is being made'],
    trialing: ['Free until Dec 20, 2026', 'Pause', 'Cancel', 'End'],
    active: ['The next payment is on Dec 20, 2026.', 'Renew', 'Pause', 'Cancel', 'End'],
    past_due: ['Add money to your wallet', 'Renew', 'Pause', 'Cancel', 'End'],
    renewal_required: ['Renew before Dec 20, 2026', 'Renew', 'Pause', 'Cancel', 'End'],
    paused: ['You will not be charged until you resume it.', 'Resume', 'Cancel'],
    revoked: ['Renew to continue.', 'Renew', 'Cancel'],
    exhausted: ['Everything that you allowed was paid.', 'Renew', 'Cancel'],
    canceled: ['You will not be charged again.'],
    failed: ['The first payment could not be made in time.'],
  }
  const charges = (['pending', 'submitted', 'failed', 'canceled', 'succeeded'] as const).map((status, at) => ({
    ...exampleCharge,
    periodIndex: 5 - at,
    status,
  }))

  it('says when the trial is over that its first payment is being made', async () => {
    const { subscription } = examplePortal
    const trialEndsAt = subscription.currentPeriodStart
    portal = { ...examplePortal, subscription: { ...subscription, status: 'trialing', trialEndsAt, activatedAt: null } }
    expect(await open(`/pay/m/${PORTAL_TOKEN}`, 'state-portal-trial-over')).toContain(
      'Your first payment is being made',
    )
  })

  it.each(['trialing', 'past_due'] as const)(
    'says before a cancel that nothing is left to use after a trial without a payment: %s',
    async (status) => {
      const { subscription } = examplePortal
      const unpaid = { status, trialEndsAt: subscription.currentPeriodStart, activatedAt: null }
      portal = { ...examplePortal, subscription: { ...subscription, ...unpaid } }
      await open(`/pay/m/${PORTAL_TOKEN}`, `state-portal-never-paid-${status}`)
      expect(await page.getByRole('button', { name: 'End' }).count()).toBe(0)
      await page.getByRole('button', { name: 'Cancel' }).click()
      expect(await page.locator('.stage').innerText()).toContain('It ends at once.')
    },
  )

  it.each(SUBSCRIPTION_STATUSES)('of a subscription that is %s offers what can be done', async (status) => {
    portal = { ...examplePortal, charges, subscription: { ...examplePortal.subscription, status } }
    const shown = await open(`/pay/m/${PORTAL_TOKEN}`, `state-portal-${status}`)
    const [text, ...buttons] = SAYS[status]
    expect(shown).toContain(text)
    const offered = await page.locator('.stage > .actions > button').allInnerTexts()
    expect(offered.map((name) => name.split(/[ :]/)[0])).toEqual(buttons)
    for (const word of ['planned', 'under way', 'failed', 'not charged', 'paid']) expect(shown).toContain(word)
  })

  it.each([
    ['active', 'Keep'],
    ['paused', 'Keep'],
    ['revoked', 'Renew'],
    ['exhausted', 'Renew'],
  ] as const)(
    'of a subscription that is %s and ends with its period offers what lets it go on',
    async (status, button) => {
      const ending = { ...examplePortal.subscription, status, cancelAtPeriodEnd: true }
      portal = { ...examplePortal, subscription: ending }
      await open(`/pay/m/${PORTAL_TOKEN}`, `state-portal-${status}-ending`)
      const offered = await page.locator('.stage > .actions > button').allInnerTexts()
      expect(offered.map((name) => name.split(/[ :]/)[0])).toEqual([button, 'End'])
    },
  )

  const ENDING = { ...examplePortal.subscription, cancelAtPeriodEnd: true }
  const RETRY_AT = new Date('2026-11-27T12:00:00Z')

  it.each([
    ['says that nothing more is charged', 'past_due', 'canceled', 'You will not be charged again.'],
    ['says that a payment under way can still be made', 'active', 'submitted', 'A payment already under way may still'],
  ] as const)('of a subscription that ends with its period %s', async (...one) => {
    const [, status, made, text] = one
    const subscription = { ...ENDING, status, nextChargeAt: null }
    portal = { ...examplePortal, charges: [{ ...exampleCharge, status: made }], subscription }
    const shown = await open(`/pay/m/${PORTAL_TOKEN}`, `state-portal-ending-${status}`)
    expect(shown).toContain(`It ends on Dec 20, 2026. ${text}`)
    expect(await rows('Payments still allowed')).toEqual([])
  })

  it.each([
    ['a smaller price', 300],
    ['the same price', 500],
  ])('asks before it changes to a plan with %s, which no wallet is asked for', async (_what, cents) => {
    const other = { ...exampleCheckout.tier, name: 'Tiny', priceUsdCents: makeUsdCents(cents) }
    portal = { ...examplePortal, options: [other] }
    const changed: string[] = []
    changeTier = async (tierId) => {
      changed.push(tierId)
      return exampleChange
    }
    await page.goto(`${service.url}/pay/m/${PORTAL_TOKEN}`)
    await page.locator('summary').click()
    const question = page.getByRole('dialog', { name: 'Change to Tiny?' })
    const press = async (name: string) => {
      await page.getByRole('button', { name: 'Tiny' }).click()
      await expectAccessible(page)
      await takePicture(page, 'state-portal-asks-to-change')
      await question.getByRole('button', { name }).click()
      await question.waitFor({ state: 'hidden' })
    }
    await press('Not now')
    expect(changed).toEqual([])
    await press('Change the plan')
    await expect.poll(() => changed).toEqual([other.id])
  })

  it.each([
    [
      'a plan that costs more',
      'Monthly',
      'may then charge $15.00 every month. Number of payments: 11. Total: $165.00.',
    ],
    ['a renewal', 'Renew', 'may then charge $5.00 every month. Number of payments: 12. Total: $60.00.'],
  ] as const)('shows the total before the wallet signs %s', async (name, button, text) => {
    portal = { ...examplePortal, charges: [] }
    changeTier = () => Promise.resolve(exampleProof)
    await page.goto(`${service.url}/pay/m/${PORTAL_TOKEN}`)
    if (button === 'Monthly') await page.locator('summary').click()
    await page.getByRole('button', { name: button }).click()
    await page.getByText(text).waitFor()
    await takePicture(page, `state-portal-total-${name.replaceAll(' ', '-')}`)
  })

  it('asks before it cancels a subscription, and says that nothing more is charged', async () => {
    portal = { ...examplePortal, charges: [{ ...exampleCharge, status: 'failed' }] }
    await open(`/pay/m/${PORTAL_TOKEN}`, 'state-portal-asks')
    await page.getByRole('button', { name: 'Cancel the subscription' }).click()
    expect(await page.getByRole('dialog').innerText()).toContain('will not be charged again')
  })

  it('asks before it ends a subscription at once, and says that nothing is refunded', async () => {
    portal = examplePortal
    await open(`/pay/m/${PORTAL_TOKEN}`, 'state-portal-asks-to-end')
    await page.getByRole('button', { name: 'End it at once' }).click()
    expect(await page.getByRole('dialog').innerText()).toContain('earlier payments are not refunded')
  })

  it.each([
    ['paused', 'Resume'],
    ['active', 'Keep the subscription'],
  ] as const)(
    'by a link of the business asks the wallet before %s goes on that the subscriber has stopped',
    async (...one) => {
      const [status, button] = one
      const stopped = { ...ENDING, status, stoppedBy: 'subscriber', cancelAtPeriodEnd: status === 'active' } as const
      const session = { ...examplePortal.session, origin: 'merchant', mayIncrease: false } as const
      portal = { ...examplePortal, session, subscription: stopped }
      await open(`/pay/m/${PORTAL_TOKEN}`, `state-portal-${status}-stopped`)
      await page.getByRole('button', { name: button }).click()
      const asked = await page.locator('.stage > .actions').innerText()
      expect(asked).toContain('only you can start again what you have stopped')
    },
  )

  it.each(['canceled', 'failed'] as const)(
    'of a subscription that is %s after a cancellation says that it has ended, and allows no payments',
    async (status) => {
      const ended = { ...ENDING, status, nextChargeAt: null, endedAt: RETRY_AT }
      portal = { ...examplePortal, paymentsLeft: 0, subscription: ended }
      const shown = await open(`/pay/m/${PORTAL_TOKEN}`, `state-portal-${status}-after-cancel`)
      expect(shown).toContain(SAYS[status][0])
      expect(shown).not.toContain('Ends soon')
      expect(await rows('Payments still allowed')).toEqual([])
    },
  )

  it.each(['pending', 'submitted', 'failed'] as const)('offers no other plan while a payment is %s', async (status) => {
    portal = { ...examplePortal, charges: [{ ...exampleCharge, status }] }
    await page.goto(`${service.url}/pay/m/${PORTAL_TOKEN}`)
    await page.locator('h1').waitFor()
    expect(await page.getByText('Change the plan').count()).toBe(0)
  })

  it.each(SUBSCRIPTION_STATUSES)(
    'of a subscription that is %s offers another plan where one can be chosen',
    async (status) => {
      portal = { ...examplePortal, subscription: { ...examplePortal.subscription, status } }
      await page.goto(`${service.url}/pay/m/${PORTAL_TOKEN}`)
      await page.locator('h1').waitFor()
      const offered = await page.getByText('Change the plan').count()
      expect(offered).toBe(['trialing', 'active', 'past_due', 'renewal_required'].includes(status) ? 1 : 0)
    },
  )

  it('of a revoked subscription offers a renewal also when every period is still authorized', async () => {
    const revoked = { ...examplePortal.subscription, status: 'revoked', spentAmount: units(0n) } as const
    portal = { ...examplePortal, paymentsLeft: 0, subscription: { ...revoked, authorizedAmount: units(60_000_000n) } }
    await open(`/pay/m/${PORTAL_TOKEN}`, 'state-portal-revoked-at-once')
    expect(await page.getByRole('button', { name: 'Renew' }).count()).toBe(1)
  })

  it('by the link of a business leads to a link that can do more', async () => {
    portal = { ...examplePortal, session: { ...examplePortal.session, mayIncrease: false } }
    const shown = await open(`/pay/m/${PORTAL_TOKEN}`, 'state-portal-business')
    expect(shown).not.toContain('Renew')
    expect(await page.getByRole('link', { name: 'Sign in' }).getAttribute('href')).toBe(examplePortal.recoveryUrl)
  })
})
