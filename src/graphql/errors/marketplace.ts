// Errors of marketplaces and their sellers.
import type { PublicErrors } from '#graphql/errors/entry.ts'

export const MARKETPLACE_ERRORS = {
  marketplace_not_found: {
    status: 404,
    message: 'not found',
    meaning: 'The business is not a marketplace.',
    remedy: 'Ask the operator to approve the business as a marketplace.',
  },
  marketplace_disabled: {
    status: 409,
    message: 'the marketplace has been disabled',
    meaning: 'The operator has revoked the marketplace. It can be read, and not changed.',
    remedy: 'Ask the operator to approve the marketplace again.',
  },
  seller_limit_reached: {
    status: 409,
    message: 'the marketplace has as many sellers as it may have',
    meaning: 'The limit of sellers is reached. Archived sellers count too.',
    remedy: 'Ask the operator to raise the limit.',
  },
  seller_rate_limited: {
    status: 429,
    message: 'too many new sellers; slow down and try again',
    meaning: 'The marketplace creates sellers faster than [the limit](limits.md).',
    remedy: 'Repeat the request after the seconds of `retry_after_secs`, which `Retry-After` has too.',
    shows: ['retry_after_secs'],
  },
  seller_money_in_flight: {
    status: 409,
    message: 'money of this seller is in flight; archive it later',
    meaning:
      'The seller has payments that are open or whose money still moves (`intent_ids`), subscriptions that have not ended or ' +
      'with a charge under way (`subscription_ids`), or checkouts that can still be completed (`subscription_intent_ids`). Each ' +
      'list has the newest 100.',
    remedy:
      'Cancel the payments, the checkouts and the subscriptions on behalf of the seller, a subscription with ' +
      '`at_period_end: false`; wait until a charge under way or a subscription that is `incomplete` has ended.',
    shows: ['intent_ids', 'subscription_ids', 'subscription_intent_ids'],
  },
} satisfies PublicErrors
