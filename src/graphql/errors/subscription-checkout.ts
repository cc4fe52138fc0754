// Errors of the hosted checkout of subscriptions. REST shows these codes as they are. Spec: "Errors".
import type { PublicErrors } from '#graphql/errors/entry.ts'

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
