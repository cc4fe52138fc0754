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

/** Which requests to list: those that match every field that is given. */
export type ApiRequestFilter = {
  /** True finds what was refused or failed, and false what was done. */
  isRefused?: boolean | null | undefined;
};

/** What an entry of the audit trail is about. REST shows a dot in place of the first underscore. */
export type AuditAction =
  /** The operator refused an application of the business. */
  | 'business_application_refused'
  /** The business applied to be a marketplace. */
  | 'business_applied'
  /** The operator disabled the business, or changed the reason. */
  | 'business_disabled'
  /** The operator enabled the business again. */
  | 'business_enabled'
  /** A sweep destination that waited was canceled. */
  | 'business_payout_change_canceled'
  /** Another sweep destination of the business was asked for, which waits. */
  | 'business_payout_change_requested'
  /** The sweep destination of the business changed. */
  | 'business_payout_changed'
  /** The name, label, logo, color, support or payment defaults of the business changed. */
  | 'business_updated'
  /** A redirect domain was registered, or made active again. */
  | 'domain_added'
  /** A redirect domain was made inactive. */
  | 'domain_archived'
  /** An API key was created. */
  | 'key_created'
  /** An API key was revoked. */
  | 'key_revoked'
  /** An API key was replaced by another one. */
  | 'key_rolled'
  /** The terms of the marketplace changed. */
  | 'marketplace_updated'
  /** A member was invited. */
  | 'member_invited'
  /** A link was made by which a member sets up a login. */
  | 'member_link_created'
  /** A member set up a passkey or a wallet to log in with. */
  | 'member_login_added'
  /** A member can no longer log in with a passkey or a wallet. */
  | 'member_login_removed'
  /** A member was removed. */
  | 'member_removed'
  /** A session of a member was ended. */
  | 'member_session_ended'
  /** A member logged in. */
  | 'member_session_started'
  /** The name, email or role of a member changed. */
  | 'member_updated'
  /** An address that a buyer proposed was approved: the held money was released there. */
  | 'payment_address_approved'
  /** An address that a buyer proposed was declined. */
  | 'payment_address_declined'
  /** The buyer of a payment proposed an address for held money. */
  | 'payment_address_proposed'
  /** A payment for a seller was created. */
  | 'payment_created'
  /** A refund was canceled. */
  | 'refund_canceled'
  /** A refund was created, which the wallet of the business pays. */
  | 'refund_created'
  /** A seller was archived. */
  | 'seller_archived'
  /** A seller was created. */
  | 'seller_created'
  /** The operator disabled a seller, or changed the reason. */
  | 'seller_disabled'
  /** The operator enabled a seller again. */
  | 'seller_enabled'
  /** The rate of the marketplace for a seller changed. */
  | 'seller_fee_changed'
  /** The sweep destination of a seller changed. */
  | 'seller_payout_changed'
  /** The name, description, metadata, label or logo of a seller changed. */
  | 'seller_updated'
  /** A fee of a settlement could not be paid to its wallet, and went to the seller. */
  | 'settlement_leg_waived'
  /** A webhook endpoint was added. */
  | 'webhook_created'
  /** A webhook endpoint was deleted. */
  | 'webhook_deleted'
  /** A webhook endpoint got a new secret. */
  | 'webhook_secret_rotated'
  /** The URL, types, description or state of a webhook endpoint changed. */
  | 'webhook_updated';

/** The kind of source of a change. */
export type AuditActorKind =
  /** A request with an API key of the business. */
  | 'api_key'
  /** The holder of the client secret of a payment. */
  | 'buyer'
  /** A member of the business, in a session. */
  | 'member'
  /** A request of the operator. */
  | 'operator'
  /** The service itself. */
  | 'service';

/** Which entries to list: those that match every field that is given. */
export type AuditFilter = {
  /** What the entries are about. */
  action?: AuditAction | null | undefined;
  /** The `uuid` of a seller of the marketplace. */
  sellerId?: string | null | undefined;
};

/** Which subscriptions to list: those that match every field that is given. */
export type BillingSubscriptionFilter = {
  /** Charged from the delegation that `subscriptionDelegation` finds for this wallet. */
  delegationOfWallet?: string | null | undefined;
  /** On any tier of the product with this `uuid`. */
  productId?: string | null | undefined;
  /** In this state. Every state when left out. */
  status?: BillingSubscriptionStatus | null | undefined;
  /** For this wallet. */
  subscriberWallet?: string | null | undefined;
  /** On the tier with this `uuid`. */
  tierId?: string | null | undefined;
};

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

/** Which refunds to list: those that match every field that is given. */
export type BusinessRefundFilter = {
  /** Those of the charge with this `uuid`. */
  chargeId?: string | null | undefined;
  /** Created at this time or later. */
  from?: string | null | undefined;
  /** Those of the payment with this `uuid`. */
  paymentId?: string | null | undefined;
  /** This reference. */
  reference?: string | null | undefined;
  /** Any of these statuses. */
  status?: Array<BusinessRefundStatus> | null | undefined;
  /** Created before this time. */
  to?: string | null | undefined;
};

/** Whose wallet pays a refund by a business. */
export type BusinessRefundPart =
  /** The fee wallet of the marketplace, for its part. */
  | 'marketplace'
  /** That of the business or the seller. */
  | 'payee';

/** The status of a refund by a business. */
export type BusinessRefundStatus =
  /** The business canceled it before the amount was paid. */
  | 'canceled'
  /** Its time ended, and nothing was paid. */
  | 'expired'
  /** Its time ended, and too little was paid. */
  | 'failed'
  /** Nothing was paid yet. */
  | 'open'
  /** Less than the amount was paid. */
  | 'processing'
  /** The amount or more was paid. */
  | 'succeeded';

/** Whether a product or a tier can have new checkouts. */
export type CatalogueStatus =
  /** It can have new checkouts. */
  | 'active'
  /** It has no new checkouts. Running subscriptions go on. */
  | 'archived';

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

/** What makes a failed charge possible again. */
export type ChargeRecoveryAction =
  /** Nothing that the subscriber can do. */
  | 'none'
  /** A new approval by the subscriber. */
  | 'reapprove'
  /** Time, or a refill of the wallet. */
  | 'retry';

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

/** A payment to create. */
export type CreatePaymentIntentInput = {
  /** The assets in which the buyer can pay, at least one and at most 100. Each must be among `allowedTokens`. Those of the settings of the business when left out. */
  acceptedAssets?: Array<string> | null | undefined;
  /** The price in US cents. */
  amountUsdCents: number;
  /** The share of the marketplace in basis points. Only on a payment for a seller. */
  applicationFeeBps?: number | null | undefined;
  /** Where the buyer goes when the payment has ended without success. An https URL at an active redirect domain of the business or of the seller. That of the settings of the business when left out. */
  cancelUrl?: string | null | undefined;
  /** The details of the buyer. `email` is required on a payment for a seller. */
  customer?: CustomerInput | null | undefined;
  /** What the payment is for, as the buyer reads it. */
  description?: string | null | undefined;
  /** The lines of the order, at most 100. They need not add up: the price is charged. */
  lineItems?: Array<LineItemInput> | null | undefined;
  /** Data of the business, which the buyer does not see: an object of at most 50 keys. */
  metadata?: Readonly<Record<string, unknown>> | null | undefined;
  /** The id of the seller for which a marketplace takes the payment. */
  onBehalfOf?: string | null | undefined;
  /** The idempotency key, typically an order id. A repeat returns the stored payment and ignores the other fields. */
  reference?: string | null | undefined;
  /** Where the buyer goes after paying. An https URL at an active redirect domain of the business or of the seller. That of the settings of the business when left out. */
  successUrl?: string | null | undefined;
};

/** A refund to create: of a payment or of a charge, one of the two. Without an amount it is of everything that can still go back. */
export type CreateRefundInput = {
  /** What goes back, in base units of the asset that settled. */
  amount?: string | null | undefined;
  /** What goes back, in US cents at the locked rate. The whole price gives what settled, at most. */
  amountUsdCents?: number | null | undefined;
  /** The `uuid` of a charge that has succeeded. */
  chargeId?: string | null | undefined;
  /** The `uuid` of a payment that has settled. */
  paymentId?: string | null | undefined;
  /** Why it is made, for people. */
  reason?: string | null | undefined;
  /** The idempotency key. A repeat returns the stored refund and ignores the other fields. */
  reference?: string | null | undefined;
  /** Whether the marketplace gives its part, as a refund from its fee wallet. Only of a payment for a seller. */
  reverseFee?: boolean | null | undefined;
  /** The wallet that gets the money, not a token account. The wallet that paid when left out. */
  to?: string | null | undefined;
};

/** A seller to create. */
export type CreateSellerInput = {
  /** The description of the seller, of at most 500 characters. */
  description?: string | null | undefined;
  /** The idempotency key, of at most 255 characters. A repeat returns the stored seller, and the other fields have no effect. */
  externalId?: string | null | undefined;
  /** The name that buyers see, of at most 200 characters. */
  label?: string | null | undefined;
  /** The rate of the marketplace in basis points. */
  marketplaceFeeBps?: number | null | undefined;
  /** Data of the marketplace: an object of at most 50 keys. It is replaced as a whole. */
  metadata?: Readonly<Record<string, unknown>> | null | undefined;
  /** The name, of at most 200 characters. */
  name: string;
  /** The wallet that receives its settlements. */
  sweepDestination?: string | null | undefined;
};

/** A coupon to create. It has either `percentOff` or `amountOffUsdCents`. */
export type CreateSubscriptionCouponInput = {
  /** What it takes off the price of a period. */
  amountOffUsdCents?: number | null | undefined;
  /** What subscribers enter: 3 to 32 letters, digits, `-` and `_`, in any case. */
  code: string;
  /** From this time no checkout can use it. Never when left out. */
  endsAt?: string | null | undefined;
  /** How many checkouts can use it, at most 100,000. No limit when left out. */
  maxUses?: number | null | undefined;
  /** How many checkouts of one wallet can use it. No limit when left out. */
  maxUsesPerWallet?: number | null | undefined;
  /** What it takes off the price of a period, in percent: 1 to 99. */
  percentOff?: number | null | undefined;
  /** How many charges have the discount, from the first one. All when left out. */
  periods?: number | null | undefined;
  /** The `uuid` of the product that it is for. All products when left out. */
  productId?: string | null | undefined;
};

/** A product to create. */
export type CreateSubscriptionProductInput = {
  /** The description, of at most 2,000 characters. */
  description?: string | null | undefined;
  /** The idempotency key, of at most 255 characters. A repeat returns the stored product and ignores the other fields. */
  externalId?: string | null | undefined;
  /** Data of the business: an object of at most 50 keys. It is replaced as a whole. */
  metadata?: Readonly<Record<string, unknown>> | null | undefined;
  /** The name, of at most 200 characters. */
  name: string;
};

/** A tier to create. */
export type CreateSubscriptionTierInput = {
  /** The periods that a subscriber authorizes at the beginning: 12 when left out. */
  authorizationPeriods?: number | null | undefined;
  /** The description, of at most 2,000 characters. */
  description?: string | null | undefined;
  /** The unit of a period. */
  interval: SubscriptionInterval;
  /** The units of a period: 1 when left out. */
  intervalCount?: number | null | undefined;
  /** Data of the business: an object of at most 50 keys. It is replaced as a whole. */
  metadata?: Readonly<Record<string, unknown>> | null | undefined;
  /** The name, of at most 120 characters. */
  name: string;
  /** The price of one period. */
  priceUsdCents: number;
  /** The days before the first charge, at most 365: 0, without a trial, when left out. A wallet has one trial of a product. */
  trialDays?: number | null | undefined;
};

/** A webhook endpoint to create. */
export type CreateWebhookEndpointInput = {
  /** What it is for. Null and an empty text clear it. */
  description?: string | null | undefined;
  /** Whether it receives events. True when left out. */
  enabled?: boolean | null | undefined;
  /** The types of events that it receives, as `config` lists them; `*` alone, and null, choose every type. */
  eventTypes?: Array<string> | null | undefined;
  /** An https URL whose host has a public address, without a user name. Webhooks are sent to it by POST, with a signature. */
  url: string;
};

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

/** What a deposit counts as. */
export type DepositUse =
  /** It counts towards the price. */
  | 'applied'
  /** It arrived after the payment was closed. It is refunded. */
  | 'late'
  /** It is in a token account that transfers do not use, or of a token that was not allowed. It does not count, and stays at the address until the operator releases it. */
  | 'unaccepted'
  /** Its asset is not the selected one. It is refunded. */
  | 'wrong_asset';

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

/** What an API key may be used for. */
export type KeyScope =
  /** Reading who changed what. */
  | 'audit_view'
  /** API keys: reading, creating, rolling and revoking them. */
  | 'keys_manage'
  /** Changing the marketplace and its sellers. */
  | 'marketplace_manage'
  /** Reading the marketplace and its sellers. */
  | 'marketplace_view'
  /** Payments of the business. */
  | 'payments'
  /** Reading payments of the business. A part of `payments`. */
  | 'payments_view'
  /** What buyers see of the business, and what its payments have unless they say otherwise. */
  | 'settings_manage'
  /** Changing products, tiers, checkouts and subscriptions. */
  | 'subscriptions_manage'
  /** Reading products, tiers, checkouts and subscriptions. */
  | 'subscriptions_view'
  /** Webhook endpoints and their deliveries. */
  | 'webhooks_manage';

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

/** A line of an order to show to the buyer. */
export type LineItemInput = {
  /** The amount of the whole line in US cents. An integer from 0 to 2147483647. */
  amountUsdCents: number;
  /** What is bought, in one line. At most 200 characters. */
  name: string;
  /** How many of it. An integer from 1 to 2147483647. */
  quantity: number;
};

/** What a proof of a member is for. */
export type LoginPurpose =
  /** To set up a login, by a link or in a session. */
  | 'add_login'
  /** To log in. */
  | 'log_in'
  /** To prove again in a session, for what needs a proof of the last five minutes. */
  | 'prove';

/** An application to be a marketplace. */
export type MarketplaceApplicationInput = {
  /** What it expects to be sold in a month, in at most 500 characters. */
  expectedVolume: string;
  /** What its sellers sell, in at most 500 characters. */
  sells: string;
  /** Where it sells: an https URL without a port. */
  website: string;
};

/** What the operator has decided. */
export type MarketplaceApplicationState =
  /** The business is a marketplace. */
  | 'approved'
  /** Nothing yet. */
  | 'pending'
  /** Refused, for the reason that the application shows. The business can apply again. */
  | 'refused';

/** Which payments to list: those that match every field that is given. */
export type MarketplacePaymentFilter = {
  /** With this selected asset. A payment without a selection has none. */
  asset?: string | null | undefined;
  /** Created at this time or later. */
  from?: string | null | undefined;
  /** True finds only payments whose buyer has proposed an address for held money, which waits for the business. */
  hasProposal?: boolean | null | undefined;
  /** True finds the payments that have held money, and false the others. */
  isHeld?: boolean | null | undefined;
  /** With each of these keys in the metadata, and this value: a text, a number, true or false. `5` finds `"5"` too. */
  metadata?: Readonly<Record<string, unknown>> | null | undefined;
  /** This reference. */
  reference?: string | null | undefined;
  /** With this text in the reference, or in the name or email of the buyer. Upper and lower case are the same. At most 100 characters; blank matches every payment. */
  search?: string | null | undefined;
  /** For this seller. */
  sellerId?: string | null | undefined;
  /** Any of these statuses. */
  status?: Array<IntentStatus> | null | undefined;
  /** Created before this time. */
  to?: string | null | undefined;
};

/** Whether a marketplace can be changed and take payments for its sellers. */
export type MarketplaceStatus =
  /** It is approved. */
  | 'active'
  /** The operator has revoked it: it can be read, and not changed. */
  | 'disabled';

/** What a member of a business may do. */
export type MemberRole =
  /** Keys and webhooks, and reading. No money. */
  | 'developer'
  /** Payments, exports, and the money of the marketplace and of subscriptions. No keys. */
  | 'finance'
  /** Everything, and the members themselves. */
  | 'owner'
  /** Reading. */
  | 'viewer';

/** One of the two networks of a deployment. The mode of an account decides which one its payments use. */
export type Network =
  /** The network of live accounts, with keys that begin with `sk_live_`. */
  | 'live'
  /** The network of test accounts, with keys that begin with `sk_test_`. */
  | 'test';

