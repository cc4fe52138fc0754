// Whether a subscriber can end the allowance by a sponsored revocation. docs/billing.md, "Revoking the allowance".
import type { BillingFacts, ChargeFacts } from '#core/billing/machine/facts.ts'
import { allowanceFor, outstandingOf, sliceOf } from '#core/billing/room.ts'
import type { Address } from '#core/chain/types.ts'

export type RevocationRefusal = 'allowance_in_use' | 'nothing_to_revoke'

type Use = Pick<BillingFacts, 'subscription' | 'others'> & { readonly charge: Pick<ChargeFacts, 'charge'> | null }

/**
 * Returns why the fee payer pays for no revocation by the page of this subscription, or null. `allowance_in_use`: it is not
 * canceled, or a subscription of the wallet can still be charged. `nothing_to_revoke`: the last reading shows no allowance of
 * `delegate`, the key of the network.
 */
export function judgeRevocation(
  facts: Use & Pick<BillingFacts, 'delegation'>,
  delegate: Address,
): RevocationRefusal | null {
  if (isInUse(facts)) return 'allowance_in_use'
  return allowanceFor(facts.delegation, delegate) === 0n ? 'nothing_to_revoke' : null
}

/** A charge under way may still land, also after the end of its subscription. */
const isInUse = ({ subscription, charge, others }: Use): boolean =>
  subscription.status !== 'canceled' || outstandingOf([...others, sliceOf(subscription, charge?.charge ?? null)]) > 0n
