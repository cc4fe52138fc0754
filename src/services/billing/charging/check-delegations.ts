// Reads the token accounts of all delegations with something outstanding, and stops the subscriptions that an allowance no
// longer covers. docs/billing.md, "Authorization".
import type { Delegation } from '#core/billing/delegation.ts'
import { type DelegationVerdict, judgeDelegation, takeReading } from '#core/billing/delegation-state.ts'
import { decideRevoked } from '#core/billing/machine/revoking.ts'
import type { Slice } from '#core/billing/room.ts'
import type { Network } from '#core/chain/types.ts'
import { forEachParallel } from '#lib/parallel.ts'
import type { BillingStore, DelegationStore } from '#ports/billing.ts'
import type { BalanceReader } from '#ports/chain.ts'
import { contextOf, type DecideDeps, decideSubscription, delegateOf } from '#services/billing/decide.ts'
import { type AllowanceReading, readAllowances } from '#services/billing/read-allowances.ts'

/** The oldest readings first, in 20 calls: a round every 5 seconds reads 100,000 delegations in 250 seconds. */
const MOST_IN_A_ROUND = 2_000
/** The store reads and writes together what is recorded at one moment. */
const CONCURRENT = 64

type CheckDeps = DecideDeps & {
  readonly billing: BillingStore
  readonly delegations: DelegationStore
  readonly chainOf: (network: Network) => BalanceReader
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
    const readings = await readAllowances(deps.chainOf(network), stale)
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

export type RecordDeps = DecideDeps & { readonly delegations: Pick<DelegationStore, 'slices' | 'save'> }

/**
 * Stores a reading, judges the delegation by it, and stops what it does not cover. A delegation that has changed meanwhile is
 * read again in the next round: no decision rests on a reading from before the change.
 */
export async function recordReading(
  deps: RecordDeps,
  delegation: Delegation,
  reading: AllowanceReading,
): Promise<void> {
  const read = takeReading(delegation, reading, deps.clock.now())
  await recordJudged(deps, judge(deps, read, await deps.delegations.slices(delegation.id)))
}

/**
 * Stops what the allowance does not cover by a reading that a request has made, so that no approve counts a slice that its owner
 * has ended. Returns whether there was something to stop: what the request has read has then changed.
 */
export async function stopUncovered(deps: RecordDeps, read: Delegation, slices: readonly Slice[]): Promise<boolean> {
  const judged = judge(deps, read, slices)
  if (judged.uncovered.length === 0) return false
  await recordJudged(deps, judged)
  return true
}

/** The delegation with a reading, and what the slices make of it. */
type Judged = DelegationVerdict & { readonly read: Delegation }

function judge(deps: RecordDeps, read: Delegation, slices: readonly Slice[]): Judged {
  const { address: delegate } = delegateOf(deps, read.network)
  return { read, ...judgeDelegation({ delegation: read, slices, delegate }, deps.clock.now()) }
}

async function recordJudged(deps: RecordDeps, { read, delegation, uncovered }: Judged): Promise<void> {
  // The last subscription that is stopped brings the state. An instance that dies before leaves a state that is read again.
  if (!(await deps.delegations.save(uncovered.length === 0 ? delegation : read, read.version))) return
  for (const id of uncovered) await decideSubscription(deps, id, (facts) => decideRevoked(facts, contextOf(deps)))
}
