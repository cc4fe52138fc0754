// Reads an intent, decides, and applies the change. Begins again when the intent has changed in between.
import { ServiceError } from '#core/errors.ts'
import type { Decision, IntentFacts } from '#core/payments/change.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import type { IntentWorkStore } from '#ports/payments.ts'
import { CHANGED_MEANWHILE, retryWhenChanged } from '#services/retry-when-changed.ts'

/**
 * Returns the intent after the decision, the same intent when nothing changes, and null when there is no such intent. Throws
 * the refusal of the decision, and `database_unavailable` after too many lost races.
 */
export function decideAndApply(
  store: Pick<IntentWorkStore, 'facts' | 'apply'>,
  intentId: string,
  decide: (facts: IntentFacts) => Decision | Promise<Decision>,
): Promise<PaymentIntent | null> {
  return retryWhenChanged(async () => {
    const facts = await store.facts(intentId)
    if (facts === null) return null
    const decision = await decide(facts)
    if (decision.kind === 'refused') throw refusalOf(decision, facts)
    if (decision.kind === 'unchanged') return facts.intent
    return (await store.apply(decision.change)) ? decision.change.after : CHANGED_MEANWHILE
  })
}

const refusalOf = ({ code, context }: Extract<Decision, { kind: 'refused' }>, { intent }: IntentFacts): ServiceError =>
  new ServiceError(code, { status: intent.status, ...context })
