import { beforeEach, describe, expect, test } from 'vitest'
import { type Account, NO_DEFAULTS, tenantOf } from '#core/accounts/account.ts'
import { keyActor } from '#core/accounts/audit.ts'
import { NO_BRAND } from '#core/accounts/brand.ts'
import { type Asset, SOL } from '#core/chain/types.ts'
import { type BasisPoints, makeBasisPoints, makeUsdCents } from '#core/money/amounts.ts'
import type { CentsRange } from '#core/money/conversion.ts'
import type { NewIntent, PaymentIntent } from '#core/payments/payment-intent.ts'
import { type CreateIntentDeps, type CreateIntentInput, createIntentCreator } from '#services/payments/create.ts'
import { MERCHANT, MINT } from '../../support/example-intent.ts'
import { only } from '../../support/only.ts'
import { addressNo, context, intentWith, NOW, OTHER_MINT, UNKNOWN_MINT } from '../../support/payment.ts'

const SELLER_ID = '6f1c1f6e-7f3b-4a58-9a0e-2f6c0f3f9a22'
const account = (patch: Partial<Account> = {}): Account => ({
  id: 'business',
  network: 'live',
  name: 'Corner Shop',
  label: null,
  sweepDestination: MERCHANT,
  derivationIndex: 3,
  brand: NO_BRAND,
  defaults: NO_DEFAULTS,
  marketplaceAccountId: null,
  externalId: null,
  marketplaceFeeBps: null,
  archivedAt: null,
  disabledAt: null,
  disabledReason: null,
  createdAt: NOW,
  updatedAt: NOW,
  ...patch,
})
const CALLER = tenantOf(account())
const INPUT: CreateIntentInput = {
  amountUsdCents: makeUsdCents(2_500),
  acceptedAssets: [SOL, MINT],
  reference: 'order-1',
  customer: null,
  applicationFeeBps: null,
  description: null,
  lineItems: [],
  metadata: null,
  successUrl: null,
  cancelUrl: null,
  onBehalfOf: null,
  createdBy: keyActor('live', 'x7Qa', '203.0.113.9'),
}
const FOR_SELLER: CreateIntentInput = { ...INPUT, onBehalfOf: SELLER_ID, customer: { email: 'ada@example.org' } }

let stored: NewIntent[]
/** The price range of each asset; other assets have none. */
let ranges: Map<Asset, CentsRange>
/** The rates for which ranges were asked. */
let rates: Set<BasisPoints | null>
/** The intent that the store finds for any reference; null stores the draft. */
let known: PaymentIntent | null
let business: Account | null
let maxFee: BasisPoints
let seller: Account | null
let isSandbox: boolean
let marketplace: Awaited<ReturnType<CreateIntentDeps['accounts']['findMarketplace']>>

const create = (input: Partial<CreateIntentInput> = {}) =>
  createIntentCreator({
    intents: {
      reserveIndexes: async (count) => Array.from({ length: count }, (_, at) => 70 + at),
      async create(tenant, draft) {
        expect(tenant).toBe(CALLER)
        if (known !== null) return { intent: known, created: false }
        stored.push(draft)
        return { intent: intentWith({ id: draft.id }), created: true }
      },
      findByReference: async () => known,
    },
    accounts: {
      findMarketplace: async () => marketplace,
      findSeller: async (tenant, id) => (tenant === CALLER && id === SELLER_ID ? seller : null),
    },
    redirectDomains: {
      active: async ({ accountId }, hosts) => new Set(hosts.filter((host) => host === `${accountId}.example`)),
    },
    directory: { account: async () => business, tokens: async () => context().tokens },
    keys: only('keys', {
      addressOf: (path) => addressNo(path.branch === 'deposit' ? 100 * path.account + path.intent : 0),
    }),
    deriveAddresses: async () => [],
    secrets: { clientSecretOf: () => ({ secret: 'cs_the_secret', hash: Uint8Array.of(1, 2) }) },
    random: { uuid: () => 'the-id' },
    clock: { now: () => NOW },
    maxMarketplaceFeeBps: maxFee,
    isSandbox,
    priceRangeOf({ asset }, { marketplaceFeeBps }) {
      rates.add(marketplaceFeeBps)
      return ranges.get(asset) ?? null
    },
  })(CALLER, { ...INPUT, ...input })

