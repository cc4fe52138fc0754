/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
/** How far the proposal of a buyer is. */
export type AddressProposalStatus =
  /** The business approved it: the money was released there. */
  | 'approved'
  /** The money went elsewhere before the business decided. */
  | 'closed'
  /** The business declined it. The buyer may propose another. */
  | 'declined'
  /** The business approved it, and it could not receive the money, which is held again. */
  | 'not_sent'
  /** It waits for the business. */
  | 'proposed';

/** The state of a subscription. */
export type BillingSubscriptionStatus =
  /** It is charged each period. */
  | 'active'
  /** It has ended. */
  | 'canceled'
  /** Everything that was authorized is spent. */
  | 'exhausted'
  /** The first charge never succeeded. */
  | 'failed'
  /** The first charge is not final. */
  | 'incomplete'
  /** A charge failed, and is tried again. */
  | 'past_due'
  /** Nothing is charged until it is resumed. */
  | 'paused'
  /** The last authorized period has begun. */
  | 'renewal_required'
  /** The allowance does not cover it any more. */
  | 'revoked'
  /** Its trial has not ended, or the first charge after it is being made. */
  | 'trialing';

/** Why a try of a charge failed. */
export type ChargeFailureCode =
  /** The token account does not exist any more. */
  | 'account_closed'
  /** The issuer froze the token account. */
  | 'account_frozen'
  /** The owner lowered the allowance. */
  | 'allowance_insufficient'
  /** The chain did not take the transaction. */
  | 'chain_unavailable'
  /** The owner gave the account to another delegate. */
  | 'delegate_replaced'
  /** The owner removed the allowance. */
  | 'delegate_revoked'
  /** The account of the business cannot receive. */
  | 'destination_unavailable'
  /** The token account holds too little. */
  | 'insufficient_funds'
  /** The service could not make the charge. */
  | 'platform_error';

/** The state of a charge. */
export type ChargeStatus =
  /** It is not tried any more. */
  | 'canceled'
  /** The last try failed for certain. Another may follow. */
  | 'failed'
  /** It is planned, and nothing was sent. */
  | 'pending'
  /** A transaction of it may land. */
  | 'submitted'
  /** Its transaction is final. */
  | 'succeeded';

/** Details of a buyer to store. A field that is left out stays as it is. Null clears a field. */
export type CustomerInput = {
  /** The postal address. */
  address?: PostalAddressInput | null | undefined;
  /** The e-mail address. */
  email?: string | null | undefined;
  /** The first name. */
  firstName?: string | null | undefined;
  /** The last name. */
  lastName?: string | null | undefined;
};

/** What makes a failed charge possible again. */
export type FirstChargeRecovery =
  /** Nothing that the subscriber can do. */
  | 'none'
  /** A new authorization by the wallet. */
  | 'reapprove'
  /** Another try, once its cause is gone. */
  | 'retry';

/** The status of the first charge. */
export type FirstChargeStatus =
  /** It failed. `recoveryAction` says what helps. */
  | 'failed'
  /** It is being made. */
  | 'pending'
  /** It is final: the subscription is active. */
  | 'succeeded';

/** The state to show to a buyer. It has fewer values than `status`. */
export type IntentAction =
  /** The payment was cancelled or timed out. */
  | 'cancelled'
  /** More than the amount has arrived. The excess goes back where that is possible, and is held otherwise. */
  | 'overpaid'
  /** The amount has arrived, or is being settled. */
  | 'paid'
  /** The refund failed: the buyer should contact the business. */
  | 'refund_failed'
  /** The money went back to the payer, or where the operator released it. */
  | 'refunded'
  /** The money is going back to the payer, or where the operator released it. */
  | 'refunding'
  /** The payment is settled. */
  | 'swept'
  /** A part of the amount has arrived: show the shortfall. */
  | 'underpaid'
  /** No funds have arrived: show the deposit address. */
  | 'waiting';

/** How far a payment is. */
export type IntentStatus =
  /** The payment timed out or was cancelled, and no funds had arrived. */
  | 'cancelled'
  /** More than the expected amount has arrived. The excess is refunded automatically. */
  | 'overpaid'
  /** The expected amount has arrived, or as much of it as counts as paid. Settlement is in progress. */
  | 'paid'
  /** Created. No funds have arrived. */
  | 'pending'
  /** The refund used up its retries, or has no safe recipient. A person must act. */
  | 'refund_failed'
  /** The refund is complete, or the operator released the money. */
  | 'refunded'
  /** The balance is being returned to the payer, or released by the operator. */
  | 'refunding'
  /** The settlement failed, or cannot arrive. A person must act. */
  | 'settle_failed'
  /** The funds are being swept to the destination wallet of the business. */
  | 'settling'
  /** Settled to the destination wallet. The amounts are final. */
  | 'swept'
  /** Less than the expected amount has arrived, and more than the business tolerates is missing. */
  | 'underpaid';

/** What became of money that arrived late. */
export type LatePaymentStatus =
  /** Its refund failed. A person must act. SOL that was too little to stay at the address, and left as the network fee of another refund, is also failed: it has no refund, and nothing of it is held. */
  | 'failed'
  /** It stays at the address until the operator releases it. */
  | 'held'
  /** Its refund is not under way yet. */
  | 'pending'
  /** It went back, or where the operator released it. */
  | 'refunded'
  /** It is on its way, back or to the business. */
  | 'settling';

/** What a recipient gets money for. */
export type LegRole =
  /** Held money for the address that the buyer proposed and the business approved. */
  | 'buyer'
  /** The fee of the marketplace. */
  | 'marketplace'
  /** The share of the business. */
  | 'merchant'
  /** The network fee, repaid to the fee payer. */
  | 'network_fee'
  /** The fee of the platform. */
  | 'platform'
  /** A refund to a payer. */
  | 'refund'
  /** Held money that the operator released. */
  | 'release'
  /** The share of the seller. */
  | 'seller';

/** One of the two networks of a deployment. The mode of an account decides which one its payments use. */
export type Network =
  /** The network of live accounts, with keys that begin with `sk_live_`. */
  | 'live'
  /** The network of test accounts, with keys that begin with `sk_test_`. */
  | 'test';

/** A postal address to store. A field that is left out stays as it is. Null clears a field. */
export type PostalAddressInput = {
  /** The city. */
  city?: string | null | undefined;
  /** The country, as an ISO 3166-1 alpha-2 code. */
  country?: string | null | undefined;
  /** The first line of the street address. */
  line1?: string | null | undefined;
  /** The second line of the street address. */
  line2?: string | null | undefined;
  /** The postal code. */
  postalCode?: string | null | undefined;
  /** The state, province or region. */
  state?: string | null | undefined;
};

/** What an activation has led to. */
export type SubscriptionActivationStatus =
  /** The checkout is completed. */
  | 'completed'
  /** The transaction is not final yet. Read the checkout again. */
  | 'confirmation_pending';

/** The status of a checkout. */
export type SubscriptionCheckoutStatus =
  /** The business has canceled it. */
  | 'canceled'
  /** It has led to a subscription. */
  | 'completed'
  /** Its time is over. */
  | 'expired'
  /** A wallet can subscribe. */
  | 'open';

/** The unit of a period. */
export type SubscriptionInterval =
  /** A day. */
  | 'day'
  /** A month of the calendar. */
  | 'month'
  /** Seven days. */
  | 'week'
  /** A year of the calendar. */
  | 'year';

/** Who has stopped the billing of a subscription. */
export type SubscriptionParty =
  /** The business, which can let it go on. */
  | 'business'
  /** The subscriber. Only the subscriber lets it go on. */
  | 'subscriber';

/** What the transaction that the wallet has signed has led to. */
export type SubscriptionTermActivation =
  /** The subscription has the other tier. */
  | 'changed'
  /** The transaction is not final yet. Send the request again. */
  | 'confirmation_pending'
  /** All periods of the tier are authorized again. */
  | 'renewed'
  /** The allowance has ended. */
  | 'revoked';

/** What a request for other terms has led to. */
export type SubscriptionTermOutcome =
  /** The wallet signs `transaction`, which `activateSubscriptionTerms` sends. */
  | 'approval_required'
  /** The subscription has the other tier. */
  | 'changed'
  /** The wallet signs the text of `challenge`, and the request is sent again with it. */
  | 'proof_required'
  /** All periods of the tier are authorized again. */
  | 'renewed';

