// Errors of the hosted checkout of subscriptions. REST shows these codes as they are. Spec: "Errors".
import { fieldOf, type PublicErrors } from './entry.ts'

export const SUBSCRIPTION_CHECKOUT_ERRORS = {
  checkout_not_found: {
    status: 404,
    message: 'checkout not found',
    meaning: 'No checkout has this token.',
    remedy: 'Use the whole `checkout_url` that the business gave.',
  },
  invalid_subscriber_wallet: {
    status: 400,
    message: 'the wallet must be an address',
    meaning: 'The wallet is not an address, or one that only a program can sign for.',
    remedy: 'Send the address of the wallet in base58.',
    shows: ['field'],
  },
  wallet_not_permitted: {
    status: 403,
    message: 'the checkout is for another wallet',
    meaning: 'The business has created the checkout for one wallet, and this is another.',
    remedy: 'Connect the wallet that `subscriber_wallet` names.',
  },
  wallet_limit_reached: {
    status: 409,
    message: 'the wallet has too many subscriptions',
    meaning: 'The wallet has `limit` subscriptions that are not ended.',
    remedy: 'Cancel a subscription, or use another wallet.',
    shows: ['limit'],
  },
  no_token_account: {
    status: 409,
    message: 'the wallet has no account for the token',
    meaning: 'The associated token account of the wallet does not exist. The service does not create it.',
    remedy: 'Receive some of the token in the wallet first.',
  },
  account_frozen: {
    status: 409,
    message: 'the token account of the wallet is frozen',
    meaning: 'The issuer of the token has frozen the account, so nothing can be pulled from it.',
    remedy: 'Use another wallet.',
  },
  authorization_pending: {
    status: 409,
    message: 'another authorization of the wallet is pending',
    meaning: 'The wallet has one allowance, and a transaction that sets it for another subscription may still land.',
    remedy: 'Repeat the request after a minute or two.',
  },
  invalid_signature: {
    status: 400,
    message: 'the signature is not valid here',
    meaning:
      'It is not the prepared transaction, byte for byte, with a valid signature of the wallet; or the signed text is unknown, expired, used, or was given for something else.',
    remedy: 'Let the wallet sign exactly what was prepared. After five wrong signatures of a text, prepare again.',
  },
  incomplete_proof: {
    status: 400,
    message: 'send the nonce and the signature',
    meaning: 'The nonce or the signature of a wallet proof is missing.',
    remedy: 'Send both, as the wallet answered the challenge.',
  },
  blockhash_expired: {
    status: 409,
    message: 'the transaction has expired',
    meaning: 'The prepared transaction has not landed in time, and cannot land any more.',
    remedy: 'Prepare again, and sign the new transaction.',
  },
} satisfies PublicErrors

// Errors of redirect domains, and of the checkouts that a business creates. REST shows these codes as they are. Spec:
// "Errors".

export const SUBSCRIPTION_INTENT_ERRORS = {
  invalid_host: {
    status: 400,
    message: 'the host must be a public host name, without scheme, port and path',
    meaning:
      'The host is no public host name: it has a scheme, port, path or wildcard, is an address, or has one label only.',
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
    meaning:
      'The URL that `field` names is not https, has a port or a user name, or its host is no active redirect domain.',
    remedy: 'Register the host as a redirect domain, or correct the URL.',
    shows: ['field'],
  },
  invalid_expires_in: {
    status: 400,
    message: 'the time until the checkout expires is out of range',
    meaning: 'The time is not an integer of seconds from `min_expires_in` to `max_expires_in`.',
    remedy: 'Correct it, or leave it out for a day.',
    shows: ['min_expires_in', 'max_expires_in'],
  },
  intent_not_open: {
    status: 409,
    message: 'the checkout is completed or has expired',
    meaning:
      'The checkout is not open any more: `status` has its status, and `subscription_id` the subscription if it led to one.',
    remedy: 'Cancel the subscription instead, if there is one.',
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
    remedy: 'Get a new link at `recovery_url` with the wallet, or from the business.',
    shows: ['recovery_url'],
  },
} satisfies PublicErrors
