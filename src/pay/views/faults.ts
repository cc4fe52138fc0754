// Why an action failed, and what to do, in the words of the page.
import { AskError } from '#pay/browser/ask.ts'
import { WalletRefused } from '#pay/browser/wallets.ts'
import type { TextKey } from '#pay/texts/texts.ts'

/** By the codes of docs/errors.md, and `no_answer` and `replaces_delegate` of the page itself. */
const TEXTS: Readonly<Record<string, TextKey>> = {
  no_answer: 'noAnswer',
  insufficient_funds: 'insufficientFunds',
  invalid_email: 'invalidEmail',
  asset_not_accepted: 'askAgain',
  selection_frozen: 'askAgain',
  payment_arriving: 'askAgain',
  intent_expired: 'timeOverText',
  intent_cancelled: 'askAgain',
  not_quotable: 'askAgain',
  details_frozen: 'askAgain',
  payment_already_received: 'askAgain',
  nothing_due: 'askAgain',
  price_feed_unreachable: 'noQuotes',
  price_feeds_disagree: 'noQuotes',
  chain_unavailable: 'chainAway',
  rate_limited: 'tooManyText',
  no_token_account: 'noTokenAccount',
  account_frozen: 'accountFrozen',
  authorization_pending: 'authorizationPending',
  authorization_required: 'askAgain',
  blockhash_expired: 'tookTooLong',
  replaces_delegate: 'replacesDelegate',
  invalid_signature: 'signatureInvalid',
  wallet_not_permitted: 'otherWallet',
  wallet_limit_reached: 'walletFull',
  checkout_expired: 'checkoutOver',
  checkout_closed: 'checkoutOver',
  checkout_completed: 'askAgain',
  subscription_ended: 'askAgain',
  subscription_paused: 'askAgain',
  subscription_canceling: 'askAgain',
  authorization_exhausted: 'askAgain',
  tier_not_found: 'noLongerSold',
  platform_wallet_unconfigured: 'unavailableText',
  nothing_to_renew: 'askAgain',
  nothing_to_revoke: 'askAgain',
  allowance_in_use: 'allowanceInUse',
  tier_archived: 'noLongerSold',
  product_archived: 'noLongerSold',
  tier_mint_mismatch: 'noLongerSold',
  subscription_changed: 'askAgain',
  wallet_proof_required: 'proofNeeded',
  portal_session_expired: 'expiredLinkText',
  subscription_service_unavailable: 'unavailableText',
}

/** `otherwise` is for what has no words of its own. */
export function faultOf(error: unknown, otherwise: TextKey): TextKey {
  if (error instanceof WalletRefused) return 'walletRefused'
  return (error instanceof AskError ? TEXTS[error.code] : undefined) ?? otherwise
}
