// Reads an intent, decides, and applies the change. Begins again when the intent has changed in between.

import type { Network } from '#core/chain/types.ts'
import { hasCode, ServiceError } from '#core/errors.ts'
import type { Lamports } from '#core/money/amounts.ts'
import type { Decision, IntentFacts } from '#core/payments/change.ts'
import type { DecisionContext, FeeTerms } from '#core/payments/decision-context.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import type { RentReader } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { IntentWorkStore } from '#ports/payments.ts'
import type { Directory } from '#services/accounts/directory.ts'
import { CHANGED_MEANWHILE, retryWhenChanged } from '#services/retry-when-changed.ts'
import type { KnownPriceOf } from './known-prices.ts'

/**
 * Returns the intent after the decision, the same intent when nothing changes, and null when there is no such intent. Throws
 * the refusal of the decision, and `database_unavailable` after too many lost races.
 */
export function decideAndApply(
  store: Pick<IntentWorkStore, 'facts' | 'apply'>,
  intentId: string,
  decide: (facts: IntentFacts) => Decision | Promise<Decision>,
): Promise<PaymentIntent | null> {
  return retryWhenChanged(async () => {
    const facts = await store.facts(intentId)
    if (facts === null) return null
    const decision = await decide(facts)
    if (decision.kind === 'refused') throw refusalOf(decision, facts)
    if (decision.kind === 'unchanged') return facts.intent
    return (await store.apply(decision.change)) ? decision.change.after : CHANGED_MEANWHILE
  })
}

const refusalOf = ({ code, context }: Extract<Decision, { kind: 'refused' }>, { intent }: IntentFacts): ServiceError =>
  new ServiceError(code, { status: intent.status, ...context })

// Reads the decision context: the fee terms on a network, its rent minimum, the allowlist, the known prices and the custodians.

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
