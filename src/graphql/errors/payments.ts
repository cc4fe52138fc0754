// Errors of payments: create, checkout, cancel and sweep.
import { MAX_PROPOSALS } from '#core/payments/returns/releasable.ts'
import { OUTAGE_SECONDS, type PublicErrors } from '#graphql/errors/entry.ts'

export const CREATE_ERRORS = {
  invalid_accepted_tokens: {
    status: 400,
    message: (_context, name) => `${name('accepted_tokens')} must name at least one token`,
    meaning: 'The list of accepted assets is missing or empty.',
    remedy: 'Name at least one asset.',
  },
  price_not_expressible: {
    status: 400,
    message: ({ smallest, largest }, name) =>
      smallest === undefined
        ? 'no price can be paid in the accepted tokens right now'
        : `${name('amount_usd_cents')} must be from ${smallest} to ${largest}: no other price can be paid in the accepted tokens right now`,
    meaning:
      'At current rates the price cannot be paid in any accepted asset. In SOL the part of the business, after the fees, must be at least the rent minimum.',
    remedy: 'Use a price in the range of the message, or accept other assets.',
  },
  token_not_accepted_on_platform: {
    status: 400,
    message: (_context, name) => `a token in ${name('accepted_tokens')} is not accepted on this platform`,
    meaning: 'An accepted asset is not on the allowlist of the network.',
    remedy: 'Use assets of `GET /allowed-tokens` or `allowedTokens`.',
  },
  invalid_email: {
    status: 400,
    message: 'email is not a valid address',
    meaning: 'The e-mail address of the buyer is not valid.',
    remedy: 'Correct it, or leave it out.',
  },
  invalid_country: {
    status: 400,
    message: 'country must be an ISO 3166-1 alpha-2 code',
    meaning: 'The country of the buyer is not a code of ISO 3166-1 alpha-2.',
    remedy: 'Send two capital letters, such as `DE`.',
  },
  customer_email_required: {
    status: 400,
    message: 'customer.email is required on a payment for a seller',
    meaning: 'A payment for a seller needs the e-mail address of the buyer.',
    remedy: 'Send `customer.email`.',
  },
  application_fee_without_seller: {
    status: 400,
    message: (_context, name) => `${name('application_fee_bps')} is only valid on a payment for a seller`,
    meaning: 'A marketplace fee needs a seller.',
    remedy: 'Leave it out, or name the seller.',
  },
  application_fee_out_of_range: {
    status: 400,
    message: (_context, name) => `${name('application_fee_bps')} is above the platform maximum`,
    meaning: 'The marketplace fee is above the maximum of `GET /config` or `config`.',
    remedy: 'Send a lower one.',
  },
  seller_not_found: {
    status: 404,
    message: 'seller not found',
    meaning: 'The caller has no active seller with this id.',
    remedy: 'Check the id, and that the business is a marketplace.',
  },
  sweep_destination_missing: {
    status: 409,
    message: 'no valid sweep destination is configured',
    meaning: 'The receiving business has no valid destination wallet.',
    remedy: 'Have the operator or the marketplace set it.',
  },
} satisfies PublicErrors