/** Which payments to list: those that match every field that is given. */
export type PaymentIntentFilter = {
  /** With this selected asset. A payment without a selection has none. */
  asset?: string | null | undefined;
  /** Created at this time or later. */
  from?: string | null | undefined;
  /** True finds only payments whose buyer has proposed an address for held money, which waits for the business. */
  hasProposal?: boolean | null | undefined;
  /** True finds the payments that have held money, and false the others. */
  isHeld?: boolean | null | undefined;
  /** With each of these keys in the metadata, and this value: a text, a number, true or false. `5` finds `"5"` too. */
  metadata?: Readonly<Record<string, unknown>> | null | undefined;
  /** This reference. */
  reference?: string | null | undefined;
  /** With this text in the reference, or in the name or email of the buyer. Upper and lower case are the same. At most 100 characters; blank matches every payment. */
  search?: string | null | undefined;
  /** Any of these statuses. */
  status?: Array<IntentStatus> | null | undefined;
  /** Created before this time. */
  to?: string | null | undefined;
};

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

/** Which sellers to list: those that match every field that is given. */
export type SellerFilter = {
  /** Whether archived sellers are listed too. False when left out. */
  includeArchived?: boolean | null | undefined;
  /** A part of the name or of the external id, in any case. Blank matches every seller. */
  search?: string | null | undefined;
};

/** Whether a seller accepts new payments. */
export type SellerStatus =
  /** It accepts new payments. */
  | 'active'
  /** It accepts no new payments. Its history remains. */
  | 'archived';

/** How much a simulated deposit pays. */
export type SimulatedDeposit =
  /** The amount that is still due. */
  | 'exact'
  /** Half more than it. */
  | 'over'
  /** Half of it. */
  | 'under'
  /** Another asset than the selected one. */
  | 'wrong_asset';

/** The length of a bucket, by the calendar of a time zone. A week begins on Monday. */
export type StatsInterval =
  /** A local day: 23 or 25 hours long when the clock changes. */
  | 'day'
  /** An hour of the local clock. */
  | 'hour'
  /** A month of the calendar. */
  | 'month'
  /** Seven local days, from Monday. */
  | 'week';

/** Which coupons to list: those that match every field that is given. */
export type SubscriptionCouponFilter = {
  /** With this code, in any case. */
  code?: string | null | undefined;
  /** With this status. Both when left out. */
  status?: CatalogueStatus | null | undefined;
};

/** Whether the allowance covers what is outstanding. */
export type SubscriptionDelegationStatus =
  /** It covers the subscriptions that are charged. */
  | 'active'
  /** Nothing is outstanding any more. */
  | 'cleared'
  /** It was spent to zero. */
  | 'exhausted'
  /** No approve is final yet. */
  | 'pending'
  /** The owner gave the account to another delegate. */
  | 'replaced'
  /** The owner removed or lowered it. */
  | 'revoked';

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

/** Which products to list: those that match every field that is given. */
export type SubscriptionProductFilter = {
  /** A part of the name, the description or the external id, in any case. Blank matches every product. */
  search?: string | null | undefined;
  /** With this status. Both when left out. */
  status?: CatalogueStatus | null | undefined;
};

/** What a transfer is for. */
export type TransferKind =
  /** A refund to the payer. */
  | 'refund'
  /** Held money that the operator released. */
  | 'release'
  /** The return of rent to the fee payer. */
  | 'rent'
  /** The settlement to the business. */
  | 'sweep';

/** How far a transfer is. */
export type TransferStatus =
  /** Its transaction is final. */
  | 'done'
  /** It used up its retries. The operator can retry it. */
  | 'failed'
  /** It waits for the operator. `reason` says why. */
  | 'held'
  /** A transaction for it is under way. */
  | 'in_progress'
  /** It is due, and nothing was sent yet. */
  | 'planned';

/** The settings to change. What is left out stays, and null clears. */
export type UpdateBusinessInput = {
  /** The color of buttons and links, such as `#00aa77`. */
  accentColor?: string | null | undefined;
  /** Each must be among `allowedTokens`. At most 100. */
  acceptedAssets?: Array<string> | null | undefined;
  /** An https URL at an active redirect domain of the business. */
  cancelUrl?: string | null | undefined;
  /** What buyers see. */
  label?: string | null | undefined;
  /** Its name, which cannot be cleared. */
  name?: string | null | undefined;
  /** An https URL at an active redirect domain of the business. */
  successUrl?: string | null | undefined;
  /** The address at which buyers get help. */
  supportEmail?: string | null | undefined;
  /** The page on which buyers get help: an https URL without a port. */
  supportUrl?: string | null | undefined;
  /** How much less than its price a payment may be, in basis points, from 0 to 500. Null is 0. */
  underpaymentToleranceBps?: number | null | undefined;
};

/** The terms to change, at least one. A field that is left out is untouched. */
export type UpdateMarketplaceInput = {
  /** The default rate in basis points. */
  defaultFeeBps?: number | null | undefined;
  /** The wallet that receives the fees. Null clears it. */
  feeWallet?: string | null | undefined;
};

/** The fields to change, at least one. A field that is left out is untouched; null clears it. */
export type UpdateSellerInput = {
  /** The description of the seller, of at most 500 characters. */
  description?: string | null | undefined;
  /** The name that buyers see, of at most 200 characters. */
  label?: string | null | undefined;
  /** The rate of the marketplace in basis points. */
  marketplaceFeeBps?: number | null | undefined;
  /** Data of the marketplace: an object of at most 50 keys. It is replaced as a whole. */
  metadata?: Readonly<Record<string, unknown>> | null | undefined;
  /** The name. It cannot be cleared. */
  name?: string | null | undefined;
  /** The wallet that receives its settlements. */
  sweepDestination?: string | null | undefined;
};

/** The fields to change. A field that is left out is untouched; null clears it. */
export type UpdateSubscriptionProductInput = {
  /** The description, of at most 2,000 characters. */
  description?: string | null | undefined;
  /** Data of the business: an object of at most 50 keys. It is replaced as a whole. */
  metadata?: Readonly<Record<string, unknown>> | null | undefined;
  /** The name. Null leaves it untouched. */
  name?: string | null | undefined;
  /** `archived` archives it and its tiers, `active` makes them active again. Null leaves it untouched. */
  status?: CatalogueStatus | null | undefined;
};

/** The fields to change. A field that is left out is untouched; null clears it. */
export type UpdateSubscriptionTierInput = {
  /** The description, of at most 2,000 characters. */
  description?: string | null | undefined;
  /** Data of the business: an object of at most 50 keys. It is replaced as a whole. */
  metadata?: Readonly<Record<string, unknown>> | null | undefined;
  /** The name. Null leaves it untouched. */
  name?: string | null | undefined;
  /** `archived` archives it, `active` makes it active again. Null leaves it untouched. */
  status?: CatalogueStatus | null | undefined;
};

/** How far a delivery is. */
export type WebhookDeliveryStatus =
  /** It used up its retries, the endpoint answered 410, or the endpoint is disabled. */
  | 'failed'
  /** A request follows. */
  | 'pending'
  /** The endpoint answered with a 2xx status. */
  | 'succeeded';

export type DashboardChangesSubscriptionVariables = Exact<{ [key: string]: never; }>;


export type DashboardChangesSubscription = { eventAdded: { cursor: string } };

export type DashboardMeFragment = { permissions: Array<string>, member: { id: string, name: string, role: MemberRole }, business: { id: string, name: string, mode: Network, disabledReason: string | null } };

export type DashboardLogInFragment = { me: { permissions: Array<string>, member: { id: string, name: string, role: MemberRole }, business: { id: string, name: string, mode: Network, disabledReason: string | null } } | null, businesses: Array<{ id: string, name: string, mode: Network }> };

export type DashboardMeQueryVariables = Exact<{ [key: string]: never; }>;


export type DashboardMeQuery = { me: { permissions: Array<string>, member: { id: string, name: string, role: MemberRole }, business: { id: string, name: string, mode: Network, disabledReason: string | null } } | null };

export type DashboardLinkQueryVariables = Exact<{
  token: string;
}>;


export type DashboardLinkQuery = { link: { expiresAt: string, member: { name: string, role: MemberRole }, business: { name: string, mode: Network } } | null };

export type DashboardLoginMethodsQueryVariables = Exact<{ [key: string]: never; }>;


export type DashboardLoginMethodsQuery = { loginMethods: { passkeys: boolean, passkeysFault: string | null } | null };

export type DashboardChallengePasskeyMutationVariables = Exact<{
  purpose: LoginPurpose;
  link?: string | null | undefined;
}>;


export type DashboardChallengePasskeyMutation = { options: Readonly<Record<string, unknown>> | null };

export type DashboardAddPasskeyMutationVariables = Exact<{
  answer: Readonly<Record<string, unknown>>;
  link?: string | null | undefined;
  name?: string | null | undefined;
}>;


export type DashboardAddPasskeyMutation = { outcome: { me: { permissions: Array<string>, member: { id: string, name: string, role: MemberRole }, business: { id: string, name: string, mode: Network, disabledReason: string | null } } | null, businesses: Array<{ id: string, name: string, mode: Network }> } | null };

export type DashboardLogInWithPasskeyMutationVariables = Exact<{
  answer: Readonly<Record<string, unknown>>;
}>;


export type DashboardLogInWithPasskeyMutation = { outcome: { me: { permissions: Array<string>, member: { id: string, name: string, role: MemberRole }, business: { id: string, name: string, mode: Network, disabledReason: string | null } } | null, businesses: Array<{ id: string, name: string, mode: Network }> } | null };

export type DashboardProveWithPasskeyMutationVariables = Exact<{
  answer: Readonly<Record<string, unknown>>;
}>;


export type DashboardProveWithPasskeyMutation = { me: { provenUntil: string } | null };

export type DashboardChallengeWalletMutationVariables = Exact<{
  purpose: LoginPurpose;
  wallet: string;
  link?: string | null | undefined;
}>;


export type DashboardChallengeWalletMutation = { challenge: { nonce: string, message: string, input: { domain: string, address: string, statement: string, uri: string, version: string, chainId: string, nonce: string, issuedAt: string, expirationTime: string, requestId: string, resources: Array<string> } } | null };

export type DashboardAddWalletMutationVariables = Exact<{
  wallet: string;
  link?: string | null | undefined;
  name?: string | null | undefined;
  nonce?: string | null | undefined;
  signature?: string | null | undefined;
  signedMessage?: string | null | undefined;
}>;


export type DashboardAddWalletMutation = { outcome: { me: { permissions: Array<string>, member: { id: string, name: string, role: MemberRole }, business: { id: string, name: string, mode: Network, disabledReason: string | null } } | null, businesses: Array<{ id: string, name: string, mode: Network }> } | null };

export type DashboardLogInWithWalletMutationVariables = Exact<{
  wallet: string;
  businessId?: string | null | undefined;
  nonce?: string | null | undefined;
  signature?: string | null | undefined;
  signedMessage?: string | null | undefined;
}>;


export type DashboardLogInWithWalletMutation = { outcome: { me: { permissions: Array<string>, member: { id: string, name: string, role: MemberRole }, business: { id: string, name: string, mode: Network, disabledReason: string | null } } | null, businesses: Array<{ id: string, name: string, mode: Network }> } | null };

export type DashboardProveWithWalletMutationVariables = Exact<{
  wallet: string;
  nonce?: string | null | undefined;
  signature?: string | null | undefined;
  signedMessage?: string | null | undefined;
}>;


export type DashboardProveWithWalletMutation = { me: { provenUntil: string } | null };

export type DashboardLogOutMutationVariables = Exact<{ [key: string]: never; }>;


export type DashboardLogOutMutation = { ended: { id: string } | null };

export type DashboardCouponsQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
  filter?: SubscriptionCouponFilter | null | undefined;
}>;


export type DashboardCouponsQuery = { coupons: { edges: Array<{ node: { uuid: string, code: string, percentOff: number | null, amountOffUsdCents: number | null, periods: number | null, maxUses: number | null, maxUsesPerWallet: number | null, uses: number, endsAt: string | null, productId: string | null, status: CatalogueStatus, createdAt: string } }>, pageInfo: { startCursor: string | null, endCursor: string | null, hasNextPage: boolean, hasPreviousPage: boolean } } | null, products: { edges: Array<{ node: { uuid: string, name: string, status: CatalogueStatus } }> } | null };

export type DashboardCouponFragment = { uuid: string, code: string, percentOff: number | null, amountOffUsdCents: number | null, periods: number | null, maxUses: number | null, maxUsesPerWallet: number | null, uses: number, endsAt: string | null, productId: string | null, status: CatalogueStatus, createdAt: string };

export type DashboardCreateCouponMutationVariables = Exact<{
  input: CreateSubscriptionCouponInput;
  idempotencyKey?: string | null | undefined;
}>;


export type DashboardCreateCouponMutation = { coupon: { uuid: string } | null };

export type DashboardArchiveCouponMutationVariables = Exact<{
  id: string;
}>;


export type DashboardArchiveCouponMutation = { coupon: { uuid: string } | null };

export type DashboardKeyFragment = { id: string, name: string, hint: string, scopes: Array<KeyScope>, createdAt: string, createdBy: string, lastUsedAt: string | null, revokedAt: string | null };

export type DashboardKeysQueryVariables = Exact<{ [key: string]: never; }>;


export type DashboardKeysQuery = { apiKeys: Array<{ id: string, name: string, hint: string, scopes: Array<KeyScope>, createdAt: string, createdBy: string, lastUsedAt: string | null, revokedAt: string | null }> | null };

export type DashboardCreateKeyMutationVariables = Exact<{
  name?: string | null | undefined;
  scopes?: Array<KeyScope> | KeyScope | null | undefined;
}>;


export type DashboardCreateKeyMutation = { created: { apiKey: string } | null };

export type DashboardRevokeKeyMutationVariables = Exact<{
  id: string;
}>;


export type DashboardRevokeKeyMutation = { key: { id: string } | null };

export type DashboardRollKeyMutationVariables = Exact<{
  id: string;
  overlapSeconds: number;
  idempotencyKey?: string | null | undefined;
}>;


export type DashboardRollKeyMutation = { rolled: { apiKey: string } | null };

export type DashboardEndpointsQueryVariables = Exact<{ [key: string]: never; }>;


export type DashboardEndpointsQuery = { endpoints: { edges: Array<{ node: { uuid: string, url: string, description: string | null, enabled: boolean, disabledReason: string | null, eventTypes: Array<string> } }> } | null, deliveries: { edges: Array<{ node: { uuid: string, type: string, url: string, status: WebhookDeliveryStatus, attemptCount: number, lastStatusCode: number | null, lastError: string | null, createdAt: string } }> } | null };

export type DashboardCreateEndpointMutationVariables = Exact<{
  input: CreateWebhookEndpointInput;
}>;


export type DashboardCreateEndpointMutation = { created: { secret: string } | null };

export type DashboardTestEndpointMutationVariables = Exact<{
  id: string;
}>;


export type DashboardTestEndpointMutation = { delivery: { uuid: string } | null };

export type DashboardDeleteEndpointMutationVariables = Exact<{
  id: string;
}>;


export type DashboardDeleteEndpointMutation = { endpoint: { uuid: string } | null };

export type DashboardRedeliverMutationVariables = Exact<{
  id: string;
}>;


export type DashboardRedeliverMutation = { delivery: { uuid: string } | null };

export type DashboardEventsQueryVariables = Exact<{
  type?: string | null | undefined;
  first?: number | null | undefined;
  last?: number | null | undefined;
  after?: string | null | undefined;
  before?: string | null | undefined;
}>;


export type DashboardEventsQuery = { config: { webhookEventTypes: Array<string> }, events: { edges: Array<{ node: { id: string, type: string, timestamp: string } }>, pageInfo: { startCursor: string | null, endCursor: string | null, hasNextPage: boolean, hasPreviousPage: boolean } } | null };

export type DashboardEventQueryVariables = Exact<{
  id: string;
}>;


export type DashboardEventQuery = { event: { id: string, type: string, timestamp: string, livemode: boolean, version: number, data: Readonly<Record<string, unknown>>, api_version: string, account: { id: string, name: string, is_seller: boolean, external_id: string | null } } | null };

export type DashboardEventDeliveriesQueryVariables = Exact<{
  id: string;
}>;


export type DashboardEventDeliveriesQuery = { deliveries: { edges: Array<{ node: { uuid: string, type: string, url: string, status: WebhookDeliveryStatus, attemptCount: number, lastStatusCode: number | null, lastError: string | null, createdAt: string, attempts: Array<{ number: number, startedAt: string, durationMs: number, responseStatus: number | null, error: string | null }> } }> } | null };

export type DashboardStartQueryVariables = Exact<{ [key: string]: never; }>;


export type DashboardStartQuery = { business: { name: string, livemode: boolean, sweepDestination: string | null } | null, swept: { edges: Array<{ node: { uuid: string } }> } };

export type DashboardStartOfDeveloperQueryVariables = Exact<{ [key: string]: never; }>;


export type DashboardStartOfDeveloperQuery = { apiKeys: Array<{ id: string, revokedAt: string | null }> | null, deliveries: { edges: Array<{ node: { uuid: string } }> } | null };

