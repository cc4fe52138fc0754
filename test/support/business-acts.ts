// What a business does with its subscription, as decisions of the machine.
import type { Decision } from '#core/billing/machine/change.ts'
import type { BillingContext, BillingFacts } from '#core/billing/machine/facts.ts'
import { decideCancel, decidePause, decideResume } from '#core/billing/machine/manage.ts'

type Act = (facts: BillingFacts, context: BillingContext) => Decision

export const pause: Act = (facts, context) => decidePause(facts, 'business', context)
export const resume: Act = (facts, context) => decideResume(facts, 'business', context)
export const cancelLater: Act = (facts, context) => decideCancel(facts, true, 'business', context)
export const cancelNow: Act = (facts, context) => decideCancel(facts, false, 'business', context)
