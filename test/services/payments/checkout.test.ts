// Actions of a buyer with a client secret: quote, select an asset, give customer details.
import { beforeEach, describe, expect, test } from 'vitest'
import { type Asset, type MintFacts, SOL } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import { makeBasisPoints, makeLamports, makeUsdCents } from '#core/money/amounts.ts'
import { decimalToPrice } from '#core/money/price.ts'
import { decideDeposits } from '#core/payments/machine/deposits.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import type { Price } from '#ports/price-feed.ts'
import type { TakeInArrivals } from '#services/payments/arrivals.ts'
import {
  createFindByClientSecret,
  createQuote,
  createSelectToken,
  createUpdateDetails,
} from '#services/payments/checkout.ts'
import { decideAndApply } from '#services/payments/decide.ts'
import { createLeastPayable, createLockRate } from '#services/payments/lock-rate.ts'
import { createMintGuard } from '#services/tokens/mint-guard.ts'
import { MINT, pendingIntent } from '../../support/example-intent.ts'
import { createMemoryStores, type MemoryStores } from '../../support/memory-stores.ts'
import {
  choice,
  context,
  intentWith,
  NOW,
  OTHER_MINT,
  observedDeposit,
  TERMS,
  TOKEN_PROGRAM,
  USDC,
  units,
} from '../../support/payment.ts'

const SECRET = 'cs_the_secret'
let stores: MemoryStores
let now: Date
let dollars: Map<string, string>
let tokens: ReturnType<typeof context>['tokens']
let asked: number
let arrivals: () => ReturnType<TakeInArrivals>
let mintsReadAt = NOW.getTime()
let mintsRead: number
let facts: MintFacts | null

const priceOf = (text: string): Price => {
  const decimal = decimalToPrice(text)
  if (decimal === undefined) throw new Error(`${text} is not a price`)
  return { ...decimal, source: 'test', publishedAt: NOW }
}
const prices = {
  async priceOf(asset: { feedKey: string }) {
    asked += 1
    const text = dollars.get(asset.feedKey)
    if (text === undefined) throw new ServiceError('price_feed_unreachable')
    return priceOf(text)
  },
  async pricesFor(assets: readonly { feedKey: string; mint: string }[]) {
    asked += 1
    return new Map(
      assets.map(({ feedKey, mint }) => {
        const text = dollars.get(feedKey)
        return [mint, text === undefined ? ({ refused: 'unreachable' } as const) : priceOf(text)] as const
      }),
    )
  },
}
const intent = async () => (await stores.intents.facts(pendingIntent.id))?.intent ?? pendingIntent
const findByClientSecret = createFindByClientSecret({
  checkout: {
    findByClientSecretHash: async (hash) => (hash[0] === 7 ? await intent() : null),
    countedDeposits: async () => [],
  },
  secrets: { hash: (secret) => Uint8Array.of(secret === SECRET ? 7 : 8) },
})
const leastPayable = createLeastPayable({
  chainOf: () => ({ minimumBalance: async () => makeLamports(890_880n) }),
  terms: () => TERMS,
  mintGuard: createMintGuard({
    chainOf: () => ({
      async readMint() {
        mintsRead += 1
        return facts
      },
    }),
    directory: { tokens: async () => tokens },
    clock: { now: () => new Date(mintsReadAt) },
  }),
})
const deps = () => ({
  findByClientSecret,
  store: stores.intents,
  directory: { tokens: async () => tokens },
  prices,
  lockRate: createLockRate(prices, leastPayable),
  leastPayable,
  takeInArrivals: () => arrivals(),
  clock: { now: () => now },
})
const quote = (secret = SECRET) => createQuote(deps())(secret)
const select = (asset: Asset, secret = SECRET) => createSelectToken(deps())(secret, asset)
const put = (patch: Partial<PaymentIntent> = {}) => stores.put(intentWith({ acceptedAssets: [SOL, MINT], ...patch }))

beforeEach(() => {
  stores = createMemoryStores()
  put()
  now = NOW
  dollars = new Map([
    ['SOL', '150'],
    ['USDC', '0.9999'],
  ])
  tokens = context().tokens
  asked = 0
  arrivals = async () => []
  mintsReadAt += 10_000
  mintsRead = 0
  facts = null
})