beforeEach(() => {
  stored = []
  ranges = new Map()
  rates = new Set()
  known = null
  business = account()
  isSandbox = false
  maxFee = makeBasisPoints(5_000)
  seller = account({
    id: 'seller',
    derivationIndex: 8,
    name: 'Ada’s Mugs',
    label: 'Mugs',
    marketplaceAccountId: 'business',
  })
  marketplace = {
    accountId: 'business',
    status: 'active',
    defaultFeeBps: makeBasisPoints(250),
    feeWallet: null,
    sellerLimit: null,
  }
})

describe('a create', () => {
  test('stores the intent with a window of ten minutes and its own address, and shows its secret', async () => {
    const { clientSecret, created } = await create({ customer: { first_name: 'Ada', last_name: null } })
    expect({ clientSecret, created }).toEqual({ clientSecret: 'cs_the_secret', created: true })
    expect(stored).toEqual([
      {
        id: 'the-id',
        accountId: 'business',
        derivationIndex: 70,
        address: addressNo(370),
        clientSecretHash: Uint8Array.of(1, 2),
        createdBy: INPUT.createdBy,
        priceUsdCents: 2_500n,
        acceptedAssets: [SOL, MINT],
        reference: 'order-1',
        expiresAt: new Date(NOW.getTime() + 600_000),
        marketplaceFeeBps: null,
        underpaymentToleranceBps: null,
        payeeLabel: 'Corner Shop',
        customerDetails: { first_name: 'Ada' },
        orderDetails: null,
        metadata: null,
        createdAt: NOW,
      },
    ])
  })

  test('keeps what the business says of the order, and a URL as browsers read it', async () => {
    const lineItems = [{ name: 'A book', quantity: 2, amountUsdCents: 2_400 }]
    await create({ description: 'Two books', lineItems, successUrl: 'https://BUSINESS.example\\thanks' })
    expect(stored[0]?.orderDetails).toEqual({
      description: 'Two books',
      lineItems,
      successUrl: 'https://business.example/thanks',
      cancelUrl: null,
    })
  })

  test('keeps the metadata of the business, and none that is empty', async () => {
    const metadata = { order: 'A-17', lines: [1, { gift: true }] }
    await create({ metadata })
    expect(stored[0]?.metadata).toEqual(metadata)
    await create({ metadata: {}, reference: 'order-2' })
    expect(stored[1]?.metadata).toBeNull()
  })

  test.each<[string, object]>([
    ['more than 50 keys', Object.fromEntries(Array.from({ length: 51 }, (_, key) => [key, key]))],
    ['more than 16,384 characters', { text: 'x'.repeat(16_384) }],
    ['NUL', { text: 'a\0b' }],
    ['a number that was not read exactly', { number: Number.NaN }],
  ])('refuses metadata with %s', async (_, metadata) => {
    await expect(create({ metadata })).rejects.toMatchObject({ code: 'invalid_metadata' })
    expect(stored).toEqual([])
  })

  test('keeps no description that is blank', async () => {
    await create({ description: ' \u200b' })
    expect(stored[0]?.orderDetails).toBeNull()
  })

  test.each<[string, Partial<CreateIntentInput>, string]>([
    ['http', { successUrl: 'http://business.example/' }, 'success_url'],
    ['a port', { cancelUrl: 'https://business.example:8443/' }, 'cancel_url'],
    ['a host that is not registered', { cancelUrl: 'https://other.example/' }, 'cancel_url'],
    ['the host of a seller that it is not for', { successUrl: 'https://seller.example/' }, 'success_url'],
    ['a script', { successUrl: 'javascript:alert(1)' }, 'success_url'],
  ])('with a redirect to %s is refused, and nothing is stored', async (_, input, field) => {
    await expect(create(input)).rejects.toMatchObject({ code: 'invalid_redirect_url', context: { field } })
    expect(stored).toEqual([])
  })

  test.each(['http://localhost:3000/thanks?order=7', 'http://127.0.0.1/'])(
    'may lead back to %s in a sandbox, and nowhere else',
    async (successUrl) => {
      const refusal = { code: 'invalid_redirect_url', context: { field: 'success_url' } }
      await expect(create({ successUrl })).rejects.toMatchObject(refusal)
      isSandbox = true
      await create({ successUrl, cancelUrl: 'https://business.example/' })
      expect(stored[0]?.orderDetails).toMatchObject({ successUrl })
      await expect(create({ successUrl, cancelUrl: 'https://other.example/' })).rejects.toMatchObject({
        context: { field: 'cancel_url' },
      })
    },
  )

  test.each([
    'http://localhost.example/',
    'http://user@localhost/',
    'http://192.168.0.7/',
    'ftp://localhost/',
    'blob:http://localhost/7',
  ])('may not lead to %s in a sandbox either', async (successUrl) => {
    isSandbox = true
    await expect(create({ successUrl })).rejects.toMatchObject({ code: 'invalid_redirect_url' })
  })

  test('for a seller may redirect to a domain of the marketplace, and of the seller', async () => {
    await create({ ...FOR_SELLER, successUrl: 'https://business.example/', cancelUrl: 'https://seller.example/' })
    expect(stored[0]?.orderDetails).toMatchObject({ successUrl: 'https://business.example/' })
  })

  test('keeps each accepted asset once, in the given order', async () => {
    await create({ acceptedAssets: [MINT, SOL, MINT] })
    expect(stored[0]?.acceptedAssets).toEqual([MINT, SOL])
  })

  test('has the tokens and pages of the settings of its business where it names none', async () => {
    const [successUrl, cancelUrl] = ['https://business.example/paid', 'https://business.example/left']
    business = account({ defaults: { ...NO_DEFAULTS, acceptedAssets: [MINT], successUrl, cancelUrl } })
    await create({ acceptedAssets: null })
    await create({ acceptedAssets: [SOL], cancelUrl: 'https://business.example/own' })
    expect(stored[0]).toMatchObject({ acceptedAssets: [MINT], orderDetails: { successUrl, cancelUrl } })
    expect(stored[1]).toMatchObject({
      acceptedAssets: [SOL],
      orderDetails: { successUrl, cancelUrl: 'https://business.example/own' },
    })
  })

  test('keeps what its business tolerates at that moment', async () => {
    for (const bps of [200, 0]) {
      business = account({ defaults: { ...NO_DEFAULTS, underpaymentToleranceBps: makeBasisPoints(bps) } })
      await create()
    }
    expect(stored.map(({ underpaymentToleranceBps }) => underpaymentToleranceBps)).toEqual([200, null])
  })

  test('for a seller has those of its marketplace', async () => {
    const successUrl = 'https://business.example/paid'
    business = account({ defaults: { ...NO_DEFAULTS, acceptedAssets: [SOL], successUrl, cancelUrl: null } })
    await create({ ...FOR_SELLER, acceptedAssets: null })
    expect(stored[0]).toMatchObject({ acceptedAssets: [SOL], orderDetails: { successUrl, cancelUrl: null } })
  })

  test('leaves out a token of the settings that is allowed no more', async () => {
    business = account({ defaults: { ...NO_DEFAULTS, acceptedAssets: [UNKNOWN_MINT, SOL] } })
    await create({ acceptedAssets: null })
    expect(stored[0]?.acceptedAssets).toEqual([SOL])
  })

  test('leaves out a page of the settings at a domain that is active no more', async () => {
    const successUrl = 'https://gone.example/paid'
    business = account({
      defaults: { ...NO_DEFAULTS, acceptedAssets: [], successUrl, cancelUrl: 'https://business.example/' },
    })
    await create()
    expect(stored[0]?.orderDetails).toMatchObject({ successUrl: null, cancelUrl: 'https://business.example/' })
  })

  test.each<[string, Partial<CreateIntentInput>, string]>([
    ['no token where the settings have none', { acceptedAssets: null }, 'invalid_accepted_tokens'],
    ['no token', { acceptedAssets: [] }, 'invalid_accepted_tokens'],
    ['a token that is not allowed', { acceptedAssets: [SOL, UNKNOWN_MINT] }, 'token_not_accepted_on_platform'],
    ['a fee without a seller', { applicationFeeBps: 100 }, 'application_fee_without_seller'],
    ['an invalid e-mail address', { customer: { email: 'ada' } }, 'invalid_email'],
    ['an invalid country', { customer: { address: { country: 'XX' } } }, 'invalid_country'],
    ['a fee above the maximum', { ...FOR_SELLER, applicationFeeBps: 5_001 }, 'application_fee_out_of_range'],
    ['a negative fee', { ...FOR_SELLER, applicationFeeBps: -1 }, 'application_fee_out_of_range'],
    ['half a basis point', { ...FOR_SELLER, applicationFeeBps: 0.5 }, 'application_fee_out_of_range'],
    ['no e-mail address for a seller', { ...FOR_SELLER, customer: { first_name: 'Ada' } }, 'customer_email_required'],
    ['no customer for a seller', { ...FOR_SELLER, customer: null }, 'customer_email_required'],
  ])('with %s is refused, and nothing is stored', async (_, input, code) => {
    await expect(create(input)).rejects.toMatchObject({ code })
    expect(stored).toEqual([])
  })

  describe('whose price', () => {
    const refusedPrice = { code: 'price_not_expressible', context: { smallest: '14', largest: '1844' } }
    beforeEach(() => {
      ranges.set(SOL, { smallest: 14n, largest: 900n }).set(MINT, { smallest: 20n, largest: 1_844n })
    })

    test.each([13n, 1_845n, 9_007_199_254_740_991n])(
      'of %d cents that cannot be paid in any accepted asset is refused',
      async (cents) => {
        await expect(create({ amountUsdCents: makeUsdCents(cents) })).rejects.toMatchObject(refusedPrice)
        expect(stored).toEqual([])
      },
    )

    test.each([14n, 19n, 901n, 1_844n])(
      'of %d cents that can be paid in one accepted asset is accepted',
      async (cents) => {
        await create({ amountUsdCents: makeUsdCents(cents) })
        expect(stored[0]?.acceptedAssets).toEqual([SOL, MINT])
      },
    )

    test('is checked only when every accepted asset has a known price', async () => {
      ranges.delete(MINT)
      await create({ amountUsdCents: makeUsdCents(1) })
      expect(stored).toHaveLength(1)
      await expect(create({ amountUsdCents: makeUsdCents(1), acceptedAssets: [SOL] })).rejects.toMatchObject({
        context: { smallest: '14', largest: '900' },
      })
    })

    test('is compared with what can be paid at the rate of its marketplace, and no other', async () => {
      const amountUsdCents = makeUsdCents(14)
      await create({ amountUsdCents })
      await create({ ...FOR_SELLER, amountUsdCents, applicationFeeBps: 75 })
      expect([...rates]).toEqual([null, 75])
    })

    test('is not checked for a repeat', async () => {
      known = intentWith({ reference: 'order-1' })
      expect(await create({ amountUsdCents: makeUsdCents(1) })).toMatchObject({ created: false })
    })
  })

  test('is refused without a sweep destination', async () => {
    business = account({ sweepDestination: null })
    await expect(create()).rejects.toMatchObject({ code: 'sweep_destination_missing' })
  })

  test('with a token that was removed from the allowlist is refused', async () => {
    const tokens = context().tokens
    expect(tokens.get(OTHER_MINT)?.enabled).toBe(true)
    await create({ acceptedAssets: [OTHER_MINT] })
    expect(stored).toHaveLength(1)
  })
})