/** How far the refund of an asset that was sent by mistake is. */
export type TokenRefundStatus =
  /** The refund failed, or the money is held. A person must act. SOL that was too little to stay at the address, and left as the network fee of another refund, is also failed: it has no refund, and nothing of it is held. */
  | 'failed'
  /** No refund is under way yet. */
  | 'pending'
  /** The refund is complete, or the operator released the money. */
  | 'refunded'
  /** The refund, or a release of the money, is under way. */
  | 'settling';

export type CheckoutStateFragment = { status: SubscriptionCheckoutStatus, merchantName: string, trialDays: number, trialEndsAt: string | null, acceptsCoupons: boolean, subscriberWallet: string | null, walletPinned: boolean, successUrl: string | null, cancelUrl: string | null, expiresInSeconds: number, brand: { logoUrl: string | null, accentColor: string | null, supportUrl: string | null, supportEmail: string | null }, product: { name: string, description: string | null }, tier: { uuid: string, name: string, description: string | null, priceUsdCents: number, interval: SubscriptionInterval, intervalCount: number, authorizationPeriods: number, trialDays: number, mint: string, ticker: string | null, decimals: number }, totalAuthorization: { usdCents: string }, firstCharge: { status: FirstChargeStatus, failureCode: string | null, recoveryAction: FirstChargeRecovery | null, isGivenUp: boolean, signature: string | null } | null, coupon: { priceUsdCents: number, code: string, percentOff: number | null, amountOffUsdCents: number | null, periods: number | null } | null };

export type CheckoutPageQueryVariables = Exact<{
  token: string;
}>;


export type CheckoutPageQuery = { checkout: { status: SubscriptionCheckoutStatus, merchantName: string, trialDays: number, trialEndsAt: string | null, acceptsCoupons: boolean, subscriberWallet: string | null, walletPinned: boolean, successUrl: string | null, cancelUrl: string | null, expiresInSeconds: number, brand: { logoUrl: string | null, accentColor: string | null, supportUrl: string | null, supportEmail: string | null }, product: { name: string, description: string | null }, tier: { uuid: string, name: string, description: string | null, priceUsdCents: number, interval: SubscriptionInterval, intervalCount: number, authorizationPeriods: number, trialDays: number, mint: string, ticker: string | null, decimals: number }, totalAuthorization: { usdCents: string }, firstCharge: { status: FirstChargeStatus, failureCode: string | null, recoveryAction: FirstChargeRecovery | null, isGivenUp: boolean, signature: string | null } | null, coupon: { priceUsdCents: number, code: string, percentOff: number | null, amountOffUsdCents: number | null, periods: number | null } | null } | null };

export type PayCouponFragment = { code: string, percentOff: number | null, amountOffUsdCents: number | null, periods: number | null };

export type EnterCodeMutationVariables = Exact<{
  token: string;
  code?: string | null | undefined;
}>;


export type EnterCodeMutation = { checkout: { status: SubscriptionCheckoutStatus, merchantName: string, trialDays: number, trialEndsAt: string | null, acceptsCoupons: boolean, subscriberWallet: string | null, walletPinned: boolean, successUrl: string | null, cancelUrl: string | null, expiresInSeconds: number, brand: { logoUrl: string | null, accentColor: string | null, supportUrl: string | null, supportEmail: string | null }, product: { name: string, description: string | null }, tier: { uuid: string, name: string, description: string | null, priceUsdCents: number, interval: SubscriptionInterval, intervalCount: number, authorizationPeriods: number, trialDays: number, mint: string, ticker: string | null, decimals: number }, totalAuthorization: { usdCents: string }, firstCharge: { status: FirstChargeStatus, failureCode: string | null, recoveryAction: FirstChargeRecovery | null, isGivenUp: boolean, signature: string | null } | null, coupon: { priceUsdCents: number, code: string, percentOff: number | null, amountOffUsdCents: number | null, periods: number | null } | null } | null };

export type PrepareCheckoutMutationVariables = Exact<{
  token: string;
  wallet: string;
}>;


export type PrepareCheckoutMutation = { prepared: { subscriptionId: string, trialDays: number, transaction: string | null, replacesDelegate: string | null, expiresInSeconds: number | null, totalAuthorization: { usdCents: string }, challenge: { nonce: string, message: string, input: { domain: string, address: string, statement: string, uri: string, version: string, chainId: string, nonce: string, issuedAt: string, expirationTime: string, requestId: string, resources: Array<string> } } | null } | null };

export type ActivateCheckoutMutationVariables = Exact<{
  token: string;
  subscriptionId: string;
  transaction: string;
}>;


export type ActivateCheckoutMutation = { activated: { status: SubscriptionActivationStatus } | null };

export type ConfirmCheckoutMutationVariables = Exact<{
  token: string;
  wallet: string;
  nonce?: string | null | undefined;
  signature?: string | null | undefined;
  signedMessage?: string | null | undefined;
}>;


export type ConfirmCheckoutMutation = { confirmed: { status: SubscriptionActivationStatus } | null };

export type RetryFirstChargeMutationVariables = Exact<{
  token: string;
}>;


export type RetryFirstChargeMutation = { firstCharge: { status: FirstChargeStatus } | null };

export type CheckoutChangesSubscriptionVariables = Exact<{
  token: string;
}>;


export type CheckoutChangesSubscription = { checkout: { status: SubscriptionCheckoutStatus, merchantName: string, trialDays: number, trialEndsAt: string | null, acceptsCoupons: boolean, subscriberWallet: string | null, walletPinned: boolean, successUrl: string | null, cancelUrl: string | null, expiresInSeconds: number, brand: { logoUrl: string | null, accentColor: string | null, supportUrl: string | null, supportEmail: string | null }, product: { name: string, description: string | null }, tier: { uuid: string, name: string, description: string | null, priceUsdCents: number, interval: SubscriptionInterval, intervalCount: number, authorizationPeriods: number, trialDays: number, mint: string, ticker: string | null, decimals: number }, totalAuthorization: { usdCents: string }, firstCharge: { status: FirstChargeStatus, failureCode: string | null, recoveryAction: FirstChargeRecovery | null, isGivenUp: boolean, signature: string | null } | null, coupon: { priceUsdCents: number, code: string, percentOff: number | null, amountOffUsdCents: number | null, periods: number | null } | null } };

export type PortalStateFragment = { merchantName: string, paymentsLeft: number, recoveryUrl: string, revocable: boolean, brand: { logoUrl: string | null, accentColor: string | null, supportUrl: string | null, supportEmail: string | null }, product: { name: string, description: string | null }, tier: { uuid: string, name: string, description: string | null, priceUsdCents: number, interval: SubscriptionInterval, intervalCount: number, authorizationPeriods: number, trialDays: number, mint: string, ticker: string | null, decimals: number }, options: Array<{ uuid: string, name: string, description: string | null, priceUsdCents: number, interval: SubscriptionInterval, intervalCount: number, authorizationPeriods: number, trialDays: number, mint: string, ticker: string | null, decimals: number }>, subscription: { uuid: string, status: BillingSubscriptionStatus, manageable: boolean, cancelAtPeriodEnd: boolean, stoppedBy: SubscriptionParty | null, authorizedAmount: string, currentPeriodStart: string | null, currentPeriodEnd: string | null, trialEndsAt: string | null, activatedAt: string | null, nextChargeAt: string | null, endedAt: string | null, subscriberWallet: string, discount: { code: string, percentOff: number | null, amountOffUsdCents: number | null, periodsLeft: number | null } | null }, offers: Array<{ tierId: string, payments: number, discountedPayments: number, discountedPriceUsdCents: number, totalUsdCents: string }>, charges: Array<{ periodIndex: number, periodStart: string, amount: string, status: ChargeStatus, failureCode: ChargeFailureCode | null, signature: string | null }>, session: { expiresAt: string, mayIncrease: boolean }, totalAuthorization: { usdCents: string } };

export type PortalTermsFragment = { outcome: SubscriptionTermOutcome, approvalId: string | null, transaction: string | null, replacesDelegate: string | null, expiresInSeconds: number | null, challenge: { nonce: string, message: string, input: { domain: string, address: string, statement: string, uri: string, version: string, chainId: string, nonce: string, issuedAt: string, expirationTime: string, requestId: string, resources: Array<string> } } | null };

