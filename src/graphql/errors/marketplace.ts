// Errors of marketplaces and their sellers.
import { OUTAGE_SECONDS, type PublicErrors } from './entry.ts'

export const MARKETPLACE_ERRORS = {
  marketplace_not_found: {
    status: 404,
    message: 'not found',
    meaning: 'The business is not a marketplace.',
    remedy: 'Ask the operator to approve it as one.',
  },
  marketplace_disabled: {
    status: 409,
    message: 'the marketplace has been disabled',
    meaning: 'The operator has revoked the marketplace: it can be read, and not changed.',
    remedy: 'Ask the operator to approve it again.',
  },
  already_marketplace: {
    status: 409,
    message: 'the business is a marketplace already',
    meaning: 'The business has been approved as a marketplace before, so it cannot apply.',
    remedy: 'Ask the operator when it is disabled.',
  },
  no_application: {
    status: 404,
    message: 'no application waits',
    meaning: 'The business has not applied for a marketplace, or the operator has decided.',
    remedy: 'List the applications.',
  },
  seller_limit_reached: {
    status: 409,
    message: 'the marketplace has as many sellers as it may have',
    meaning: 'The limit of sellers is reached. Archived sellers count too.',
    remedy: 'Ask the operator to raise it.',
  },
  seller_rate_limited: {
    status: 429,
    message: 'too many new sellers; slow down and try again',
    meaning: 'The marketplace creates sellers faster than [the limit](limits.md).',
    remedy: 'Repeat after `retry_after_secs`.',
    shows: ['retry_after_secs'],
  },
  seller_money_in_flight: {
    status: 409,
    message: 'money of this seller is in flight; archive it later',
    meaning:
      'The seller has payments that are open or whose money still moves (`intent_ids`), subscriptions that have not ended or with a charge under way (`subscription_ids`), or checkouts that can be completed (`subscription_intent_ids`). Each list has the newest 100.',
    remedy:
      'Cancel these on behalf of the seller, a subscription with `at_period_end: false`; wait for a charge under way or an `incomplete` subscription.',
    shows: ['intent_ids', 'subscription_ids', 'subscription_intent_ids'],
  },
} satisfies PublicErrors

// Errors of images.

export const IMAGE_ERRORS = {
  invalid_image: {
    status: 400,
    message:
      'the image must be a PNG, JPEG or WebP file of at most 16,777,216 pixels, or 4,194,304 when it is interlaced, progressive or of 16 bits, and no side above 8,192',
    meaning: 'The file has another format, is damaged, or has too many pixels.',
    remedy: 'Send a PNG, JPEG or WebP file, if need be scaled down.',
  },
  image_too_large: {
    status: 413,
    message: 'the image must have at most 1 MB',
    meaning: 'The file is larger than 1 MB.',
    remedy: 'Scale it down, or compress it more.',
  },
  image_storage_missing: {
    status: 409,
    message: 'this deployment stores no images',
    meaning: 'No object storage is configured.',
    remedy: 'The operator sets `S3_ENDPOINT`, `S3_BUCKET`, `S3_ACCESS_KEY_ID` and `S3_SECRET_ACCESS_KEY`.',
  },
  image_storage_unavailable: {
    status: 503,
    message: 'the image storage cannot be reached right now; try again',
    meaning: 'The object storage does not answer, or refuses the credentials.',
    remedy: 'Repeat after `Retry-After`.',
    retryAfter: OUTAGE_SECONDS,
  },
} satisfies PublicErrors
