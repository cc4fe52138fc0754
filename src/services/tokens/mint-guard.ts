// Judges the mints of allowed tokens again before each quote and each transfer: their issuers can change them. docs/contract.md,
// "Tokens".
import { type Address, type MintFacts, type Network, SOL } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import { TOKEN_RELEASE } from '#core/payments/deposits/unaccepted.ts'
import { canChange, immovableBy, judgeMint, mintProblem, type Token } from '#core/tokens/token.ts'
import type { Transfer } from '#core/transfers/transfer.ts'
import { createCache } from '#lib/cache.ts'
import type { MintReader } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { Directory } from '#services/accounts/directory.ts'

// Reads a mint from its chain and judges it.

type Named = { readonly network: Network; readonly mint: Address }

/** Throws `invalid_mint` for an address that is no mint, `mint_not_supported` and `mint_needs_consent`. */
export async function readSupportedMint(
  reader: MintReader,
  named: Named,
  consent: readonly string[],
): Promise<MintFacts> {
  const facts = await readMint(reader, named)
  const judgement = judgeMint(facts, consent)
  if ('allowed' in judgement) return facts
  const { refused, ...extensions } = judgement
  throw new ServiceError(refused, extensions)
}

/** Throws `invalid_mint` for an address that is no mint, and `mint_not_supported` for one whose tokens cannot be sent. */
export async function readMovableMint(reader: MintReader, named: Named): Promise<MintFacts> {
  const facts = await readMint(reader, named)
  const extension = immovableBy(facts)
  if (extension !== null) throw new ServiceError('mint_not_supported', { extension })
  return facts
}

async function readMint(reader: MintReader, { network, mint }: Named): Promise<MintFacts> {
  const facts = await reader.readMint(mint)
  if (facts === null) throw new ServiceError('invalid_mint', { mint, network })
  return facts
}

/**
 * Requests and transfers share a reading for this time. A fee begins two epochs after it is announced, and both are read. A hook
 * can begin at once: a transfer of the service then fails, because it does not name the program.
 */
const READING_LASTS_MS = 10_000

export type MintGuard = {
  /** Returns why no payment can be made in the token now, as the end of a sentence about its mint; null when one can. */
  problemOf(token: Token): Promise<string | null>
  /** Throws `asset_not_usable` while no payment can be made in the token. */
  requireUsable(token: Token): Promise<void>
  /**
   * Returns why a transfer has to wait for the issuer, for people; null when it does not. What the operator releases waits only
   * where the transfer would fail.
   */
  holdOf(transfer: Pick<Transfer, 'network' | 'asset' | 'kind'>): Promise<string | null>
}

export type MintGuardDeps = {
  readonly chainOf: (network: Network) => MintReader
  readonly directory: Pick<Directory, 'tokens'>
  /** Real time. */
  readonly clock: Clock
}

/** Reads only mints that can change: a mint without extensions never does. */
export function createMintGuard({ chainOf, directory, clock }: MintGuardDeps): MintGuard {
  const readingsOf = (network: Network) =>
    createCache(clock, (mint: Address) => chainOf(network).readMint(mint), READING_LASTS_MS)
  const readings: Readonly<Record<Network, ReturnType<typeof readingsOf>>> = {
    live: readingsOf('live'),
    test: readingsOf('test'),
  }

  const problemOf: MintGuard['problemOf'] = async (token) =>
    canChange(token) ? mintProblem(token, await readings[token.network].get(token.mint)) : null

  return {
    problemOf,
    async requireUsable(token) {
      const problem = await problemOf(token)
      if (problem !== null) throw new ServiceError('asset_not_usable', { asset: token.asset, reason: problem })
    },
    async holdOf({ network, asset, kind }) {
      const token = asset === SOL ? undefined : (await directory.tokens(network)).get(asset)
      const problem = token === undefined ? null : await problemOf(token)
      if (token === undefined || problem === null) return null
      const facts = await readings[network].get(token.mint)
      if (RELEASES.has(kind) && facts !== null && immovableBy(facts) === null) return null
      return `Nothing is sent in ${token.ticker} for now: its mint ${problem}.`
    },
  }
}

const RELEASES: ReadonlySet<string> = new Set(['release', TOKEN_RELEASE])