export type PortalPageQueryVariables = Exact<{
  token: string;
}>;


export type PortalPageQuery = { portal: { merchantName: string, paymentsLeft: number, recoveryUrl: string, revocable: boolean, brand: { logoUrl: string | null, accentColor: string | null, supportUrl: string | null, supportEmail: string | null }, product: { name: string, description: string | null }, tier: { uuid: string, name: string, description: string | null, priceUsdCents: number, interval: SubscriptionInterval, intervalCount: number, authorizationPeriods: number, trialDays: number, mint: string, ticker: string | null, decimals: number }, options: Array<{ uuid: string, name: string, description: string | null, priceUsdCents: number, interval: SubscriptionInterval, intervalCount: number, authorizationPeriods: number, trialDays: number, mint: string, ticker: string | null, decimals: number }>, subscription: { uuid: string, status: BillingSubscriptionStatus, manageable: boolean, cancelAtPeriodEnd: boolean, stoppedBy: SubscriptionParty | null, authorizedAmount: string, currentPeriodStart: string | null, currentPeriodEnd: string | null, trialEndsAt: string | null, activatedAt: string | null, nextChargeAt: string | null, endedAt: string | null, subscriberWallet: string, discount: { code: string, percentOff: number | null, amountOffUsdCents: number | null, periodsLeft: number | null } | null }, offers: Array<{ tierId: string, payments: number, discountedPayments: number, discountedPriceUsdCents: number, totalUsdCents: string }>, charges: Array<{ periodIndex: number, periodStart: string, amount: string, status: ChargeStatus, failureCode: ChargeFailureCode | null, signature: string | null }>, session: { expiresAt: string, mayIncrease: boolean }, totalAuthorization: { usdCents: string } } | null };

export type CancelSubscriptionMutationVariables = Exact<{
  token: string;
  atPeriodEnd: boolean;
}>;


export type CancelSubscriptionMutation = { subscription: { status: BillingSubscriptionStatus } | null };

export type PauseSubscriptionMutationVariables = Exact<{
  token: string;
}>;


export type PauseSubscriptionMutation = { subscription: { status: BillingSubscriptionStatus } | null };

export type ResumeSubscriptionMutationVariables = Exact<{
  token: string;
}>;


export type ResumeSubscriptionMutation = { subscription: { status: BillingSubscriptionStatus } | null };

export type ChangeTierMutationVariables = Exact<{
  token: string;
  tierId: string;
  nonce?: string | null | undefined;
  signature?: string | null | undefined;
  signedMessage?: string | null | undefined;
}>;


export type ChangeTierMutation = { terms: { outcome: SubscriptionTermOutcome, approvalId: string | null, transaction: string | null, replacesDelegate: string | null, expiresInSeconds: number | null, challenge: { nonce: string, message: string, input: { domain: string, address: string, statement: string, uri: string, version: string, chainId: string, nonce: string, issuedAt: string, expirationTime: string, requestId: string, resources: Array<string> } } | null } | null };

export type RenewSubscriptionMutationVariables = Exact<{
  token: string;
  nonce?: string | null | undefined;
  signature?: string | null | undefined;
  signedMessage?: string | null | undefined;
}>;


export type RenewSubscriptionMutation = { terms: { outcome: SubscriptionTermOutcome, approvalId: string | null, transaction: string | null, replacesDelegate: string | null, expiresInSeconds: number | null, challenge: { nonce: string, message: string, input: { domain: string, address: string, statement: string, uri: string, version: string, chainId: string, nonce: string, issuedAt: string, expirationTime: string, requestId: string, resources: Array<string> } } | null } | null };

export type RevokeAllowanceMutationVariables = Exact<{
  token: string;
}>;


export type RevokeAllowanceMutation = { revocation: { approvalId: string, transaction: string, expiresInSeconds: number } | null };

export type ActivateTermsMutationVariables = Exact<{
  token: string;
  approvalId: string;
  transaction: string;
}>;


export type ActivateTermsMutation = { activated: { outcome: SubscriptionTermActivation } | null };

export type RecoveryPageQueryVariables = Exact<{ [key: string]: never; }>;


export type RecoveryPageQuery = { recovery: { challengeUrl: string } | null };

export type AskForLinksMutationVariables = Exact<{
  wallet: string;
}>;


export type AskForLinksMutation = { challenge: { nonce: string, message: string, input: { domain: string, address: string, statement: string, uri: string, version: string, chainId: string, nonce: string, issuedAt: string, expirationTime: string, requestId: string, resources: Array<string> } } | null };

export type RecoverLinksMutationVariables = Exact<{
  wallet: string;
  nonce?: string | null | undefined;
  signature?: string | null | undefined;
  signedMessage?: string | null | undefined;
}>;


export type RecoverLinksMutation = { links: Array<{ merchantName: string, portalUrl: string, product: { name: string }, tier: { uuid: string, name: string, description: string | null, priceUsdCents: number, interval: SubscriptionInterval, intervalCount: number, authorizationPeriods: number, trialDays: number, mint: string, ticker: string | null, decimals: number }, subscription: { uuid: string } }> | null };

export type PayTierFragment = { uuid: string, name: string, description: string | null, priceUsdCents: number, interval: SubscriptionInterval, intervalCount: number, authorizationPeriods: number, trialDays: number, mint: string, ticker: string | null, decimals: number };

export type PayChallengeFragment = { nonce: string, message: string, input: { domain: string, address: string, statement: string, uri: string, version: string, chainId: string, nonce: string, issuedAt: string, expirationTime: string, requestId: string, resources: Array<string> } };

export type FundDemoWalletMutationVariables = Exact<{
  wallet: string;
}>;


export type FundDemoWalletMutation = { fundDemoWallet: Array<string> | null };

export type PaymentStateFragment = { version: number, network: Network, status: IntentStatus, action: IntentAction, merchantName: string, priceUsdCents: number, address: string, asset: string | null, expectedAmount: string | null, receivedAmount: string, shortfall: string | null, isCovered: boolean, paymentUri: string | null, expiresInSeconds: number, refundSender: string | null, heldCount: number | null, customerDetails: { firstName: string | null, lastName: string | null, email: string | null } | null, countedDeposits: Array<{ asset: string, amount: string, signature: string, arrivedAt: string }>, settlement: { ticker: string, destinationUi: number, legs: Array<{ role: LegRole, amount: string, signature: string }> } | null, namedTokens: Array<{ asset: string, ticker: string, decimals: number }>, refunds: Array<{ mint: string | null, amount: string, signatures: Array<string> }>, tokenRefunds: Array<{ mint: string, amount: string, status: TokenRefundStatus, refund: { amount: string, signatures: Array<string> } | null }>, latePayments: Array<{ mint: string | null, amount: string, status: LatePaymentStatus, signature: string, refund: { amount: string, signatures: Array<string> } | null }>, held: Array<{ mint: string | null, amount: string }>, refundAddress: { isWanted: boolean, proposal: { address: string, status: AddressProposalStatus, reason: string | null } | null } | null };

export type PayBrandFragment = { logoUrl: string | null, accentColor: string | null, supportUrl: string | null, supportEmail: string | null };

export type PaymentPageQueryVariables = Exact<{
  clientSecret: string;
  parent?: string | null | undefined;
}>;