export type DashboardNeedsQueryVariables = Exact<{ [key: string]: never; }>;


export type DashboardNeedsQuery = { proposed: { edges: Array<{ node: { uuid: string, derivationIndex: number, createdAt: string, status: IntentStatus, reference: string | null, priceUsdCents: number, expectedAmount: string | null, receivedAmount: string, ticker: string | null, mintDecimals: number | null, customerDetails: { firstName: string | null, lastName: string | null, email: string | null } | null } }> }, failed: { edges: Array<{ node: { uuid: string, derivationIndex: number, createdAt: string, status: IntentStatus, reference: string | null, priceUsdCents: number, expectedAmount: string | null, receivedAmount: string, ticker: string | null, mintDecimals: number | null, customerDetails: { firstName: string | null, lastName: string | null, email: string | null } | null } }> }, held: { edges: Array<{ node: { uuid: string, derivationIndex: number, createdAt: string, status: IntentStatus, reference: string | null, priceUsdCents: number, expectedAmount: string | null, receivedAmount: string, ticker: string | null, mintDecimals: number | null, customerDetails: { firstName: string | null, lastName: string | null, email: string | null } | null } }> } };

export type DashboardFailedRefundsQueryVariables = Exact<{
  from: string;
}>;


export type DashboardFailedRefundsQuery = { refunds: { edges: Array<{ node: { uuid: string } }> } | null };

export type DashboardTroublesQueryVariables = Exact<{
  seesEndpoints: boolean;
}>;


export type DashboardTroublesQuery = { business: { sweepDestination: string | null, payoutProblems: Array<{ ticker: string | null, reason: string }>, pendingPayoutChange: { effectiveAt: string } | null } | null, endpoints?: { edges: Array<{ node: { uuid: string, url: string, enabled: boolean, disabledReason: string | null } }> } | null, deliveries?: { edges: Array<{ node: { endpointId: string, status: WebhookDeliveryStatus, attemptCount: number, lastStatusCode: number | null, lastError: string | null } }> } | null };

export type DashboardLateSubscriptionsQueryVariables = Exact<{ [key: string]: never; }>;


export type DashboardLateSubscriptionsQuery = { pastDue: { edges: Array<{ node: { uuid: string } }> } | null, toRenew: { edges: Array<{ node: { uuid: string } }> } | null };

export type DashboardNowQueryVariables = Exact<{ [key: string]: never; }>;


export type DashboardNowQuery = { stats: { end: string } | null };

export type DashboardFiguresFragment = { volumeUsdCents: string, netUsdCents: string, feesUsdCents: string, paymentsCount: number, paidCount: number, recurringUsdCents: string | null };

export type DashboardFiguresOfPeriodQueryVariables = Exact<{
  before?: string | null | undefined;
  from?: string | null | undefined;
  to?: string | null | undefined;
  interval?: StatsInterval | null | undefined;
  timezone?: string | null | undefined;
}>;


export type DashboardFiguresOfPeriodQuery = { present: { volumeUsdCents: string, netUsdCents: string, feesUsdCents: string, paymentsCount: number, paidCount: number, recurringUsdCents: string | null } | null, previous: { volumeUsdCents: string, netUsdCents: string, feesUsdCents: string, paymentsCount: number, paidCount: number, recurringUsdCents: string | null } | null, series: { buckets: Array<{ start: string, volumeUsdCents: string, netUsdCents: string, feesUsdCents: string, paymentsCount: number, paidCount: number, recurringUsdCents: string | null }> } | null, previousSeries: { buckets: Array<{ start: string, volumeUsdCents: string, netUsdCents: string, feesUsdCents: string, paymentsCount: number, paidCount: number, recurringUsdCents: string | null }> } | null };

export type DashboardApplicationQueryVariables = Exact<{ [key: string]: never; }>;


export type DashboardApplicationQuery = { business: { id: string, marketplaceApplication: { state: MarketplaceApplicationState, website: string, sells: string, expectedVolume: string, reason: string | null, appliedAt: string, decidedAt: string | null } | null } | null };

export type DashboardApplyMutationVariables = Exact<{
  input: MarketplaceApplicationInput;
}>;


export type DashboardApplyMutation = { application: { state: MarketplaceApplicationState } | null };

export type DashboardMarketplaceAuditQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
  filter?: AuditFilter | null | undefined;
}>;


export type DashboardMarketplaceAuditQuery = { entries: { edges: Array<{ node: { id: string, action: AuditAction, createdAt: string, changes: Readonly<Record<string, unknown>>, actor: { kind: AuditActorKind, credential: string | null, ip: string | null }, seller: { uuid: string, name: string } | null } }>, pageInfo: { startCursor: string | null, endCursor: string | null, hasNextPage: boolean, hasPreviousPage: boolean } } | null };

export type DashboardMarketplaceNowQueryVariables = Exact<{ [key: string]: never; }>;


export type DashboardMarketplaceNowQuery = { stats: { end: string } | null };

export type DashboardMarketplaceFiguresFragment = { start: string, volumeUsdCents: string, feeRevenueUsdCents: string, paymentsCount: number, countsByStatus: { swept: number } };

export type DashboardMarketplaceStatsQueryVariables = Exact<{
  from?: string | null | undefined;
  interval?: StatsInterval | null | undefined;
  timezone?: string | null | undefined;
  sellerId?: string | null | undefined;
}>;


export type DashboardMarketplaceStatsQuery = { stats: { start: string, volumeUsdCents: string, feeRevenueUsdCents: string, paymentsCount: number, byAsset: Array<{ ticker: string, decimals: number, volume: string, feeRevenue: string, paymentsCount: number }>, countsByStatus: { swept: number } } | null, series: { buckets: Array<{ start: string, volumeUsdCents: string, feeRevenueUsdCents: string, paymentsCount: number, countsByStatus: { swept: number } }> } | null };

export type DashboardMarketplaceFragment = { status: MarketplaceStatus, defaultFeeBps: number, feeWallet: string | null, sellerLimit: number | null, sellersCount: number, sellersTotal: number };

export type DashboardMarketplaceQueryVariables = Exact<{ [key: string]: never; }>;


export type DashboardMarketplaceQuery = { marketplace: { status: MarketplaceStatus, defaultFeeBps: number, feeWallet: string | null, sellerLimit: number | null, sellersCount: number, sellersTotal: number } | null };

export type DashboardSellerFragment = { uuid: string, name: string, externalId: string | null, description: string | null, label: string | null, logoUrl: string | null, sweepDestination: string | null, marketplaceFeeBps: number | null, status: SellerStatus, disabledAt: string | null, createdAt: string };

export type DashboardSellerQueryVariables = Exact<{
  id: string;
}>;


export type DashboardSellerQuery = { seller: { uuid: string, name: string, externalId: string | null, description: string | null, label: string | null, logoUrl: string | null, sweepDestination: string | null, marketplaceFeeBps: number | null, status: SellerStatus, disabledAt: string | null, createdAt: string } | null };

export type DashboardOneSellersPaymentsQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
  filter?: MarketplacePaymentFilter | null | undefined;
}>;


export type DashboardOneSellersPaymentsQuery = { payments: { edges: Array<{ node: { uuid: string, derivationIndex: number, createdAt: string, status: IntentStatus, reference: string | null, priceUsdCents: number, expectedAmount: string | null, receivedAmount: string, ticker: string | null, mintDecimals: number | null, customerDetails: { firstName: string | null, lastName: string | null, email: string | null } | null } }>, pageInfo: { startCursor: string | null, endCursor: string | null, hasNextPage: boolean, hasPreviousPage: boolean } } | null };

export type DashboardUpdateSellerMutationVariables = Exact<{
  id: string;
  input: UpdateSellerInput;
}>;


export type DashboardUpdateSellerMutation = { seller: { uuid: string } | null };

export type DashboardSellerLogoMutationVariables = Exact<{
  id: string;
  image?: string | null | undefined;
}>;


export type DashboardSellerLogoMutation = { seller: { uuid: string } | null };

export type DashboardArchiveSellerMutationVariables = Exact<{
  id: string;
}>;


export type DashboardArchiveSellerMutation = { seller: { uuid: string } | null };

export type DashboardSellersQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
  filter?: SellerFilter | null | undefined;
}>;


export type DashboardSellersQuery = { sellers: { edges: Array<{ node: { uuid: string, name: string, externalId: string | null, description: string | null, label: string | null, logoUrl: string | null, sweepDestination: string | null, marketplaceFeeBps: number | null, status: SellerStatus, disabledAt: string | null, createdAt: string } }>, pageInfo: { startCursor: string | null, endCursor: string | null, hasNextPage: boolean, hasPreviousPage: boolean } } | null };

export type DashboardCreateSellerMutationVariables = Exact<{
  input: CreateSellerInput;
  idempotencyKey?: string | null | undefined;
}>;


export type DashboardCreateSellerMutation = { created: { created: boolean, seller: { uuid: string } } | null };

export type DashboardFeesQueryVariables = Exact<{ [key: string]: never; }>;


export type DashboardFeesQuery = { config: { platformFeeBps: number, maxMarketplaceFeeBps: number }, business: { id: string, sweepDestination: string | null } | null };

export type DashboardUpdateTermsMutationVariables = Exact<{
  input: UpdateMarketplaceInput;
}>;


export type DashboardUpdateTermsMutation = { marketplace: { status: MarketplaceStatus } | null };

export type DashboardTokensQueryVariables = Exact<{ [key: string]: never; }>;


export type DashboardTokensQuery = { allowedTokens: Array<{ asset: string, name: string, ticker: string, decimals: number, network: Network }> };

export type DashboardCreatePaymentMutationVariables = Exact<{
  input: CreatePaymentIntentInput;
  idempotencyKey?: string | null | undefined;
}>;


export type DashboardCreatePaymentMutation = { created: { created: boolean, checkoutUrl: string | null, clientSecret: string | null, intent: { uuid: string, expiresAt: string } } | null };

export type DashboardPaymentDetailQueryVariables = Exact<{
  id: string;
}>;


export type DashboardPaymentDetailQuery = { payment: { message: string, action: IntentAction, address: string, asset: string | null, acceptedAssets: Array<string>, expiresAt: string, description: string | null, metadata: Readonly<Record<string, unknown>> | null, refundSender: string | null, refundableAmount: string | null, uuid: string, derivationIndex: number, createdAt: string, status: IntentStatus, reference: string | null, priceUsdCents: number, expectedAmount: string | null, receivedAmount: string, ticker: string | null, mintDecimals: number | null, lineItems: Array<{ name: string, quantity: number, amountUsdCents: number }>, seller: { uuid: string, name: string } | null, held: Array<{ mint: string | null, amount: string, reason: string }>, heldTotals: Array<{ mint: string | null, amount: string }> | null, refundAddress: { isWanted: boolean, proposal: { address: string, status: AddressProposalStatus, reason: string | null, proposedAt: string, decidedAt: string | null } | null } | null, latestDeposits: { edges: Array<{ node: { amount: string, asset: string, signature: string, seenAt: string, use: DepositUse } }> }, transfers: { edges: Array<{ node: { id: string, kind: TransferKind, status: TransferStatus, asset: string, createdAt: string, doneAt: string | null, reason: string | null, signature: string | null, legs: Array<{ role: LegRole, destination: string, amount: string, movedAmount: string | null }> } }> }, settledLegs: Array<{ role: LegRole, destination: string, amount: string, decimals: number, ticker: string, usd: string, signature: string }>, businessRefunds: Array<{ uuid: string, paymentId: string | null, chargeId: string | null, subscriptionId: string | null, part: BusinessRefundPart, partOf: string | null, status: BusinessRefundStatus, mint: string | null, decimals: number, amount: string, paidAmount: string, recipient: string, signatures: Array<string>, problem: string | null, createdAt: string, endedAt: string | null }>, events: { edges: Array<{ node: { id: string, type: string, createdAt: string } }> }, customerDetails: { firstName: string | null, lastName: string | null, email: string | null } | null } | null };

export type DashboardPaymentDeliveriesQueryVariables = Exact<{
  id: string;
}>;


export type DashboardPaymentDeliveriesQuery = { deliveries: { edges: Array<{ node: { eventId: string, uuid: string, type: string, url: string, status: WebhookDeliveryStatus, attemptCount: number, lastStatusCode: number | null, lastError: string | null, createdAt: string, attempts: Array<{ number: number, startedAt: string, durationMs: number, responseStatus: number | null, error: string | null }> } }> } | null };

export type DashboardCancelPaymentMutationVariables = Exact<{
  index: number;
}>;


export type DashboardCancelPaymentMutation = { payment: { uuid: string } | null };

export type DashboardSweepPaymentMutationVariables = Exact<{
  index: number;
}>;


export type DashboardSweepPaymentMutation = { swept: { signature: string } | null };

export type DashboardSimulateDepositMutationVariables = Exact<{
  index: number;
  kind: SimulatedDeposit;
}>;


export type DashboardSimulateDepositMutation = { paid: { signature: string } | null };

export type DashboardApproveAddressMutationVariables = Exact<{
  id: string;
  address: string;
}>;


export type DashboardApproveAddressMutation = { payment: { uuid: string } | null };

export type DashboardDeclineAddressMutationVariables = Exact<{
  id: string;
  address: string;
  reason: string;
}>;


export type DashboardDeclineAddressMutation = { payment: { uuid: string } | null };

export type DashboardPaymentPageFragment = { edges: Array<{ node: { uuid: string, derivationIndex: number, createdAt: string, status: IntentStatus, reference: string | null, priceUsdCents: number, expectedAmount: string | null, receivedAmount: string, ticker: string | null, mintDecimals: number | null, seller: { uuid: string, name: string } | null, customerDetails: { firstName: string | null, lastName: string | null, email: string | null } | null } }>, pageInfo: { startCursor: string | null, endCursor: string | null, hasNextPage: boolean, hasPreviousPage: boolean } };

export type DashboardPaymentsQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
  filter?: PaymentIntentFilter | null | undefined;
}>;


export type DashboardPaymentsQuery = { payments: { edges: Array<{ node: { uuid: string, derivationIndex: number, createdAt: string, status: IntentStatus, reference: string | null, priceUsdCents: number, expectedAmount: string | null, receivedAmount: string, ticker: string | null, mintDecimals: number | null, seller: { uuid: string, name: string } | null, customerDetails: { firstName: string | null, lastName: string | null, email: string | null } | null } }>, pageInfo: { startCursor: string | null, endCursor: string | null, hasNextPage: boolean, hasPreviousPage: boolean } } };

export type DashboardSellerPaymentsQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
  filter?: MarketplacePaymentFilter | null | undefined;
}>;


export type DashboardSellerPaymentsQuery = { payments: { edges: Array<{ node: { uuid: string, derivationIndex: number, createdAt: string, status: IntentStatus, reference: string | null, priceUsdCents: number, expectedAmount: string | null, receivedAmount: string, ticker: string | null, mintDecimals: number | null, seller: { uuid: string, name: string } | null, customerDetails: { firstName: string | null, lastName: string | null, email: string | null } | null } }>, pageInfo: { startCursor: string | null, endCursor: string | null, hasNextPage: boolean, hasPreviousPage: boolean } } | null };

export type DashboardPaymentSellersQueryVariables = Exact<{ [key: string]: never; }>;


export type DashboardPaymentSellersQuery = { sellers: { edges: Array<{ node: { uuid: string, name: string } }> } | null };

export type DashboardProductQueryVariables = Exact<{
  id: string;
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}>;


export type DashboardProductQuery = { product: { uuid: string, name: string, description: string | null, status: CatalogueStatus, externalId: string | null, createdAt: string } | null, tiers: { edges: Array<{ node: { uuid: string, productId: string, name: string, description: string | null, status: CatalogueStatus, priceUsdCents: number, interval: SubscriptionInterval, intervalCount: number, authorizationPeriods: number, trialDays: number, totalAuthorizationUsdCents: number, mint: string, ticker: string | null, decimals: number } }>, pageInfo: { startCursor: string | null, endCursor: string | null, hasNextPage: boolean, hasPreviousPage: boolean } } | null };

export type DashboardUpdateProductMutationVariables = Exact<{
  id: string;
  input: UpdateSubscriptionProductInput;
}>;


export type DashboardUpdateProductMutation = { product: { uuid: string } | null };

export type DashboardCreateTierMutationVariables = Exact<{
  productId: string;
  input: CreateSubscriptionTierInput;
  idempotencyKey?: string | null | undefined;
}>;


export type DashboardCreateTierMutation = { tier: { uuid: string } | null };

export type DashboardUpdateTierMutationVariables = Exact<{
  id: string;
  input: UpdateSubscriptionTierInput;
}>;


export type DashboardUpdateTierMutation = { tier: { uuid: string } | null };