describe('a repeat of a reference', () => {
  beforeEach(() => {
    known = intentWith({ id: 'the-first' })
  })

  test.each<[string, Partial<CreateIntentInput>]>([
    ['with the same fields', {}],
    ['with another amount', { amountUsdCents: makeUsdCents(1) }],
    ['that would be refused now', { acceptedAssets: [UNKNOWN_MINT], customer: { email: 'not an email' } }],
    ['with metadata that is refused', { metadata: { text: '\0' } }],
    ['with a fee out of range', { ...FOR_SELLER, applicationFeeBps: 10_001 }],
  ])('%s returns the stored intent and no secret', async (_, input) => {
    expect(await create(input)).toEqual({ intent: known, clientSecret: null, created: false })
    expect(stored).toEqual([])
  })

  test('returns it also when the business has no destination any more', async () => {
    business = account({ sweepDestination: null })
    expect(await create()).toMatchObject({ created: false, clientSecret: null })
  })
})

describe('a payment for a seller', () => {
  test('belongs to the seller: its account, its key path, its label', async () => {
    await create(FOR_SELLER)
    expect(stored).toMatchObject([{ accountId: 'seller', address: addressNo(870), payeeLabel: 'Mugs' }])
  })

  test('stores the rate of the request, otherwise of the seller, otherwise of the marketplace', async () => {
    await create({ ...FOR_SELLER, applicationFeeBps: 0 })
    await create({ ...FOR_SELLER, applicationFeeBps: 5_000 })
    await create(FOR_SELLER)
    seller = account({ id: 'seller', marketplaceFeeBps: makeBasisPoints(0) })
    await create(FOR_SELLER)
    await create({ ...FOR_SELLER, applicationFeeBps: 75 })
    expect(stored.map(({ marketplaceFeeBps }) => marketplaceFeeBps)).toEqual([0, 5_000, 250, 0, 75])
  })

  test('stores at most the maximum rate, when seller or marketplace have one from before the maximum was lowered', async () => {
    maxFee = makeBasisPoints(100)
    await create(FOR_SELLER)
    seller = account({ id: 'seller', marketplaceFeeBps: makeBasisPoints(5_000) })
    await create(FOR_SELLER)
    seller = account({ id: 'seller', marketplaceFeeBps: makeBasisPoints(99) })
    await create(FOR_SELLER)
    expect(stored.map(({ marketplaceFeeBps }) => marketplaceFeeBps)).toEqual([100, 100, 99])
    await expect(create({ ...FOR_SELLER, applicationFeeBps: 101 })).rejects.toMatchObject({
      code: 'application_fee_out_of_range',
    })
  })

  test.each<[string, () => void, Partial<CreateIntentInput>]>([
    ['a malformed id', () => {}, { onBehalfOf: 'mugs' }],
    ['an empty id', () => {}, { onBehalfOf: '' }],
    [
      'an unknown or foreign seller',
      () => {
        seller = null
      },
      {},
    ],
    [
      'an archived seller',
      () => {
        seller = account({ archivedAt: NOW })
      },
      {},
    ],
    [
      'an ordinary business',
      () => {
        marketplace = null
      },
      {},
    ],
    [
      'a revoked capability',
      () => {
        if (marketplace !== null) marketplace = { ...marketplace, status: 'disabled' }
      },
      {},
    ],
  ])('with %s is refused with the common error', async (_, change, input) => {
    change()
    await expect(create({ ...FOR_SELLER, ...input })).rejects.toMatchObject({ code: 'seller_not_found' })
    expect(stored).toEqual([])
  })

  test('is refused while the seller has no payout address, also when the marketplace has an address', async () => {
    seller = account({ id: 'seller', sweepDestination: null })
    await expect(create(FOR_SELLER)).rejects.toMatchObject({ code: 'sweep_destination_missing' })
  })
})
