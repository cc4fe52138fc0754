import { beforeEach, describe, expect, test } from 'vitest'
import { SOL } from '#core/chain/types.ts'
import { makeBaseUnits, makeBasisPoints, makeLamports } from '#core/money/amounts.ts'
import { decimalToPrice, type Price, type PriceRefusal } from '#core/money/price.ts'
import { leastPaid } from '#core/payments/payment-intent.ts'
import type { Token } from '#core/tokens/token.ts'
import type { PricedAsset } from '#ports/price-feed.ts'
import { createKnownPrices } from '#services/payments/known-prices.ts'
import { createLeastPayable } from '#services/payments/lock-rate.ts'
import { createRatesReader, type ReadRates } from '#services/payments/transfers/subject.ts'
import { MINT } from '../../support/example-intent.ts'
import { UNCHANGED_MINTS as mintGuard } from '../../support/memory-stores.ts'
import { context, later, NOW, SOL_TOKEN, TERMS, USDC } from '../../support/payment.ts'

const OWN = { marketplaceFeeBps: null, underpaymentToleranceBps: null }

describe('a rate', () => {
  describe('payability', () => {
    const terms = () => TERMS

    test('the least payment in SOL leaves the rent minimum for the wallet of the business, after the fees', async () => {
      const read = createLeastPayable({
        chainOf: () => ({ minimumBalance: async () => makeLamports(890_880n) }),
        terms,
        mintGuard,
      })
      const least = await read(SOL_TOKEN)
      expect(least(OWN)).toBe(895_880n)
      // With a tolerance, what counts as paid can still settle.
      const tolerant = least({ ...OWN, underpaymentToleranceBps: makeBasisPoints(500) })
      expect(leastPaid(tolerant, makeBasisPoints(500))).toBe(895_880n)
      // A half for the marketplace, and a hundredth for the platform.
      expect(least({ ...OWN, marketplaceFeeBps: makeBasisPoints(5_000) })).toBe(1_828_327n)
    })

    test('a payment in a token has no least amount, and no call to the chain is made for it', async () => {
      const chainOf = () => ({ minimumBalance: () => Promise.reject(new Error('not expected here')) })
      const least = await createLeastPayable({ chainOf, terms, mintGuard })(USDC)
      expect(least({ ...OWN, marketplaceFeeBps: makeBasisPoints(5_000) })).toBe(1n)
    })
  })

  describe('known prices', () => {
    const MINUTE_MS = 60_000
    let now: Date
    let dollars: Map<string, string>
    let asked: number

    const token = (asset: string): Token => {
      const found = context().tokens.get(asset === SOL ? SOL : MINT)
      if (found === undefined) throw new Error(`${asset} is not allowed`)
      return found
    }

    const known = (tokens = context().tokens) =>
      createKnownPrices({
        networks: ['live'],
        directory: { tokens: async () => tokens },
        prices: {
          async pricesFor(assets: readonly PricedAsset[]) {
            asked += 1
            const priceOf = (feedKey: string): Price | PriceRefusal => {
              const decimal = decimalToPrice(dollars.get(feedKey) ?? '')
              return decimal === undefined
                ? { refused: 'unreachable' }
                : { ...decimal, source: 'test', publishedAt: now }
            }
            return new Map(assets.map(({ mint, feedKey }) => [mint, priceOf(feedKey)]))
          },
        },
        leastPayable:
          async ({ isNative }) =>
          ({ marketplaceFeeBps }) =>
            makeBaseUnits(isNative ? 890_880n * (marketplaceFeeBps === null ? 1n : 2n) : 1n),
        clock: { now: () => now },
      })

    beforeEach(() => {
      now = NOW
      dollars = new Map([['SOL', '150']])
      asked = 0
    })

    describe('the prices that can be paid in an asset', () => {
      test('are known after they were read, and a request for them reads no feed', async () => {
        const { rangeOf, refresh } = known()
        expect(rangeOf(token(SOL), OWN)).toBeNull()
        expect(asked).toBe(0)
        await refresh()
        expect(rangeOf(token(SOL), OWN)).toEqual({ smallest: 14n, largest: 276_701_161_105_643n })
        expect(rangeOf(token(SOL), { ...OWN, marketplaceFeeBps: makeBasisPoints(5_000) })?.smallest).toBe(27n)
        expect(rangeOf({ ...token(SOL), network: 'test' }, OWN)).toBeNull()
        expect(asked).toBe(1)
      })

      test('are unknown for an asset without a price, which does not hide the others', async () => {
        const { rangeOf, refresh } = known()
        await refresh()
        expect(rangeOf(token(MINT), OWN)).toBeNull()
        expect(rangeOf(token(SOL), OWN)).not.toBeNull()
      })

      test('follow the price, stay while a feed is unreachable, and end after ten minutes', async () => {
        const { rangeOf, refresh } = known()
        await refresh()
        dollars.set('SOL', '300')
        await refresh()
        expect(rangeOf(token(SOL), OWN)?.smallest).toBe(27n)
        dollars.clear()
        now = new Date(now.getTime() + 10 * MINUTE_MS)
        await refresh()
        expect(rangeOf(token(SOL), OWN)?.smallest).toBe(27n)
        now = new Date(now.getTime() + 1)
        expect(rangeOf(token(SOL), OWN)).toBeNull()
      })
    })

    describe('the price of an asset', () => {
      test('is known as long as its range is', async () => {
        const { priceOf, refresh } = known()
        expect(priceOf(token(SOL))).toBeNull()
        await refresh()
        expect(priceOf(token(SOL))).toMatchObject({ mantissa: 15n, exponent: 1 })
        expect(priceOf(token(MINT))).toBeNull()
        now = new Date(now.getTime() + 10 * MINUTE_MS + 1)
        expect(priceOf(token(SOL))).toBeNull()
      })

      test('is known for SOL also when no payment may be in SOL, because the cost of a return is in SOL', async () => {
        const disabled = new Map([...context().tokens].map(([asset, one]) => [asset, { ...one, enabled: false }]))
        const { priceOf, refresh } = known(disabled)
        dollars.set('USDC', '1')
        await refresh()
        expect(priceOf(token(SOL))).not.toBeNull()
        expect(priceOf(token(MINT))).toBeNull()
      })
    })
  })
})