export type DashboardCreateCheckoutMutationVariables = Exact<{
  tierId: string;
}>;


export type DashboardCreateCheckoutMutation = { created: { checkoutUrl: string, intent: { expiresAt: string } } | null };

export type DashboardProductsQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
  filter?: SubscriptionProductFilter | null | undefined;
}>;


export type DashboardProductsQuery = { products: { edges: Array<{ node: { uuid: string, name: string, description: string | null, status: CatalogueStatus, createdAt: string } }>, pageInfo: { startCursor: string | null, endCursor: string | null, hasNextPage: boolean, hasPreviousPage: boolean } } | null };

export type DashboardCreateProductMutationVariables = Exact<{
  input: CreateSubscriptionProductInput;
  idempotencyKey?: string | null | undefined;
}>;


export type DashboardCreateProductMutation = { created: { product: { uuid: string } } | null };

export type DashboardRefundTermsQueryVariables = Exact<{
  paymentId?: string | null | undefined;
  chargeId?: string | null | undefined;
}>;


export type DashboardRefundTermsQuery = { terms: { refundable: string, recipient: string | null, most: string, payer: string | null } | null };

export type DashboardCreateRefundMutationVariables = Exact<{
  input: CreateRefundInput;
  idempotencyKey?: string | null | undefined;
}>;


export type DashboardCreateRefundMutation = { created: { refund: { uuid: string } } | null };

export type DashboardCancelRefundMutationVariables = Exact<{
  id: string;
}>;


export type DashboardCancelRefundMutation = { refund: { uuid: string } | null };

export type DashboardRefundDetailQueryVariables = Exact<{
  id: string;
}>;


export type DashboardRefundDetailQuery = { refund: { reverseFee: boolean, paidBy: Array<string>, payer: string, paymentUri: string | null, reference: string | null, reason: string | null, expiresAt: string, uuid: string, paymentId: string | null, chargeId: string | null, subscriptionId: string | null, part: BusinessRefundPart, partOf: string | null, status: BusinessRefundStatus, mint: string | null, decimals: number, amount: string, paidAmount: string, recipient: string, signatures: Array<string>, problem: string | null, createdAt: string, endedAt: string | null } | null };

export type DashboardRefundTransactionQueryVariables = Exact<{
  id: string;
}>;


export type DashboardRefundTransactionQuery = { offer: { transaction: string | null, reason: string | null } | null };

export type DashboardRefundsQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
  filter?: BusinessRefundFilter | null | undefined;
}>;


export type DashboardRefundsQuery = { refunds: { edges: Array<{ node: { uuid: string, paymentId: string | null, chargeId: string | null, subscriptionId: string | null, part: BusinessRefundPart, partOf: string | null, status: BusinessRefundStatus, mint: string | null, decimals: number, amount: string, paidAmount: string, recipient: string, signatures: Array<string>, problem: string | null, createdAt: string, endedAt: string | null } }>, pageInfo: { startCursor: string | null, endCursor: string | null, hasNextPage: boolean, hasPreviousPage: boolean } } | null };

export type DashboardRequestsQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
  filter?: ApiRequestFilter | null | undefined;
}>;


export type DashboardRequestsQuery = { requests: { edges: Array<{ node: { uuid: string, keyHint: string, method: string, route: string, status: number, errorCode: string | null, requestId: string, createdAt: string } }>, pageInfo: { startCursor: string | null, endCursor: string | null, hasNextPage: boolean, hasPreviousPage: boolean } } | null };

export type DashboardAuditLogQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
  filter?: AuditFilter | null | undefined;
}>;


export type DashboardAuditLogQuery = { entries: { edges: Array<{ node: { id: string, action: AuditAction, createdAt: string, changes: Readonly<Record<string, unknown>>, actor: { kind: AuditActorKind, credential: string | null, ip: string | null }, seller: { uuid: string, name: string } | null } }>, pageInfo: { startCursor: string | null, endCursor: string | null, hasNextPage: boolean, hasPreviousPage: boolean } } | null };

export type DashboardUpdateBrandMutationVariables = Exact<{
  input: UpdateBusinessInput;
  changesLogo: boolean;
  logo?: string | null | undefined;
}>;


export type DashboardUpdateBrandMutation = { business: { id: string } | null, logo?: { id: string } | null };

export type DashboardExampleTokensQueryVariables = Exact<{ [key: string]: never; }>;


export type DashboardExampleTokensQuery = { allowedTokens: Array<{ asset: string, name: string, ticker: string, network: Network, decimals: number, imageUrl: string | null }> };

export type DashboardUpdateDefaultsMutationVariables = Exact<{
  input: UpdateBusinessInput;
}>;


export type DashboardUpdateDefaultsMutation = { business: { id: string } | null };

export type DashboardDomainsQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}>;


export type DashboardDomainsQuery = { domains: { edges: Array<{ node: { uuid: string, host: string, createdAt: string } }>, pageInfo: { startCursor: string | null, endCursor: string | null, hasNextPage: boolean, hasPreviousPage: boolean } } | null };

export type DashboardAddDomainMutationVariables = Exact<{
  host: string;
}>;


export type DashboardAddDomainMutation = { domain: { created: boolean } | null };

export type DashboardRemoveDomainMutationVariables = Exact<{
  id: string;
}>;


export type DashboardRemoveDomainMutation = { domain: { uuid: string } | null };

export type DashboardMembersQueryVariables = Exact<{ [key: string]: never; }>;


export type DashboardMembersQuery = { members: Array<{ id: string, name: string, email: string | null, role: MemberRole, createdAt: string, logins: Array<{ id: string, createdAt: string, lastUsedAt: string | null }> }> | null };

export type DashboardInviteMutationVariables = Exact<{
  name: string;
  email?: string | null | undefined;
  role: MemberRole;
}>;


export type DashboardInviteMutation = { invited: { url: string } | null };

export type DashboardChangeRoleMutationVariables = Exact<{
  id: string;
  role: MemberRole;
}>;


export type DashboardChangeRoleMutation = { member: { id: string } | null };

export type DashboardNewLinkMutationVariables = Exact<{
  id: string;
}>;


export type DashboardNewLinkMutation = { invited: { url: string } | null };

export type DashboardRemoveMemberMutationVariables = Exact<{
  id: string;
}>;


export type DashboardRemoveMemberMutation = { member: { id: string } | null };

export type DashboardChangeWalletMutationVariables = Exact<{
  wallet?: string | null | undefined;
}>;


export type DashboardChangeWalletMutation = { business: { id: string } | null };

export type DashboardKeepWalletMutationVariables = Exact<{ [key: string]: never; }>;


export type DashboardKeepWalletMutation = { business: { id: string } | null };

export type DashboardSessionsQueryVariables = Exact<{ [key: string]: never; }>;


export type DashboardSessionsQuery = { sessions: Array<{ id: string, memberId: string, createdAt: string, lastSeenAt: string, ip: string, userAgent: string }> | null, me: { session: { id: string } } | null };

export type DashboardEndSessionMutationVariables = Exact<{
  id: string;
}>;


export type DashboardEndSessionMutation = { session: { id: string } | null };

export type DashboardBusinessFragment = { id: string, name: string, label: string | null, sweepDestination: string | null, logoUrl: string | null, supportUrl: string | null, supportEmail: string | null, accentColor: string | null, acceptedAssets: Array<string>, successUrl: string | null, cancelUrl: string | null, underpaymentToleranceBps: number, pendingPayoutChange: { sweepDestination: string | null, effectiveAt: string, requestedBy: string, ip: string } | null };

export type DashboardBusinessQueryVariables = Exact<{ [key: string]: never; }>;


export type DashboardBusinessQuery = { business: { id: string, name: string, label: string | null, sweepDestination: string | null, logoUrl: string | null, supportUrl: string | null, supportEmail: string | null, accentColor: string | null, acceptedAssets: Array<string>, successUrl: string | null, cancelUrl: string | null, underpaymentToleranceBps: number, pendingPayoutChange: { sweepDestination: string | null, effectiveAt: string, requestedBy: string, ip: string } | null } | null };

export type DashboardSubscriptionFiguresQueryVariables = Exact<{
  from: string;
  timezone: string;
}>;


export type DashboardSubscriptionFiguresQuery = { revenue: { buckets: Array<{ start: string, recurringUsdCents: string | null, chargesCount: number | null }> } | null, movement: Array<{ start: string, begun: number, ended: number }> | null, failures: Array<{ failureCode: ChargeFailureCode, count: number, usdCents: string }> | null, forecast: Array<{ start: string, count: number, usdCents: string, coveredUsdCents: string }> | null };

export type DashboardSubscriptionDetailQueryVariables = Exact<{
  id: string;
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}>;


export type DashboardSubscriptionDetailQuery = { subscription: { authorizedAmount: string, approveSignature: string | null, remainingAmount: string, remainingPeriods: number, stoppedBy: SubscriptionParty | null, manageable: boolean, currentPeriodStart: string | null, trialEndsAt: string | null, activatedAt: string | null, canceledAt: string | null, endedAt: string | null, metadata: Readonly<Record<string, unknown>>, uuid: string, status: BillingSubscriptionStatus, subscriberWallet: string, unitAmount: string, cancelAtPeriodEnd: boolean, currentPeriodEnd: string | null, nextChargeAt: string | null, createdAt: string, delegation: { status: SubscriptionDelegationStatus, chainAllowance: string, chainCheckedAt: string | null, liveSubscriptions: number, tokenAccount: string } | null, discount: { code: string, percentOff: number | null, amountOffUsdCents: number | null, amount: string, periodsLeft: number | null } | null, tier: { uuid: string, productId: string, name: string, description: string | null, status: CatalogueStatus, priceUsdCents: number, interval: SubscriptionInterval, intervalCount: number, authorizationPeriods: number, trialDays: number, totalAuthorizationUsdCents: number, mint: string, ticker: string | null, decimals: number, product: { uuid: string, name: string } } } | null, charges: { edges: Array<{ node: { uuid: string, periodIndex: number, amount: string, feeAmount: string, netAmount: string, status: ChargeStatus, failureCode: ChargeFailureCode | null, recoveryAction: ChargeRecoveryAction | null, attempts: number, signature: string | null, explorerUrl: string | null, createdAt: string, settledAt: string | null, refundableAmount: string | null, waiting: { until: string } | null, businessRefunds: Array<{ uuid: string, paymentId: string | null, chargeId: string | null, subscriptionId: string | null, part: BusinessRefundPart, partOf: string | null, status: BusinessRefundStatus, mint: string | null, decimals: number, amount: string, paidAmount: string, recipient: string, signatures: Array<string>, problem: string | null, createdAt: string, endedAt: string | null }> } }>, pageInfo: { startCursor: string | null, endCursor: string | null, hasNextPage: boolean, hasPreviousPage: boolean } } | null };

export type DashboardSubscriptionEventsQueryVariables = Exact<{
  id: string;
}>;


export type DashboardSubscriptionEventsQuery = { events: { edges: Array<{ node: { id: string, type: string, timestamp: string, data: Readonly<Record<string, unknown>> } }>, pageInfo: { hasPreviousPage: boolean } } | null };

export type DashboardDeliveriesOfEventsQueryVariables = Exact<{
  ids: Array<string> | string;
}>;


export type DashboardDeliveriesOfEventsQuery = { deliveries: { edges: Array<{ node: { eventId: string, uuid: string, type: string, url: string, status: WebhookDeliveryStatus, attemptCount: number, lastStatusCode: number | null, lastError: string | null, createdAt: string, attempts: Array<{ number: number, startedAt: string, durationMs: number, responseStatus: number | null, error: string | null }> } }> } | null };

export type DashboardChargeFragment = { uuid: string, periodIndex: number, amount: string, feeAmount: string, netAmount: string, status: ChargeStatus, failureCode: ChargeFailureCode | null, recoveryAction: ChargeRecoveryAction | null, attempts: number, signature: string | null, explorerUrl: string | null, createdAt: string, settledAt: string | null, refundableAmount: string | null, waiting: { until: string } | null, businessRefunds: Array<{ uuid: string, paymentId: string | null, chargeId: string | null, subscriptionId: string | null, part: BusinessRefundPart, partOf: string | null, status: BusinessRefundStatus, mint: string | null, decimals: number, amount: string, paidAmount: string, recipient: string, signatures: Array<string>, problem: string | null, createdAt: string, endedAt: string | null }> };

export type DashboardOtherTiersQueryVariables = Exact<{
  productId: string;
}>;


export type DashboardOtherTiersQuery = { tiers: { edges: Array<{ node: { uuid: string, productId: string, name: string, description: string | null, status: CatalogueStatus, priceUsdCents: number, interval: SubscriptionInterval, intervalCount: number, authorizationPeriods: number, trialDays: number, totalAuthorizationUsdCents: number, mint: string, ticker: string | null, decimals: number } }> } | null };

export type DashboardPauseSubscriptionMutationVariables = Exact<{
  id: string;
}>;


export type DashboardPauseSubscriptionMutation = { subscription: { uuid: string } | null };

export type DashboardResumeSubscriptionMutationVariables = Exact<{
  id: string;
}>;


export type DashboardResumeSubscriptionMutation = { subscription: { uuid: string } | null };

export type DashboardCancelSubscriptionMutationVariables = Exact<{
  id: string;
  atPeriodEnd: boolean;
}>;


export type DashboardCancelSubscriptionMutation = { subscription: { uuid: string } | null };

export type DashboardChargeNowMutationVariables = Exact<{
  id: string;
}>;


export type DashboardChargeNowMutation = { subscription: { uuid: string } | null };

export type DashboardChangeTierMutationVariables = Exact<{
  id: string;
  tierId: string;
}>;


export type DashboardChangeTierMutation = { subscription: { uuid: string } | null };

export type DashboardPortalLinkMutationVariables = Exact<{
  id: string;
}>;


export type DashboardPortalLinkMutation = { link: { portalUrl: string, expiresAt: string } | null };

export type DashboardSubscriptionsQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
  filter?: BillingSubscriptionFilter | null | undefined;
}>;


export type DashboardSubscriptionsQuery = { subscriptions: { edges: Array<{ node: { uuid: string, status: BillingSubscriptionStatus, subscriberWallet: string, unitAmount: string, cancelAtPeriodEnd: boolean, currentPeriodEnd: string | null, nextChargeAt: string | null, createdAt: string, discount: { code: string, percentOff: number | null, amountOffUsdCents: number | null, amount: string, periodsLeft: number | null } | null, tier: { uuid: string, productId: string, name: string, description: string | null, status: CatalogueStatus, priceUsdCents: number, interval: SubscriptionInterval, intervalCount: number, authorizationPeriods: number, trialDays: number, totalAuthorizationUsdCents: number, mint: string, ticker: string | null, decimals: number, product: { uuid: string, name: string } } } }>, pageInfo: { startCursor: string | null, endCursor: string | null, hasNextPage: boolean, hasPreviousPage: boolean } } | null };

export type DashboardProductNamesQueryVariables = Exact<{ [key: string]: never; }>;


export type DashboardProductNamesQuery = { products: { edges: Array<{ node: { uuid: string, name: string } }> } | null };

export type DashboardAuditEntryFragment = { id: string, action: AuditAction, createdAt: string, changes: Readonly<Record<string, unknown>>, actor: { kind: AuditActorKind, credential: string | null, ip: string | null }, seller: { uuid: string, name: string } | null };

export type DashboardTierFragment = { uuid: string, productId: string, name: string, description: string | null, status: CatalogueStatus, priceUsdCents: number, interval: SubscriptionInterval, intervalCount: number, authorizationPeriods: number, trialDays: number, totalAuthorizationUsdCents: number, mint: string, ticker: string | null, decimals: number };

export type DashboardSubscriptionFragment = { uuid: string, status: BillingSubscriptionStatus, subscriberWallet: string, unitAmount: string, cancelAtPeriodEnd: boolean, currentPeriodEnd: string | null, nextChargeAt: string | null, createdAt: string, discount: { code: string, percentOff: number | null, amountOffUsdCents: number | null, amount: string, periodsLeft: number | null } | null, tier: { uuid: string, productId: string, name: string, description: string | null, status: CatalogueStatus, priceUsdCents: number, interval: SubscriptionInterval, intervalCount: number, authorizationPeriods: number, trialDays: number, totalAuthorizationUsdCents: number, mint: string, ticker: string | null, decimals: number, product: { uuid: string, name: string } } };

export type DashboardDeliveryFragment = { uuid: string, type: string, url: string, status: WebhookDeliveryStatus, attemptCount: number, lastStatusCode: number | null, lastError: string | null, createdAt: string };

export type DashboardDeliveryAttemptsFragment = { uuid: string, type: string, url: string, status: WebhookDeliveryStatus, attemptCount: number, lastStatusCode: number | null, lastError: string | null, createdAt: string, attempts: Array<{ number: number, startedAt: string, durationMs: number, responseStatus: number | null, error: string | null }> };