export type PaymentPageQuery = { checkout: { createdAt: string, expiresAt: string, reference: string | null, description: string | null, successUrl: string | null, cancelUrl: string | null, mayBeEmbeddedIn: boolean, version: number, network: Network, status: IntentStatus, action: IntentAction, merchantName: string, priceUsdCents: number, address: string, asset: string | null, expectedAmount: string | null, receivedAmount: string, shortfall: string | null, isCovered: boolean, paymentUri: string | null, expiresInSeconds: number, refundSender: string | null, heldCount: number | null, acceptedTokens: Array<{ asset: string, ticker: string, name: string, decimals: number, imageUrl: string | null }>, lineItems: Array<{ name: string, quantity: number, amountUsdCents: number }>, brand: { logoUrl: string | null, accentColor: string | null, supportUrl: string | null, supportEmail: string | null }, customerDetails: { firstName: string | null, lastName: string | null, email: string | null } | null, countedDeposits: Array<{ asset: string, amount: string, signature: string, arrivedAt: string }>, settlement: { ticker: string, destinationUi: number, legs: Array<{ role: LegRole, amount: string, signature: string }> } | null, namedTokens: Array<{ asset: string, ticker: string, decimals: number }>, refunds: Array<{ mint: string | null, amount: string, signatures: Array<string> }>, tokenRefunds: Array<{ mint: string, amount: string, status: TokenRefundStatus, refund: { amount: string, signatures: Array<string> } | null }>, latePayments: Array<{ mint: string | null, amount: string, status: LatePaymentStatus, signature: string, refund: { amount: string, signatures: Array<string> } | null }>, held: Array<{ mint: string | null, amount: string }>, refundAddress: { isWanted: boolean, proposal: { address: string, status: AddressProposalStatus, reason: string | null } | null } | null } | null };

export type PaymentReceiptQueryVariables = Exact<{
  clientSecret: string;
}>;


export type PaymentReceiptQuery = { checkout: { id: string, receipt: { jws: string } | null } | null };

export type PaymentNowQueryVariables = Exact<{
  clientSecret: string;
}>;


export type PaymentNowQuery = { checkout: { version: number, network: Network, status: IntentStatus, action: IntentAction, merchantName: string, priceUsdCents: number, address: string, asset: string | null, expectedAmount: string | null, receivedAmount: string, shortfall: string | null, isCovered: boolean, paymentUri: string | null, expiresInSeconds: number, refundSender: string | null, heldCount: number | null, customerDetails: { firstName: string | null, lastName: string | null, email: string | null } | null, countedDeposits: Array<{ asset: string, amount: string, signature: string, arrivedAt: string }>, settlement: { ticker: string, destinationUi: number, legs: Array<{ role: LegRole, amount: string, signature: string }> } | null, namedTokens: Array<{ asset: string, ticker: string, decimals: number }>, refunds: Array<{ mint: string | null, amount: string, signatures: Array<string> }>, tokenRefunds: Array<{ mint: string, amount: string, status: TokenRefundStatus, refund: { amount: string, signatures: Array<string> } | null }>, latePayments: Array<{ mint: string | null, amount: string, status: LatePaymentStatus, signature: string, refund: { amount: string, signatures: Array<string> } | null }>, held: Array<{ mint: string | null, amount: string }>, refundAddress: { isWanted: boolean, proposal: { address: string, status: AddressProposalStatus, reason: string | null } | null } | null } | null };

export type PaymentQuoteQueryVariables = Exact<{
  clientSecret: string;
}>;


export type PaymentQuoteQuery = { quote: { quotes: Array<{ asset: string, expectedAmount: string }>, unquoted: Array<{ asset: string, code: string }> } | null };

export type WalletFundsQueryVariables = Exact<{
  clientSecret: string;
  wallet: string;
}>;


export type WalletFundsQuery = { walletFunds: Array<{ asset: string, amount: string, cost: string }> | null };

export type SelectAssetMutationVariables = Exact<{
  clientSecret: string;
  asset: string;
}>;


export type SelectAssetMutation = { checkout: { version: number, network: Network, status: IntentStatus, action: IntentAction, merchantName: string, priceUsdCents: number, address: string, asset: string | null, expectedAmount: string | null, receivedAmount: string, shortfall: string | null, isCovered: boolean, paymentUri: string | null, expiresInSeconds: number, refundSender: string | null, heldCount: number | null, customerDetails: { firstName: string | null, lastName: string | null, email: string | null } | null, countedDeposits: Array<{ asset: string, amount: string, signature: string, arrivedAt: string }>, settlement: { ticker: string, destinationUi: number, legs: Array<{ role: LegRole, amount: string, signature: string }> } | null, namedTokens: Array<{ asset: string, ticker: string, decimals: number }>, refunds: Array<{ mint: string | null, amount: string, signatures: Array<string> }>, tokenRefunds: Array<{ mint: string, amount: string, status: TokenRefundStatus, refund: { amount: string, signatures: Array<string> } | null }>, latePayments: Array<{ mint: string | null, amount: string, status: LatePaymentStatus, signature: string, refund: { amount: string, signatures: Array<string> } | null }>, held: Array<{ mint: string | null, amount: string }>, refundAddress: { isWanted: boolean, proposal: { address: string, status: AddressProposalStatus, reason: string | null } | null } | null } | null };

export type SaveDetailsMutationVariables = Exact<{
  clientSecret: string;
  details: CustomerInput;
}>;


export type SaveDetailsMutation = { checkout: { version: number, network: Network, status: IntentStatus, action: IntentAction, merchantName: string, priceUsdCents: number, address: string, asset: string | null, expectedAmount: string | null, receivedAmount: string, shortfall: string | null, isCovered: boolean, paymentUri: string | null, expiresInSeconds: number, refundSender: string | null, heldCount: number | null, customerDetails: { firstName: string | null, lastName: string | null, email: string | null } | null, countedDeposits: Array<{ asset: string, amount: string, signature: string, arrivedAt: string }>, settlement: { ticker: string, destinationUi: number, legs: Array<{ role: LegRole, amount: string, signature: string }> } | null, namedTokens: Array<{ asset: string, ticker: string, decimals: number }>, refunds: Array<{ mint: string | null, amount: string, signatures: Array<string> }>, tokenRefunds: Array<{ mint: string, amount: string, status: TokenRefundStatus, refund: { amount: string, signatures: Array<string> } | null }>, latePayments: Array<{ mint: string | null, amount: string, status: LatePaymentStatus, signature: string, refund: { amount: string, signatures: Array<string> } | null }>, held: Array<{ mint: string | null, amount: string }>, refundAddress: { isWanted: boolean, proposal: { address: string, status: AddressProposalStatus, reason: string | null } | null } | null } | null };

export type CancelPaymentMutationVariables = Exact<{
  clientSecret: string;
}>;


export type CancelPaymentMutation = { checkout: { version: number, network: Network, status: IntentStatus, action: IntentAction, merchantName: string, priceUsdCents: number, address: string, asset: string | null, expectedAmount: string | null, receivedAmount: string, shortfall: string | null, isCovered: boolean, paymentUri: string | null, expiresInSeconds: number, refundSender: string | null, heldCount: number | null, customerDetails: { firstName: string | null, lastName: string | null, email: string | null } | null, countedDeposits: Array<{ asset: string, amount: string, signature: string, arrivedAt: string }>, settlement: { ticker: string, destinationUi: number, legs: Array<{ role: LegRole, amount: string, signature: string }> } | null, namedTokens: Array<{ asset: string, ticker: string, decimals: number }>, refunds: Array<{ mint: string | null, amount: string, signatures: Array<string> }>, tokenRefunds: Array<{ mint: string, amount: string, status: TokenRefundStatus, refund: { amount: string, signatures: Array<string> } | null }>, latePayments: Array<{ mint: string | null, amount: string, status: LatePaymentStatus, signature: string, refund: { amount: string, signatures: Array<string> } | null }>, held: Array<{ mint: string | null, amount: string }>, refundAddress: { isWanted: boolean, proposal: { address: string, status: AddressProposalStatus, reason: string | null } | null } | null } | null };

export type ProposeRefundAddressMutationVariables = Exact<{
  clientSecret: string;
  address: string;
}>;


export type ProposeRefundAddressMutation = { checkout: { version: number, network: Network, status: IntentStatus, action: IntentAction, merchantName: string, priceUsdCents: number, address: string, asset: string | null, expectedAmount: string | null, receivedAmount: string, shortfall: string | null, isCovered: boolean, paymentUri: string | null, expiresInSeconds: number, refundSender: string | null, heldCount: number | null, customerDetails: { firstName: string | null, lastName: string | null, email: string | null } | null, countedDeposits: Array<{ asset: string, amount: string, signature: string, arrivedAt: string }>, settlement: { ticker: string, destinationUi: number, legs: Array<{ role: LegRole, amount: string, signature: string }> } | null, namedTokens: Array<{ asset: string, ticker: string, decimals: number }>, refunds: Array<{ mint: string | null, amount: string, signatures: Array<string> }>, tokenRefunds: Array<{ mint: string, amount: string, status: TokenRefundStatus, refund: { amount: string, signatures: Array<string> } | null }>, latePayments: Array<{ mint: string | null, amount: string, status: LatePaymentStatus, signature: string, refund: { amount: string, signatures: Array<string> } | null }>, held: Array<{ mint: string | null, amount: string }>, refundAddress: { isWanted: boolean, proposal: { address: string, status: AddressProposalStatus, reason: string | null } | null } | null } | null };

