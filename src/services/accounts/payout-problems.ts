// What keeps money from reaching the payout wallet of a business, as the chain is now.
import type { Account } from '#core/accounts/account.ts'
import { type Address, type Network, SOL } from '#core/chain/types.ts'
import { unpayableBy } from '#core/chain/unpayable.ts'
import { hasCode } from '#core/errors.ts'
import { obstacleText } from '#core/payments/obstacle.ts'
import { createCache } from '#lib/cache.ts'
import type { BalanceReader, DepositKeys } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { Directory } from '#services/accounts/directory.ts'

/** `ticker`: of the asset that does not arrive; null when none does. `reason` is a sentence for people. */
export type PayoutProblem = { readonly ticker: string | null; readonly reason: string }

/** Returns none without a payout wallet, and while the chain cannot be read. An answer is at most a minute old. */
export type FindPayoutProblems = (account: Account) => Promise<readonly PayoutProblem[]>

export type PayoutProblemDeps = {
  readonly networks: Readonly<Record<Network, { readonly chain: Pick<BalanceReader, 'readAccounts'> } | null>>
  readonly keys: Pick<DepositKeys, 'tokenAccountOf'>
  readonly directory: Pick<Directory, 'tokens'>
  readonly clock: Clock
}

const MAX_AGE_MS = 60_000

export function createFindPayoutProblems(deps: PayoutProblemDeps): FindPayoutProblems {
  const cacheOf = (network: Network) =>
    createCache(deps.clock, (wallet: Address) => problemsOf(deps, network, wallet), MAX_AGE_MS)
  const caches = { live: cacheOf('live'), test: cacheOf('test') }
  return async ({ network, sweepDestination }) => {
    try {
      return sweepDestination === null ? [] : await caches[network].get(sweepDestination)
    } catch (error) {
      if (hasCode(error, 'chain_unavailable')) return []
      throw error
    }
  }
}

async function problemsOf(
  { networks, keys, directory }: PayoutProblemDeps,
  network: Network,
  wallet: Address,
): Promise<readonly PayoutProblem[]> {
  const chain = networks[network]?.chain
  if (chain === undefined) return []
  const tokens = [...(await directory.tokens(network)).values()].filter(({ enabled }) => enabled)
  const accounts = await Promise.all(
    tokens.map(({ mint, tokenProgram }) =>
      tokenProgram === null ? wallet : keys.tokenAccountOf(wallet, mint, tokenProgram),
    ),
  )
  const [own, ...states] = (await chain.readAccounts([wallet, ...accounts])).states
  const kind = own == null ? null : unpayableBy(own.ownerProgram)
  if (kind !== null) return [{ ticker: null, reason: `${wallet} is ${kind}, not a wallet.` }]
  return tokens.flatMap(({ asset, ticker }, position) => {
    const token = asset === SOL ? null : (states[position]?.token ?? null)
    if (token === null) return []
    if (token.owner !== wallet) return [{ ticker, reason: obstacleText('foreign_account', wallet) }]
    return token.frozen ? [{ ticker, reason: obstacleText('frozen_account', wallet) }] : []
  })
}