export type DashboardPaymentFragment = { uuid: string, derivationIndex: number, createdAt: string, status: IntentStatus, reference: string | null, priceUsdCents: number, expectedAmount: string | null, receivedAmount: string, ticker: string | null, mintDecimals: number | null, customerDetails: { firstName: string | null, lastName: string | null, email: string | null } | null };

export type DashboardRefundFragment = { uuid: string, paymentId: string | null, chargeId: string | null, subscriptionId: string | null, part: BusinessRefundPart, partOf: string | null, status: BusinessRefundStatus, mint: string | null, decimals: number, amount: string, paidAmount: string, recipient: string, signatures: Array<string>, problem: string | null, createdAt: string, endedAt: string | null };

export type DashboardPaymentReceiptQueryVariables = Exact<{
  id: string;
}>;


export type DashboardPaymentReceiptQuery = { subject: { receipt: { jws: string } | null } | null };

export type DashboardChargeReceiptQueryVariables = Exact<{
  id: string;
}>;


export type DashboardChargeReceiptQuery = { subject: { receipt: { jws: string } | null } | null };

export type DashboardRefundReceiptQueryVariables = Exact<{
  id: string;
}>;


export type DashboardRefundReceiptQuery = { subject: { receipt: { jws: string } | null } | null };

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
export const DashboardMeFragmentDoc = new TypedDocumentString(`
    fragment DashboardMe on Me {
  member {
    id
    name
    role
  }
  business {
    id
    name
    mode
    disabledReason
  }
  permissions
}
    `, {"fragmentName":"DashboardMe"}) as unknown as TypedDocumentString<DashboardMeFragment, unknown>;
export const DashboardLogInFragmentDoc = new TypedDocumentString(`
    fragment DashboardLogIn on LogIn {
  me {
    ...DashboardMe
  }
  businesses {
    id
    name
    mode
  }
}
    fragment DashboardMe on Me {
  member {
    id
    name
    role
  }
  business {
    id
    name
    mode
    disabledReason
  }
  permissions
}`, {"fragmentName":"DashboardLogIn"}) as unknown as TypedDocumentString<DashboardLogInFragment, unknown>;
export const DashboardCouponFragmentDoc = new TypedDocumentString(`
    fragment DashboardCoupon on SubscriptionCoupon {
  uuid
  code
  percentOff
  amountOffUsdCents
  periods
  maxUses
  maxUsesPerWallet
  uses
  endsAt
  productId
  status
  createdAt
}
    `, {"fragmentName":"DashboardCoupon"}) as unknown as TypedDocumentString<DashboardCouponFragment, unknown>;
export const DashboardKeyFragmentDoc = new TypedDocumentString(`
    fragment DashboardKey on ApiKey {
  id
  name
  hint
  scopes
  createdAt
  createdBy
  lastUsedAt
  revokedAt
}
    `, {"fragmentName":"DashboardKey"}) as unknown as TypedDocumentString<DashboardKeyFragment, unknown>;
export const DashboardFiguresFragmentDoc = new TypedDocumentString(`
    fragment DashboardFigures on Stats {
  volumeUsdCents
  netUsdCents
  feesUsdCents
  paymentsCount
  paidCount
  recurringUsdCents
}
    `, {"fragmentName":"DashboardFigures"}) as unknown as TypedDocumentString<DashboardFiguresFragment, unknown>;
export const DashboardMarketplaceFiguresFragmentDoc = new TypedDocumentString(`
    fragment DashboardMarketplaceFigures on MarketplaceStats {
  start
  volumeUsdCents
  feeRevenueUsdCents
  paymentsCount
  countsByStatus {
    swept
  }
}
    `, {"fragmentName":"DashboardMarketplaceFigures"}) as unknown as TypedDocumentString<DashboardMarketplaceFiguresFragment, unknown>;
export const DashboardMarketplaceFragmentDoc = new TypedDocumentString(`
    fragment DashboardMarketplace on Marketplace {
  status
  defaultFeeBps
  feeWallet
  sellerLimit
  sellersCount
  sellersTotal
}
    `, {"fragmentName":"DashboardMarketplace"}) as unknown as TypedDocumentString<DashboardMarketplaceFragment, unknown>;
export const DashboardSellerFragmentDoc = new TypedDocumentString(`
    fragment DashboardSeller on Seller {
  uuid
  name
  externalId
  description
  label
  logoUrl
  sweepDestination
  marketplaceFeeBps
  status
  disabledAt
  createdAt
}
    `, {"fragmentName":"DashboardSeller"}) as unknown as TypedDocumentString<DashboardSellerFragment, unknown>;
export const DashboardPaymentFragmentDoc = new TypedDocumentString(`
    fragment DashboardPayment on PaymentIntent {
  uuid
  derivationIndex
  createdAt
  status
  reference
  priceUsdCents
  expectedAmount
  receivedAmount
  ticker
  mintDecimals
  customerDetails {
    firstName
    lastName
    email
  }
}
    `, {"fragmentName":"DashboardPayment"}) as unknown as TypedDocumentString<DashboardPaymentFragment, unknown>;
export const DashboardPaymentPageFragmentDoc = new TypedDocumentString(`
    fragment DashboardPaymentPage on PaymentIntentConnection {
  edges {
    node {
      ...DashboardPayment
      seller {
        uuid
        name
      }
    }
  }
  pageInfo {
    startCursor
    endCursor
    hasNextPage
    hasPreviousPage
  }
}
    fragment DashboardPayment on PaymentIntent {
  uuid
  derivationIndex
  createdAt
  status
  reference
  priceUsdCents
  expectedAmount
  receivedAmount
  ticker
  mintDecimals
  customerDetails {
    firstName
    lastName
    email
  }
}`, {"fragmentName":"DashboardPaymentPage"}) as unknown as TypedDocumentString<DashboardPaymentPageFragment, unknown>;
export const DashboardBusinessFragmentDoc = new TypedDocumentString(`
    fragment DashboardBusiness on Business {
  id
  name
  label
  sweepDestination
  logoUrl
  supportUrl
  supportEmail
  accentColor
  acceptedAssets
  successUrl
  cancelUrl
  underpaymentToleranceBps
  pendingPayoutChange {
    sweepDestination
    effectiveAt
    requestedBy
    ip
  }
}
    `, {"fragmentName":"DashboardBusiness"}) as unknown as TypedDocumentString<DashboardBusinessFragment, unknown>;
export const DashboardRefundFragmentDoc = new TypedDocumentString(`
    fragment DashboardRefund on BusinessRefund {
  uuid
  paymentId
  chargeId
  subscriptionId
  part
  partOf
  status
  mint
  decimals
  amount
  paidAmount
  recipient
  signatures
  problem
  createdAt
  endedAt
}
    `, {"fragmentName":"DashboardRefund"}) as unknown as TypedDocumentString<DashboardRefundFragment, unknown>;
export const DashboardChargeFragmentDoc = new TypedDocumentString(`
    fragment DashboardCharge on Charge {
  uuid
  periodIndex
  amount
  feeAmount
  netAmount
  status
  failureCode
  recoveryAction
  waiting {
    until
  }
  attempts
  signature
  explorerUrl
  createdAt
  settledAt
  refundableAmount
  businessRefunds {
    ...DashboardRefund
  }
}
    fragment DashboardRefund on BusinessRefund {
  uuid
  paymentId
  chargeId
  subscriptionId
  part
  partOf
  status
  mint
  decimals
  amount
  paidAmount
  recipient
  signatures
  problem
  createdAt
  endedAt
}`, {"fragmentName":"DashboardCharge"}) as unknown as TypedDocumentString<DashboardChargeFragment, unknown>;
export const DashboardAuditEntryFragmentDoc = new TypedDocumentString(`
    fragment DashboardAuditEntry on AuditEntry {
  id
  action
  createdAt
  changes
  actor {
    kind
    credential
    ip
  }
  seller {
    uuid
    name
  }
}
    `, {"fragmentName":"DashboardAuditEntry"}) as unknown as TypedDocumentString<DashboardAuditEntryFragment, unknown>;
export const DashboardTierFragmentDoc = new TypedDocumentString(`
    fragment DashboardTier on SubscriptionTier {
  uuid
  productId
  name
  description
  status
  priceUsdCents
  interval
  intervalCount
  authorizationPeriods
  trialDays
  totalAuthorizationUsdCents
  mint
  ticker
  decimals
}
    `, {"fragmentName":"DashboardTier"}) as unknown as TypedDocumentString<DashboardTierFragment, unknown>;
export const DashboardSubscriptionFragmentDoc = new TypedDocumentString(`
    fragment DashboardSubscription on BillingSubscription {
  uuid
  status
  subscriberWallet
  unitAmount
  discount {
    code
    percentOff
    amountOffUsdCents
    amount
    periodsLeft
  }
  cancelAtPeriodEnd
  currentPeriodEnd
  nextChargeAt
  createdAt
  tier {
    ...DashboardTier
    product {
      uuid
      name
    }
  }
}
    fragment DashboardTier on SubscriptionTier {
  uuid
  productId
  name
  description
  status
  priceUsdCents
  interval
  intervalCount
  authorizationPeriods
  trialDays
  totalAuthorizationUsdCents
  mint
  ticker
  decimals
}`, {"fragmentName":"DashboardSubscription"}) as unknown as TypedDocumentString<DashboardSubscriptionFragment, unknown>;
export const DashboardDeliveryFragmentDoc = new TypedDocumentString(`
    fragment DashboardDelivery on WebhookDelivery {
  uuid
  type
  url
  status
  attemptCount
  lastStatusCode
  lastError
  createdAt
}
    `, {"fragmentName":"DashboardDelivery"}) as unknown as TypedDocumentString<DashboardDeliveryFragment, unknown>;
export const DashboardDeliveryAttemptsFragmentDoc = new TypedDocumentString(`
    fragment DashboardDeliveryAttempts on WebhookDelivery {
  ...DashboardDelivery
  attempts {
    number
    startedAt
    durationMs
    responseStatus
    error
  }
}
    fragment DashboardDelivery on WebhookDelivery {
  uuid
  type
  url
  status
  attemptCount
  lastStatusCode
  lastError
  createdAt
}`, {"fragmentName":"DashboardDeliveryAttempts"}) as unknown as TypedDocumentString<DashboardDeliveryAttemptsFragment, unknown>;
export const DashboardChangesDocument = new TypedDocumentString(`
    subscription DashboardChanges {
  eventAdded {
    cursor
  }
}
    `) as unknown as TypedDocumentString<DashboardChangesSubscription, DashboardChangesSubscriptionVariables>;
export const DashboardMeDocument = new TypedDocumentString(`
    query DashboardMe {
  me {
    ...DashboardMe
  }
}
    fragment DashboardMe on Me {
  member {
    id
    name
    role
  }
  business {
    id
    name
    mode
    disabledReason
  }
  permissions
}`) as unknown as TypedDocumentString<DashboardMeQuery, DashboardMeQueryVariables>;
export const DashboardLinkDocument = new TypedDocumentString(`
    query DashboardLink($token: String!) {
  link: loginLink(token: $token) {
    member {
      name
      role
    }
    business {
      name
      mode
    }
    expiresAt
  }
}
    `) as unknown as TypedDocumentString<DashboardLinkQuery, DashboardLinkQueryVariables>;
export const DashboardLoginMethodsDocument = new TypedDocumentString(`
    query DashboardLoginMethods {
  loginMethods {
    passkeys
    passkeysFault
  }
}
    `) as unknown as TypedDocumentString<DashboardLoginMethodsQuery, DashboardLoginMethodsQueryVariables>;
export const DashboardChallengePasskeyDocument = new TypedDocumentString(`
    mutation DashboardChallengePasskey($purpose: LoginPurpose!, $link: String) {
  options: challengePasskey(purpose: $purpose, link: $link)
}
    `) as unknown as TypedDocumentString<DashboardChallengePasskeyMutation, DashboardChallengePasskeyMutationVariables>;
export const DashboardAddPasskeyDocument = new TypedDocumentString(`
    mutation DashboardAddPasskey($answer: JSONObject!, $link: String, $name: Line) {
  outcome: addPasskey(answer: $answer, link: $link, name: $name) {
    ...DashboardLogIn
  }
}
    fragment DashboardMe on Me {
  member {
    id
    name
    role
  }
  business {
    id
    name
    mode
    disabledReason
  }
  permissions
}
fragment DashboardLogIn on LogIn {
  me {
    ...DashboardMe
  }
  businesses {
    id
    name
    mode
  }
}`) as unknown as TypedDocumentString<DashboardAddPasskeyMutation, DashboardAddPasskeyMutationVariables>;
export const DashboardLogInWithPasskeyDocument = new TypedDocumentString(`
    mutation DashboardLogInWithPasskey($answer: JSONObject!) {
  outcome: logInWithPasskey(answer: $answer) {
    ...DashboardLogIn
  }
}
    fragment DashboardMe on Me {
  member {
    id
    name
    role
  }
  business {
    id
    name
    mode
    disabledReason
  }
  permissions
}
fragment DashboardLogIn on LogIn {
  me {
    ...DashboardMe
  }
  businesses {
    id
    name
    mode
  }
}`) as unknown as TypedDocumentString<DashboardLogInWithPasskeyMutation, DashboardLogInWithPasskeyMutationVariables>;
export const DashboardProveWithPasskeyDocument = new TypedDocumentString(`
    mutation DashboardProveWithPasskey($answer: JSONObject!) {
  me: proveWithPasskey(answer: $answer) {
    provenUntil
  }
}
    `) as unknown as TypedDocumentString<DashboardProveWithPasskeyMutation, DashboardProveWithPasskeyMutationVariables>;
export const DashboardChallengeWalletDocument = new TypedDocumentString(`
    mutation DashboardChallengeWallet($purpose: LoginPurpose!, $wallet: SolanaAddress!, $link: String) {
  challenge: challengeWalletLogin(purpose: $purpose, wallet: $wallet, link: $link) {
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
}
    `) as unknown as TypedDocumentString<DashboardChallengeWalletMutation, DashboardChallengeWalletMutationVariables>;
export const DashboardAddWalletDocument = new TypedDocumentString(`
    mutation DashboardAddWallet($wallet: SolanaAddress!, $link: String, $name: Line, $nonce: String, $signature: String, $signedMessage: String) {
  outcome: addWalletLogin(
    wallet: $wallet
    link: $link
    name: $name
    nonce: $nonce
    signature: $signature
    signedMessage: $signedMessage
  ) {
    ...DashboardLogIn
  }
}
    fragment DashboardMe on Me {
  member {
    id
    name
    role
  }
  business {
    id
    name
    mode
    disabledReason
  }
  permissions
}
fragment DashboardLogIn on LogIn {
  me {
    ...DashboardMe
  }
  businesses {
    id
    name
    mode
  }
}`) as unknown as TypedDocumentString<DashboardAddWalletMutation, DashboardAddWalletMutationVariables>;
export const DashboardLogInWithWalletDocument = new TypedDocumentString(`
    mutation DashboardLogInWithWallet($wallet: SolanaAddress!, $businessId: String, $nonce: String, $signature: String, $signedMessage: String) {
  outcome: logInWithWallet(
    wallet: $wallet
    businessId: $businessId
    nonce: $nonce
    signature: $signature
    signedMessage: $signedMessage
  ) {
    ...DashboardLogIn
  }
}
    fragment DashboardMe on Me {
  member {
    id
    name
    role
  }
  business {
    id
    name
    mode
    disabledReason
  }
  permissions
}
fragment DashboardLogIn on LogIn {
  me {
    ...DashboardMe
  }
  businesses {
    id
    name
    mode
  }
}`) as unknown as TypedDocumentString<DashboardLogInWithWalletMutation, DashboardLogInWithWalletMutationVariables>;
export const DashboardProveWithWalletDocument = new TypedDocumentString(`
    mutation DashboardProveWithWallet($wallet: SolanaAddress!, $nonce: String, $signature: String, $signedMessage: String) {
  me: proveWithWallet(
    wallet: $wallet
    nonce: $nonce
    signature: $signature
    signedMessage: $signedMessage
  ) {
    provenUntil
  }
}
    `) as unknown as TypedDocumentString<DashboardProveWithWalletMutation, DashboardProveWithWalletMutationVariables>;
export const DashboardLogOutDocument = new TypedDocumentString(`
    mutation DashboardLogOut {
  ended: logOut {
    id
  }
}
    `) as unknown as TypedDocumentString<DashboardLogOutMutation, DashboardLogOutMutationVariables>;
