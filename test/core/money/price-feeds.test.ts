import { describe, expect, test } from 'vitest'
import { DEFAULT_PRICE_FEEDS, hasFixedFeed, type PriceFeedsSetting, parsePriceFeeds } from '#core/money/price-feeds.ts'

const fixedPrices = (setting: PriceFeedsSetting) => {
  if (setting.kind !== 'fixed') throw new Error('these are not fixed prices')
  return Object.fromEntries([...setting.prices].map(([key, price]) => [key, `${price.mantissa}e${price.exponent}`]))
}
const httpFeeds = (setting: PriceFeedsSetting) => {
  if (setting.kind !== 'http') throw new Error('these are fixed prices')
  return setting.feeds.map(({ name, baseUrl }) => (baseUrl === undefined ? name : `${name} at ${baseUrl}`))
}

describe('the PRICE_FEEDS setting', () => {
  test.each([
    ['fixed:SOL=150', { SOL: '15e1' }],
    ['fixed:SOL=150,USDC=1.0001', { SOL: '15e1', USDC: '10001e-4' }],
    [' fixed: sol = 150.00 , Demo = 1e-3 ', { SOL: '15e1', DEMO: '1e-3' }],
    ['FIXED:PYTH=0.3', { PYTH: '3e-1' }],
  ])('%j gives fixed prices', (text, expected) => {
    const setting = parsePriceFeeds(text)
    expect(fixedPrices(setting)).toEqual(expected)
    expect(hasFixedFeed(setting)).toBe(true)
  })

  test.each([
    ['pyth', ['pyth']],
    ['pyth,jupiter,coinbase', ['pyth', 'jupiter', 'coinbase']],
    [' Coinbase , JUPITER ', ['coinbase', 'jupiter']],
    ['pyth=https://hermes.example,coinbase', ['pyth at https://hermes.example/', 'coinbase']],
    ['pyth = http://10.0.0.5:4242/hermes?key=a=b', ['pyth at http://10.0.0.5:4242/hermes?key=a=b']],
  ])('%j gives feeds over HTTP', (text, expected) => {
    const setting = parsePriceFeeds(text)
    expect(httpFeeds(setting)).toEqual(expected)
    expect(hasFixedFeed(setting)).toBe(false)
  })

  test('the default names its feeds, so that a feed added to the code does not join it', () => {
    expect(DEFAULT_PRICE_FEEDS).toBe('pyth,jupiter,coinbase')
    expect(httpFeeds(parsePriceFeeds(DEFAULT_PRICE_FEEDS))).toEqual(['pyth', 'jupiter', 'coinbase'])
  })

  test.each([
    ['', 'an entry is empty'],
    ['pyth,', 'an entry is empty'],
    ['fixed:', 'an entry is empty'],
    ['fixed:SOL=150,,USDC=1', 'an entry is empty'],
    ['fixed', 'fixed prices stand alone'],
    ['chainlink', '"chainlink" is no feed'],
    ['https://hermes.example/secret', '"https" is no feed'],
    ['pyth,fixed:SOL=150', 'fixed prices stand alone'],
    ['pyth,FIXED=150', 'fixed prices stand alone'],
    ['pyth,Pyth=https://other.example', 'pyth is named twice'],
    ['pyth=ftp://hermes.example', 'pyth needs an http or https address'],
    ['pyth=hermes.example/secret', 'pyth needs an http or https address'],
    ['pyth=', 'pyth needs an http or https address'],
    ['pyth=https://user:secret@hermes.example', 'must not hold a user name'],
    ['fixed:SOL', 'fixed price 1 is not KEY=PRICE'],
    ['fixed:SOL=150,pyth', 'fixed price 2 is not KEY=PRICE'],
    ['fixed:SOL=0', 'the price of SOL is not one'],
    ['fixed:SOL=-150', 'the price of SOL is not one'],
    ['fixed:SOL=lots', 'the price of SOL is not one'],
    ['fixed:SOL=', 'the price of SOL is not one'],
    ['fixed:SOL=150,pyth=https://hermes.example/secret', 'the price of pyth is not one'],
    ['fixed:SOL=150,sol=151', 'sol has two prices'],
  ])('%j is refused in one line that names the setting', (text, complaint) => {
    const refusal = (): unknown => {
      try {
        return parsePriceFeeds(text)
      } catch (error) {
        return error
      }
    }
    const error = refusal()
    expect(error).toBeInstanceOf(Error)
    const message = error instanceof Error ? error.message : ''
    expect(message).toMatch(/^PRICE_FEEDS: .+$/)
    expect(message).toContain(complaint)
    expect(message).not.toContain('secret')
  })
})
