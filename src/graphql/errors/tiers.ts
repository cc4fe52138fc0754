// Errors of tiers, the prices of products. REST shows these codes as they are. Spec: "Errors".
import type { PublicErrors } from '#graphql/errors/entry.ts'

export const TIER_ERRORS = {
  invalid_price: {
    status: 400,
    message: 'the price must be an integer of US cents that the platform allows',
    meaning: 'The price is missing, no integer, or below `min_price_usd_cents` of `GET /config`.',
    remedy: 'Correct it.',
  },
  tier_price_above_ceiling: {
    status: 400,
    message: 'the price is above the highest price of the platform',
    meaning: 'The price is above the ceiling, `max_price_usd_cents`.',
    remedy: 'Send a lower one.',
    shows: ['max_price_usd_cents'],
  },
  invalid_interval: {
    status: 400,
    message: 'the interval must be day, week, month or year',
    meaning: 'The interval is not `day`, `week`, `month` or `year`.',
    remedy: 'Correct it.',
  },
  invalid_interval_count: {
    status: 400,
    message: 'the number of intervals is out of range',
    meaning: 'The number is not an integer from 1 to the maximum of the interval, which `GET /config` shows.',
    remedy: 'Correct it, or leave it out for 1.',
  },
  invalid_authorization_periods: {
    status: 400,
    message: 'the number of authorized periods must be an integer of at least 1',
    meaning: 'The number is not an integer of at least 1.',
    remedy: 'Correct it, or leave it out for 12.',
  },
  invalid_trial_days: {
    status: 400,
    message: 'the days of the trial must be an integer from 0 to 365',
    meaning: 'The number is not an integer from 0 to `max_trial_days`.',
    remedy: 'Correct it, or leave it out for no trial.',
    shows: ['max_trial_days'],
  },
  tier_field_immutable: {
    status: 400,
    message: 'this field of a tier cannot be changed',
    meaning: '`field` names a field that never changes.',
    remedy: 'For another price, create another tier.',
    shows: ['field'],
  },
  tier_not_found: {
    status: 404,
    message: 'tier not found',
    meaning: 'The business has no tier with this id.',
    remedy: 'Check the id, and for whom the request acts.',
  },
  product_archived: {
    status: 409,
    message: 'the product of the tier is archived',
    meaning: 'An archived product has no new and no active tier, and no new checkout.',
    remedy: 'Make it active again.',
  },
  payout_destination_missing: {
    status: 409,
    message: 'the business has no wallet that receives its charges',
    meaning: 'The business has no sweep destination, to which charges are paid.',
    remedy: 'Have the operator or the marketplace set it.',
  },
  payout_destination_invalid: {
    status: 409,
    message: 'the destination of the business is not a wallet',
    meaning: 'The sweep destination is a token account, a mint or a program.',
    remedy: 'Have the address of a wallet set.',
  },
  marketplace_fee_unsupported: {
    status: 409,
    message: 'a seller with a marketplace fee cannot have tiers',
    meaning: "The marketplace takes a share of this seller's payments, `marketplace_fee_bps`, and charges have none.",
    remedy: 'Set the rate of the seller to 0.',
    shows: ['marketplace_fee_bps'],
  },
  platform_wallet_unconfigured: {
    status: 503,
    message: 'the platform has no wallet for its fee',
    meaning: 'The platform takes a fee of charges, and no wallet receives it.',
    remedy: 'Have the operator set `PLATFORM_WALLET`.',
  },
} satisfies PublicErrors