export const DashboardCouponsDocument = new TypedDocumentString(`
    query DashboardCoupons($first: Int, $after: String, $last: Int, $before: String, $filter: SubscriptionCouponFilter) {
  coupons: subscriptionCoupons(
    first: $first
    after: $after
    last: $last
    before: $before
    filter: $filter
  ) {
    edges {
      node {
        ...DashboardCoupon
      }
    }
    pageInfo {
      startCursor
      endCursor
      hasNextPage
      hasPreviousPage
    }
  }
  products: subscriptionProducts(first: 100) {
    edges {
      node {
        uuid
        name
        status
      }
    }
  }
}
    fragment DashboardCoupon on SubscriptionCoupon {
  uuid
  code
  percentOff
  amountOffUsdCents
  periods
  maxUses
  maxUsesPerWallet
  uses
  endsAt
  productId
  status
  createdAt
}`) as unknown as TypedDocumentString<DashboardCouponsQuery, DashboardCouponsQueryVariables>;
export const DashboardCreateCouponDocument = new TypedDocumentString(`
    mutation DashboardCreateCoupon($input: CreateSubscriptionCouponInput!, $idempotencyKey: String) {
  coupon: createSubscriptionCoupon(input: $input, idempotencyKey: $idempotencyKey) {
    uuid
  }
}
    `) as unknown as TypedDocumentString<DashboardCreateCouponMutation, DashboardCreateCouponMutationVariables>;
export const DashboardArchiveCouponDocument = new TypedDocumentString(`
    mutation DashboardArchiveCoupon($id: String!) {
  coupon: archiveSubscriptionCoupon(id: $id) {
    uuid
  }
}
    `) as unknown as TypedDocumentString<DashboardArchiveCouponMutation, DashboardArchiveCouponMutationVariables>;
export const DashboardKeysDocument = new TypedDocumentString(`
    query DashboardKeys {
  apiKeys {
    ...DashboardKey
  }
}
    fragment DashboardKey on ApiKey {
  id
  name
  hint
  scopes
  createdAt
  createdBy
  lastUsedAt
  revokedAt
}`) as unknown as TypedDocumentString<DashboardKeysQuery, DashboardKeysQueryVariables>;
export const DashboardCreateKeyDocument = new TypedDocumentString(`
    mutation DashboardCreateKey($name: Line, $scopes: [KeyScope!]) {
  created: createApiKey(name: $name, scopes: $scopes) {
    apiKey
  }
}
    `) as unknown as TypedDocumentString<DashboardCreateKeyMutation, DashboardCreateKeyMutationVariables>;
export const DashboardRevokeKeyDocument = new TypedDocumentString(`
    mutation DashboardRevokeKey($id: String!) {
  key: revokeApiKey(id: $id) {
    id
  }
}
    `) as unknown as TypedDocumentString<DashboardRevokeKeyMutation, DashboardRevokeKeyMutationVariables>;
export const DashboardRollKeyDocument = new TypedDocumentString(`
    mutation DashboardRollKey($id: String!, $overlapSeconds: Int!, $idempotencyKey: String) {
  rolled: rollApiKey(
    id: $id
    overlapSeconds: $overlapSeconds
    idempotencyKey: $idempotencyKey
  ) {
    apiKey
  }
}
    `) as unknown as TypedDocumentString<DashboardRollKeyMutation, DashboardRollKeyMutationVariables>;
export const DashboardEndpointsDocument = new TypedDocumentString(`
    query DashboardEndpoints {
  endpoints: webhookEndpoints(first: 16) {
    edges {
      node {
        uuid
        url
        description
        enabled
        disabledReason
        eventTypes
      }
    }
  }
  deliveries(first: 20) {
    edges {
      node {
        ...DashboardDelivery
      }
    }
  }
}
    fragment DashboardDelivery on WebhookDelivery {
  uuid
  type
  url
  status
  attemptCount
  lastStatusCode
  lastError
  createdAt
}`) as unknown as TypedDocumentString<DashboardEndpointsQuery, DashboardEndpointsQueryVariables>;
export const DashboardCreateEndpointDocument = new TypedDocumentString(`
    mutation DashboardCreateEndpoint($input: CreateWebhookEndpointInput!) {
  created: createWebhookEndpoint(input: $input) {
    secret
  }
}
    `) as unknown as TypedDocumentString<DashboardCreateEndpointMutation, DashboardCreateEndpointMutationVariables>;
export const DashboardTestEndpointDocument = new TypedDocumentString(`
    mutation DashboardTestEndpoint($id: String!) {
  delivery: testWebhookEndpoint(id: $id) {
    uuid
  }
}
    `) as unknown as TypedDocumentString<DashboardTestEndpointMutation, DashboardTestEndpointMutationVariables>;
export const DashboardDeleteEndpointDocument = new TypedDocumentString(`
    mutation DashboardDeleteEndpoint($id: String!) {
  endpoint: deleteWebhookEndpoint(id: $id) {
    uuid
  }
}
    `) as unknown as TypedDocumentString<DashboardDeleteEndpointMutation, DashboardDeleteEndpointMutationVariables>;
export const DashboardRedeliverDocument = new TypedDocumentString(`
    mutation DashboardRedeliver($id: String!) {
  delivery: redeliver(id: $id) {
    uuid
  }
}
    `) as unknown as TypedDocumentString<DashboardRedeliverMutation, DashboardRedeliverMutationVariables>;
export const DashboardEventsDocument = new TypedDocumentString(`
    query DashboardEvents($type: Text, $first: Int, $last: Int, $after: String, $before: String) {
  config {
    webhookEventTypes
  }
  events(type: $type, first: $first, last: $last, after: $after, before: $before) {
    edges {
      node {
        id
        type
        timestamp
      }
    }
    pageInfo {
      startCursor
      endCursor
      hasNextPage
      hasPreviousPage
    }
  }
}
    `) as unknown as TypedDocumentString<DashboardEventsQuery, DashboardEventsQueryVariables>;
export const DashboardEventDocument = new TypedDocumentString(`
    query DashboardEvent($id: String!) {
  event(id: $id) {
    id
    type
    timestamp
    api_version: apiVersion
    livemode
    account {
      id
      name
      is_seller: isSeller
      external_id: externalId
    }
    version
    data
  }
}
    `) as unknown as TypedDocumentString<DashboardEventQuery, DashboardEventQueryVariables>;
export const DashboardEventDeliveriesDocument = new TypedDocumentString(`
    query DashboardEventDeliveries($id: String!) {
  deliveries(first: 20, filter: {eventId: $id}) {
    edges {
      node {
        ...DashboardDeliveryAttempts
      }
    }
  }
}
    fragment DashboardDelivery on WebhookDelivery {
  uuid
  type
  url
  status
  attemptCount
  lastStatusCode
  lastError
  createdAt
}
fragment DashboardDeliveryAttempts on WebhookDelivery {
  ...DashboardDelivery
  attempts {
    number
    startedAt
    durationMs
    responseStatus
    error
  }
}`) as unknown as TypedDocumentString<DashboardEventDeliveriesQuery, DashboardEventDeliveriesQueryVariables>;
export const DashboardStartDocument = new TypedDocumentString(`
    query DashboardStart {
  business {
    name
    livemode
    sweepDestination
  }
  swept: paymentIntents(first: 1, filter: {status: [swept]}) {
    edges {
      node {
        uuid
      }
    }
  }
}
    `) as unknown as TypedDocumentString<DashboardStartQuery, DashboardStartQueryVariables>;
export const DashboardStartOfDeveloperDocument = new TypedDocumentString(`
    query DashboardStartOfDeveloper {
  apiKeys {
    id
    revokedAt
  }
  deliveries(first: 1, filter: {status: succeeded}) {
    edges {
      node {
        uuid
      }
    }
  }
}
    `) as unknown as TypedDocumentString<DashboardStartOfDeveloperQuery, DashboardStartOfDeveloperQueryVariables>;
export const DashboardNeedsDocument = new TypedDocumentString(`
    query DashboardNeeds {
  proposed: paymentIntents(first: 5, filter: {hasProposal: true}) {
    edges {
      node {
        ...DashboardPayment
      }
    }
  }
  failed: paymentIntents(
    first: 5
    filter: {status: [settle_failed, refund_failed]}
  ) {
    edges {
      node {
        ...DashboardPayment
      }
    }
  }
  held: paymentIntents(first: 5, filter: {isHeld: true}) {
    edges {
      node {
        ...DashboardPayment
      }
    }
  }
}
    fragment DashboardPayment on PaymentIntent {
  uuid
  derivationIndex
  createdAt
  status
  reference
  priceUsdCents
  expectedAmount
  receivedAmount
  ticker
  mintDecimals
  customerDetails {
    firstName
    lastName
    email
  }
}`) as unknown as TypedDocumentString<DashboardNeedsQuery, DashboardNeedsQueryVariables>;
export const DashboardFailedRefundsDocument = new TypedDocumentString(`
    query DashboardFailedRefunds($from: DateTimeISO!) {
  refunds(first: 1, filter: {status: [failed], from: $from}) {
    edges {
      node {
        uuid
      }
    }
  }
}
    `) as unknown as TypedDocumentString<DashboardFailedRefundsQuery, DashboardFailedRefundsQueryVariables>;
export const DashboardTroublesDocument = new TypedDocumentString(`
    query DashboardTroubles($seesEndpoints: Boolean!) {
  business {
    sweepDestination
    payoutProblems {
      ticker
      reason
    }
    pendingPayoutChange {
      effectiveAt
    }
  }
  endpoints: webhookEndpoints(first: 100) @include(if: $seesEndpoints) {
    edges {
      node {
        uuid
        url
        enabled
        disabledReason
      }
    }
  }
  deliveries(first: 50) @include(if: $seesEndpoints) {
    edges {
      node {
        endpointId
        status
        attemptCount
        lastStatusCode
        lastError
      }
    }
  }
}
    `) as unknown as TypedDocumentString<DashboardTroublesQuery, DashboardTroublesQueryVariables>;
export const DashboardLateSubscriptionsDocument = new TypedDocumentString(`
    query DashboardLateSubscriptions {
  pastDue: billingSubscriptions(first: 1, filter: {status: past_due}) {
    edges {
      node {
        uuid
      }
    }
  }
  toRenew: billingSubscriptions(first: 1, filter: {status: renewal_required}) {
    edges {
      node {
        uuid
      }
    }
  }
}
    `) as unknown as TypedDocumentString<DashboardLateSubscriptionsQuery, DashboardLateSubscriptionsQueryVariables>;
export const DashboardNowDocument = new TypedDocumentString(`
    query DashboardNow {
  stats {
    end
  }
}
    `) as unknown as TypedDocumentString<DashboardNowQuery, DashboardNowQueryVariables>;
export const DashboardFiguresOfPeriodDocument = new TypedDocumentString(`
    query DashboardFiguresOfPeriod($before: DateTimeISO, $from: DateTimeISO, $to: DateTimeISO, $interval: StatsInterval, $timezone: Text) {
  present: stats(from: $from, to: $to) {
    ...DashboardFigures
  }
  previous: stats(from: $before, to: $from) {
    ...DashboardFigures
  }
  series: statsTimeseries(
    from: $from
    to: $to
    interval: $interval
    timezone: $timezone
  ) {
    buckets {
      start
      ...DashboardFigures
    }
  }
  previousSeries: statsTimeseries(
    from: $before
    to: $from
    interval: $interval
    timezone: $timezone
  ) {
    buckets {
      start
      ...DashboardFigures
    }
  }
}
    fragment DashboardFigures on Stats {
  volumeUsdCents
  netUsdCents
  feesUsdCents
  paymentsCount
  paidCount
  recurringUsdCents
}`) as unknown as TypedDocumentString<DashboardFiguresOfPeriodQuery, DashboardFiguresOfPeriodQueryVariables>;
export const DashboardApplicationDocument = new TypedDocumentString(`
    query DashboardApplication {
  business {
    id
    marketplaceApplication {
      state
      website
      sells
      expectedVolume
      reason
      appliedAt
      decidedAt
    }
  }
}
    `) as unknown as TypedDocumentString<DashboardApplicationQuery, DashboardApplicationQueryVariables>;
export const DashboardApplyDocument = new TypedDocumentString(`
    mutation DashboardApply($input: MarketplaceApplicationInput!) {
  application: applyForMarketplace(input: $input) {
    state
  }
}
    `) as unknown as TypedDocumentString<DashboardApplyMutation, DashboardApplyMutationVariables>;
export const DashboardMarketplaceAuditDocument = new TypedDocumentString(`
    query DashboardMarketplaceAudit($first: Int, $after: String, $last: Int, $before: String, $filter: AuditFilter) {
  entries: auditEntries(
    first: $first
    after: $after
    last: $last
    before: $before
    filter: $filter
  ) {
    edges {
      node {
        ...DashboardAuditEntry
      }
    }
    pageInfo {
      startCursor
      endCursor
      hasNextPage
      hasPreviousPage
    }
  }
}
    fragment DashboardAuditEntry on AuditEntry {
  id
  action
  createdAt
  changes
  actor {
    kind
    credential
    ip
  }
  seller {
    uuid
    name
  }
}`) as unknown as TypedDocumentString<DashboardMarketplaceAuditQuery, DashboardMarketplaceAuditQueryVariables>;
export const DashboardMarketplaceNowDocument = new TypedDocumentString(`
    query DashboardMarketplaceNow {
  stats: marketplaceStats {
    end
  }
}
    `) as unknown as TypedDocumentString<DashboardMarketplaceNowQuery, DashboardMarketplaceNowQueryVariables>;
export const DashboardMarketplaceStatsDocument = new TypedDocumentString(`
    query DashboardMarketplaceStats($from: DateTimeISO, $interval: StatsInterval, $timezone: Text, $sellerId: String) {
  stats: marketplaceStats(from: $from, sellerId: $sellerId) {
    ...DashboardMarketplaceFigures
    byAsset {
      ticker
      decimals
      volume
      feeRevenue
      paymentsCount
    }
  }
  series: marketplaceStatsTimeseries(
    from: $from
    interval: $interval
    timezone: $timezone
    sellerId: $sellerId
  ) {
    buckets {
      ...DashboardMarketplaceFigures
    }
  }
}
    fragment DashboardMarketplaceFigures on MarketplaceStats {
  start
  volumeUsdCents
  feeRevenueUsdCents
  paymentsCount
  countsByStatus {
    swept
  }
}`) as unknown as TypedDocumentString<DashboardMarketplaceStatsQuery, DashboardMarketplaceStatsQueryVariables>;
export const DashboardMarketplaceDocument = new TypedDocumentString(`
    query DashboardMarketplace {
  marketplace {
    ...DashboardMarketplace
  }
}
    fragment DashboardMarketplace on Marketplace {
  status
  defaultFeeBps
  feeWallet
  sellerLimit
  sellersCount
  sellersTotal
}`) as unknown as TypedDocumentString<DashboardMarketplaceQuery, DashboardMarketplaceQueryVariables>;
export const DashboardSellerDocument = new TypedDocumentString(`
    query DashboardSeller($id: String!) {
  seller(id: $id) {
    ...DashboardSeller
  }
}
    fragment DashboardSeller on Seller {
  uuid
  name
  externalId
  description
  label
  logoUrl
  sweepDestination
  marketplaceFeeBps
  status
  disabledAt
  createdAt
}`) as unknown as TypedDocumentString<DashboardSellerQuery, DashboardSellerQueryVariables>;
export const DashboardOneSellersPaymentsDocument = new TypedDocumentString(`
    query DashboardOneSellersPayments($first: Int, $after: String, $last: Int, $before: String, $filter: MarketplacePaymentFilter) {
  payments: marketplacePayments(
    first: $first
    after: $after
    last: $last
    before: $before
    filter: $filter
  ) {
    edges {
      node {
        ...DashboardPayment
      }
    }
    pageInfo {
      startCursor
      endCursor
      hasNextPage
      hasPreviousPage
    }
  }
}
    fragment DashboardPayment on PaymentIntent {
  uuid
  derivationIndex
  createdAt
  status
  reference
  priceUsdCents
  expectedAmount
  receivedAmount
  ticker
  mintDecimals
  customerDetails {
    firstName
    lastName
    email
  }
}`) as unknown as TypedDocumentString<DashboardOneSellersPaymentsQuery, DashboardOneSellersPaymentsQueryVariables>;
export const DashboardUpdateSellerDocument = new TypedDocumentString(`
    mutation DashboardUpdateSeller($id: String!, $input: UpdateSellerInput!) {
  seller: updateSeller(id: $id, input: $input) {
    uuid
  }
}
    `) as unknown as TypedDocumentString<DashboardUpdateSellerMutation, DashboardUpdateSellerMutationVariables>;
export const DashboardSellerLogoDocument = new TypedDocumentString(`
    mutation DashboardSellerLogo($id: String!, $image: ImageData) {
  seller: setSellerLogo(id: $id, image: $image) {
    uuid
  }
}
    `) as unknown as TypedDocumentString<DashboardSellerLogoMutation, DashboardSellerLogoMutationVariables>;
