// Reads a token account for a hosted page when its last reading is old. docs/billing.md, "Authorization".
import type { Delegation } from '#core/billing/delegation.ts'
import type { Network } from '#core/chain/types.ts'
import { hasCode } from '#core/errors.ts'
import { msSince } from '#lib/time.ts'
import type { BalanceReader } from '#ports/chain.ts'
import { type RecordDeps, recordReading } from '#services/billing/charging/check-delegations.ts'
import { readAllowances } from '#services/billing/read-allowances.ts'

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
