import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  INTERVAL_LIMITS,
  INTERVALS,
  judgeSettlementMint,
  judgeTier,
  newTier,
  type TierInput,
  type TierTerms,
  totalBaseUnits,
  totalUsdCents,
} from '#core/billing/tier.ts'
import { makeAddress } from '#core/chain/base58.ts'
import { MAX_U64, MAX_USD_CENTS, makeBasisPoints, makeUsdCents } from '#core/money/amounts.ts'
import type { Token } from '#core/tokens/token.ts'
import { MINT } from '../../support/example-intent.ts'
import { addressNo } from '../../support/payment.ts'

const INPUT: TierInput = {
  name: 'Monthly',
  description: null,
  priceUsdCents: makeUsdCents(1_500),
  interval: 'month',
  intervalCount: 1,
  authorizationPeriods: 12,
  trialDays: 0,
  metadata: {},
}
const TERMS: TierTerms = {
  mint: MINT,
  tokenProgram: addressNo(1),
  decimals: 6,
  payoutOwner: addressNo(2),
  payoutAta: addressNo(3),
  platformFeeBps: makeBasisPoints(50),
  platformWallet: addressNo(4),
}
const OF = { id: 'id', accountId: 'account', productId: 'product', at: new Date(0) }
const FLOOR = makeUsdCents(10)
const CEILING = makeUsdCents(1_000_000)
const PRICES = { minPriceUsdCents: FLOOR, maxPriceUsdCents: CEILING }

const codeOf = (patch: Partial<TierInput>) => judgeTier({ ...INPUT, ...patch }, PRICES)?.code ?? null

describe('a tier', () => {
  it('charges price × 10^(decimals − 2) a period, and authorizes that for every period', () => {
    const tier = newTier(INPUT, TERMS, OF)
    expect(tier).toMatchObject({ ...TERMS, unitBaseUnits: 15_000_000n })
    expect(tier && [totalUsdCents(tier), totalBaseUnits(tier)]).toEqual([18_000n, 180_000_000n])
    expect(newTier(INPUT, { ...TERMS, decimals: 2 }, OF)?.unitBaseUnits).toBe(1_500n)
  })

  it('is refused exactly when its total is above what a token account or a JSON integer holds', () => {
    const cents = fc.bigInt({ min: 1n, max: 1_000_000_000_000n })
    const periods = fc.integer({ min: 1, max: 2 ** 31 - 1 })
    fc.assert(
      fc.property(cents, periods, fc.integer({ min: 2, max: 30 }), (price, authorizationPeriods, decimals) => {
        const input = { ...INPUT, priceUsdCents: makeUsdCents(price), authorizationPeriods }
        const total = price * BigInt(authorizationPeriods)
        const fits = total <= MAX_USD_CENTS && total * 10n ** BigInt(decimals - 2) <= MAX_U64
        const tier = newTier(input, { ...TERMS, decimals }, OF)
        expect(tier !== null).toBe(fits)
        if (tier !== null) expect(totalBaseUnits(tier)).toBe(total * 10n ** BigInt(decimals - 2))
      }),
    )
  })

  it.each(INTERVALS)('has at most the number of intervals of its kind: %s', (interval) => {
    const limit = INTERVAL_LIMITS[interval]
    expect(codeOf({ interval, intervalCount: limit })).toBeNull()
    for (const intervalCount of [0, -1, 1.5, limit + 1])
      expect(codeOf({ interval, intervalCount })).toBe('invalid_interval_count')
  })

  it('authorizes at least one period', () => {
    expect(codeOf({ authorizationPeriods: 1 })).toBeNull()
    for (const authorizationPeriods of [0, -1, 1.5])
      expect(codeOf({ authorizationPeriods })).toBe('invalid_authorization_periods')
  })

  it('has a trial of 0 to 365 days', () => {
    for (const trialDays of [0, 1, 365]) expect(codeOf({ trialDays })).toBeNull()
    for (const trialDays of [-1, 366, 1.5, Number.NaN]) expect(codeOf({ trialDays })).toBe('invalid_trial_days')
  })

  it('costs at least the floor of the platform', () => {
    expect(codeOf({ priceUsdCents: FLOOR })).toBeNull()
    expect(codeOf({ priceUsdCents: makeUsdCents(FLOOR - 1n) })).toBe('invalid_price')
  })

  it('costs at most the ceiling of the platform', () => {
    expect(codeOf({ priceUsdCents: CEILING })).toBeNull()
    expect(judgeTier({ ...INPUT, priceUsdCents: makeUsdCents(CEILING + 1n) }, PRICES)).toEqual({
      code: 'tier_price_above_ceiling',
      context: { max_price_usd_cents: 1_000_000 },
    })
  })

  it('has a name of at most 120 characters', () => {
    expect(codeOf({ name: 'a'.repeat(120) })).toBeNull()
    for (const name of ['', ' ', 'a'.repeat(121), 'a\nb']) expect(codeOf({ name })).toBe('invalid_name')
  })
})

const token: Token = {
  network: 'live',
  asset: MINT,
  mint: MINT,
  isNative: false,
  name: 'USD Coin',
  ticker: 'USDC',
  decimals: 6,
  tokenProgram: makeAddress('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'),
  extensions: ['metadata-pointer', 'permanent-delegate'],
  feedKey: 'USDC',
  imageName: null,
  enabled: true,
}

describe('the settlement mint', () => {
  it('is taken from the allowlist', () => {
    const { mint, tokenProgram, decimals } = token
    expect(judgeSettlementMint(token)).toEqual({ mint, tokenProgram, decimals })
    expect(judgeSettlementMint({ ...token, decimals: 2 })).toMatchObject({ decimals: 2 })
  })

  it.each<[string, Token | undefined]>([
    ['allowlist', undefined],
    ['allowlist', { ...token, enabled: false }],
    ['allowlist', { ...token, asset: 'SOL', isNative: true, tokenProgram: null }],
    ['2 decimals', { ...token, decimals: 1 }],
  ])('cannot be used: %s', (problem, given) => {
    expect(judgeSettlementMint(given)).toEqual({ problem: expect.stringContaining(problem) })
  })
})