export const DashboardArchiveSellerDocument = new TypedDocumentString(`
    mutation DashboardArchiveSeller($id: String!) {
  seller: archiveSeller(id: $id) {
    uuid
  }
}
    `) as unknown as TypedDocumentString<DashboardArchiveSellerMutation, DashboardArchiveSellerMutationVariables>;
export const DashboardSellersDocument = new TypedDocumentString(`
    query DashboardSellers($first: Int, $after: String, $last: Int, $before: String, $filter: SellerFilter) {
  sellers(
    first: $first
    after: $after
    last: $last
    before: $before
    filter: $filter
  ) {
    edges {
      node {
        ...DashboardSeller
      }
    }
    pageInfo {
      startCursor
      endCursor
      hasNextPage
      hasPreviousPage
    }
  }
}
    fragment DashboardSeller on Seller {
  uuid
  name
  externalId
  description
  label
  logoUrl
  sweepDestination
  marketplaceFeeBps
  status
  disabledAt
  createdAt
}`) as unknown as TypedDocumentString<DashboardSellersQuery, DashboardSellersQueryVariables>;
export const DashboardCreateSellerDocument = new TypedDocumentString(`
    mutation DashboardCreateSeller($input: CreateSellerInput!, $idempotencyKey: String) {
  created: createSeller(input: $input, idempotencyKey: $idempotencyKey) {
    created
    seller {
      uuid
    }
  }
}
    `) as unknown as TypedDocumentString<DashboardCreateSellerMutation, DashboardCreateSellerMutationVariables>;
export const DashboardFeesDocument = new TypedDocumentString(`
    query DashboardFees {
  config {
    platformFeeBps
    maxMarketplaceFeeBps
  }
  business {
    id
    sweepDestination
  }
}
    `) as unknown as TypedDocumentString<DashboardFeesQuery, DashboardFeesQueryVariables>;
export const DashboardUpdateTermsDocument = new TypedDocumentString(`
    mutation DashboardUpdateTerms($input: UpdateMarketplaceInput!) {
  marketplace: updateMarketplace(input: $input) {
    status
  }
}
    `) as unknown as TypedDocumentString<DashboardUpdateTermsMutation, DashboardUpdateTermsMutationVariables>;
export const DashboardTokensDocument = new TypedDocumentString(`
    query DashboardTokens {
  allowedTokens {
    asset
    name
    ticker
    decimals
    network
  }
}
    `) as unknown as TypedDocumentString<DashboardTokensQuery, DashboardTokensQueryVariables>;
export const DashboardCreatePaymentDocument = new TypedDocumentString(`
    mutation DashboardCreatePayment($input: CreatePaymentIntentInput!, $idempotencyKey: String) {
  created: createPaymentIntent(input: $input, idempotencyKey: $idempotencyKey) {
    created
    checkoutUrl
    clientSecret
    intent {
      uuid
      expiresAt
    }
  }
}
    `) as unknown as TypedDocumentString<DashboardCreatePaymentMutation, DashboardCreatePaymentMutationVariables>;
export const DashboardPaymentDetailDocument = new TypedDocumentString(`
    query DashboardPaymentDetail($id: String!) {
  payment: paymentIntentById(id: $id) {
    ...DashboardPayment
    message
    action
    address
    asset
    acceptedAssets
    expiresAt
    description
    lineItems {
      name
      quantity
      amountUsdCents
    }
    metadata
    seller {
      uuid
      name
    }
    refundSender
    held {
      mint
      amount
      reason
    }
    heldTotals {
      mint
      amount
    }
    refundAddress {
      isWanted
      proposal {
        address
        status
        reason
        proposedAt
        decidedAt
      }
    }
    latestDeposits: deposits(first: 20) {
      edges {
        node {
          amount
          asset
          signature
          seenAt
          use
        }
      }
    }
    transfers(first: 20) {
      edges {
        node {
          id
          kind
          status
          asset
          createdAt
          doneAt
          reason
          signature
          legs {
            role
            destination
            amount
            movedAmount
          }
        }
      }
    }
    settledLegs {
      role
      destination
      amount
      decimals
      ticker
      usd
      signature
    }
    refundableAmount
    businessRefunds {
      ...DashboardRefund
    }
    events(first: 50) {
      edges {
        node {
          id
          type
          createdAt
        }
      }
    }
  }
}
    fragment DashboardPayment on PaymentIntent {
  uuid
  derivationIndex
  createdAt
  status
  reference
  priceUsdCents
  expectedAmount
  receivedAmount
  ticker
  mintDecimals
  customerDetails {
    firstName
    lastName
    email
  }
}
fragment DashboardRefund on BusinessRefund {
  uuid
  paymentId
  chargeId
  subscriptionId
  part
  partOf
  status
  mint
  decimals
  amount
  paidAmount
  recipient
  signatures
  problem
  createdAt
  endedAt
}`) as unknown as TypedDocumentString<DashboardPaymentDetailQuery, DashboardPaymentDetailQueryVariables>;
export const DashboardPaymentDeliveriesDocument = new TypedDocumentString(`
    query DashboardPaymentDeliveries($id: String!) {
  deliveries(first: 50, filter: {paymentId: $id}) {
    edges {
      node {
        ...DashboardDeliveryAttempts
        eventId
      }
    }
  }
}
    fragment DashboardDelivery on WebhookDelivery {
  uuid
  type
  url
  status
  attemptCount
  lastStatusCode
  lastError
  createdAt
}
fragment DashboardDeliveryAttempts on WebhookDelivery {
  ...DashboardDelivery
  attempts {
    number
    startedAt
    durationMs
    responseStatus
    error
  }
}`) as unknown as TypedDocumentString<DashboardPaymentDeliveriesQuery, DashboardPaymentDeliveriesQueryVariables>;
export const DashboardCancelPaymentDocument = new TypedDocumentString(`
    mutation DashboardCancelPayment($index: Int!) {
  payment: cancelPaymentIntent(index: $index) {
    uuid
  }
}
    `) as unknown as TypedDocumentString<DashboardCancelPaymentMutation, DashboardCancelPaymentMutationVariables>;
export const DashboardSweepPaymentDocument = new TypedDocumentString(`
    mutation DashboardSweepPayment($index: Int!) {
  swept: sweepPaymentIntent(index: $index) {
    signature
  }
}
    `) as unknown as TypedDocumentString<DashboardSweepPaymentMutation, DashboardSweepPaymentMutationVariables>;
export const DashboardSimulateDepositDocument = new TypedDocumentString(`
    mutation DashboardSimulateDeposit($index: Int!, $kind: SimulatedDeposit!) {
  paid: simulateDeposit(index: $index, kind: $kind) {
    signature
  }
}
    `) as unknown as TypedDocumentString<DashboardSimulateDepositMutation, DashboardSimulateDepositMutationVariables>;
export const DashboardApproveAddressDocument = new TypedDocumentString(`
    mutation DashboardApproveAddress($id: String!, $address: SolanaAddress!) {
  payment: approveRefundAddress(id: $id, address: $address) {
    uuid
  }
}
    `) as unknown as TypedDocumentString<DashboardApproveAddressMutation, DashboardApproveAddressMutationVariables>;
export const DashboardDeclineAddressDocument = new TypedDocumentString(`
    mutation DashboardDeclineAddress($id: String!, $address: SolanaAddress!, $reason: FormText!) {
  payment: declineRefundAddress(id: $id, address: $address, reason: $reason) {
    uuid
  }
}
    `) as unknown as TypedDocumentString<DashboardDeclineAddressMutation, DashboardDeclineAddressMutationVariables>;
export const DashboardPaymentsDocument = new TypedDocumentString(`
    query DashboardPayments($first: Int, $after: String, $last: Int, $before: String, $filter: PaymentIntentFilter) {
  payments: paymentIntents(
    first: $first
    after: $after
    last: $last
    before: $before
    filter: $filter
  ) {
    ...DashboardPaymentPage
  }
}
    fragment DashboardPaymentPage on PaymentIntentConnection {
  edges {
    node {
      ...DashboardPayment
      seller {
        uuid
        name
      }
    }
  }
  pageInfo {
    startCursor
    endCursor
    hasNextPage
    hasPreviousPage
  }
}
fragment DashboardPayment on PaymentIntent {
  uuid
  derivationIndex
  createdAt
  status
  reference
  priceUsdCents
  expectedAmount
  receivedAmount
  ticker
  mintDecimals
  customerDetails {
    firstName
    lastName
    email
  }
}`) as unknown as TypedDocumentString<DashboardPaymentsQuery, DashboardPaymentsQueryVariables>;
export const DashboardSellerPaymentsDocument = new TypedDocumentString(`
    query DashboardSellerPayments($first: Int, $after: String, $last: Int, $before: String, $filter: MarketplacePaymentFilter) {
  payments: marketplacePayments(
    first: $first
    after: $after
    last: $last
    before: $before
    filter: $filter
  ) {
    ...DashboardPaymentPage
  }
}
    fragment DashboardPaymentPage on PaymentIntentConnection {
  edges {
    node {
      ...DashboardPayment
      seller {
        uuid
        name
      }
    }
  }
  pageInfo {
    startCursor
    endCursor
    hasNextPage
    hasPreviousPage
  }
}
fragment DashboardPayment on PaymentIntent {
  uuid
  derivationIndex
  createdAt
  status
  reference
  priceUsdCents
  expectedAmount
  receivedAmount
  ticker
  mintDecimals
  customerDetails {
    firstName
    lastName
    email
  }
}`) as unknown as TypedDocumentString<DashboardSellerPaymentsQuery, DashboardSellerPaymentsQueryVariables>;
export const DashboardPaymentSellersDocument = new TypedDocumentString(`
    query DashboardPaymentSellers {
  sellers(first: 100) {
    edges {
      node {
        uuid
        name
      }
    }
  }
}
    `) as unknown as TypedDocumentString<DashboardPaymentSellersQuery, DashboardPaymentSellersQueryVariables>;
export const DashboardProductDocument = new TypedDocumentString(`
    query DashboardProduct($id: String!, $first: Int, $after: String, $last: Int, $before: String) {
  product: subscriptionProduct(id: $id) {
    uuid
    name
    description
    status
    externalId
    createdAt
  }
  tiers: subscriptionTiers(
    productId: $id
    first: $first
    after: $after
    last: $last
    before: $before
  ) {
    edges {
      node {
        ...DashboardTier
      }
    }
    pageInfo {
      startCursor
      endCursor
      hasNextPage
      hasPreviousPage
    }
  }
}
    fragment DashboardTier on SubscriptionTier {
  uuid
  productId
  name
  description
  status
  priceUsdCents
  interval
  intervalCount
  authorizationPeriods
  trialDays
  totalAuthorizationUsdCents
  mint
  ticker
  decimals
}`) as unknown as TypedDocumentString<DashboardProductQuery, DashboardProductQueryVariables>;
export const DashboardUpdateProductDocument = new TypedDocumentString(`
    mutation DashboardUpdateProduct($id: String!, $input: UpdateSubscriptionProductInput!) {
  product: updateSubscriptionProduct(id: $id, input: $input) {
    uuid
  }
}
    `) as unknown as TypedDocumentString<DashboardUpdateProductMutation, DashboardUpdateProductMutationVariables>;
export const DashboardCreateTierDocument = new TypedDocumentString(`
    mutation DashboardCreateTier($productId: String!, $input: CreateSubscriptionTierInput!, $idempotencyKey: String) {
  tier: createSubscriptionTier(
    productId: $productId
    input: $input
    idempotencyKey: $idempotencyKey
  ) {
    uuid
  }
}
    `) as unknown as TypedDocumentString<DashboardCreateTierMutation, DashboardCreateTierMutationVariables>;
export const DashboardUpdateTierDocument = new TypedDocumentString(`
    mutation DashboardUpdateTier($id: String!, $input: UpdateSubscriptionTierInput!) {
  tier: updateSubscriptionTier(id: $id, input: $input) {
    uuid
  }
}
    `) as unknown as TypedDocumentString<DashboardUpdateTierMutation, DashboardUpdateTierMutationVariables>;
export const DashboardCreateCheckoutDocument = new TypedDocumentString(`
    mutation DashboardCreateCheckout($tierId: String!) {
  created: createSubscriptionIntent(input: {tierId: $tierId}) {
    checkoutUrl
    intent {
      expiresAt
    }
  }
}
    `) as unknown as TypedDocumentString<DashboardCreateCheckoutMutation, DashboardCreateCheckoutMutationVariables>;
export const DashboardProductsDocument = new TypedDocumentString(`
    query DashboardProducts($first: Int, $after: String, $last: Int, $before: String, $filter: SubscriptionProductFilter) {
  products: subscriptionProducts(
    first: $first
    after: $after
    last: $last
    before: $before
    filter: $filter
  ) {
    edges {
      node {
        uuid
        name
        description
        status
        createdAt
      }
    }
    pageInfo {
      startCursor
      endCursor
      hasNextPage
      hasPreviousPage
    }
  }
}
    `) as unknown as TypedDocumentString<DashboardProductsQuery, DashboardProductsQueryVariables>;
export const DashboardCreateProductDocument = new TypedDocumentString(`
    mutation DashboardCreateProduct($input: CreateSubscriptionProductInput!, $idempotencyKey: String) {
  created: createSubscriptionProduct(
    input: $input
    idempotencyKey: $idempotencyKey
  ) {
    product {
      uuid
    }
  }
}
    `) as unknown as TypedDocumentString<DashboardCreateProductMutation, DashboardCreateProductMutationVariables>;
export const DashboardRefundTermsDocument = new TypedDocumentString(`
    query DashboardRefundTerms($paymentId: String, $chargeId: String) {
  terms: refundTerms(paymentId: $paymentId, chargeId: $chargeId) {
    refundable
    recipient
    most
    payer
  }
}
    `) as unknown as TypedDocumentString<DashboardRefundTermsQuery, DashboardRefundTermsQueryVariables>;
export const DashboardCreateRefundDocument = new TypedDocumentString(`
    mutation DashboardCreateRefund($input: CreateRefundInput!, $idempotencyKey: String) {
  created: createRefund(input: $input, idempotencyKey: $idempotencyKey) {
    refund {
      uuid
    }
  }
}
    `) as unknown as TypedDocumentString<DashboardCreateRefundMutation, DashboardCreateRefundMutationVariables>;
export const DashboardCancelRefundDocument = new TypedDocumentString(`
    mutation DashboardCancelRefund($id: String!) {
  refund: cancelRefund(id: $id) {
    uuid
  }
}
    `) as unknown as TypedDocumentString<DashboardCancelRefundMutation, DashboardCancelRefundMutationVariables>;
export const DashboardRefundDetailDocument = new TypedDocumentString(`
    query DashboardRefundDetail($id: String!) {
  refund(id: $id) {
    ...DashboardRefund
    reverseFee
    paidBy
    payer
    paymentUri
    reference
    reason
    expiresAt
  }
}
    fragment DashboardRefund on BusinessRefund {
  uuid
  paymentId
  chargeId
  subscriptionId
  part
  partOf
  status
  mint
  decimals
  amount
  paidAmount
  recipient
  signatures
  problem
  createdAt
  endedAt
}`) as unknown as TypedDocumentString<DashboardRefundDetailQuery, DashboardRefundDetailQueryVariables>;
export const DashboardRefundTransactionDocument = new TypedDocumentString(`
    query DashboardRefundTransaction($id: String!) {
  offer: refundTransaction(id: $id) {
    transaction
    reason
  }
}
    `) as unknown as TypedDocumentString<DashboardRefundTransactionQuery, DashboardRefundTransactionQueryVariables>;
export const DashboardRefundsDocument = new TypedDocumentString(`
    query DashboardRefunds($first: Int, $after: String, $last: Int, $before: String, $filter: BusinessRefundFilter) {
  refunds(
    first: $first
    after: $after
    last: $last
    before: $before
    filter: $filter
  ) {
    edges {
      node {
        ...DashboardRefund
      }
    }
    pageInfo {
      startCursor
      endCursor
      hasNextPage
      hasPreviousPage
    }
  }
}
    fragment DashboardRefund on BusinessRefund {
  uuid
  paymentId
  chargeId
  subscriptionId
  part
  partOf
  status
  mint
  decimals
  amount
  paidAmount
  recipient
  signatures
  problem
  createdAt
  endedAt
}`) as unknown as TypedDocumentString<DashboardRefundsQuery, DashboardRefundsQueryVariables>;
export const DashboardRequestsDocument = new TypedDocumentString(`
    query DashboardRequests($first: Int, $after: String, $last: Int, $before: String, $filter: ApiRequestFilter) {
  requests: apiRequests(
    first: $first
    after: $after
    last: $last
    before: $before
    filter: $filter
  ) {
    edges {
      node {
        uuid
        keyHint
        method
        route
        status
        errorCode
        requestId
        createdAt
      }
    }
    pageInfo {
      startCursor
      endCursor
      hasNextPage
      hasPreviousPage
    }
  }
}
    `) as unknown as TypedDocumentString<DashboardRequestsQuery, DashboardRequestsQueryVariables>;