const HOOKED = ['transfer-hook', 'transfer-fee-config']
/** USDC is a token with a hook and a fee that do not act. */
function allowHooked(): void {
  tokens = new Map([...context().tokens, [MINT, { ...USDC, extensions: HOOKED }]])
  facts = { mint: MINT, tokenProgram: TOKEN_PROGRAM, decimals: USDC.decimals, extensions: HOOKED, active: [] }
}

describe('a client secret', () => {
  test('that is wrong gives no access', async () => {
    for (const attempt of [quote('cs_wrong'), select(SOL, 'cs_wrong'), findByClientSecret('')]) {
      await expect(attempt).rejects.toMatchObject({ code: 'invalid_client_secret' })
    }
  })
})

describe('a quote', () => {
  test('has the price in every accepted asset, rounded up to the next unit, and the rest of the window', async () => {
    now = new Date(NOW.getTime() + 500)
    expect(await quote()).toEqual({
      priceUsdCents: 2_500n,
      expiresInSeconds: 300,
      quotes: [
        { asset: SOL, symbol: 'SOL', decimals: 9, expected: 166_666_667n },
        { asset: MINT, symbol: 'USDC', decimals: 6, expected: 25_002_501n },
      ],
      unquoted: [],
    })
  })

  test('leaves out an asset whose issuer now takes a fee or runs a program, and is refused when none is left', async () => {
    allowHooked()
    expect((await quote()).quotes.map(({ asset }) => asset)).toEqual([SOL, MINT])
    for (const extension of ['transfer-hook', 'transfer-fee-config']) {
      mintsReadAt += 10_000
      facts = facts && { ...facts, active: [extension] }
      const { quotes, unquoted } = await quote()
      expect(quotes.map(({ asset }) => asset)).toEqual([SOL])
      expect(unquoted).toEqual([{ asset: MINT, code: 'asset_not_usable' }])
    }
    put({ acceptedAssets: [MINT] })
    await expect(quote()).rejects.toMatchObject({
      code: 'asset_not_usable',
      context: { asset: MINT, reason: 'takes a transfer fee' },
    })
  })

  test('reads the mint once in ten seconds, and never the mint of a token that cannot change', async () => {
    await quote()
    expect(mintsRead).toBe(0)
    allowHooked()
    await Promise.all([quote(), quote(), select(MINT)])
    mintsReadAt += 9_999
    await quote()
    expect(mintsRead).toBe(1)
    mintsReadAt += 1
    await quote()
    expect(mintsRead).toBe(2)
  })

  test('leaves out, with the reason, an asset without a price, or with an amount that cannot settle to an empty wallet', async () => {
    dollars.delete('USDC')
    expect((await quote()).quotes.map(({ asset }) => asset)).toEqual([SOL])
    expect((await quote()).unquoted).toEqual([{ asset: MINT, code: 'price_feed_unreachable' }])
    // 895,865 and 895,897 lamports: the first leaves the business less than the rent minimum, after the network fee.
    dollars = new Map([
      ['SOL', '27906'],
      ['USDC', '1'],
    ])
    expect((await quote()).quotes.map(({ asset }) => asset)).toEqual([MINT])
    dollars.set('SOL', '27905')
    expect((await quote()).quotes.map(({ asset }) => asset)).toEqual([SOL, MINT])
    put({ marketplaceFeeBps: makeBasisPoints(5_000) })
    expect((await quote()).quotes.map(({ asset }) => asset)).toEqual([MINT])
  })

  test('without any price names the feeds as the cause', async () => {
    dollars.clear()
    await expect(quote()).rejects.toMatchObject({ code: 'price_feed_unreachable' })
    dollars.set('SOL', '30000')
    await expect(quote()).rejects.toMatchObject({ code: 'price_feed_unreachable' })
  })

  test('of a price that cannot be paid in any asset is empty', async () => {
    put({ acceptedAssets: [SOL] })
    dollars.set('SOL', '30000')
    expect(await quote()).toEqual({
      priceUsdCents: 2_500n,
      expiresInSeconds: 300,
      quotes: [],
      unquoted: [{ asset: SOL, code: 'amount_too_small' }],
    })
    put({ acceptedAssets: [SOL], priceUsdCents: makeUsdCents(9_007_199_254_740_991n) })
    dollars.set('SOL', '0.0001')
    expect(await quote()).toMatchObject({ quotes: [], unquoted: [{ asset: SOL, code: 'amount_too_large' }] })
  })

  test('is refused after the window or after a payment', async () => {
    now = pendingIntent.expiresAt
    await expect(quote()).rejects.toMatchObject({ code: 'not_quotable', context: { status: 'pending' } })
    now = NOW
    put({ status: 'paid' })
    await expect(quote()).rejects.toMatchObject({ code: 'not_quotable', context: { status: 'paid' } })
    expect(asked).toBe(0)
  })
})

