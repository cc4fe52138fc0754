// Reads the token accounts of subscriptions that lacked funds, and charges those that hold enough again. docs/billing.md, "Charges".
import { decideRefilled } from '#core/billing/machine/revoking.ts'
import type { Network } from '#core/chain/types.ts'
import { forEachParallel } from '#lib/parallel.ts'
import type { BillingStore, PastDue } from '#ports/billing.ts'
import type { BalanceReader } from '#ports/chain.ts'
import { contextOf, type DecideDeps, decideSubscription } from '#services/billing/decide.ts'
import { readAllowances } from '#services/billing/read-allowances.ts'

/** One call to a provider reads as many. */
const PAGE = 100
const CONCURRENT = 8

/** Looks once at every subscription of the network that is incomplete or past due because its charge failed for lack of funds. */
export type RetryRefilled = (network: Network) => Promise<void>

export function createRetryRefilled(
  deps: DecideDeps & {
    readonly billing: BillingStore
    readonly chainOf: (network: Network) => BalanceReader
    readonly onError: (error: unknown, subscriptionId: string) => void
  },
): RetryRefilled {
  const retryPage = async (network: Network, page: readonly PastDue[]): Promise<void> => {
    const readings = await readAllowances(deps.chainOf(network), page)
    const refilled = page.flatMap(({ subscriptionId, amount }, at) => {
      const state = readings[at]?.state
      return state?.is === 'open' && state.balance >= amount ? [{ subscriptionId, balance: state.balance }] : []
    })
    await forEachParallel(refilled, CONCURRENT, async ({ subscriptionId, balance }) => {
      try {
        await decideSubscription(deps, subscriptionId, (facts) => decideRefilled(facts, balance, contextOf(deps)))
      } catch (error) {
        deps.onError(error, subscriptionId)
      }
    })
  }
  return async (network) => {
    let after: string | null = null
    while (true) {
      const page: readonly PastDue[] = await deps.billing.pastDue(network, { after, limit: PAGE })
      if (page.length > 0) await retryPage(network, page)
      if (page.length < PAGE) return
      after = page.at(-1)?.subscriptionId ?? null
    }
  }
}