export const DashboardAuditLogDocument = new TypedDocumentString(`
    query DashboardAuditLog($first: Int, $after: String, $last: Int, $before: String, $filter: AuditFilter) {
  entries: auditLog(
    first: $first
    after: $after
    last: $last
    before: $before
    filter: $filter
  ) {
    edges {
      node {
        ...DashboardAuditEntry
      }
    }
    pageInfo {
      startCursor
      endCursor
      hasNextPage
      hasPreviousPage
    }
  }
}
    fragment DashboardAuditEntry on AuditEntry {
  id
  action
  createdAt
  changes
  actor {
    kind
    credential
    ip
  }
  seller {
    uuid
    name
  }
}`) as unknown as TypedDocumentString<DashboardAuditLogQuery, DashboardAuditLogQueryVariables>;
export const DashboardUpdateBrandDocument = new TypedDocumentString(`
    mutation DashboardUpdateBrand($input: UpdateBusinessInput!, $changesLogo: Boolean!, $logo: ImageData) {
  business: updateBusiness(input: $input) {
    id
  }
  logo: setBusinessLogo(image: $logo) @include(if: $changesLogo) {
    id
  }
}
    `) as unknown as TypedDocumentString<DashboardUpdateBrandMutation, DashboardUpdateBrandMutationVariables>;
export const DashboardExampleTokensDocument = new TypedDocumentString(`
    query DashboardExampleTokens {
  allowedTokens {
    asset
    name
    ticker
    network
    decimals
    imageUrl
  }
}
    `) as unknown as TypedDocumentString<DashboardExampleTokensQuery, DashboardExampleTokensQueryVariables>;
export const DashboardUpdateDefaultsDocument = new TypedDocumentString(`
    mutation DashboardUpdateDefaults($input: UpdateBusinessInput!) {
  business: updateBusiness(input: $input) {
    id
  }
}
    `) as unknown as TypedDocumentString<DashboardUpdateDefaultsMutation, DashboardUpdateDefaultsMutationVariables>;
export const DashboardDomainsDocument = new TypedDocumentString(`
    query DashboardDomains($first: Int, $after: String, $last: Int, $before: String) {
  domains: redirectDomains(
    first: $first
    after: $after
    last: $last
    before: $before
    active: true
  ) {
    edges {
      node {
        uuid
        host
        createdAt
      }
    }
    pageInfo {
      startCursor
      endCursor
      hasNextPage
      hasPreviousPage
    }
  }
}
    `) as unknown as TypedDocumentString<DashboardDomainsQuery, DashboardDomainsQueryVariables>;
export const DashboardAddDomainDocument = new TypedDocumentString(`
    mutation DashboardAddDomain($host: String!) {
  domain: createRedirectDomain(host: $host) {
    created
  }
}
    `) as unknown as TypedDocumentString<DashboardAddDomainMutation, DashboardAddDomainMutationVariables>;
export const DashboardRemoveDomainDocument = new TypedDocumentString(`
    mutation DashboardRemoveDomain($id: String!) {
  domain: archiveRedirectDomain(id: $id) {
    uuid
  }
}
    `) as unknown as TypedDocumentString<DashboardRemoveDomainMutation, DashboardRemoveDomainMutationVariables>;
export const DashboardMembersDocument = new TypedDocumentString(`
    query DashboardMembers {
  members {
    id
    name
    email
    role
    createdAt
    logins {
      id
      createdAt
      lastUsedAt
    }
  }
}
    `) as unknown as TypedDocumentString<DashboardMembersQuery, DashboardMembersQueryVariables>;
export const DashboardInviteDocument = new TypedDocumentString(`
    mutation DashboardInvite($name: Line!, $email: String, $role: MemberRole!) {
  invited: inviteMember(name: $name, email: $email, role: $role) {
    url
  }
}
    `) as unknown as TypedDocumentString<DashboardInviteMutation, DashboardInviteMutationVariables>;
export const DashboardChangeRoleDocument = new TypedDocumentString(`
    mutation DashboardChangeRole($id: String!, $role: MemberRole!) {
  member: updateMember(id: $id, role: $role) {
    id
  }
}
    `) as unknown as TypedDocumentString<DashboardChangeRoleMutation, DashboardChangeRoleMutationVariables>;
export const DashboardNewLinkDocument = new TypedDocumentString(`
    mutation DashboardNewLink($id: String!) {
  invited: createMemberLink(id: $id) {
    url
  }
}
    `) as unknown as TypedDocumentString<DashboardNewLinkMutation, DashboardNewLinkMutationVariables>;
export const DashboardRemoveMemberDocument = new TypedDocumentString(`
    mutation DashboardRemoveMember($id: String!) {
  member: removeMember(id: $id) {
    id
  }
}
    `) as unknown as TypedDocumentString<DashboardRemoveMemberMutation, DashboardRemoveMemberMutationVariables>;
export const DashboardChangeWalletDocument = new TypedDocumentString(`
    mutation DashboardChangeWallet($wallet: SolanaAddress) {
  business: changePayoutWallet(wallet: $wallet) {
    id
  }
}
    `) as unknown as TypedDocumentString<DashboardChangeWalletMutation, DashboardChangeWalletMutationVariables>;
export const DashboardKeepWalletDocument = new TypedDocumentString(`
    mutation DashboardKeepWallet {
  business: cancelPayoutChange {
    id
  }
}
    `) as unknown as TypedDocumentString<DashboardKeepWalletMutation, DashboardKeepWalletMutationVariables>;
export const DashboardSessionsDocument = new TypedDocumentString(`
    query DashboardSessions {
  sessions {
    id
    memberId
    createdAt
    lastSeenAt
    ip
    userAgent
  }
  me {
    session {
      id
    }
  }
}
    `) as unknown as TypedDocumentString<DashboardSessionsQuery, DashboardSessionsQueryVariables>;
export const DashboardEndSessionDocument = new TypedDocumentString(`
    mutation DashboardEndSession($id: String!) {
  session: endSession(id: $id) {
    id
  }
}
    `) as unknown as TypedDocumentString<DashboardEndSessionMutation, DashboardEndSessionMutationVariables>;
export const DashboardBusinessDocument = new TypedDocumentString(`
    query DashboardBusiness {
  business {
    ...DashboardBusiness
  }
}
    fragment DashboardBusiness on Business {
  id
  name
  label
  sweepDestination
  logoUrl
  supportUrl
  supportEmail
  accentColor
  acceptedAssets
  successUrl
  cancelUrl
  underpaymentToleranceBps
  pendingPayoutChange {
    sweepDestination
    effectiveAt
    requestedBy
    ip
  }
}`) as unknown as TypedDocumentString<DashboardBusinessQuery, DashboardBusinessQueryVariables>;
export const DashboardSubscriptionFiguresDocument = new TypedDocumentString(`
    query DashboardSubscriptionFigures($from: DateTimeISO!, $timezone: Text!) {
  revenue: statsTimeseries(from: $from, interval: month, timezone: $timezone) {
    buckets {
      start
      recurringUsdCents
      chargesCount
    }
  }
  movement: subscriptionTimeseries(
    from: $from
    interval: month
    timezone: $timezone
  ) {
    start
    begun
    ended
  }
  failures: chargeFailures {
    failureCode
    count
    usdCents
  }
  forecast: chargeForecast(timezone: $timezone) {
    start
    count
    usdCents
    coveredUsdCents
  }
}
    `) as unknown as TypedDocumentString<DashboardSubscriptionFiguresQuery, DashboardSubscriptionFiguresQueryVariables>;
export const DashboardSubscriptionDetailDocument = new TypedDocumentString(`
    query DashboardSubscriptionDetail($id: String!, $first: Int, $after: String, $last: Int, $before: String) {
  subscription: billingSubscription(id: $id) {
    ...DashboardSubscription
    authorizedAmount
    approveSignature
    remainingAmount
    remainingPeriods
    stoppedBy
    manageable
    currentPeriodStart
    trialEndsAt
    activatedAt
    canceledAt
    endedAt
    metadata
    delegation {
      status
      chainAllowance
      chainCheckedAt
      liveSubscriptions
      tokenAccount
    }
  }
  charges: subscriptionCharges(
    id: $id
    first: $first
    after: $after
    last: $last
    before: $before
  ) {
    edges {
      node {
        ...DashboardCharge
      }
    }
    pageInfo {
      startCursor
      endCursor
      hasNextPage
      hasPreviousPage
    }
  }
}
    fragment DashboardCharge on Charge {
  uuid
  periodIndex
  amount
  feeAmount
  netAmount
  status
  failureCode
  recoveryAction
  waiting {
    until
  }
  attempts
  signature
  explorerUrl
  createdAt
  settledAt
  refundableAmount
  businessRefunds {
    ...DashboardRefund
  }
}
fragment DashboardTier on SubscriptionTier {
  uuid
  productId
  name
  description
  status
  priceUsdCents
  interval
  intervalCount
  authorizationPeriods
  trialDays
  totalAuthorizationUsdCents
  mint
  ticker
  decimals
}
fragment DashboardSubscription on BillingSubscription {
  uuid
  status
  subscriberWallet
  unitAmount
  discount {
    code
    percentOff
    amountOffUsdCents
    amount
    periodsLeft
  }
  cancelAtPeriodEnd
  currentPeriodEnd
  nextChargeAt
  createdAt
  tier {
    ...DashboardTier
    product {
      uuid
      name
    }
  }
}
fragment DashboardRefund on BusinessRefund {
  uuid
  paymentId
  chargeId
  subscriptionId
  part
  partOf
  status
  mint
  decimals
  amount
  paidAmount
  recipient
  signatures
  problem
  createdAt
  endedAt
}`) as unknown as TypedDocumentString<DashboardSubscriptionDetailQuery, DashboardSubscriptionDetailQueryVariables>;
export const DashboardSubscriptionEventsDocument = new TypedDocumentString(`
    query DashboardSubscriptionEvents($id: String!) {
  events(subscriptionId: $id, last: 50) {
    edges {
      node {
        id
        type
        timestamp
        data
      }
    }
    pageInfo {
      hasPreviousPage
    }
  }
}
    `) as unknown as TypedDocumentString<DashboardSubscriptionEventsQuery, DashboardSubscriptionEventsQueryVariables>;
export const DashboardDeliveriesOfEventsDocument = new TypedDocumentString(`
    query DashboardDeliveriesOfEvents($ids: [String!]!) {
  deliveries(first: 100, filter: {eventIds: $ids}) {
    edges {
      node {
        ...DashboardDeliveryAttempts
        eventId
      }
    }
  }
}
    fragment DashboardDelivery on WebhookDelivery {
  uuid
  type
  url
  status
  attemptCount
  lastStatusCode
  lastError
  createdAt
}
fragment DashboardDeliveryAttempts on WebhookDelivery {
  ...DashboardDelivery
  attempts {
    number
    startedAt
    durationMs
    responseStatus
    error
  }
}`) as unknown as TypedDocumentString<DashboardDeliveriesOfEventsQuery, DashboardDeliveriesOfEventsQueryVariables>;
export const DashboardOtherTiersDocument = new TypedDocumentString(`
    query DashboardOtherTiers($productId: String!) {
  tiers: subscriptionTiers(productId: $productId, first: 100) {
    edges {
      node {
        ...DashboardTier
      }
    }
  }
}
    fragment DashboardTier on SubscriptionTier {
  uuid
  productId
  name
  description
  status
  priceUsdCents
  interval
  intervalCount
  authorizationPeriods
  trialDays
  totalAuthorizationUsdCents
  mint
  ticker
  decimals
}`) as unknown as TypedDocumentString<DashboardOtherTiersQuery, DashboardOtherTiersQueryVariables>;
export const DashboardPauseSubscriptionDocument = new TypedDocumentString(`
    mutation DashboardPauseSubscription($id: String!) {
  subscription: pauseBillingSubscription(id: $id) {
    uuid
  }
}
    `) as unknown as TypedDocumentString<DashboardPauseSubscriptionMutation, DashboardPauseSubscriptionMutationVariables>;
export const DashboardResumeSubscriptionDocument = new TypedDocumentString(`
    mutation DashboardResumeSubscription($id: String!) {
  subscription: resumeBillingSubscription(id: $id) {
    uuid
  }
}
    `) as unknown as TypedDocumentString<DashboardResumeSubscriptionMutation, DashboardResumeSubscriptionMutationVariables>;
export const DashboardCancelSubscriptionDocument = new TypedDocumentString(`
    mutation DashboardCancelSubscription($id: String!, $atPeriodEnd: Boolean!) {
  subscription: cancelBillingSubscription(id: $id, atPeriodEnd: $atPeriodEnd) {
    uuid
  }
}
    `) as unknown as TypedDocumentString<DashboardCancelSubscriptionMutation, DashboardCancelSubscriptionMutationVariables>;
export const DashboardChargeNowDocument = new TypedDocumentString(`
    mutation DashboardChargeNow($id: String!) {
  subscription: chargeBillingSubscriptionNow(id: $id) {
    uuid
  }
}
    `) as unknown as TypedDocumentString<DashboardChargeNowMutation, DashboardChargeNowMutationVariables>;
export const DashboardChangeTierDocument = new TypedDocumentString(`
    mutation DashboardChangeTier($id: String!, $tierId: String!) {
  subscription: changeBillingSubscriptionTier(id: $id, tierId: $tierId) {
    uuid
  }
}
    `) as unknown as TypedDocumentString<DashboardChangeTierMutation, DashboardChangeTierMutationVariables>;
export const DashboardPortalLinkDocument = new TypedDocumentString(`
    mutation DashboardPortalLink($id: String!) {
  link: createPortalLink(id: $id) {
    portalUrl
    expiresAt
  }
}
    `) as unknown as TypedDocumentString<DashboardPortalLinkMutation, DashboardPortalLinkMutationVariables>;
export const DashboardSubscriptionsDocument = new TypedDocumentString(`
    query DashboardSubscriptions($first: Int, $after: String, $last: Int, $before: String, $filter: BillingSubscriptionFilter) {
  subscriptions: billingSubscriptions(
    first: $first
    after: $after
    last: $last
    before: $before
    filter: $filter
  ) {
    edges {
      node {
        ...DashboardSubscription
      }
    }
    pageInfo {
      startCursor
      endCursor
      hasNextPage
      hasPreviousPage
    }
  }
}
    fragment DashboardTier on SubscriptionTier {
  uuid
  productId
  name
  description
  status
  priceUsdCents
  interval
  intervalCount
  authorizationPeriods
  trialDays
  totalAuthorizationUsdCents
  mint
  ticker
  decimals
}
fragment DashboardSubscription on BillingSubscription {
  uuid
  status
  subscriberWallet
  unitAmount
  discount {
    code
    percentOff
    amountOffUsdCents
    amount
    periodsLeft
  }
  cancelAtPeriodEnd
  currentPeriodEnd
  nextChargeAt
  createdAt
  tier {
    ...DashboardTier
    product {
      uuid
      name
    }
  }
}`) as unknown as TypedDocumentString<DashboardSubscriptionsQuery, DashboardSubscriptionsQueryVariables>;
export const DashboardProductNamesDocument = new TypedDocumentString(`
    query DashboardProductNames {
  products: subscriptionProducts(first: 100) {
    edges {
      node {
        uuid
        name
      }
    }
  }
}
    `) as unknown as TypedDocumentString<DashboardProductNamesQuery, DashboardProductNamesQueryVariables>;
export const DashboardPaymentReceiptDocument = new TypedDocumentString(`
    query DashboardPaymentReceipt($id: String!) {
  subject: paymentIntentById(id: $id) {
    receipt {
      jws
    }
  }
}
    `) as unknown as TypedDocumentString<DashboardPaymentReceiptQuery, DashboardPaymentReceiptQueryVariables>;
export const DashboardChargeReceiptDocument = new TypedDocumentString(`
    query DashboardChargeReceipt($id: String!) {
  subject: billingCharge(id: $id) {
    receipt {
      jws
    }
  }
}
    `) as unknown as TypedDocumentString<DashboardChargeReceiptQuery, DashboardChargeReceiptQueryVariables>;
export const DashboardRefundReceiptDocument = new TypedDocumentString(`
    query DashboardRefundReceipt($id: String!) {
  subject: refund(id: $id) {
    receipt {
      jws
    }
  }
}
    `) as unknown as TypedDocumentString<DashboardRefundReceiptQuery, DashboardRefundReceiptQueryVariables>;