describe('choosing a token', () => {
  /** With the rate, and the source that gave it. */
  const locked = (expected: bigint, usd: string) => ({
    ...choice(SOL, expected),
    rate: { usd, sources: [{ name: expect.any(String), usd, at: expect.any(Date) }] },
  })

  test('locks the amount at the current rate, and a later selection at the later rate', async () => {
    expect(await select(SOL)).toMatchObject({ selection: locked(166_666_667n, '150'), status: 'pending' })
    dollars.set('SOL', '100')
    expect(await select(SOL)).toMatchObject({ selection: locked(250_000_000n, '100') })
    expect(stores.events.map(({ type }) => type)).toEqual(['intent.token_selected', 'intent.token_selected'])
  })

  test('emits an event each time, also of the same asset at the same rate', async () => {
    await select(SOL)
    expect(await select(SOL)).toMatchObject({ selection: locked(166_666_667n, '150'), version: 3 })
    expect(stores.events).toHaveLength(2)
  })

  test('is possible 15 times within five minutes, also by concurrent requests, and again when the oldest selection is that old', async () => {
    const at = (seconds: number) => new Date(NOW.getTime() + seconds * 1_000)
    put({ expiresAt: at(600) })
    await select(SOL)
    now = at(60)
    const all = await Promise.allSettled(Array.from({ length: 40 }, (_, turn) => select(turn % 2 === 0 ? SOL : MINT)))
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(14)
    expect(stores.events).toHaveLength(15)
    const refusal = { code: 'rate_limited', context: { retry_after_seconds: 240 } }
    await expect(select(SOL)).rejects.toMatchObject(refusal)
    for (const one of all) if (one.status === 'rejected') expect(one.reason).toMatchObject(refusal)
    now = new Date(at(300).getTime() - 1)
    await expect(select(SOL)).rejects.toMatchObject({ context: { retry_after_seconds: 1 } })
    now = at(300)
    await select(SOL)
    await expect(select(SOL)).rejects.toMatchObject({ context: { retry_after_seconds: 60 } })
  })

  test.each<[string, () => void, Asset, string]>([
    ['of an asset that is not accepted', () => {}, OTHER_MINT, 'asset_not_accepted'],
    [
      'after the window',
      () => {
        now = pendingIntent.expiresAt
      },
      SOL,
      'intent_expired',
    ],
    ['of a cancelled intent', () => put({ status: 'cancelled' }), SOL, 'intent_cancelled'],
    ['of a paid intent', () => put({ status: 'paid' }), SOL, 'selection_frozen'],
  ])('%s is refused before any price is requested', async (_, change, asset, code) => {
    change()
    await expect(select(asset)).rejects.toMatchObject({ code })
    expect(asked).toBe(0)
  })

  test('of an asset in which too little or too much would be due is refused with that reason', async () => {
    // An address could hold 895,865 lamports, but less than the rent minimum of them is for the business.
    for (const price of ['30000', '27906']) {
      dollars.set('SOL', price)
      await expect(select(SOL)).rejects.toMatchObject({ code: 'amount_too_small' })
    }
    put({ priceUsdCents: makeUsdCents(9_007_199_254_740_991n) })
    dollars.set('SOL', '0.0001')
    await expect(select(SOL)).rejects.toMatchObject({ code: 'amount_too_large' })
    expect((await intent()).selection).toBeNull()
  })

  test('whose issuer now takes a fee is refused, and nothing changes', async () => {
    allowHooked()
    facts = facts && { ...facts, active: ['transfer-fee-config'] }
    await expect(select(MINT)).rejects.toMatchObject({ code: 'asset_not_usable' })
    expect((await intent()).selection).toBeNull()
  })

  test('without a price is refused, and nothing changes', async () => {
    dollars.clear()
    await expect(select(SOL)).rejects.toMatchObject({ code: 'price_feed_unreachable' })
    expect((await intent()).version).toBe(1)
  })

  test('loses to a payment that is stored while the price is requested', async () => {
    put({ selection: choice(MINT, 25_000_000n) })
    const late = createSelectToken({
      ...deps(),
      async lockRate() {
        await decideAndApply(stores.intents, pendingIntent.id, (facts) =>
          decideDeposits(facts, [observedDeposit(1, 5n, { asset: MINT })], null, context()),
        )
        return choice(SOL, 5_000_000n)
      },
    })
    await expect(late(SECRET, SOL)).rejects.toMatchObject({ code: 'selection_frozen' })
    expect((await intent()).selection?.asset).toBe(MINT)
  })

  describe('after a payment has landed', () => {
    const landed = (asset: Asset, balance = 1n) => {
      arrivals = async () => [{ account: pendingIntent.address, asset, balance: units(balance) }]
    }

    test('is refused when the payment was found by this request', async () => {
      put({ selection: choice(SOL, 5_000_000n) })
      arrivals = async () => {
        await decideAndApply(stores.intents, pendingIntent.id, (facts) =>
          decideDeposits(facts, [observedDeposit(1, 5_000_000n)], null, context()),
        )
        return [{ account: pendingIntent.address, asset: SOL, balance: units(5_000_000n) }]
      }
      await expect(select(MINT)).rejects.toMatchObject({ code: 'selection_frozen' })
      expect(await intent()).toMatchObject({ status: 'settling', selection: { asset: SOL } })
    })

    test.each<[string, Asset | null, Asset, Asset]>([
      ['in the selected asset', SOL, SOL, MINT],
      ['in the selected asset, which is selected again', SOL, SOL, SOL],
      ['in the asset that is selected now', MINT, SOL, SOL],
      ['before any selection', null, SOL, MINT],
    ])('%s is refused while its transaction is not read', async (_, before, paid, after) => {
      put({ selection: before === null ? null : choice(before, 5_000_000n) })
      landed(paid)
      await expect(select(after)).rejects.toMatchObject({ code: 'payment_arriving' })
      expect((await intent()).version).toBe(1)
    })

    test('in another asset than the selected ones is possible, because that money goes back', async () => {
      put({ selection: choice(SOL, 5_000_000n) })
      landed(OTHER_MINT)
      expect(await select(MINT)).toMatchObject({ selection: { asset: MINT } })
    })

    test('is refused without a change when the chain cannot be read', async () => {
      arrivals = async () => {
        throw new ServiceError('chain_unavailable')
      }
      await expect(select(SOL)).rejects.toMatchObject({ code: 'chain_unavailable' })
      expect((await intent()).version).toBe(1)
    })
  })

  test('of a token that was removed from the allowlist later is still possible, because this intent accepts it', async () => {
    tokens = new Map([...tokens, [MINT, { ...USDC, enabled: false }]])
    expect(await select(MINT)).toMatchObject({ selection: { asset: MINT } })
  })
})

