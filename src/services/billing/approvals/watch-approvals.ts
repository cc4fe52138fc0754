// Looks for the transactions of approves that may still land, also for those that a wallet sent by itself.
import type { Network } from '#core/chain/types.ts'
import type { SettleDeps } from '#services/billing/checkout/deps.ts'
import { stepApprovals } from './settle-approval.ts'

/** A delegation has at most one. The oldest come first, and each ends within minutes. */
const MOST_IN_A_ROUND = 1_024

/** Runs one bounded round over the approves of a network. */
export type WatchApprovals = (network: Network) => Promise<void>

export function createWatchApprovals(
  deps: SettleDeps & { readonly onError: (error: unknown, approvalId: string) => void },
): WatchApprovals {
  return async (network) => {
    const live = await deps.approvals.watched(network, MOST_IN_A_ROUND)
    if (live.length > 0) await stepApprovals(deps, network, live, deps.onError)
  }
}
