// Errors of coupons. REST shows these codes as they are.
import type { PublicErrors } from './entry.ts'

export const COUPON_ERRORS = {
  invalid_coupon: {
    status: 400,
    message: 'a field of the coupon is not valid',
    meaning:
      '`field` breaks its rule. A code has 3 to 32 letters, digits, `-` and `_`, and begins with a letter or a digit. Either ' +
      '`percent_off` is 1 to 99 or `amount_off_usd_cents` is at least 1, not both. `periods` is 1 to 10,000, `max_uses` and ' +
      '`max_uses_per_wallet` 1 to 100,000, and `ends_at` a time to come.',
    remedy: 'Correct it, or leave it out for no limit.',
    shows: ['field'],
  },
  coupon_exists: {
    status: 409,
    message: 'an active coupon has this code',
    meaning: 'An active coupon of the business has this code, in capital or small letters.',
    remedy: 'Use another code, or archive that coupon first.',
  },
  coupon_not_found: {
    status: 404,
    message: 'coupon not found',
    meaning: 'The business has no coupon with this id, or no active one with this code.',
    remedy: 'Check the code. Archived coupons cannot be used.',
  },
  coupon_ended: {
    status: 409,
    message: 'the coupon has ended',
    meaning: 'The `ends_at` of the coupon has passed.',
    remedy: 'Go on without it, or use another one.',
  },
  coupon_not_for_product: {
    status: 409,
    message: 'the coupon is for another product',
    meaning: 'The coupon is for one product, and the checkout sells another one.',
    remedy: 'Go on without it, or use another one.',
  },
  coupon_used_up: {
    status: 409,
    message: 'the coupon is used up',
    meaning:
      'As many checkouts use the coupon as `max_uses` allows, or as many of this wallet as `max_uses_per_wallet` allows.',
    remedy:
      'Go on without it, or use another one. A checkout that is being authorized keeps a place for about a minute.',
  },
} satisfies PublicErrors
