// The allowlist. The chain has the facts of a mint, core judges them, and the operator gives name and ticker.
import { makeAddress } from '#core/chain/base58.ts'
import { type Asset, type Network, SOL, SOL_DECIMALS, WRAPPED_SOL_MINT } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import { isPriceRefusal, type PriceRefusal } from '#core/money/price.ts'
import type { Token } from '#core/tokens/token.ts'
import type { MintReader } from '#ports/chain.ts'
import type { HeldStore } from '#ports/held.ts'
import type { TokenStore } from '#ports/platform.ts'
import type { Directory, DirectoryChanged } from '#services/accounts/directory.ts'
import type { PriceSource } from '#services/prices/price-source.ts'
import { readSupportedMint } from './mint-guard.ts'

// The use cases of the allowlist.

export type TokenServices = {
  /** Returns the enabled tokens of a network: the tokens that `accepted_tokens` may name. */
  allowed(network: Network): Promise<readonly Token[]>
  /** Returns every token of a network that was ever allowed. */
  known(network: Network): Promise<readonly Token[]>
  /** Returns the ticker of an asset that was ever allowed; null for any other. */
  tickerOf(network: Network, asset: Asset): Promise<string | null>
  list(): Promise<readonly Token[]>
  /**
   * Adds a token, or changes it. Reads decimals, program and extensions from the chain and judges them. Throws
   * `mint_not_supported`, `mint_needs_consent`, `invalid_mint`, `token_release_in_progress`.
   */
  allow(input: {
    network: Network
    asset: Asset
    name: string
    ticker: string
    feedKey: string | null
    /** The extensions of the mint to which the operator consents. */
    consent: readonly string[]
  }): Promise<Token>
  disallow(network: Network, asset: Asset): Promise<Token>
  /** Returns why the token has no price now, as a sentence that says what to do; null when it has a price. */
  priceProblem(token: Pick<Token, 'ticker' | 'feedKey' | 'mint'>): Promise<string | null>
}

export type TokenDeps = {
  readonly tokens: TokenStore
  readonly held: Pick<HeldStore, 'isTokenReleaseOpen'>
  readonly directory: Pick<Directory, 'tokens'>
  readonly directoryChanged: DirectoryChanged
  /** Null for a network that this deployment does not serve. */
  readonly mints: Readonly<Record<Network, MintReader | null>>
  readonly prices: Pick<PriceSource, 'pricesFor'>
}

type AllowInput = Parameters<TokenServices['allow']>[0]

export function createTokenServices(deps: TokenDeps): TokenServices {
  const { tokens, directory, directoryChanged } = deps
  const save = async (token: Token): Promise<Token> => {
    const saved = await tokens.save(token)
    await directoryChanged()
    return saved
  }
  const known = async (network: Network): Promise<readonly Token[]> => [...(await directory.tokens(network)).values()]
  return {
    allowed: async (network) => (await known(network)).filter(({ enabled }) => enabled),
    known,
    tickerOf: async (network, asset) => (await directory.tokens(network)).get(asset)?.ticker ?? null,
    list: () => tokens.list(null),

    async allow(input) {
      const named = readNames(input)
      await judgeTicker(deps, input, named.ticker)
      const facts = await readFacts(deps, input)
      // The release sends the whole balance: the books would count the same units again.
      if (await deps.held.isTokenReleaseOpen(input.network, input.asset))
        throw new ServiceError('token_release_in_progress')
      return await save({ ...facts, ...named, imageName: null, enabled: true })
    },

    async disallow(network, asset) {
      const token = await tokens.find(network, asset)
      if (token === null) throw new ServiceError('token_not_found', { network, asset })
      return await save({ ...token, enabled: false })
    },

    async priceProblem({ ticker, feedKey, mint }) {
      const outcome = (await deps.prices.pricesFor([{ feedKey, mint }])).get(mint) ?? { refused: 'unreachable' }
      return isPriceRefusal(outcome) ? describe(outcome, ticker, feedKey) : null
    },
  }
}

const describe = ({ refused }: PriceRefusal, ticker: string, feedKey: string): string => {
  if (refused === 'disagree') return `The price feeds disagree on ${ticker} right now, so it cannot be quoted.`
  return (
    `No price feed gives a recent price for ${ticker} under the key ${feedKey}, so it cannot be quoted: ` +
    'check PRICE_FEEDS, or allow the token again with another feed key.'
  )
}

type Names = Pick<Token, 'name' | 'ticker' | 'feedKey'>
type MintSide = Omit<Token, keyof Names | 'imageName' | 'enabled'>

const NAME = /^[^\p{Cc}\p{Cf}]{1,64}$/u
const TICKER = /^[\w$.+-]{1,16}$/
/** A ticker, a pair such as SOL/USD, or a Pyth feed's 64 hexadecimal digits. */
const FEED_KEY = /^[\w$.+/-]{1,80}$/

const invalid = (field: string, rule: string): ServiceError => new ServiceError('invalid_request', { field, rule })

function readNames(input: Pick<AllowInput, 'name' | 'ticker' | 'feedKey'>): Names {
  const name = input.name.trim()
  const ticker = input.ticker.trim()
  const feedKey = input.feedKey?.trim() ?? ticker.toUpperCase()
  if (!NAME.test(name)) throw invalid('name', 'must be 1 to 64 printable characters')
  if (!TICKER.test(ticker)) throw invalid('ticker', 'must be 1 to 16 letters, digits, or any of $ . + _ -')
  if (!FEED_KEY.test(feedKey)) throw invalid('feedKey', 'must be what a price feed calls the token, for example USDC')
  return { name, ticker, feedKey }
}

/** Throws when another token of the network has the ticker: buyers choose by the ticker alone. */
async function judgeTicker({ tokens }: TokenDeps, { network, asset }: AllowInput, ticker: string): Promise<void> {
  const same = (token: Token) => token.enabled && token.ticker.toUpperCase() === ticker.toUpperCase()
  const other = (await tokens.list(network)).find((token) => token.asset !== asset && same(token))
  if (other !== undefined) throw invalid('ticker', `is that of another allowed token, ${other.asset}`)
}

async function readFacts({ mints }: TokenDeps, { network, asset, consent }: AllowInput): Promise<MintSide> {
  const reader = mints[network]
  if (reader === null) throw new ServiceError('network_unavailable', { network })
  if (asset === SOL) return { network, ...NATIVE }
  // The allowlist names SOL itself by the mint of wrapped SOL.
  if (asset === WRAPPED_SOL_MINT) throw invalid('asset', 'is wrapped SOL; write SOL instead')
  const { decimals, tokenProgram, extensions } = await readSupportedMint(reader, { network, mint: asset }, consent)
  return { network, asset, mint: asset, isNative: false, decimals, tokenProgram, extensions }
}

const NATIVE = {
  asset: SOL satisfies Asset,
  mint: makeAddress(WRAPPED_SOL_MINT),
  isNative: true,
  decimals: SOL_DECIMALS,
  tokenProgram: null,
  extensions: [],
} as const
