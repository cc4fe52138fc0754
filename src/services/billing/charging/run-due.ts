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

/** The clock of the chain is so far behind as long as blocks are made: it is in whole seconds, and of a final block. */
const USUAL_LAG_MS = 3_000
/** While it is about to reach what is due, a round looks again after this time, and at most so often. */
const LOOK_AGAIN_MS = 100
const MAX_LOOKS = 16

/** Runs one bounded round. `again`: more subscriptions are due. */
export type RunDue = (network: Network) => Promise<{ readonly again: boolean }>

export function createRunDue(
  deps: DecideDeps & {
    readonly billing: BillingStore
    readonly chainOf: (network: Network) => ChainClock
    readonly sleep: (ms: number) => Promise<void>
    readonly onError: (error: unknown, subscriptionId: string) => void
  },
): RunDue {
  /** Returns what is due by the clock of the chain, when that is about to reach what is due by the clock of the machine. */
  async function dueByChain(network: Network): Promise<{ readonly now: Date; readonly ids: readonly string[] }> {
    for (let looks = 1; ; looks += 1) {
      const own = deps.clock.now()
      // Periods are counted by block times. A machine whose clock is ahead must not begin one, and then cancel or charge by it.
      const { time } = await deps.chainOf(network).blockTime()
      const now = time < own ? time : own
      const ids = await deps.billing.due(network, now, MOST_IN_A_ROUND)
      const isNear = own.getTime() - time.getTime() <= USUAL_LAG_MS
      if (ids.length > 0 || !isNear || looks === MAX_LOOKS) return { now, ids }
      await deps.sleep(LOOK_AGAIN_MS)
    }
  }

  return async (network) => {
    if ((await deps.billing.due(network, deps.clock.now(), 1)).length === 0) return { again: false }
    const { now, ids } = await dueByChain(network)
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
