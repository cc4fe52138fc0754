// Refusals in the language of the page: each that a page of the dashboard can meet has a text.
import { expect, it } from 'vitest'
import { en } from '#dashboard/texts/en.ts'
import { SAME } from '#dashboard/texts/same.ts'
import { ERROR_MAP } from '#graphql/error-map.ts'

/** What no page of the dashboard asks for: it is for the operator, the buyer, the subscriber, REST, or a field without a form. */
const ELSEWHERE = [
  'allowance_in_use',
  'application_fee_out_of_range',
  'application_fee_without_seller',
  'authorization_pending',
  'authorization_required',
  'blockhash_expired',
  'charge_not_found',
  'charge_not_retryable',
  'checkout_closed',
  'checkout_completed',
  'checkout_expired',
  'checkout_not_found',
  'clock_not_moved',
  'coupon_ended',
  'coupon_not_for_product',
  'coupon_used_up',
  'customer_email_required',
  'delegation_not_found',
  'details_frozen',
  'halt_not_found',
  'intent_not_open',
  'invalid_client_secret',
  'invalid_country',
  'invalid_expires_in',
  'invalid_limit',
  'invalid_metadata',
  'invalid_subscriber_wallet',
  'invalid_transaction',
  'marketplace_fee_unsupported',
  'method_not_allowed',
  'mint_needs_consent',
  'mint_not_supported',
  'no_application',
  'no_token_account',
  'not_acceptable',
  'not_quotable',
  'nothing_due',
  'nothing_to_renew',
  'nothing_to_revoke',
  'portal_not_found',
  'portal_session_expired',
  'product_exists',
  'product_field_immutable',
  'refund_address_limit_reached',
  'reserved_index',
  'selection_frozen',
  'tier_field_immutable',
  'token_not_found',
  'token_release_in_progress',
  'too_many_rotations',
  'transfer_not_found',
  'transfer_not_retryable',
  'unsupported_media_type',
  'wallet_limit_reached',
  'wallet_not_permitted',
]

it('every refusal has a text, or belongs to something that the dashboard does not ask for', () => {
  const without = Object.keys(ERROR_MAP).filter((code) => !Object.hasOwn(en, code) && !Object.hasOwn(SAME, code))
  expect(without.toSorted()).toEqual(ELSEWHERE)
})

it('a code with the text of another has none of its own', () => {
  expect(Object.keys(SAME).filter((code) => Object.hasOwn(en, code) || !Object.hasOwn(ERROR_MAP, code))).toEqual([])
})
