import { beforeEach, describe, expect, it } from 'vitest'
import { makeAddress } from '#core/chain/base58.ts'
import type { MintFacts } from '#core/chain/types.ts'
import type { Token } from '#core/tokens/token.ts'
import type { Directory } from '#services/accounts/directory.ts'
import type { PriceSource } from '#services/prices/price-source.ts'
import { createTokenServices } from '#services/tokens/tokens.ts'

const MINT = makeAddress('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v')
const OTHER = makeAddress('Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB')
const WRAPPED = makeAddress('So11111111111111111111111111111111111111112')
const TOKEN_2022 = makeAddress('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb')

let stored: Map<string, Token>
let facts: MintFacts | null
let notices: number
let released: readonly string[]
let prices: Awaited<ReturnType<PriceSource['pricesFor']>>

const keyOf = ({ network, asset }: Pick<Token, 'network' | 'asset'>) => `${network} ${asset}`
const directory: Pick<Directory, 'tokens'> = {
  tokens: async (network) =>
    new Map([...stored.values()].filter((token) => token.network === network).map((token) => [token.asset, token])),
}
const services = createTokenServices({
  tokens: {
    async save(token) {
      stored.set(keyOf(token), token)
      return token
    },
    saveImage: async () => null,
    list: async (network) => [...stored.values()].filter((token) => network === null || token.network === network),
    find: async (network, asset) => stored.get(keyOf({ network, asset })) ?? null,
  },
  held: { isTokenReleaseOpen: async (network, mint) => released.includes(`${network} ${mint}`) },
  directory,
  directoryChanged: async () => {
    notices += 1
  },
  mints: { live: { readMint: async () => facts }, test: null },
  prices: { pricesFor: async () => prices },
})
beforeEach(() => {
  stored = new Map()
  released = []
  facts = {
    mint: MINT,
    tokenProgram: TOKEN_2022,
    decimals: 6,
    extensions: ['metadata-pointer'],
    active: [],
  }
  notices = 0
  prices = new Map()
})

const usdc = { network: 'live', asset: MINT, name: 'USD Coin', ticker: 'USDC', feedKey: null, consent: [] } as const
const sol = { ...usdc, asset: 'SOL', name: 'Solana', ticker: 'SOL' } as const
const refusal = (code: string, context: object = {}) =>
  expect.objectContaining({ code, context: expect.objectContaining(context) })

