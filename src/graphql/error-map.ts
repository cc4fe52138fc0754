// Every error that a caller can get: its code, its HTTP status and its public text. Exhaustive: a new code needs a row.

import { COUPON_ERRORS } from '#graphql/errors/coupons.ts'
import type { PublicCode, PublicError } from '#graphql/errors/entry.ts'
import { MARKETPLACE_ERRORS } from '#graphql/errors/marketplace.ts'
import { MEMBER_ERRORS } from '#graphql/errors/members.ts'
import { OPERATOR_ERRORS } from '#graphql/errors/operator.ts'
import { OUTAGE_ERRORS } from '#graphql/errors/outages.ts'
import { CHECKOUT_ERRORS, CREATE_ERRORS } from '#graphql/errors/payments.ts'
import { REFUND_ERRORS } from '#graphql/errors/refunds.ts'
import { REQUEST_ERRORS } from '#graphql/errors/requests.ts'
import { SUBSCRIPTION_CHANGE_ERRORS } from '#graphql/errors/subscription-changes.ts'
import { SUBSCRIPTION_CHECKOUT_ERRORS } from '#graphql/errors/subscription-checkout.ts'
import { SUBSCRIPTION_ERRORS } from '#graphql/errors/subscriptions.ts'
import { TIER_ERRORS } from '#graphql/errors/tiers.ts'
import { WEBHOOK_ERRORS } from '#graphql/errors/webhooks.ts'
import { IMAGE_ERRORS } from './errors/marketplace.ts'
import { SUBSCRIPTION_INTENT_ERRORS, SUBSCRIPTION_PORTAL_ERRORS } from './errors/subscription-checkout.ts'

export const ERROR_MAP: Readonly<Record<PublicCode, PublicError>> = {
  ...REQUEST_ERRORS,
  ...CREATE_ERRORS,
  ...CHECKOUT_ERRORS,
  ...REFUND_ERRORS,
  ...MARKETPLACE_ERRORS,
  ...SUBSCRIPTION_ERRORS,
  ...TIER_ERRORS,
  ...COUPON_ERRORS,
  ...SUBSCRIPTION_INTENT_ERRORS,
  ...SUBSCRIPTION_CHECKOUT_ERRORS,
  ...SUBSCRIPTION_CHANGE_ERRORS,
  ...SUBSCRIPTION_PORTAL_ERRORS,
  ...IMAGE_ERRORS,
  ...WEBHOOK_ERRORS,
  ...MEMBER_ERRORS,
  ...OPERATOR_ERRORS,
  ...OUTAGE_ERRORS,
}

/** Returns true for a code of the table. A library's own code, such as BAD_USER_INPUT, is not one. */
export const isPublicCode = (code: unknown): code is PublicCode =>
  typeof code === 'string' && Object.hasOwn(ERROR_MAP, code)

/** The table in the sections of its documentation. */
export const ERROR_SECTIONS: readonly {
  readonly title: string
  readonly errors: Readonly<Record<string, PublicError>>
}[] = [
  { title: 'Requests', errors: REQUEST_ERRORS },
  { title: 'Creating payments', errors: CREATE_ERRORS },
  { title: 'Reading, checkout, cancel and sweep', errors: CHECKOUT_ERRORS },
  { title: 'Refunds by businesses', errors: REFUND_ERRORS },
  { title: 'Marketplaces', errors: MARKETPLACE_ERRORS },
  { title: 'Recurring billing and products', errors: SUBSCRIPTION_ERRORS },
  { title: 'Tiers', errors: TIER_ERRORS },
  { title: 'Coupons', errors: COUPON_ERRORS },
  { title: 'Redirect domains and checkouts of a business', errors: SUBSCRIPTION_INTENT_ERRORS },
  { title: 'Checkout of subscriptions', errors: SUBSCRIPTION_CHECKOUT_ERRORS },
  { title: 'Changing subscriptions', errors: SUBSCRIPTION_CHANGE_ERRORS },
  { title: 'The portal of a subscription', errors: SUBSCRIPTION_PORTAL_ERRORS },
  { title: 'Images', errors: IMAGE_ERRORS },
  { title: 'Webhooks', errors: WEBHOOK_ERRORS },
  { title: 'Members and sessions', errors: MEMBER_ERRORS },
  { title: 'Outages', errors: OUTAGE_ERRORS },
  { title: 'Operator', errors: OPERATOR_ERRORS },
]

/** Codes of requests that are refused by their HTTP form, by status. */
const FORM_CODES = new Map<number, PublicCode>([
  [401, 'unauthenticated'],
  [404, 'not_found'],
  [405, 'method_not_allowed'],
  [406, 'not_acceptable'],
  [413, 'body_too_large'],
  [415, 'unsupported_media_type'],
  [500, 'internal_error'],
])

/** Returns the code of a request that is refused by its HTTP form with this status. */
export const formCodeOf = (status: number): PublicCode => FORM_CODES.get(status) ?? 'invalid_request'
