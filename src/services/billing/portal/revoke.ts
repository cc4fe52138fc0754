// Offers a subscriber the end of the allowance, once nothing is charged by it any more. docs/billing.md, "Revoking the allowance".
import type { Approval } from '#core/billing/approval.ts'
import type { BillingFacts } from '#core/billing/machine/facts.ts'
import { judgeRevocation } from '#core/billing/revocation.ts'
import { ZERO } from '#core/money/amounts.ts'
import { offerLive } from '#services/billing/approvals/live.ts'
import { offerApprove } from '#services/billing/approvals/offer.ts'
import { readAccount } from '#services/billing/checkout/basis.ts'
import { requireFacts } from '#services/billing/decide.ts'
import { refuse } from '#services/billing/refuse.ts'
import { retryWhenChanged } from '#services/retry-when-changed.ts'
import { ownedSince, type PortalDeps, sessionOf } from './deps.ts'
import type { OfferedRevocation } from './portal-services.ts'

/**
 * Implements `PortalServices.revokeInPortal`. While the revocation may still land, no other subscription of the wallet begins,
 * so what was judged here holds until its end.
 */
export async function revokeAllowance(deps: PortalDeps, token: string): Promise<OfferedRevocation> {
  return await retryWhenChanged(async () => {
    const session = await sessionOf(deps, token)
    const { subscriptionId } = session
    const facts = await requireFacts(deps, subscriptionId)
    const { delegation, terms } = facts
    const again = await offerLive(deps, delegation, (live) => isFor(live, facts))
    if (again !== null) return again
    const read = await readAccount(deps, delegation)
    refuse(judgeRevocation({ ...facts, delegation: read }, terms.delegate.address))
    return await offerApprove(deps, {
      purpose: { kind: 'revoke' },
      subscriptionId,
      businessId: facts.subscription.receiverAccountId,
      total: ZERO,
      delegation,
      decided: { delegation: read, version: delegation.version, checkout: null },
      provenAt: ownedSince(session),
    })
  })
}

const isFor = ({ purpose, subscriptionId }: Approval, { subscription }: BillingFacts): boolean =>
  purpose.kind === 'revoke' && subscriptionId === subscription.id