export type PaymentChangesSubscriptionVariables = Exact<{
  clientSecret: string;
}>;


export type PaymentChangesSubscription = { checkout: { version: number, network: Network, status: IntentStatus, action: IntentAction, merchantName: string, priceUsdCents: number, address: string, asset: string | null, expectedAmount: string | null, receivedAmount: string, shortfall: string | null, isCovered: boolean, paymentUri: string | null, expiresInSeconds: number, refundSender: string | null, heldCount: number | null, customerDetails: { firstName: string | null, lastName: string | null, email: string | null } | null, countedDeposits: Array<{ asset: string, amount: string, signature: string, arrivedAt: string }>, settlement: { ticker: string, destinationUi: number, legs: Array<{ role: LegRole, amount: string, signature: string }> } | null, namedTokens: Array<{ asset: string, ticker: string, decimals: number }>, refunds: Array<{ mint: string | null, amount: string, signatures: Array<string> }>, tokenRefunds: Array<{ mint: string, amount: string, status: TokenRefundStatus, refund: { amount: string, signatures: Array<string> } | null }>, latePayments: Array<{ mint: string | null, amount: string, status: LatePaymentStatus, signature: string, refund: { amount: string, signatures: Array<string> } | null }>, held: Array<{ mint: string | null, amount: string }>, refundAddress: { isWanted: boolean, proposal: { address: string, status: AddressProposalStatus, reason: string | null } | null } | null } };

export type PreparePaymentMutationVariables = Exact<{
  clientSecret: string;
  wallet: string;
}>;


export type PreparePaymentMutation = { prepared: { transaction: string, expiresInSeconds: number } | null };

export type SubmitPaymentMutationVariables = Exact<{
  clientSecret: string;
  transaction: string;
}>;


export type SubmitPaymentMutation = { submitted: { signature: string } | null };

export class TypedDocumentString<TResult, TVariables>
  extends String
  implements DocumentTypeDecoration<TResult, TVariables>
{
  __apiType?: NonNullable<DocumentTypeDecoration<TResult, TVariables>['__apiType']>;
  private value: string;
  public __meta__?: Record<string, any> | undefined;

  constructor(value: string, __meta__?: Record<string, any> | undefined) {
    super(value);
    this.value = value;
    this.__meta__ = __meta__;
  }

  override toString(): string & DocumentTypeDecoration<TResult, TVariables> {
    return this.value;
  }
}
export const PayBrandFragmentDoc = new TypedDocumentString(`
    fragment PayBrand on Brand {
  logoUrl
  accentColor
  supportUrl
  supportEmail
}
    `, {"fragmentName":"PayBrand"}) as unknown as TypedDocumentString<PayBrandFragment, unknown>;
export const PayTierFragmentDoc = new TypedDocumentString(`
    fragment PayTier on CheckoutTier {
  uuid
  name
  description
  priceUsdCents
  interval
  intervalCount
  authorizationPeriods
  trialDays
  mint
  ticker
  decimals
}
    `, {"fragmentName":"PayTier"}) as unknown as TypedDocumentString<PayTierFragment, unknown>;
export const PayCouponFragmentDoc = new TypedDocumentString(`
    fragment PayCoupon on CheckoutCoupon {
  code
  percentOff
  amountOffUsdCents
  periods
}
    `, {"fragmentName":"PayCoupon"}) as unknown as TypedDocumentString<PayCouponFragment, unknown>;
export const CheckoutStateFragmentDoc = new TypedDocumentString(`
    fragment CheckoutState on SubscriptionCheckout {
  status
  merchantName
  brand {
    ...PayBrand
  }
  product {
    name
    description
  }
  tier {
    ...PayTier
  }
  totalAuthorization {
    usdCents
  }
  firstCharge {
    status
    failureCode
    recoveryAction
    isGivenUp
    signature
  }
  trialDays
  trialEndsAt
  coupon {
    ...PayCoupon
    priceUsdCents
  }
  acceptsCoupons
  subscriberWallet
  walletPinned
  successUrl
  cancelUrl
  expiresInSeconds
}
    fragment PayCoupon on CheckoutCoupon {
  code
  percentOff
  amountOffUsdCents
  periods
}
fragment PayTier on CheckoutTier {
  uuid
  name
  description
  priceUsdCents
  interval
  intervalCount
  authorizationPeriods
  trialDays
  mint
  ticker
  decimals
}
fragment PayBrand on Brand {
  logoUrl
  accentColor
  supportUrl
  supportEmail
}`, {"fragmentName":"CheckoutState"}) as unknown as TypedDocumentString<CheckoutStateFragment, unknown>;
export const PortalStateFragmentDoc = new TypedDocumentString(`
    fragment PortalState on SubscriptionPortal {
  merchantName
  brand {
    ...PayBrand
  }
  product {
    name
    description
  }
  tier {
    ...PayTier
  }
  options {
    ...PayTier
  }
  subscription {
    uuid
    status
    manageable
    cancelAtPeriodEnd
    stoppedBy
    authorizedAmount
    currentPeriodStart
    currentPeriodEnd
    trialEndsAt
    activatedAt
    nextChargeAt
    endedAt
    subscriberWallet
    discount {
      code
      percentOff
      amountOffUsdCents
      periodsLeft
    }
  }
  offers {
    tierId
    payments
    discountedPayments
    discountedPriceUsdCents
    totalUsdCents
  }
  charges {
    periodIndex
    periodStart
    amount
    status
    failureCode
    signature
  }
  session {
    expiresAt
    mayIncrease
  }
  paymentsLeft
  recoveryUrl
  revocable
  totalAuthorization {
    usdCents
  }
}
    fragment PayTier on CheckoutTier {
  uuid
  name
  description
  priceUsdCents
  interval
  intervalCount
  authorizationPeriods
  trialDays
  mint
  ticker
  decimals
}
fragment PayBrand on Brand {
  logoUrl
  accentColor
  supportUrl
  supportEmail
}`, {"fragmentName":"PortalState"}) as unknown as TypedDocumentString<PortalStateFragment, unknown>;
export const PayChallengeFragmentDoc = new TypedDocumentString(`
    fragment PayChallenge on WalletChallenge {
  nonce
  message
  input {
    domain
    address
    statement
    uri
    version
    chainId
    nonce
    issuedAt
    expirationTime
    requestId
    resources
  }
}
    `, {"fragmentName":"PayChallenge"}) as unknown as TypedDocumentString<PayChallengeFragment, unknown>;
export const PortalTermsFragmentDoc = new TypedDocumentString(`
    fragment PortalTerms on SubscriptionTerms {
  outcome
  approvalId
  transaction
  replacesDelegate
  expiresInSeconds
  challenge {
    ...PayChallenge
  }
}
    fragment PayChallenge on WalletChallenge {
  nonce
  message
  input {
    domain
    address
    statement
    uri
    version
    chainId
    nonce
    issuedAt
    expirationTime
    requestId
    resources
  }
}`, {"fragmentName":"PortalTerms"}) as unknown as TypedDocumentString<PortalTermsFragment, unknown>;
export const PaymentStateFragmentDoc = new TypedDocumentString(`
    fragment PaymentState on Checkout {
  version
  network
  status
  action
  merchantName
  priceUsdCents
  address
  asset
  expectedAmount
  receivedAmount
  shortfall
  isCovered
  paymentUri
  expiresInSeconds
  refundSender
  customerDetails {
    firstName
    lastName
    email
  }
  countedDeposits {
    asset
    amount
    signature
    arrivedAt
  }
  settlement {
    ticker
    destinationUi
    legs {
      role
      amount
      signature
    }
  }
  namedTokens {
    asset
    ticker
    decimals
  }
  refunds {
    mint
    amount
    signatures
  }
  tokenRefunds {
    mint
    amount
    status
    refund {
      amount
      signatures
    }
  }
  latePayments {
    mint
    amount
    status
    signature
    refund {
      amount
      signatures
    }
  }
  held {
    mint
    amount
  }
  heldCount
  refundAddress {
    isWanted
    proposal {
      address
      status
      reason
    }
  }
}
    `, {"fragmentName":"PaymentState"}) as unknown as TypedDocumentString<PaymentStateFragment, unknown>;