describe('allowing a token', () => {
  it('takes what it is from the chain and what it is called from the operator', async () => {
    expect(await services.allow({ ...usdc, name: ' USD Coin ' })).toEqual({
      network: 'live',
      asset: MINT,
      mint: MINT,
      isNative: false,
      name: 'USD Coin',
      ticker: 'USDC',
      decimals: 6,
      tokenProgram: TOKEN_2022,
      extensions: ['metadata-pointer'],
      feedKey: 'USDC',
      imageName: null,
      enabled: true,
    })
    expect(notices).toBe(1)
  })

  it('is refused while a release of the same token is under way', async () => {
    released = [`live ${MINT}`]
    await expect(services.allow(usdc)).rejects.toEqual(refusal('token_release_in_progress'))
    expect([stored.size, notices]).toEqual([0, 0])
    released = [`test ${MINT}`, `live ${OTHER}`]
    expect(await services.allow(usdc)).toMatchObject({ enabled: true })
  })

  it('SOL is allowed like any other, under the wrapped mint', async () => {
    facts = null
    const token = await services.allow(sol)
    expect(token).toMatchObject({ asset: 'SOL', mint: WRAPPED, isNative: true, decimals: 9, tokenProgram: null })
  })

  it('its feed key is its ticker in capitals by default', async () => {
    expect((await services.allow({ ...usdc, ticker: 'usdc' })).feedKey).toBe('USDC')
    expect((await services.allow({ ...usdc, feedKey: 'usdc/usd' })).feedKey).toBe('usdc/usd')
  })

  it('a mint that is none, or that is not safe, is refused and nothing is written', async () => {
    facts = null
    await expect(services.allow(usdc)).rejects.toEqual(refusal('invalid_mint'))
    const base = { mint: MINT, tokenProgram: TOKEN_2022, decimals: 6 }
    facts = { ...base, extensions: ['transfer-hook'], active: ['transfer-hook'] }
    await expect(services.allow(usdc)).rejects.toEqual(refusal('mint_not_supported', { extension: 'transfer-hook' }))
    facts = { ...base, extensions: ['pausable', 'transfer-hook'], active: [] }
    await expect(services.allow(usdc)).rejects.toEqual(
      refusal('mint_needs_consent', { extensions: ['pausable', 'transfer-hook'] }),
    )
    expect([stored.size, notices]).toEqual([0, 0])
    const consent = ['transfer-hook', 'pausable']
    expect(await services.allow({ ...usdc, consent })).toMatchObject({ enabled: true, extensions: facts.extensions })
  })

  it('wrapped SOL is not a token next to SOL', async () => {
    await expect(services.allow({ ...usdc, asset: WRAPPED })).rejects.toEqual(
      refusal('invalid_request', { field: 'asset' }),
    )
  })

  it('a network that is not served is refused', async () => {
    await expect(services.allow({ ...sol, network: 'test' })).rejects.toEqual(refusal('network_unavailable'))
  })

  it.each([
    ['name', { name: '' }],
    ['name', { name: 'a\u202Eb' }],
    ['ticker', { ticker: 'US DC' }],
    ['ticker', { ticker: 'A'.repeat(17) }],
    ['feedKey', { feedKey: '' }],
    ['feedKey', { feedKey: 'USDC,SOL' }],
  ])('a bad %s is refused: %j', async (field, bad) => {
    await expect(services.allow({ ...usdc, ...bad })).rejects.toEqual(refusal('invalid_request', { field }))
  })

  it('two tokens never share a ticker, because buyers choose by it alone', async () => {
    await services.allow(usdc)
    await expect(services.allow({ ...usdc, asset: OTHER, ticker: 'usdc' })).rejects.toEqual(
      refusal('invalid_request', { field: 'ticker' }),
    )
    await services.disallow('live', MINT)
    await services.allow({ ...usdc, asset: OTHER })
    await expect(services.allow(usdc)).rejects.toEqual(refusal('invalid_request', { field: 'ticker' }))
  })

  it('again changes its names and allows it again', async () => {
    await services.allow(usdc)
    await services.disallow('live', MINT)
    expect(await services.allow({ ...usdc, name: 'Circle Dollar' })).toMatchObject({ enabled: true })
    expect(stored.size).toBe(1)
  })
})

describe('disallowing a token', () => {
  it('keeps it for the payments that were made in it, out of the set that new ones may use', async () => {
    await services.allow(usdc)
    await services.allow(sol)
    expect(await services.disallow('live', MINT)).toMatchObject({ enabled: false, decimals: 6 })
    expect((await services.allowed('live')).map(({ ticker }) => ticker)).toEqual(['SOL'])
    for (const tokens of [await services.list(), await services.known('live')])
      expect(tokens.map(({ ticker }) => ticker)).toEqual(['USDC', 'SOL'])
    expect(notices).toBe(3)
  })

  it('that was never allowed is not found', async () => {
    await expect(services.disallow('live', MINT)).rejects.toEqual(refusal('token_not_found'))
  })
})

describe('a token without a price', () => {
  const token = { ticker: 'USDC', feedKey: 'USDX', mint: MINT }

  it('is explained in a sentence that names its feed key', async () => {
    prices = new Map([[MINT, { refused: 'unreachable' }]])
    expect(await services.priceProblem(token)).toMatch(/USDC under the key USDX.*PRICE_FEEDS/)
    prices = new Map([[MINT, { refused: 'disagree' }]])
    expect(await services.priceProblem(token)).toMatch(/disagree on USDC/)
  })

  it('is no trouble once it has one', async () => {
    const price = { mantissa: 1n, exponent: 0, source: 'fixed', publishedAt: new Date() }
    prices = new Map([[MINT, price]])
    expect(await services.priceProblem(token)).toBeNull()
  })
})
