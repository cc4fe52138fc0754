// Errors of the hosted checkout of subscriptions. REST shows these codes as they are. Spec: "Errors".
import { fieldOf, type PublicErrors } from './entry.ts'

export const SUBSCRIPTION_CHECKOUT_ERRORS = {
  checkout_not_found: {
    status: 404,
    message: 'checkout not found',
    meaning: 'No checkout has this token.',
    remedy: 'Use the whole `checkout_url` of the business.',
  },
  invalid_subscriber_wallet: {
    status: 400,
    message: 'the wallet must be an address',
    meaning: 'It is no address, or one that only a program can sign for.',
    remedy: 'Send the address of the wallet in base58.',
    shows: ['field'],
  },
  wallet_not_permitted: {
    status: 403,
    message: 'the checkout is for another wallet',
    meaning: 'The checkout is for another wallet.',
    remedy: 'Connect the wallet of `subscriber_wallet`.',
  },
  wallet_limit_reached: {
    status: 409,
    message: 'the wallet has too many subscriptions',
    meaning: 'The wallet has `limit` subscriptions that are not ended.',
    remedy: 'Cancel one, or use another wallet.',
    shows: ['limit'],
  },
  no_token_account: {
    status: 409,
    message: 'the wallet has no account for the token',
    meaning: 'The associated token account of the wallet does not exist; the service does not create it.',
    remedy: 'Receive some of the token first.',
  },
  account_frozen: {
    status: 409,
    message: 'the token account of the wallet is frozen',
    meaning: 'The issuer of the token has frozen the account.',
    remedy: 'Use another wallet.',
  },
  authorization_pending: {
    status: 409,
    message: 'another authorization of the wallet is pending',
    meaning: 'A transaction that sets the allowance of the wallet for another subscription may still land.',
    remedy: 'Repeat after a minute or two.',
  },
  invalid_signature: {
    status: 400,
    message: 'the signature is not valid here',
    meaning:
      'It is not exactly the prepared transaction with a valid signature of the wallet; or the signed text is unknown, expired, used, or was given for something else.',
    remedy: 'Sign exactly what was prepared. After five wrong signatures of a text, prepare again.',
  },
  incomplete_proof: {
    status: 400,
    message: 'send the nonce and the signature',
    meaning: 'The nonce or the signature of a wallet proof is missing.',
    remedy: 'Send both, as the wallet answered.',
  },
  blockhash_expired: {
    status: 409,
    message: 'the transaction has expired',
    meaning: 'The prepared transaction cannot land any more.',
    remedy: 'Prepare again, and sign the new one.',
  },
} satisfies PublicErrors

// Errors of redirect domains, and of the checkouts that a business creates. REST shows these codes as they are. Spec:
// "Errors".

export const SUBSCRIPTION_INTENT_ERRORS = {
  invalid_host: {
    status: 400,
    message: 'the host must be a public host name, without scheme, port and path',
    meaning: 'The host has a scheme, port, path or wildcard, is an address, or has one label only.',
    remedy: 'Send the host alone, such as `shop.example.com`.',
  },
  domain_not_found: {
    status: 404,
    message: 'redirect domain not found',
    meaning: 'The business has no redirect domain with this id.',
    remedy: 'Check the id, and for whom the request acts.',
  },
  invalid_tier_id: {
    status: 400,
    message: 'the id of the tier must be a UUID',
    meaning: 'The id of the tier is missing or not a UUID.',
    remedy: 'Send the `id` of a tier.',
    shows: ['field'],
  },
  invalid_redirect_url: {
    status: 400,
    message: (context, name) =>
      `${fieldOf(context, name, 'the URL')} must be https, and lead to an active redirect domain of the business`,
    meaning: 'The URL in `field` is not https, has a port or a user name, or its host is no active redirect domain.',
    remedy: 'Register the host, or correct the URL.',
    shows: ['field'],
  },
  invalid_expires_in: {
    status: 400,
    message: 'the time until the checkout expires is out of range',
    meaning: 'The time is not an integer of seconds from `min_expires_in` to `max_expires_in`.',
    remedy: 'Leave it out for a day.',
    shows: ['min_expires_in', 'max_expires_in'],
  },
  intent_not_open: {
    status: 409,
    message: 'the checkout is completed or has expired',
    meaning: 'The checkout has ended: `status` says how, and `subscription_id` has the subscription if it led to one.',
    remedy: 'Cancel the subscription instead, if any.',
    shows: ['status', 'subscription_id'],
  },
} satisfies PublicErrors

// Errors of the hosted portal of subscriptions. REST shows these codes as they are. Spec: "Errors".

export const SUBSCRIPTION_PORTAL_ERRORS = {
  portal_not_found: {
    status: 404,
    message: 'portal not found',
    meaning: 'No link to a portal has this token.',
    remedy: 'Get a new link at `recovery_url` with the wallet.',
    shows: ['recovery_url'],
  },
  portal_session_expired: {
    status: 401,
    message: 'the link to the portal has expired',
    meaning: 'The time of the link is over.',
    remedy: 'Get a new link at `recovery_url`, or from the business.',
    shows: ['recovery_url'],
  },
} satisfies PublicErrors
