// Reads the token accounts of subscribers.

import type { Delegation } from '#core/billing/delegation.ts'
import { type AllowanceReading, allowanceState } from '#core/billing/delegation-state.ts'
import { ACCOUNTS_PER_CALL } from '#core/chain/full-calls.ts'
import { mapParallel } from '#lib/parallel.ts'
import { inGroups } from '#lib/values.ts'
import type { BalanceReader } from '#ports/chain.ts'

const CALLS_AT_ONCE = 4

type Watched = Pick<Delegation, 'wallet' | 'mint' | 'tokenAccount'>

/**
 * Reads the token account of each delegation, 100 accounts a call. Returns the readings in the order given. Rejects with
 * ServiceError('chain_unavailable').
 */
export async function readAllowances(
  chain: BalanceReader,
  delegations: readonly Watched[],
): Promise<readonly AllowanceReading[]> {
  const groups = await mapParallel(inGroups(delegations, ACCOUNTS_PER_CALL), CALLS_AT_ONCE, async (group) => {
    const accounts = group.map(({ tokenAccount }) => tokenAccount)
    const { slot, states } = await chain.readAccounts(accounts)
    return group.map((one, at) => ({ slot, state: allowanceState(states[at] ?? null, one) }))
  })
  return groups.flat()
}
