// Reads the decision context: the fee terms on a network, its rent minimum, the allowlist, the known prices and the custodians.
import type { Network } from '#core/chain/types.ts'
import { hasCode, ServiceError } from '#core/errors.ts'
import type { Lamports } from '#core/money/amounts.ts'
import type { DecisionContext, FeeTerms } from '#core/payments/decision-context.ts'
import type { RentReader } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { Directory } from '#services/accounts/directory.ts'
import type { KnownPriceOf } from '#services/payments/known-prices.ts'

/** Returns the context of a network. Throws `chain_unavailable` while its rent minimum was never read. */
export type ReadDecisionContext = (network: Network) => Promise<DecisionContext>

/** Returns the part of the context that shows what money is worth, and what its return costs. It needs no chain. */
export type ReadDustContext = (network: Network) => Promise<Pick<DecisionContext, 'terms' | 'tokens' | 'prices'>>

type DustContextDeps = {
  readonly directory: Pick<Directory, 'tokens'>
  readonly terms: (network: Network) => FeeTerms
  readonly priceOf: KnownPriceOf
}

export const createDustContext =
  ({ directory, terms, priceOf }: DustContextDeps): ReadDustContext =>
  async (network) => {
    const tokens = await directory.tokens(network)
    return {
      terms: terms(network),
      tokens,
      prices: new Map(
        [...tokens].flatMap(([asset, token]) => {
          const price = priceOf(token)
          return price === null ? [] : [[asset, price]]
        }),
      ),
    }
  }

export function createDecisionContext(
  deps: DustContextDeps & {
    readonly clock: Clock
    readonly directory: Pick<Directory, 'custodians'>
    readonly chainOf: (network: Network) => RentReader
  },
): ReadDecisionContext {
  const dustContext = createDustContext(deps)
  const rents = new Map<Network, Lamports>()
  const rentMinimum = async (network: Network): Promise<Lamports> => {
    try {
      rents.set(network, await deps.chainOf(network).minimumBalance(0))
    } catch (error) {
      // The rent minimum changes once in years, so a decision does not wait for a chain that is away for a moment.
      if (!rents.has(network) || !hasCode(error, 'chain_unavailable')) throw error
    }
    const rent = rents.get(network)
    if (rent === undefined) throw new ServiceError('chain_unavailable', { network })
    return rent
  }
  return async (network) => ({
    ...(await dustContext(network)),
    now: deps.clock.now(),
    rentMinimum: await rentMinimum(network),
    custodians: await deps.directory.custodians(network),
  })
}