// Since when an asset has no price: a refund of tokens waits an hour from then.
describe('the time without a price', () => {
  const PRICE = { mantissa: 1n, exponent: 0, source: 'toy', publishedAt: later(0) }
  const { tokens } = context()

  let now = later(0)
  let isPriced = false
  let read: ReadRates
  beforeEach(() => {
    isPriced = false
    read = createRatesReader({
      clock: { now: () => now },
      prices: {
        pricesFor: async (assets) => new Map(assets.map(({ mint }) => [mint, isPriced ? PRICE : { refused: 'stale' }])),
      },
    })
  })
  const readAt = async (seconds: number) => {
    now = later(seconds)
    return (await read(tokens, new Set([MINT]))).get(MINT)
  }

  test('an asset without a price has none since the first reading that found none', async () => {
    for (const at of [60, 120, 3_000, 6_000])
      expect(await readAt(at)).toEqual({ rates: null, unpricedSince: later(60) })
  })

  test('a price ends the time without one', async () => {
    await readAt(60)
    isPriced = true
    expect(await readAt(120)).toMatchObject({ rates: { asset: PRICE, sol: PRICE }, unpricedSince: null })
    isPriced = false
    expect(await readAt(180)).toMatchObject({ unpricedSince: later(180) })
  })

  test('time without a reading does not count: after an hour of it, the next reading is the first', async () => {
    await readAt(0)
    expect(await readAt(3_599)).toMatchObject({ unpricedSince: later(0) })
    expect(await readAt(7_199)).toMatchObject({ unpricedSince: later(7_199) })
  })

  test('after the clock was set back, the next reading is the first', async () => {
    await readAt(86_400)
    expect(await readAt(60)).toMatchObject({ unpricedSince: later(60) })
  })
})
