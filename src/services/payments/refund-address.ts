// An address for held money, which the buyer proposes and the business decides about. docs/contract.md, "An address from the buyer".
import { ServiceError } from '#core/errors.ts'
import type { Decision, IntentFacts } from '#core/payments/change.ts'
import type { DecisionContext } from '#core/payments/decision-context.ts'
import { decideApproval, decideDecline, decideProposal } from '#core/payments/machine/refund-address.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import type { IntentStore, IntentWorkStore } from '#ports/payments.ts'
import type { JudgeSweepDestination } from '#services/accounts/sweep-destination.ts'
import { isUuid, readReason } from '#services/requests.ts'
import type { FindByClientSecret } from './checkout.ts'
import { decideAndApply, type ReadDecisionContext } from './decide.ts'
import type { Approver, IntentServices } from './intent-services.ts'

export type RefundAddressDeps = {
  readonly findByClientSecret: FindByClientSecret
  readonly intents: Pick<IntentStore, 'findById'>
  readonly store: Pick<IntentWorkStore, 'facts' | 'apply'>
  readonly decisionContext: ReadDecisionContext
  /** Admits wallets only. */
  readonly judgeBuyerAddress: JudgeSweepDestination
}

export function createRefundAddresses({
  findByClientSecret,
  intents,
  store,
  decisionContext,
  judgeBuyerAddress,
}: RefundAddressDeps): Pick<IntentServices, `${'propose' | 'approve' | 'decline'}RefundAddress`> {
  const decide = async (
    { id, network }: PaymentIntent,
    decision: (facts: IntentFacts, context: DecisionContext) => Decision,
  ): Promise<PaymentIntent> => {
    const context = await decisionContext(network)
    const after = await decideAndApply(store, id, (facts) => decision(facts, context))
    if (after === null) throw new ServiceError('intent_not_found')
    return after
  }
  const ownOf = async ({ tenant }: Approver, id: string): Promise<PaymentIntent> => {
    const intent = isUuid(id) ? await intents.findById(tenant, id) : null
    if (intent === null) throw new ServiceError('intent_not_found')
    return intent
  }
  return {
    async proposeRefundAddress(clientSecret, address) {
      const intent = await findByClientSecret(clientSecret)
      await judgeBuyerAddress(intent.network, address)
      return await decide(intent, (facts, context) => decideProposal(facts, address, context))
    },

    async approveRefundAddress(manager, id, address) {
      const intent = await ownOf(manager, id)
      // The account may have another owner since the buyer has proposed it.
      await judgeBuyerAddress(intent.network, address)
      return await decide(intent, (facts, context) => decideApproval(facts, { address, actor: manager.actor }, context))
    },

    async declineRefundAddress(manager, id, address, given) {
      const reason = readReason(given)
      const judged = { address, actor: manager.actor, reason }
      return await decide(await ownOf(manager, id), (facts, context) => decideDecline(facts, judged, context))
    },
  }
}
