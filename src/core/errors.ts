// Every way in which the service refuses, by a stable code. Core knows no HTTP: the GraphQL edge maps each
// code to a status and a public text through one exhaustive table.

export const ERROR_CODES = [
  // the request itself
  'invalid_request',
  'unauthenticated',
  'forbidden',
  'invalid_client_secret',
  'rate_limited',
  // creating and reading intents
  'invalid_accepted_tokens',
  'price_not_expressible',
  'token_not_accepted_on_platform',
  'invalid_email',
  'invalid_country',
  'customer_email_required',
  'application_fee_without_seller',
  'application_fee_out_of_range',
  'seller_not_found',
  'sweep_destination_missing',
  'intent_not_found',
  'reserved_index',
  // checkout
  'asset_not_accepted',
  'asset_not_usable',
  'amount_too_small',
  'amount_too_large',
  'intent_expired',
  'intent_cancelled',
  'selection_frozen',
  'not_quotable',
  'details_frozen',
  'payment_already_received',
  'payment_arriving',
  'nothing_due',
  'insufficient_funds',
  'invalid_transaction',
  // marketplaces
  'marketplace_not_found',
  // money out
  'nothing_to_sweep',
  'refund_in_progress',
  'nothing_held',
  'held_money_reserved',
  'release_in_progress',
  'token_release_in_progress',
  'transfer_not_retryable',
  'charge_not_retryable',
  'transfer_unconfirmed',
  'sweep_failed',
  // marketplaces
  'marketplace_disabled',
  'seller_limit_reached',
  'seller_rate_limited',
  'seller_money_in_flight',
  // images
  'invalid_image',
  'image_too_large',
  'image_storage_missing',
  'image_storage_unavailable',
  // accounts and operator
  'account_not_found',
  'key_not_found',
  'key_limit_reached',
  'session_required',
  'own_pages_only',
  'step_up_required',
  'login_refused',
  'passkeys_unavailable',
  'login_link_not_found',
  'login_taken',
  'login_limit_reached',
  'login_not_found',
  'member_not_found',
  'member_limit_reached',
  'last_owner',
  'session_not_found',
  'idempotency_key_reused',
  'transfer_not_found',
  'charge_not_found',
  'delivery_not_found',
  'event_not_found',
  'webhook_endpoint_not_found',
  'too_many_webhook_endpoints',
  'webhook_endpoint_disabled',
  'too_many_rotations',
  'halt_not_found',
  'invalid_address',
  'invalid_mint',
  'mint_not_supported',
  'mint_needs_consent',
  'token_not_found',
  'network_unavailable',
  'sandbox_only',
  // recurring billing
  'subscription_service_unavailable',
  'permission_denied',
  'invalid_limit',
  'invalid_cursor',
  'invalid_name',
  'invalid_description',
  'invalid_external_id',
  'invalid_status',
  'invalid_metadata',
  'product_exists',
  'product_field_immutable',
  'product_not_found',
  'product_archived',
  'invalid_price',
  'invalid_interval',
  'invalid_interval_count',
  'invalid_authorization_periods',
  'tier_price_above_ceiling',
  'tier_field_immutable',
  'tier_not_found',
  'payout_destination_missing',
  'payout_destination_invalid',
  'platform_wallet_unconfigured',
  'marketplace_fee_unsupported',
  'invalid_host',
  'domain_not_found',
  'invalid_tier_id',
  'invalid_redirect_url',
  'invalid_expires_in',
  'intent_not_open',
  // changes of subscriptions
  'checkout_not_found',
  'wallet_not_permitted',
  'invalid_subscriber_wallet',
  'wallet_limit_reached',
  'no_token_account',
  'account_frozen',
  'authorization_pending',
  'invalid_signature',
  'incomplete_proof',
  'blockhash_expired',
  'subscription_not_found',
  'checkout_completed',
  'checkout_expired',
  'checkout_closed',
  'authorization_required',
  'authorization_total_too_large',
  'subscription_incomplete',
  'subscription_ended',
  'subscription_paused',
  'subscription_canceling',
  'charge_in_progress',
  'charge_already_scheduled',
  'authorization_exhausted',
  'wallet_proof_required',
  'same_tier',
  'different_product',
  'tier_archived',
  'tier_mint_mismatch',
  'nothing_to_renew',
  'nothing_to_revoke',
  'allowance_in_use',
  'subscription_changed',
  'portal_not_found',
  'portal_session_expired',
  'delegation_not_found',
  // what we stand on
  'price_feed_unreachable',
  'price_feeds_disagree',
  'chain_unavailable',
  'chain_stalled',
  'clock_not_moved',
  'transaction_refused',
  'destination_not_usable',
  'database_unavailable',
] as const

export type ErrorCode = (typeof ERROR_CODES)[number]

/** Facts that belong to a refusal: shown only where the interface names them, logged always. No secret. */
export type ErrorContext = Readonly<Record<string, string | number | boolean | null | readonly string[]>>

/** The one error that services throw. `message` is internal; edges show the public text of `code`. */
export class ServiceError extends Error {
  readonly code: ErrorCode
  readonly context: ErrorContext

  constructor(code: ErrorCode, context: ErrorContext = {}, options?: ErrorOptions) {
    super(code, options)
    this.name = 'ServiceError'
    this.code = code
    this.context = context
  }
}

/** Returns whether an error is a refusal with this code. */
export const hasCode = (error: unknown, code: ErrorCode): error is ServiceError =>
  error instanceof ServiceError && error.code === code
