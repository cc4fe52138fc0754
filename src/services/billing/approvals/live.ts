// The approve of a delegation that may still land. A delegation has at most one: a repeated request gets the same one again
// while there is time to sign it, and every other request waits for its end. docs/billing.md, "Authorization".
import type { Approval } from '#core/billing/approval.ts'
import type { Delegation } from '#core/billing/delegation.ts'
import { blockHeightOf, blocksLeft } from '#core/chain/block-height.ts'
import { ServiceError } from '#core/errors.ts'
import { type OfferedApprove, offerAgain } from '#services/billing/approvals/offer.ts'
import { stepApprovals } from '#services/billing/approvals/settle.ts'
import type { CheckoutDeps } from '#services/billing/checkout/deps.ts'
import { CHANGED_MEANWHILE } from '#services/retry-when-changed.ts'

/** Returns the approve after a step of it; null when it has ended. */
export async function afterStep(deps: CheckoutDeps, live: Approval): Promise<Approval | null> {
  await stepApprovals(deps, live.network, [live])
  return await deps.approvals.live(live.delegationId)
}

/** With fewer blocks left, five seconds on mainnet, no person signs in time: the next transaction follows the end of this one. */
const LEAST_BLOCKS_TO_SIGN = 25n

/**
 * Returns the live approve of the delegation again; null when it has none. Waits for the end of one that is about to expire. Throws
 * `authorization_pending` for an approve that is not the wanted one, and when that wait takes too long.
 */
export async function offerLive(
  deps: CheckoutDeps,
  delegation: Delegation,
  isWanted: (live: Approval) => boolean,
): Promise<OfferedApprove | typeof CHANGED_MEANWHILE | null> {
  const live = await deps.approvals.live(delegation.id)
  if (live === null) return null
  const stillLive = await afterStep(deps, live)
  if (stillLive === null) return CHANGED_MEANWHILE
  if (!isWanted(stillLive)) throw new ServiceError('authorization_pending')
  const blockHeight = blockHeightOf(await deps.chainOf(live.network).lifetime())
  if (blocksLeft(stillLive.lifetime, blockHeight) >= LEAST_BLOCKS_TO_SIGN)
    return await offerAgain(deps, stillLive, delegation, blockHeight)
  if ((await deps.waitForEnd(deps, stillLive.id)) === null) throw new ServiceError('authorization_pending')
  return CHANGED_MEANWHILE
}
