// Reads the token accounts of all delegations with something outstanding, and stops the subscriptions that an allowance no
// longer covers. docs/billing.md, "Authorization".
import type { Delegation } from '#core/billing/delegation.ts'
import { judgeDelegation, takeReading } from '#core/billing/delegation-state.ts'
import { decideRevoked } from '#core/billing/machine/revoking.ts'
import type { Commitment, Network } from '#core/chain/types.ts'
import { forEachParallel } from '#lib/parallel.ts'
import type { BillingStore, DelegationStore } from '#ports/billing.ts'
import type { BalanceReader } from '#ports/chain.ts'
import { contextOf, type DecideDeps, decideSubscription, delegateOf } from '#services/billing/decide.ts'
import { type AllowanceReading, readAllowances } from '#services/billing/read-allowances.ts'

/** The oldest readings first, in 20 calls: a round every 5 seconds reads 100,000 delegations in 250 seconds. */
const MOST_IN_A_ROUND = 2_000
const CONCURRENT = 8

type CheckDeps = DecideDeps & {
  readonly billing: BillingStore
  readonly delegations: DelegationStore
  readonly chainOf: (network: Network) => BalanceReader
  readonly commitment: Commitment
  readonly onError: (error: unknown, delegationId: string) => void
}

/** Runs one bounded round over the delegations whose last reading is older than `olderThanMs`. */
export type CheckDelegations = (network: Network) => Promise<void>

export function createCheckDelegations(deps: CheckDeps, olderThanMs: number): CheckDelegations {
  return async (network) => {
    const now = deps.clock.now()
    const before = new Date(now.getTime() - olderThanMs)
    const stale = await deps.delegations.stale(network, { before, now }, MOST_IN_A_ROUND)
    if (stale.length === 0) return
    const readings = await readAllowances(deps.chainOf(network), stale, deps.commitment)
    await forEachParallel(
      stale.map((delegation, at) => ({ delegation, reading: readings[at] })),
      CONCURRENT,
      async ({ delegation, reading }) => {
        try {
          if (reading !== undefined) await recordReading(deps, delegation, reading)
        } catch (error) {
          deps.onError(error, delegation.id)
        }
      },
    )
  }
}

/**
 * Stores a reading, judges the delegation by it, and stops what it does not cover. A delegation that has changed meanwhile is
 * read again in the next round: no decision rests on a reading from before the change.
 */
export async function recordReading(
  deps: DecideDeps & { readonly delegations: Pick<DelegationStore, 'slices' | 'save'> },
  delegation: Delegation,
  reading: AllowanceReading,
): Promise<void> {
  const now = deps.clock.now()
  const read = takeReading(delegation, reading, now)
  const slices = await deps.delegations.slices(delegation.id)
  const { address: delegate } = delegateOf(deps, delegation.network)
  const { delegation: judged, uncovered } = judgeDelegation({ delegation: read, slices, delegate }, now)
  // The last subscription that is stopped brings the state. An instance that dies before leaves a state that is read again.
  if (!(await deps.delegations.save(uncovered.length === 0 ? judged : read, delegation.version))) return
  for (const id of uncovered) await decideSubscription(deps, id, (facts) => decideRevoked(facts, contextOf(deps)))
}
