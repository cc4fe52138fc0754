// Looks for the transactions of approves that may still land, also for those that a wallet sent by itself.
import type { Network } from '#core/chain/types.ts'
import { forEachParallel } from '#lib/parallel.ts'
import type { SettleDeps } from '#services/billing/checkout/deps.ts'
import { observeApprovals, settleApproval } from './settle-approval.ts'

/** A delegation has at most one. The oldest come first, and each ends within minutes. */
const MOST_IN_A_ROUND = 1_024
const CONCURRENT = 8

/** Runs one bounded round over the approves of a network. */
export type WatchApprovals = (network: Network) => Promise<void>

export function createWatchApprovals(
  deps: SettleDeps & { readonly onError: (error: unknown, approvalId: string) => void },
): WatchApprovals {
  return async (network) => {
    const live = await deps.approvals.watched(network, MOST_IN_A_ROUND)
    if (live.length === 0) return
    const observed = await observeApprovals(
      deps.chainOf(network),
      live.map(({ approval }) => approval),
    )
    const steps = live.flatMap((found, at) => {
      const seen = observed[at]
      return seen === undefined ? [] : [{ found, seen }]
    })
    await forEachParallel(steps, CONCURRENT, async ({ found, seen }) => {
      try {
        await settleApproval(deps, found, seen)
      } catch (error) {
        deps.onError(error, found.approval.id)
      }
    })
  }
}