describe('an update of customer details', () => {
  let saves: number
  const update = (patch: Parameters<ReturnType<typeof createUpdateDetails>>[1], losesRaces = 0, secret = SECRET) =>
    createUpdateDetails({
      findByClientSecret,
      store: {
        async apply() {
          saves += 1
          return saves > losesRaces
        },
      },
      clock: { now: () => now },
    })(secret, patch)
  beforeEach(() => {
    saves = 0
    put({ customerDetails: { first_name: 'Ada', email: 'ada@example.org' } })
  })

  test('overwrites, keeps and clears fields, and answers the stored details', async () => {
    const { customerDetails } = await update({ first_name: null, last_name: 'Hopper' })
    expect(customerDetails).toEqual({ last_name: 'Hopper', email: 'ada@example.org' })
  })

  test('is decided again when the intent changed in between, and refused when it keeps changing', async () => {
    await update({ last_name: 'Hopper' }, 3)
    expect(saves).toBe(4)
    saves = 0
    await expect(update({ last_name: 'Hopper' }, 99)).rejects.toMatchObject({ code: 'database_unavailable' })
  })

  test('is refused for a wrong secret before the values are checked, and for bad values before anything is stored', async () => {
    await expect(update({ email: 'not an email' }, 0, 'cs_wrong')).rejects.toMatchObject({
      code: 'invalid_client_secret',
    })
    await expect(update({ email: 'not an email' })).rejects.toMatchObject({ code: 'invalid_email' })
    await expect(update({ address: { country: 'XX' } })).rejects.toMatchObject({ code: 'invalid_country' })
    expect(saves).toBe(0)
  })

  test('is refused when the intent has ended', async () => {
    put({ status: 'swept', received: units(1n) })
    await expect(update({ last_name: 'Hopper' })).rejects.toMatchObject({ code: 'details_frozen' })
  })
})