export const CheckoutPageDocument = new TypedDocumentString(`
    query CheckoutPage($token: String!) {
  checkout: subscriptionCheckout(token: $token) {
    ...CheckoutState
  }
}
    fragment CheckoutState on SubscriptionCheckout {
  status
  merchantName
  brand {
    ...PayBrand
  }
  product {
    name
    description
  }
  tier {
    ...PayTier
  }
  totalAuthorization {
    usdCents
  }
  firstCharge {
    status
    failureCode
    recoveryAction
    isGivenUp
    signature
  }
  trialDays
  trialEndsAt
  coupon {
    ...PayCoupon
    priceUsdCents
  }
  acceptsCoupons
  subscriberWallet
  walletPinned
  successUrl
  cancelUrl
  expiresInSeconds
}
fragment PayCoupon on CheckoutCoupon {
  code
  percentOff
  amountOffUsdCents
  periods
}
fragment PayTier on CheckoutTier {
  uuid
  name
  description
  priceUsdCents
  interval
  intervalCount
  authorizationPeriods
  trialDays
  mint
  ticker
  decimals
}
fragment PayBrand on Brand {
  logoUrl
  accentColor
  supportUrl
  supportEmail
}`) as unknown as TypedDocumentString<CheckoutPageQuery, CheckoutPageQueryVariables>;
export const EnterCodeDocument = new TypedDocumentString(`
    mutation EnterCode($token: String!, $code: String) {
  checkout: enterSubscriptionCheckoutCoupon(token: $token, code: $code) {
    ...CheckoutState
  }
}
    fragment CheckoutState on SubscriptionCheckout {
  status
  merchantName
  brand {
    ...PayBrand
  }
  product {
    name
    description
  }
  tier {
    ...PayTier
  }
  totalAuthorization {
    usdCents
  }
  firstCharge {
    status
    failureCode
    recoveryAction
    isGivenUp
    signature
  }
  trialDays
  trialEndsAt
  coupon {
    ...PayCoupon
    priceUsdCents
  }
  acceptsCoupons
  subscriberWallet
  walletPinned
  successUrl
  cancelUrl
  expiresInSeconds
}
fragment PayCoupon on CheckoutCoupon {
  code
  percentOff
  amountOffUsdCents
  periods
}
fragment PayTier on CheckoutTier {
  uuid
  name
  description
  priceUsdCents
  interval
  intervalCount
  authorizationPeriods
  trialDays
  mint
  ticker
  decimals
}
fragment PayBrand on Brand {
  logoUrl
  accentColor
  supportUrl
  supportEmail
}`) as unknown as TypedDocumentString<EnterCodeMutation, EnterCodeMutationVariables>;
export const PrepareCheckoutDocument = new TypedDocumentString(`
    mutation PrepareCheckout($token: String!, $wallet: String!) {
  prepared: prepareSubscriptionCheckout(token: $token, wallet: $wallet) {
    subscriptionId
    trialDays
    totalAuthorization {
      usdCents
    }
    transaction
    replacesDelegate
    expiresInSeconds
    challenge {
      ...PayChallenge
    }
  }
}
    fragment PayChallenge on WalletChallenge {
  nonce
  message
  input {
    domain
    address
    statement
    uri
    version
    chainId
    nonce
    issuedAt
    expirationTime
    requestId
    resources
  }
}`) as unknown as TypedDocumentString<PrepareCheckoutMutation, PrepareCheckoutMutationVariables>;
export const ActivateCheckoutDocument = new TypedDocumentString(`
    mutation ActivateCheckout($token: String!, $subscriptionId: String!, $transaction: String!) {
  activated: activateSubscriptionCheckout(
    token: $token
    subscriptionId: $subscriptionId
    transaction: $transaction
  ) {
    status
  }
}
    `) as unknown as TypedDocumentString<ActivateCheckoutMutation, ActivateCheckoutMutationVariables>;
export const ConfirmCheckoutDocument = new TypedDocumentString(`
    mutation ConfirmCheckout($token: String!, $wallet: String!, $nonce: String, $signature: String, $signedMessage: String) {
  confirmed: confirmSubscriptionCheckout(
    token: $token
    wallet: $wallet
    nonce: $nonce
    signature: $signature
    signedMessage: $signedMessage
  ) {
    status
  }
}
    `) as unknown as TypedDocumentString<ConfirmCheckoutMutation, ConfirmCheckoutMutationVariables>;
export const RetryFirstChargeDocument = new TypedDocumentString(`
    mutation RetryFirstCharge($token: String!) {
  firstCharge: retrySubscriptionCheckout(token: $token) {
    status
  }
}
    `) as unknown as TypedDocumentString<RetryFirstChargeMutation, RetryFirstChargeMutationVariables>;
export const CheckoutChangesDocument = new TypedDocumentString(`
    subscription CheckoutChanges($token: String!) {
  checkout: subscriptionCheckoutUpdated(token: $token) {
    ...CheckoutState
  }
}
    fragment CheckoutState on SubscriptionCheckout {
  status
  merchantName
  brand {
    ...PayBrand
  }
  product {
    name
    description
  }
  tier {
    ...PayTier
  }
  totalAuthorization {
    usdCents
  }
  firstCharge {
    status
    failureCode
    recoveryAction
    isGivenUp
    signature
  }
  trialDays
  trialEndsAt
  coupon {
    ...PayCoupon
    priceUsdCents
  }
  acceptsCoupons
  subscriberWallet
  walletPinned
  successUrl
  cancelUrl
  expiresInSeconds
}
fragment PayCoupon on CheckoutCoupon {
  code
  percentOff
  amountOffUsdCents
  periods
}
fragment PayTier on CheckoutTier {
  uuid
  name
  description
  priceUsdCents
  interval
  intervalCount
  authorizationPeriods
  trialDays
  mint
  ticker
  decimals
}
fragment PayBrand on Brand {
  logoUrl
  accentColor
  supportUrl
  supportEmail
}`) as unknown as TypedDocumentString<CheckoutChangesSubscription, CheckoutChangesSubscriptionVariables>;
export const PortalPageDocument = new TypedDocumentString(`
    query PortalPage($token: String!) {
  portal: subscriptionPortal(token: $token) {
    ...PortalState
  }
}
    fragment PortalState on SubscriptionPortal {
  merchantName
  brand {
    ...PayBrand
  }
  product {
    name
    description
  }
  tier {
    ...PayTier
  }
  options {
    ...PayTier
  }
  subscription {
    uuid
    status
    manageable
    cancelAtPeriodEnd
    stoppedBy
    authorizedAmount
    currentPeriodStart
    currentPeriodEnd
    trialEndsAt
    activatedAt
    nextChargeAt
    endedAt
    subscriberWallet
    discount {
      code
      percentOff
      amountOffUsdCents
      periodsLeft
    }
  }
  offers {
    tierId
    payments
    discountedPayments
    discountedPriceUsdCents
    totalUsdCents
  }
  charges {
    periodIndex
    periodStart
    amount
    status
    failureCode
    signature
  }
  session {
    expiresAt
    mayIncrease
  }
  paymentsLeft
  recoveryUrl
  revocable
  totalAuthorization {
    usdCents
  }
}
fragment PayTier on CheckoutTier {
  uuid
  name
  description
  priceUsdCents
  interval
  intervalCount
  authorizationPeriods
  trialDays
  mint
  ticker
  decimals
}
fragment PayBrand on Brand {
  logoUrl
  accentColor
  supportUrl
  supportEmail
}`) as unknown as TypedDocumentString<PortalPageQuery, PortalPageQueryVariables>;
export const CancelSubscriptionDocument = new TypedDocumentString(`
    mutation CancelSubscription($token: String!, $atPeriodEnd: Boolean!) {
  subscription: cancelPortalSubscription(token: $token, atPeriodEnd: $atPeriodEnd) {
    status
  }
}
    `) as unknown as TypedDocumentString<CancelSubscriptionMutation, CancelSubscriptionMutationVariables>;
