// A checkout of a subscription as its row.
import { decoderOf } from '#adapters/prisma/billing/decode.ts'
import { SUBSCRIPTION_INTENT_FIELDS, type SubscriptionIntent } from '#core/billing/subscription-intent.ts'

/** The hash of the token is never read: a checkout is found by it. */
export const INTENT_OMIT = { tokenHash: true } as const

export const subscriptionIntentFromRow: (row: object) => SubscriptionIntent = decoderOf(
  'subscription_intents',
  SUBSCRIPTION_INTENT_FIELDS,
)
