// What each refusal looks like from outside: an HTTP status and a public text. Exhaustive: a new code must be placed here.
import type { ErrorCode, ErrorContext } from '#core/errors.ts'

export type PublicError = {
  readonly status: number
  /** For people. Messages may change and must not be matched. */
  readonly message: string | ((context: ErrorContext) => string)
  /** The keys of the refusal's context that the interface names, and shows. */
  readonly shows?: readonly string[]
}

const named = (context: ErrorContext, otherwise: string): string =>
  typeof context.field === 'string' ? context.field : otherwise

/** Which rule was broken, where the refusal says so: `must be an https address`. */
const ruled = (context: ErrorContext, otherwise: string): string =>
  typeof context.rule === 'string' ? context.rule : otherwise

export const ERROR_MAP: Readonly<Record<ErrorCode, PublicError>> = {
  invalid_request: {
    status: 400,
    message: (context) => `${named(context, 'the request')} ${ruled(context, 'is not valid')}`,
  },
  unauthenticated: {
    status: 401,
    message: ({ credential = 'API key' }) => `missing or invalid ${credential}`,
  },
  forbidden: { status: 403, message: 'this credential may not do that' },
  invalid_client_secret: { status: 401, message: 'invalid client_secret' },
  rate_limited: { status: 429, message: 'too many requests; slow down and try again' },

  usd_pricing_required: {
    status: 400,
    message: 'USD pricing required: send amount_usd_cents, not expected_lamports or mint',
  },
  invalid_amount: { status: 400, message: 'amount_usd_cents must be an integer above 0' },
  invalid_accepted_tokens: {
    status: 400,
    message: "accepted_tokens must be a non-empty list of {kind: 'sol'} or {kind: 'spl', mint}",
  },
  price_not_expressible: {
    status: 400,
    message: ({ smallest, largest }) =>
      smallest === undefined
        ? 'no accepted token can express any price right now'
        : `amount_usd_cents must be from ${smallest} to ${largest}: the accepted tokens can express no other price right now`,
  },
  token_not_accepted_on_platform: {
    status: 400,
    message: 'a token in accepted_tokens is not accepted on this platform',
  },
  invalid_email: { status: 400, message: 'email is not a valid address' },
  invalid_country: { status: 400, message: 'country must be an ISO 3166-1 alpha-2 code' },
  customer_email_required: { status: 400, message: 'customer.email is required on a payment for a seller' },
  application_fee_without_seller: {
    status: 400,
    message: 'application_fee_bps is only valid on a payment for a seller',
  },
  application_fee_out_of_range: { status: 400, message: 'application_fee_bps is above the platform maximum' },
  seller_not_found: { status: 404, message: 'seller not found' },
  sweep_destination_missing: { status: 409, message: 'no valid sweep destination is configured' },
  intent_not_found: { status: 404, message: 'payment intent not found' },
  reserved_index: { status: 400, message: 'index 0 is reserved' },

  asset_not_accepted: { status: 400, message: 'this asset is not accepted for this payment' },
  amount_too_small: { status: 400, message: 'in this asset the amount is below what the network lets an address hold' },
  amount_too_large: { status: 400, message: 'the amount is larger than this asset can express' },
  intent_expired: { status: 400, message: 'this payment has expired' },
  intent_cancelled: { status: 409, message: 'this payment was cancelled' },
  selection_frozen: { status: 409, message: 'a payment has already arrived; the asset can no longer change' },
  not_quotable: { status: 409, message: 'this payment can no longer be quoted' },
  details_frozen: { status: 409, message: 'this payment no longer accepts details' },
  payment_already_received: { status: 409, message: 'a payment has already been received; it cannot be cancelled' },

  nothing_to_sweep: { status: 400, message: 'there is nothing to sweep' },
  refund_in_progress: { status: 409, message: 'a refund is in progress' },
  nothing_held: { status: 409, message: 'nothing of this asset is held for this payment where it could be sent from' },
  held_money_claimed: {
    status: 409,
    message: 'another transfer claims it: wait for its end, or retry it where it is held',
  },
  held_money_not_final: { status: 409, message: 'more of it is arriving; try again when that is final' },
  release_in_progress: { status: 409, message: 'it is being released to another address' },
  transfer_not_retryable: { status: 409, message: 'only a failed or held transfer can be retried' },
  transfer_unconfirmed: { status: 502, message: 'the transfer is not confirmed yet; repeat the request' },
  transaction_refused: { status: 502, message: 'the chain refused the transaction' },
  destination_not_usable: { status: 409, message: 'the destination cannot receive this asset' },

  account_not_found: { status: 404, message: 'account not found' },
  key_not_found: { status: 404, message: 'API key not found' },
  transfer_not_found: { status: 404, message: 'transfer not found' },
  delivery_not_found: { status: 404, message: 'webhook delivery not found' },
  too_many_rotations: {
    status: 409,
    message: 'three older webhook secrets still sign; wait until one of them stops, or revoke them',
  },
  halt_not_found: { status: 404, message: 'no address is halted under this id' },
  invalid_address: {
    status: 400,
    message: (context) => `${named(context, 'the address')} ${ruled(context, 'is not a payable address')}`,
  },
  invalid_mint: { status: 400, message: 'this is not a token mint on this network' },
  mint_not_supported: { status: 400, message: 'this mint cannot be accepted safely', shows: ['extension', 'reason'] },
  mint_needs_consent: {
    status: 409,
    message: 'this mint gives its issuer power over holders; allow it only with explicit consent',
    shows: ['extension', 'extensions'],
  },
  token_not_found: { status: 404, message: 'this token is not on the allowlist' },
  network_unavailable: { status: 409, message: 'this deployment does not serve that network' },
  sandbox_only: { status: 403, message: 'only a sandbox can do that' },

  price_feed_unreachable: { status: 502, message: 'no price is available right now; try again' },
  price_feeds_disagree: { status: 503, message: 'price sources disagree right now; try again' },
  chain_unavailable: { status: 502, message: 'the chain cannot be reached right now; try again' },
  chain_stalled: { status: 502, message: 'the sandbox’s chain does not move on: start the service again' },
  database_unavailable: { status: 503, message: 'the service is temporarily unavailable; try again' },
}

/** What an unexpected failure looks like: nothing but the way to find it in the logs. */
export const INTERNAL_ERROR = { status: 500, code: 'internal_error', message: 'internal error' } as const
