// Errors of the checkout of a subscription, and of changes of a running one. REST shows these codes as they are. Spec:
// "Errors".
import type { PublicErrors } from '#graphql/errors/entry.ts'

export const SUBSCRIPTION_CHANGE_ERRORS = {
  checkout_completed: {
    status: 409,
    message: 'the checkout is completed',
    meaning: 'The checkout has led to a subscription.',
    remedy: 'Read the checkout, or manage the subscription.',
  },
  checkout_expired: {
    status: 409,
    message: 'the checkout has expired',
    meaning: 'The time of the checkout is over.',
    remedy: 'Ask the business for another checkout.',
  },
  checkout_closed: {
    status: 409,
    message: 'the checkout is closed',
    meaning: 'The business canceled the checkout, or its first charge did not succeed within 23 hours.',
    remedy: 'Ask the business for another checkout.',
  },
  authorization_required: {
    status: 409,
    message: 'the allowance does not cover this; prepare again',
    meaning: 'The allowance on the chain no longer has room, so a signed text is not enough.',
    remedy: 'Prepare again: the answer has an approve transaction to sign.',
  },
  authorization_total_too_large: {
    status: 400,
    message: 'the total of the authorization is too large',
    meaning: 'The price of all authorized periods is more than 2^64 − 1 base units, the largest allowance.',
    remedy: 'Use a lower price, or fewer periods.',
  },
  subscription_not_found: {
    status: 404,
    message: 'subscription not found',
    meaning: 'The business has no subscription with this id, or the checkout has another one.',
    remedy: 'Check the id, and for whom the request acts. In a checkout it is the one that `prepare` gave.',
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
      'The terms of a paused subscription cannot change, and what its subscriber has paused only the subscriber resumes.',
    remedy: 'Resume it first. When `stopped_by` is `subscriber`, the subscriber resumes it in the portal.',
  },
  subscription_canceling: {
    status: 409,
    message: 'the subscription is canceled at the end of its period',
    meaning:
      'The subscription ends with its period, so nothing else changes. What its subscriber has canceled only the subscriber resumes.',
    remedy:
      'Resume it first: that clears the cancellation. When `stopped_by` is `subscriber`, the subscriber does that in the portal.',
  },
  charge_in_progress: {
    status: 409,
    message: 'a charge of the subscription is in progress',
    meaning: 'The charge `charge_id` has not ended.',
    remedy:
      'Wait for `charge.succeeded` or `charge.failed`. The tier changes once the charge has succeeded, or is canceled because its period is over.',
    shows: ['charge_id'],
  },
  charge_already_scheduled: {
    status: 409,
    message: 'nothing is due now',
    meaning: 'Everything that has begun is paid. The next charge is made at `next_charge_at`.',
    remedy: 'Wait: nothing is charged early.',
    shows: ['next_charge_at'],
  },
  authorization_exhausted: {
    status: 409,
    message: 'nothing more is authorized',
    meaning: 'The authorization is used up, or the allowance is gone: `status` has the status of the subscription.',
    remedy: 'The subscriber renews in the portal.',
    shows: ['status'],
  },
  wallet_proof_required: {
    status: 403,
    message: 'only the wallet of the subscriber can agree to this',
    meaning:
      'The change raises what is charged, renews, or starts again what the subscriber has stopped, and this caller may not do that without a proof of the wallet.',
    remedy: 'The subscriber makes the change in the portal, with a link from the recovery page.',
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
    remedy: 'Choose a tier of the same product.',
  },
  tier_archived: {
    status: 409,
    message: 'the tier is archived',
    meaning: 'An archived tier takes no subscriptions.',
    remedy: 'Choose another tier, or make this one active again.',
  },
  tier_mint_mismatch: {
    status: 409,
    message: 'the tier settles in another token',
    meaning: 'The tier settles in `tier_mint`, where `platform_mint` is needed.',
    remedy: 'Use a tier that was created for this token.',
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
    meaning: 'The wallet has removed the allowance, or replaced it by one for another delegate, or it is used up.',
    remedy: 'Do nothing: the service cannot charge the wallet.',
  },
  allowance_in_use: {
    status: 409,
    message: 'the allowance is still in use',
    meaning:
      'The subscription is not canceled, or another subscription of the wallet in this token can be charged, or a charge is ' +
      'in progress.',
    remedy: 'Cancel these subscriptions first, or remove the allowance in the wallet, which stops all of them.',
  },
  subscription_changed: {
    status: 409,
    message: 'the subscription has changed; begin again',
    meaning: 'The subscription is no longer in the state that the change was prepared for.',
    remedy: 'Repeat the request for the change.',
  },
} satisfies PublicErrors