export const PauseSubscriptionDocument = new TypedDocumentString(`
    mutation PauseSubscription($token: String!) {
  subscription: pausePortalSubscription(token: $token) {
    status
  }
}
    `) as unknown as TypedDocumentString<PauseSubscriptionMutation, PauseSubscriptionMutationVariables>;
export const ResumeSubscriptionDocument = new TypedDocumentString(`
    mutation ResumeSubscription($token: String!) {
  subscription: resumePortalSubscription(token: $token) {
    status
  }
}
    `) as unknown as TypedDocumentString<ResumeSubscriptionMutation, ResumeSubscriptionMutationVariables>;
export const ChangeTierDocument = new TypedDocumentString(`
    mutation ChangeTier($token: String!, $tierId: String!, $nonce: String, $signature: String, $signedMessage: String) {
  terms: changePortalTier(
    token: $token
    tierId: $tierId
    nonce: $nonce
    signature: $signature
    signedMessage: $signedMessage
  ) {
    ...PortalTerms
  }
}
    fragment PortalTerms on SubscriptionTerms {
  outcome
  approvalId
  transaction
  replacesDelegate
  expiresInSeconds
  challenge {
    ...PayChallenge
  }
}
fragment PayChallenge on WalletChallenge {
  nonce
  message
  input {
    domain
    address
    statement
    uri
    version
    chainId
    nonce
    issuedAt
    expirationTime
    requestId
    resources
  }
}`) as unknown as TypedDocumentString<ChangeTierMutation, ChangeTierMutationVariables>;
export const RenewSubscriptionDocument = new TypedDocumentString(`
    mutation RenewSubscription($token: String!, $nonce: String, $signature: String, $signedMessage: String) {
  terms: renewPortalSubscription(
    token: $token
    nonce: $nonce
    signature: $signature
    signedMessage: $signedMessage
  ) {
    ...PortalTerms
  }
}
    fragment PortalTerms on SubscriptionTerms {
  outcome
  approvalId
  transaction
  replacesDelegate
  expiresInSeconds
  challenge {
    ...PayChallenge
  }
}
fragment PayChallenge on WalletChallenge {
  nonce
  message
  input {
    domain
    address
    statement
    uri
    version
    chainId
    nonce
    issuedAt
    expirationTime
    requestId
    resources
  }
}`) as unknown as TypedDocumentString<RenewSubscriptionMutation, RenewSubscriptionMutationVariables>;
export const RevokeAllowanceDocument = new TypedDocumentString(`
    mutation RevokeAllowance($token: String!) {
  revocation: revokePortalAllowance(token: $token) {
    approvalId
    transaction
    expiresInSeconds
  }
}
    `) as unknown as TypedDocumentString<RevokeAllowanceMutation, RevokeAllowanceMutationVariables>;
export const ActivateTermsDocument = new TypedDocumentString(`
    mutation ActivateTerms($token: String!, $approvalId: String!, $transaction: String!) {
  activated: activateSubscriptionTerms(
    token: $token
    approvalId: $approvalId
    transaction: $transaction
  ) {
    outcome
  }
}
    `) as unknown as TypedDocumentString<ActivateTermsMutation, ActivateTermsMutationVariables>;
export const RecoveryPageDocument = new TypedDocumentString(`
    query RecoveryPage {
  recovery: portalRecovery {
    challengeUrl
  }
}
    `) as unknown as TypedDocumentString<RecoveryPageQuery, RecoveryPageQueryVariables>;
export const AskForLinksDocument = new TypedDocumentString(`
    mutation AskForLinks($wallet: String!) {
  challenge: challengeWallet(wallet: $wallet) {
    ...PayChallenge
  }
}
    fragment PayChallenge on WalletChallenge {
  nonce
  message
  input {
    domain
    address
    statement
    uri
    version
    chainId
    nonce
    issuedAt
    expirationTime
    requestId
    resources
  }
}`) as unknown as TypedDocumentString<AskForLinksMutation, AskForLinksMutationVariables>;
export const RecoverLinksDocument = new TypedDocumentString(`
    mutation RecoverLinks($wallet: String!, $nonce: String, $signature: String, $signedMessage: String) {
  links: recoverPortalLinks(
    wallet: $wallet
    nonce: $nonce
    signature: $signature
    signedMessage: $signedMessage
  ) {
    merchantName
    product {
      name
    }
    tier {
      ...PayTier
    }
    subscription {
      uuid
    }
    portalUrl
  }
}
    fragment PayTier on CheckoutTier {
  uuid
  name
  description
  priceUsdCents
  interval
  intervalCount
  authorizationPeriods
  trialDays
  mint
  ticker
  decimals
}`) as unknown as TypedDocumentString<RecoverLinksMutation, RecoverLinksMutationVariables>;
export const FundDemoWalletDocument = new TypedDocumentString(`
    mutation FundDemoWallet($wallet: SolanaAddress!) {
  fundDemoWallet(wallet: $wallet)
}
    `) as unknown as TypedDocumentString<FundDemoWalletMutation, FundDemoWalletMutationVariables>;
export const PaymentPageDocument = new TypedDocumentString(`
    query PaymentPage($clientSecret: String!, $parent: String) {
  checkout(clientSecret: $clientSecret) {
    ...PaymentState
    acceptedTokens {
      asset
      ticker
      name
      decimals
      imageUrl
    }
    createdAt
    expiresAt
    reference
    description
    lineItems {
      name
      quantity
      amountUsdCents
    }
    successUrl
    cancelUrl
    brand {
      ...PayBrand
    }
    mayBeEmbeddedIn(origin: $parent)
  }
}
    fragment PaymentState on Checkout {
  version
  network
  status
  action
  merchantName
  priceUsdCents
  address
  asset
  expectedAmount
  receivedAmount
  shortfall
  isCovered
  paymentUri
  expiresInSeconds
  refundSender
  customerDetails {
    firstName
    lastName
    email
  }
  countedDeposits {
    asset
    amount
    signature
    arrivedAt
  }
  settlement {
    ticker
    destinationUi
    legs {
      role
      amount
      signature
    }
  }
  namedTokens {
    asset
    ticker
    decimals
  }
  refunds {
    mint
    amount
    signatures
  }
  tokenRefunds {
    mint
    amount
    status
    refund {
      amount
      signatures
    }
  }
  latePayments {
    mint
    amount
    status
    signature
    refund {
      amount
      signatures
    }
  }
  held {
    mint
    amount
  }
  heldCount
  refundAddress {
    isWanted
    proposal {
      address
      status
      reason
    }
  }
}
fragment PayBrand on Brand {
  logoUrl
  accentColor
  supportUrl
  supportEmail
}`) as unknown as TypedDocumentString<PaymentPageQuery, PaymentPageQueryVariables>;
export const PaymentReceiptDocument = new TypedDocumentString(`
    query PaymentReceipt($clientSecret: String!) {
  checkout(clientSecret: $clientSecret) {
    id
    receipt {
      jws
    }
  }
}
    `) as unknown as TypedDocumentString<PaymentReceiptQuery, PaymentReceiptQueryVariables>;
export const PaymentNowDocument = new TypedDocumentString(`
    query PaymentNow($clientSecret: String!) {
  checkout(clientSecret: $clientSecret) {
    ...PaymentState
  }
}
    fragment PaymentState on Checkout {
  version
  network
  status
  action
  merchantName
  priceUsdCents
  address
  asset
  expectedAmount
  receivedAmount
  shortfall
  isCovered
  paymentUri
  expiresInSeconds
  refundSender
  customerDetails {
    firstName
    lastName
    email
  }
  countedDeposits {
    asset
    amount
    signature
    arrivedAt
  }
  settlement {
    ticker
    destinationUi
    legs {
      role
      amount
      signature
    }
  }
  namedTokens {
    asset
    ticker
    decimals
  }
  refunds {
    mint
    amount
    signatures
  }
  tokenRefunds {
    mint
    amount
    status
    refund {
      amount
      signatures
    }
  }
  latePayments {
    mint
    amount
    status
    signature
    refund {
      amount
      signatures
    }
  }
  held {
    mint
    amount
  }
  heldCount
  refundAddress {
    isWanted
    proposal {
      address
      status
      reason
    }
  }
}`) as unknown as TypedDocumentString<PaymentNowQuery, PaymentNowQueryVariables>;
export const PaymentQuoteDocument = new TypedDocumentString(`
    query PaymentQuote($clientSecret: String!) {
  quote(clientSecret: $clientSecret) {
    quotes {
      asset
      expectedAmount
    }
    unquoted {
      asset
      code
    }
  }
}
    `) as unknown as TypedDocumentString<PaymentQuoteQuery, PaymentQuoteQueryVariables>;