export const CHECKOUT_ERRORS = {
  intent_not_found: {
    status: 404,
    message: 'payment intent not found',
    meaning: 'The business has no such payment, or no such checkout of a subscription.',
    remedy: 'Check the id, and the mode of the key.',
  },
  event_not_found: {
    status: 404,
    message: 'event not found',
    meaning: 'The business has no event with this id. Events are kept for 60 days.',
    remedy: 'Check the id, and the mode of the key.',
  },
  asset_not_accepted: {
    status: 400,
    message: 'this asset is not accepted for this payment',
    meaning: 'The payment does not accept the asset.',
    remedy: 'Select one of the quote.',
  },
  asset_not_usable: {
    status: 400,
    message: 'no payment can be made in this asset now, because its issuer has changed it',
    meaning: 'The mint takes a fee now, runs a program, is paused, or has changed in another way.',
    remedy: 'Select another one of the quote.',
  },
  amount_too_small: {
    status: 400,
    message: 'in this asset the amount is too small: after the fees it is below what the network lets an address hold',
    meaning: 'After the fees the amount is below the minimum that the network lets an address hold.',
    remedy: 'Select another asset.',
  },
  amount_too_large: {
    status: 400,
    message: 'the amount is larger than this asset can express',
    meaning: 'The amount is above the maximum of a token account.',
    remedy: 'Select another asset.',
  },
  intent_expired: {
    status: 400,
    message: 'this payment has expired',
    meaning: 'The checkout window is over.',
    remedy: 'Create a new payment.',
  },
  intent_cancelled: {
    status: 409,
    message: 'this payment was cancelled',
    meaning: 'The payment was cancelled.',
    remedy: 'Create a new payment.',
  },
  selection_frozen: {
    status: 409,
    message: 'a payment has already arrived; the asset can no longer change',
    meaning: 'Money has arrived, so the asset can no longer change.',
    remedy: 'Show the shortfall of the status, if any.',
  },
  not_quotable: {
    status: 409,
    message: 'this payment can no longer be quoted',
    meaning: 'The payment is paid, expired or cancelled.',
    remedy: 'Read the status.',
  },
  nothing_due: {
    status: 409,
    message: 'nothing is due: no asset is selected, or nothing more is to be paid',
    meaning: 'No asset is selected yet, or the payment is paid, expired or cancelled.',
    remedy: 'Select an asset, or read the status.',
  },
  insufficient_funds: {
    status: 409,
    message: 'the wallet holds less than the amount that is due and the network fee',
    meaning: 'The wallet holds less than what is due, or too little SOL for the network fee and rent.',
    remedy: 'Pay from another wallet, or in another asset.',
  },
  invalid_transaction: {
    status: 400,
    message: 'this is not a signed transaction that pays the address of the payment',
    meaning: 'The transaction cannot be read, is too large, lacks a signature, or does not pay the deposit address.',
    remedy: 'Sign what `preparePayment` returns.',
  },
  details_frozen: {
    status: 409,
    message: 'this payment no longer accepts details',
    meaning: 'The payment is closed, so the details can no longer change.',
    remedy: 'Keep them in your own records.',
  },
  payment_already_received: {
    status: 409,
    message: 'a payment has already been received; it cannot be cancelled',
    meaning: 'The payment is paid, so it can no longer be cancelled.',
    remedy: 'Fulfil the order once it is `swept`.',
  },
  payment_arriving: {
    status: 409,
    message: 'money has just arrived at the address; nothing about the payment changes before it is read',
    meaning: 'Money that may pay the price has arrived, and its transaction is not read yet.',
    remedy: 'Repeat in some seconds.',
  },
  refund_address_not_proposed: {
    status: 409,
    message: 'the buyer does not propose this address now: read the payment again',
    meaning: 'The buyer has proposed no address, or another one since you have read it.',
    remedy: 'Read the payment, and decide about the address that it has now.',
  },
  refund_address_decided: {
    status: 409,
    message: ({ decision }) => `this address was ${decision === 'approved' ? 'approved' : 'declined'} already`,
    meaning: 'The business has decided otherwise about this address.',
    remedy: 'Read the payment. After a decline, the buyer can propose it again.',
  },
  refund_address_limit_reached: {
    status: 409,
    message: 'too many addresses were proposed for this payment: contact the business',
    meaning: `For this payment ${MAX_PROPOSALS} addresses were proposed, and the business has decided about none of them.`,
    remedy: 'Have the business approve or decline the last one. After that, the buyer can propose another.',
  },
  reserved_index: {
    status: 400,
    message: 'index 0 is reserved',
    meaning: 'No payment has the index 0.',
    remedy: 'Send the index of a payment.',
  },
  nothing_to_sweep: {
    status: 400,
    message: 'there is nothing to sweep',
    meaning: 'The payment holds no balance for the business.',
    remedy: 'Wait until it is paid.',
  },
  refund_in_progress: {
    status: 409,
    message: 'a refund is in progress',
    meaning: 'The balance of the payment is being refunded.',
    remedy: 'Wait until the refund is complete.',
  },
  transfer_unconfirmed: {
    status: 502,
    message: ({ reason }) =>
      typeof reason === 'string'
        ? `the transfer waits, repeat the request: ${reason}`
        : 'the transfer is not final yet; repeat the request',
    meaning: 'The transaction is not final yet. The message has the reason when the transfer waits for something else.',
    remedy: 'Repeat: it waits for the same transfer.',
    retryAfter: OUTAGE_SECONDS,
  },
  nothing_settled: {
    status: 409,
    message: 'nothing has settled yet',
    meaning:
      'The payment has not settled, or the charge or the refund is not paid: there is no receipt, and nothing to give back.',
    remedy: 'Repeat when the payment is `swept`, or the charge or the refund has succeeded.',
  },
  sweep_failed: {
    status: 409,
    message: ({ reason }) => (typeof reason === 'string' ? `the sweep failed: ${reason}` : 'the sweep failed'),
    meaning: 'The sweep has failed or is held for a person; the message has the reason.',
    remedy: 'Remove the reason, then repeat: the sweep is tried again.',
  },
  transaction_refused: {
    status: 502,
    message: 'the chain refused the transaction',
    meaning: 'The chain refused the transaction.',
    remedy: 'Repeat later. The log has the reason.',
    retryAfter: OUTAGE_SECONDS,
  },
  destination_not_usable: {
    status: 409,
    message: 'the destination cannot receive this asset',
    meaning: 'The destination wallet cannot receive the asset.',
    remedy: 'Have the operator set another one.',
  },
} satisfies PublicErrors
