// Read, decide, apply; and again from the start when the intent moved on in between.
import { ServiceError } from '#core/errors.ts'
import type { Decision, IntentFacts } from '#core/payments/machine/change.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import type { IntentWorkStore } from '#ports/payments.ts'

/** A race is lost only to one who won it: of so many at once, on however many machines, nobody is told to try again. */
const MAX_RACES = 64

/** What a try answers that could not write, because the intent moved on since it was read. */
export const MOVED_ON = Symbol('the intent moved on')

/** Tries until nobody came in between; throws `database_unavailable` when others kept changing the intent meanwhile. */
export async function untilUndisturbed<T>(attempt: () => Promise<T | typeof MOVED_ON>): Promise<T> {
  for (let race = 0; race < MAX_RACES; race += 1) {
    const outcome = await attempt()
    if (outcome !== MOVED_ON) return outcome
  }
  throw new ServiceError('database_unavailable', { reason: 'the intent kept changing' })
}

/**
 * The intent after the decision, or as it was when there was nothing to do; null when there is no such intent. Throws
 * the decision's refusal, and `database_unavailable` when others kept changing the intent for as long as it tried.
 */
export function decideAndApply(
  store: Pick<IntentWorkStore, 'facts' | 'apply'>,
  intentId: string,
  decide: (facts: IntentFacts) => Decision | Promise<Decision>,
): Promise<PaymentIntent | null> {
  return untilUndisturbed(async () => {
    const facts = await store.facts(intentId)
    if (facts === null) return null
    const decision = await decide(facts)
    if (decision.kind === 'refused') throw new ServiceError(decision.code, { status: facts.intent.status })
    if (decision.kind === 'unchanged') return facts.intent
    return (await store.apply(decision.change)) ? decision.change.after : MOVED_ON
  })
}