export const WalletFundsDocument = new TypedDocumentString(`
    query WalletFunds($clientSecret: String!, $wallet: SolanaAddress!) {
  walletFunds(clientSecret: $clientSecret, wallet: $wallet) {
    asset
    amount
    cost
  }
}
    `) as unknown as TypedDocumentString<WalletFundsQuery, WalletFundsQueryVariables>;
export const SelectAssetDocument = new TypedDocumentString(`
    mutation SelectAsset($clientSecret: String!, $asset: Asset!) {
  checkout: selectToken(clientSecret: $clientSecret, asset: $asset) {
    ...PaymentState
  }
}
    fragment PaymentState on Checkout {
  version
  network
  status
  action
  merchantName
  priceUsdCents
  address
  asset
  expectedAmount
  receivedAmount
  shortfall
  isCovered
  paymentUri
  expiresInSeconds
  refundSender
  customerDetails {
    firstName
    lastName
    email
  }
  countedDeposits {
    asset
    amount
    signature
    arrivedAt
  }
  settlement {
    ticker
    destinationUi
    legs {
      role
      amount
      signature
    }
  }
  namedTokens {
    asset
    ticker
    decimals
  }
  refunds {
    mint
    amount
    signatures
  }
  tokenRefunds {
    mint
    amount
    status
    refund {
      amount
      signatures
    }
  }
  latePayments {
    mint
    amount
    status
    signature
    refund {
      amount
      signatures
    }
  }
  held {
    mint
    amount
  }
  heldCount
  refundAddress {
    isWanted
    proposal {
      address
      status
      reason
    }
  }
}`) as unknown as TypedDocumentString<SelectAssetMutation, SelectAssetMutationVariables>;
export const SaveDetailsDocument = new TypedDocumentString(`
    mutation SaveDetails($clientSecret: String!, $details: CustomerInput!) {
  checkout: updateCustomerDetails(clientSecret: $clientSecret, details: $details) {
    ...PaymentState
  }
}
    fragment PaymentState on Checkout {
  version
  network
  status
  action
  merchantName
  priceUsdCents
  address
  asset
  expectedAmount
  receivedAmount
  shortfall
  isCovered
  paymentUri
  expiresInSeconds
  refundSender
  customerDetails {
    firstName
    lastName
    email
  }
  countedDeposits {
    asset
    amount
    signature
    arrivedAt
  }
  settlement {
    ticker
    destinationUi
    legs {
      role
      amount
      signature
    }
  }
  namedTokens {
    asset
    ticker
    decimals
  }
  refunds {
    mint
    amount
    signatures
  }
  tokenRefunds {
    mint
    amount
    status
    refund {
      amount
      signatures
    }
  }
  latePayments {
    mint
    amount
    status
    signature
    refund {
      amount
      signatures
    }
  }
  held {
    mint
    amount
  }
  heldCount
  refundAddress {
    isWanted
    proposal {
      address
      status
      reason
    }
  }
}`) as unknown as TypedDocumentString<SaveDetailsMutation, SaveDetailsMutationVariables>;
export const CancelPaymentDocument = new TypedDocumentString(`
    mutation CancelPayment($clientSecret: String!) {
  checkout: cancelCheckout(clientSecret: $clientSecret) {
    ...PaymentState
  }
}
    fragment PaymentState on Checkout {
  version
  network
  status
  action
  merchantName
  priceUsdCents
  address
  asset
  expectedAmount
  receivedAmount
  shortfall
  isCovered
  paymentUri
  expiresInSeconds
  refundSender
  customerDetails {
    firstName
    lastName
    email
  }
  countedDeposits {
    asset
    amount
    signature
    arrivedAt
  }
  settlement {
    ticker
    destinationUi
    legs {
      role
      amount
      signature
    }
  }
  namedTokens {
    asset
    ticker
    decimals
  }
  refunds {
    mint
    amount
    signatures
  }
  tokenRefunds {
    mint
    amount
    status
    refund {
      amount
      signatures
    }
  }
  latePayments {
    mint
    amount
    status
    signature
    refund {
      amount
      signatures
    }
  }
  held {
    mint
    amount
  }
  heldCount
  refundAddress {
    isWanted
    proposal {
      address
      status
      reason
    }
  }
}`) as unknown as TypedDocumentString<CancelPaymentMutation, CancelPaymentMutationVariables>;
export const ProposeRefundAddressDocument = new TypedDocumentString(`
    mutation ProposeRefundAddress($clientSecret: String!, $address: SolanaAddress!) {
  checkout: proposeRefundAddress(clientSecret: $clientSecret, address: $address) {
    ...PaymentState
  }
}
    fragment PaymentState on Checkout {
  version
  network
  status
  action
  merchantName
  priceUsdCents
  address
  asset
  expectedAmount
  receivedAmount
  shortfall
  isCovered
  paymentUri
  expiresInSeconds
  refundSender
  customerDetails {
    firstName
    lastName
    email
  }
  countedDeposits {
    asset
    amount
    signature
    arrivedAt
  }
  settlement {
    ticker
    destinationUi
    legs {
      role
      amount
      signature
    }
  }
  namedTokens {
    asset
    ticker
    decimals
  }
  refunds {
    mint
    amount
    signatures
  }
  tokenRefunds {
    mint
    amount
    status
    refund {
      amount
      signatures
    }
  }
  latePayments {
    mint
    amount
    status
    signature
    refund {
      amount
      signatures
    }
  }
  held {
    mint
    amount
  }
  heldCount
  refundAddress {
    isWanted
    proposal {
      address
      status
      reason
    }
  }
}`) as unknown as TypedDocumentString<ProposeRefundAddressMutation, ProposeRefundAddressMutationVariables>;
export const PaymentChangesDocument = new TypedDocumentString(`
    subscription PaymentChanges($clientSecret: String!) {
  checkout: checkoutUpdated(clientSecret: $clientSecret) {
    ...PaymentState
  }
}
    fragment PaymentState on Checkout {
  version
  network
  status
  action
  merchantName
  priceUsdCents
  address
  asset
  expectedAmount
  receivedAmount
  shortfall
  isCovered
  paymentUri
  expiresInSeconds
  refundSender
  customerDetails {
    firstName
    lastName
    email
  }
  countedDeposits {
    asset
    amount
    signature
    arrivedAt
  }
  settlement {
    ticker
    destinationUi
    legs {
      role
      amount
      signature
    }
  }
  namedTokens {
    asset
    ticker
    decimals
  }
  refunds {
    mint
    amount
    signatures
  }
  tokenRefunds {
    mint
    amount
    status
    refund {
      amount
      signatures
    }
  }
  latePayments {
    mint
    amount
    status
    signature
    refund {
      amount
      signatures
    }
  }
  held {
    mint
    amount
  }
  heldCount
  refundAddress {
    isWanted
    proposal {
      address
      status
      reason
    }
  }
}`) as unknown as TypedDocumentString<PaymentChangesSubscription, PaymentChangesSubscriptionVariables>;
export const PreparePaymentDocument = new TypedDocumentString(`
    mutation PreparePayment($clientSecret: String!, $wallet: SolanaAddress!) {
  prepared: preparePayment(clientSecret: $clientSecret, wallet: $wallet) {
    transaction
    expiresInSeconds
  }
}
    `) as unknown as TypedDocumentString<PreparePaymentMutation, PreparePaymentMutationVariables>;
export const SubmitPaymentDocument = new TypedDocumentString(`
    mutation SubmitPayment($clientSecret: String!, $transaction: String!) {
  submitted: submitPayment(clientSecret: $clientSecret, transaction: $transaction) {
    signature
  }
}
    `) as unknown as TypedDocumentString<SubmitPaymentMutation, SubmitPaymentMutationVariables>;