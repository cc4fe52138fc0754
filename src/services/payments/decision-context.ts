// Reads the decision context: the fee terms on a network, its rent minimum, the allowlist, the known prices and the custodians.
import type { Network } from '#core/chain/types.ts'
import { hasCode, ServiceError } from '#core/errors.ts'
import type { Lamports } from '#core/money/amounts.ts'
import type { DecisionContext } from '#core/payments/machine/decision-context.ts'
import type { FeeTerms } from '#core/payments/settlement-plan.ts'
import type { RentReader } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { Directory } from '#services/accounts/directory.ts'
import type { KnownPriceOf } from '#services/payments/known-prices.ts'

/** Returns the context of a network. Throws `chain_unavailable` while its rent minimum was never read. */
export type ReadDecisionContext = (network: Network) => Promise<DecisionContext>

export function createDecisionContext(deps: {
  clock: Clock
  directory: Pick<Directory, 'tokens' | 'custodians'>
  terms: (network: Network) => FeeTerms
  chainOf: (network: Network) => RentReader
  priceOf: KnownPriceOf
}): ReadDecisionContext {
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
  return async (network) => {
    const tokens = await deps.directory.tokens(network)
    return {
      now: deps.clock.now(),
      terms: deps.terms(network),
      rentMinimum: await rentMinimum(network),
      tokens,
      prices: new Map(
        [...tokens].flatMap(([asset, token]) => {
          const price = deps.priceOf(token)
          return price === null ? [] : [[asset, price]]
        }),
      ),
      custodians: await deps.directory.custodians(network),
    }
  }
}
