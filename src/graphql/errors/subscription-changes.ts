// Errors of the checkout of a subscription, and of changes of a running one. REST shows these codes as they are. Spec:
// "Errors".
import type { PublicErrors } from '#graphql/errors/entry.ts'

export const SUBSCRIPTION_CHANGE_ERRORS = {
  checkout_completed: {
    status: 409,
    message: 'the checkout is completed',
    meaning: 'The checkout has led to a subscription.',
    remedy: 'Manage the subscription.',
  },
  checkout_expired: {
    status: 409,
    message: 'the checkout has expired',
    meaning: 'The time of the checkout is over.',
    remedy: 'Ask the business for another one.',
  },
  checkout_closed: {
    status: 409,
    message: 'the checkout is closed',
    meaning: 'The business canceled the checkout, or its first charge did not succeed within 23 hours.',
    remedy: 'Ask the business for another one.',
  },
  authorization_required: {
    status: 409,
    message: 'the allowance does not cover this; prepare again',
    meaning: 'The allowance no longer has room, so a signed text is not enough.',
    remedy: 'Prepare again, and sign the transaction.',
  },
  authorization_total_too_large: {
    status: 400,
    message: 'the total of the authorization is too large',
    meaning: 'All authorized periods cost more than 2^64 − 1 base units.',
    remedy: 'Use a lower price, or fewer periods.',
  },
  subscription_not_found: {
    status: 404,
    message: 'subscription not found',
    meaning: 'The business has no subscription with this id, or the checkout has another one.',
    remedy: 'Check the id, and for whom the request acts.',
  },
  delegation_not_found: {
    status: 404,
    message: 'delegation not found',
    meaning: 'The business has no subscription of this wallet.',
    remedy: 'Check the wallet, and for whom the request acts.',
  },
  subscription_incomplete: {
    status: 409,
    message: 'the first charge of the subscription is not final',
    meaning: 'The subscription is not active yet.',
    remedy: 'Wait for `subscription.activated`.',
  },
  subscription_ended: {
    status: 409,
    message: 'the subscription has ended',
    meaning: 'The subscription is canceled or failed: `status` says which.',
    remedy: 'Create another checkout.',
    shows: ['status'],
  },
  subscription_paused: {
    status: 409,
    message: 'the subscription is paused',
    meaning:
      'The terms of a paused subscription cannot change, and only the subscriber resumes what the subscriber has paused (`stopped_by`).',
    remedy: 'Resume it first; the subscriber does so in the portal.',
  },
  subscription_canceling: {
    status: 409,
    message: 'the subscription is canceled at the end of its period',
    meaning:
      'The subscription ends with its period, so nothing else changes. Only the subscriber resumes what the subscriber has canceled.',
    remedy: 'Resume it first: that clears the cancellation.',
  },
  charge_in_progress: {
    status: 409,
    message: 'a charge of the subscription is in progress',
    meaning: 'The charge `charge_id` has not ended.',
    remedy:
      'Wait for `charge.succeeded` or `charge.failed`. The tier changes after success, or when the charge is canceled with its period.',
    shows: ['charge_id'],
  },
  charge_already_scheduled: {
    status: 409,
    message: 'nothing is due now',
    meaning: 'Everything that has begun is paid. The next charge is at `next_charge_at`.',
    remedy: 'Wait: nothing is charged early.',
    shows: ['next_charge_at'],
  },
  authorization_exhausted: {
    status: 409,
    message: 'nothing more is authorized',
    meaning: 'The authorization is used up, or the allowance is gone: `status` says which.',
    remedy: 'The subscriber renews in the portal.',
    shows: ['status'],
  },
  wallet_proof_required: {
    status: 403,
    message: 'only the wallet of the subscriber can agree to this',
    meaning:
      'The change raises what is charged, renews, or starts again what the subscriber has stopped: that needs a proof of the wallet.',
    remedy: 'The subscriber does it in the portal, with a link from the recovery page.',
  },
  same_tier: {
    status: 409,
    message: 'the subscription is on this tier',
    meaning: 'The requested tier is the present one.',
    remedy: 'Choose another tier.',
  },
  different_product: {
    status: 400,
    message: 'the tier belongs to another product',
    meaning: 'A subscription changes only between tiers of one product.',
    remedy: 'Choose one of the same product.',
  },
  tier_archived: {
    status: 409,
    message: 'the tier is archived',
    meaning: 'An archived tier takes no subscriptions.',
    remedy: 'Choose another one, or make it active again.',
  },
  tier_mint_mismatch: {
    status: 409,
    message: 'the tier settles in another token',
    meaning: 'The tier settles in `tier_mint`, where `platform_mint` is needed.',
    remedy: 'Use a tier of this token.',
    shows: ['tier_mint', 'platform_mint'],
  },
  nothing_to_renew: {
    status: 409,
    message: 'all periods are still authorized',
    meaning: 'No authorized period has been charged since the last authorization.',
    remedy: 'Renew after the next charge.',
  },
  nothing_to_revoke: {
    status: 409,
    message: 'the token account has no allowance for this service',
    meaning: 'The allowance is removed, used up, or replaced by one for another delegate.',
    remedy: 'Do nothing: the wallet cannot be charged.',
  },
  allowance_in_use: {
    status: 409,
    message: 'the allowance is still in use',
    meaning:
      'The subscription is not canceled, or another one of the wallet in this token can be charged, or a charge is in progress.',
    remedy: 'Cancel these first, or remove the allowance in the wallet, which stops all of them.',
  },
  subscription_changed: {
    status: 409,
    message: 'the subscription has changed; begin again',
    meaning: 'The subscription has changed since the change was prepared.',
    remedy: 'Ask for the change again.',
  },
} satisfies PublicErrors
