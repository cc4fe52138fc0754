// Reads the token accounts of all delegations with something outstanding, and stops the subscriptions that an allowance no
// longer covers. docs/billing.md, "Authorization".

import type { Delegation } from '#core/billing/delegation.ts'
import {
  type AllowanceReading,
  accountFor,
  allowanceOf,
  type DelegationVerdict,
  judgeDelegation,
  takeAccounted,
  takeReading,
} from '#core/billing/delegation-state.ts'
import { decideRevoked } from '#core/billing/machine/revoking.ts'
import { allowanceFor, type Slice } from '#core/billing/room.ts'
import type { Network } from '#core/chain/types.ts'
import { hasCode } from '#core/errors.ts'
import { makeBaseUnits, sumOf } from '#core/money/amounts.ts'
import { forEachParallel } from '#lib/parallel.ts'
import { msSince } from '#lib/time.ts'
import type { DelegationStore } from '#ports/billing.ts'
import type { BalanceReader } from '#ports/chain.ts'
import { contextOf, decideSubscription, delegateOf } from '#services/billing/decide.ts'
import { readAllowances } from '#services/billing/read-allowances.ts'
import type { AfterFailover } from '#services/transfers/after-failover.ts'
import { type AccountDeps, type Accounted, account } from './account-for.ts'

/** The oldest readings first, in 20 calls: a round every 5 seconds reads 100,000 delegations in 250 seconds. */
const MOST_IN_A_ROUND = 2_000
/** The store reads and writes together what is recorded at one moment. */
const CONCURRENT = 64

type CheckDeps = RecordDeps & {
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
    // After what is stored: rows from after a failover are never taken for complete ones.
    const { lostBefore } = await deps.afterFailover(network)
    const readings = await readAllowances(deps.chainOf(network), stale)
    await forEachParallel(
      stale.map((delegation, at) => ({ delegation, reading: readings[at] })),
      CONCURRENT,
      async ({ delegation, reading }) => {
        try {
          if (reading !== undefined) await recordReading(deps, delegation, reading, lostBefore)
        } catch (error) {
          deps.onError(error, delegation.id)
        }
      },
    )
  }
}

type RecordDeps = AccountDeps & {
  readonly delegations: Pick<DelegationStore, 'slices' | 'save'>
  readonly afterFailover: AfterFailover
}

/**
 * Stores a reading that is accounted for, judges the delegation by it, and stops what it does not cover. A delegation that has changed
 * meanwhile is read again in the next round: no decision rests on a reading from before the change.
 */
async function recordReading(
  deps: RecordDeps,
  delegation: Delegation,
  reading: AllowanceReading,
  lostBefore: bigint | null,
): Promise<void> {
  const now = deps.clock.now()
  const { address: delegate } = delegateOf(deps, delegation.network)
  const allowance = { slot: reading.slot, allowance: allowanceOf(reading.state, delegate) }
  const slices = await deps.delegations.slices(delegation.id)
  const limits = { inFlight: inFlightOf(slices), lostBefore }
  // Each reading from before the end of the loss would be searched again: a charge searches what it needs, and the rest waits.
  const isEarly = lostBefore !== null && reading.slot < lostBefore
  const waits = isEarly && accountFor(delegation, allowance, limits).is === 'unsearched'
  const accounted = waits ? 'in_flight' : await account(deps, delegation, allowance, limits)
  if (accounted === 'later') await deps.delegations.save({ ...delegation, chainCheckedAt: now }, delegation.version)
  if (!COUNTS[accounted]) return
  const known = accounted === 'in_flight' ? delegation : takeAccounted(delegation, allowance)
  await recordJudged(deps, judge(deps, takeReading(known, reading, delegate, now), slices))
}

/** Whether a decision may rest on the reading. */
const COUNTS: Readonly<Record<Accounted, boolean>> = {
  expected: true,
  in_flight: true,
  accounted: true,
  behind: false,
  later: false,
  booked: false,
}

const inFlightOf = (slices: readonly Slice[]): bigint => sumOf(slices.map(({ inFlight }) => inFlight))

/**
 * Stops what the allowance does not cover by a reading that a request has made, so that no approve counts a slice that its owner
 * has ended. Returns whether there was something to stop, or pulls to book: what the request has read has then changed.
 */
export async function stopUncovered(deps: RecordDeps, read: Delegation, slices: readonly Slice[]): Promise<boolean> {
  const judged = judge(deps, read, slices)
  if (judged.uncovered.length === 0 || read.chainSlot === null) return false
  const allowance = makeBaseUnits(allowanceFor(read, delegateOf(deps, read.network).address))
  const limits = { inFlight: inFlightOf(slices), lostBefore: (await deps.afterFailover(read.network)).lostBefore }
  const accounted = await account(deps, read, { slot: read.chainSlot, allowance }, limits)
  if (accounted === 'booked') return true
  if (!COUNTS[accounted]) return false
  const known = accounted === 'in_flight' ? read : takeAccounted(read, { slot: read.chainSlot, allowance })
  await recordJudged(deps, judge(deps, known, slices))
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

// Reads a token account for a hosted page when its last reading is old. docs/billing.md, "Authorization".

/** A hosted page shows the chain as it was at most this long ago. */
const FRESH_MS = 10_000

export type RefreshDeps = RecordDeps & {
  readonly chainOf: (network: Network) => BalanceReader
}

/** Stores a new reading, and stops what the allowance does not cover. While the chain does not answer, the last reading stays. */
export async function refreshReading(deps: RefreshDeps, delegation: Delegation): Promise<void> {
  const { chainCheckedAt, network } = delegation
  if (chainCheckedAt !== null && msSince(chainCheckedAt.getTime(), deps.clock.now().getTime()) <= FRESH_MS) return
  try {
    const { lostBefore } = await deps.afterFailover(network)
    const [reading] = await readAllowances(deps.chainOf(network), [delegation])
    if (reading !== undefined) await recordReading(deps, delegation, reading, lostBefore)
  } catch (error) {
    if (!hasCode(error, 'chain_unavailable')) throw error
  }
}
