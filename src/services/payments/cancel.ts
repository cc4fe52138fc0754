// POST /cancel and POST /intents/cancel: possible before payment only, and the payment wins every race.
import { hasCode, ServiceError } from '#core/errors.ts'
import { decideCancel, judgeCancel } from '#core/payments/machine/checkout.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import type { IntentWorkStore } from '#ports/payments.ts'
import { decideAndApply } from '#services/payments/decide.ts'
import type { ReadDecisionContext } from '#services/payments/decision-context.ts'
import type { TakeInArrivals } from './arrivals.ts'

/**
 * Returns the intent after the cancel: cancelled, refunding or refunded, or refund_failed when its money cannot go back
 * automatically. Throws `payment_already_received` and `payment_arriving`.
 */
export type CancelIntent = (intent: PaymentIntent) => Promise<PaymentIntent>

export type CancelDeps = {
  readonly store: Pick<IntentWorkStore, 'facts' | 'apply'>
  readonly takeInArrivals: TakeInArrivals
  readonly decisionContext: ReadDecisionContext
}

export const createCancel =
  ({ store, takeInArrivals, decisionContext }: CancelDeps): CancelIntent =>
  async (intent) => {
    // The status is enough, so a repeated cancel does not read the deposits: strangers can add any number of them.
    const answer = judgeCancel(intent)
    if (answer === 'unchanged') return intent
    if (answer !== null) throw new ServiceError(answer, { status: intent.status })
    const balances = await takeInArrivals(intent).catch(withoutChain)
    const context = await decisionContext(intent.network)
    const after = await decideAndApply(store, intent.id, (facts) => decideCancel(facts, context, balances))
    if (after === null) throw new ServiceError('intent_not_found')
    return after
  }

/** A cancel does not need the chain: a payment that lands after this check goes back automatically. */
function withoutChain(error: unknown): readonly [] {
  if (!hasCode(error, 'chain_unavailable')) throw error
  return []
}
