// Does what time brings: periods begin, charges are planned, dunning ends. docs/billing.md, "Subscriptions".
import { decideDue } from '#core/billing/machine/due.ts'
import type { Network } from '#core/chain/types.ts'
import { forEachParallel } from '#lib/parallel.ts'
import type { BillingStore } from '#ports/billing.ts'
import type { ChainClock } from '#ports/chain.ts'
import { contextOf, type DecideDeps, decideSubscription } from '#services/billing/decide.ts'
import { MAX_RACES } from '#services/retry-when-changed.ts'

const MOST_IN_A_ROUND = 512
/**
 * The store applies together what is decided together. Subscriptions of one delegation lose races to each other, and each of so
 * many may win in the end.
 */
const CONCURRENT = MAX_RACES

/** Runs one bounded round. `again`: more subscriptions are due. */
export type RunDue = (network: Network) => Promise<{ readonly again: boolean }>

export function createRunDue(
  deps: DecideDeps & {
    readonly billing: BillingStore
    readonly chainOf: (network: Network) => ChainClock
    readonly onError: (error: unknown, subscriptionId: string) => void
  },
): RunDue {
  return async (network) => {
    const own = deps.clock.now()
    if ((await deps.billing.due(network, own, 1)).length === 0) return { again: false }
    // Periods are counted by block times. A machine whose clock is ahead must not begin one, and then cancel or charge by it.
    const { time } = await deps.chainOf(network).blockTime('confirmed')
    const now = time < own ? time : own
    const ids = await deps.billing.due(network, now, MOST_IN_A_ROUND)
    let failed = 0
    await forEachParallel(ids, CONCURRENT, async (id) => {
      try {
        await decideSubscription(deps, id, (facts) => decideDue(facts, { ...contextOf(deps), now }))
      } catch (error) {
        failed += 1
        deps.onError(error, id)
      }
    })
    // After a failure the next round waits: the same subscriptions would fail again at once.
    return { again: ids.length === MOST_IN_A_ROUND && failed === 0 }
  }
}
