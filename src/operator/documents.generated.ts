/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
/** A token to allow. */
export type AllowTokenInput = {
  /** Consent to a mint whose issuer can stop all transfers. */
  allowPausable?: boolean | null | undefined;
  /** Consent to a mint whose issuer can take tokens out of any account. */
  allowPermanentDelegate?: boolean | null | undefined;
  /** The token. */
  asset: string;
  /** Consent to these extensions of the mint, by the names that `mint_needs_consent` shows. */
  consent?: Array<string> | null | undefined;
  /** What the price feeds call it; the ticker when left out. */
  feedKey?: string | null | undefined;
  /** The name to show. */
  name: string;
  /** The network of the token. */
  network: Network;
  /** The ticker to show, such as `USDC`. */
  ticker: string;
};

/** What an audit of recurring billing compares. */
export type BillingRecord =
  /** Charges, with their transfers and the ledger. */
  | 'charge'
  /** Allowances, with their subscriptions. */
  | 'delegation'
  /** Subscriptions, with their charges. */
  | 'subscription';

/** A rule that a record must follow. */
export type BillingRule =
  /** The allowance, as it was read last, covers what is outstanding. */
  | 'allowance'
  /** The ledger has each final transaction of a charge, and no other. */
  | 'ledger'
  /** The transfer of a charge pays its amounts to its destinations, and all of it arrives. */
  | 'legs'
  /** The next period to charge is after every paid one. */
  | 'next_period'
  /** A subscription and its allowance have the same network, wallet and token. */
  | 'owner'
  /** A period of a subscription is charged once. */
  | 'period'
  /** The charges that succeeded add up to what the subscription has spent. */
  | 'spent'
  /** Payout and fee of a charge add up to its amount. */
  | 'split'
  /** A charge that succeeded has exactly one successful transaction, any other has none. */
  | 'transaction'
  /** A charge has one transfer, which is done exactly when the charge has succeeded. */
  | 'transfer';

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

/** How the pages of a business look. A field that is left out is untouched; null clears it. */
export type BrandInput = {
  /** The color of buttons and links, such as `#00aa77`. */
  accentColor?: string | null | undefined;
  /** The logo. It is encoded again, without metadata. */
  logo?: string | null | undefined;
  /** The address at which buyers get help. */
  supportEmail?: string | null | undefined;
  /** The page on which buyers get help: an https URL without a port. */
  supportUrl?: string | null | undefined;
};

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

/** How a cluster makes blocks final. */
export type Consensus =
  /** By a certificate of votes, a moment after the block. */
  | 'alpenglow'
  /** By votes on 32 later blocks. */
  | 'tower_bft';

/** The fields to change, at least one. A field that is left out is untouched; null clears it. */
export type CorrectSellerInput = {
  /** The name that buyers see. */
  label?: string | null | undefined;
  /** The name of the seller. It cannot be cleared. */
  name?: string | null | undefined;
  /** The wallet that receives its settlements. */
  sweepDestination?: string | null | undefined;
};

/** An account to open. */
export type CreateAccountInput = {
  /** The name that buyers see; `name` when left out. */
  label?: string | null | undefined;
  /** The network of its payments. */
  mode: Network;
  /** The name of the account. */
  name: string;
  /** The wallet that receives settlements. */
  sweepDestination?: string | null | undefined;
  /** The URL that receives webhooks. */
  webhookUrl?: string | null | undefined;
};

/** A wallet to put on the list. */
export type CustodianInput = {
  /** The wallet. */
  address: string;
  /** The name of its owner. */
  label: string;
};

/** How far a delivery is. */
export type DeliveryStatus =
  /** It used up its retries, or the URL answered 410. */
  | 'failed'
  /** A request follows. */
  | 'pending'
  /** The URL answered with a 2xx status. */
  | 'succeeded';

/** Whether deposits are found by reading every address, or every block. */
export type DepositSourceKind =
  /** Every final block is read. */
  | 'blocks'
  /** Every address is read as often as it is due. */
  | 'polling';

/** Money to hand out. */
export type FaucetInput = {
  /** The wallet that receives it. */
  address: string;
  /** The amount, in base units. */
  amount: string;
  /** The asset. */
  asset: string;
  /** The network of the wallet. */
  network: Network;
};

/** The kind of a difference between ledger and chain. */
export type FaultKind =
  /** What arrived is not what left and what remains. */
  | 'books_disagree'
  /** An account has less than the ledger says. */
  | 'chain_has_less'
  /** An account has more than the ledger says. */
  | 'chain_has_more'
  /** The stored address is not the one that the master seed gives. */
  | 'other_address';

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

/** What the operator has decided. */
export type MarketplaceApplicationState =
  /** The business is a marketplace. */
  | 'approved'
  /** Nothing yet. */
  | 'pending'
  /** Refused, for the reason that the application shows. The business can apply again. */
  | 'refused';

/** Whether a marketplace can be changed and take payments for its sellers. */
export type MarketplaceStatus =
  /** It is approved. */
  | 'active'
  /** It is revoked: it can be read, and not changed. */
  | 'disabled';

/** A field that is left out is untouched, or has its default at the first approval. */
export type MarketplaceTermsInput = {
  /** The default rate in basis points. 0 at the first approval. */
  defaultFeeBps?: number | null | undefined;
  /** The wallet for the fees. Null clears it. */
  feeWallet?: string | null | undefined;
  /** The highest number of sellers. Null is no limit. */
  sellerLimit?: number | null | undefined;
};

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

/** Held money to release. */
export type ReleaseHeldInput = {
  /** The asset to release. */
  asset: string;
  /** The payment's derivation index, or its id. */
  intent: string;
  /** Why, in 1 to 500 characters; it is kept. */
  reason: string;
  /** The wallet that gets all of it. */
  to: string;
};

/** Whether an allowance covers what is outstanding. */
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

/** A field that is left out is untouched; null clears it. */
export type UpdateAccountInput = {
  /** The name that buyers see. */
  label?: string | null | undefined;
  /** The name of the account. It cannot be cleared. */
  name?: string | null | undefined;
  /** The wallet that receives settlements. */
  sweepDestination?: string | null | undefined;
  /** The types of events that the URL receives. An empty list chooses every type, as null does. */
  webhookEvents?: Array<string> | null | undefined;
  /** The URL that receives webhooks. */
  webhookUrl?: string | null | undefined;
};

export type AccountFieldsFragment = { id: string, name: string, mode: Network, label: string | null, sweepDestination: string | null, webhookUrl: string | null, webhookEvents: Array<string>, logoUrl: string | null, accentColor: string | null, supportUrl: string | null, supportEmail: string | null, derivationIndex: number, marketplaceAccountId: string | null, externalId: string | null, marketplaceFeeBps: number | null, archivedAt: string | null, disabledAt: string | null, disabledReason: string | null, createdAt: string, updatedAt: string };

export type KeyFieldsFragment = { id: string, accountId: string, name: string, hint: string, scopes: Array<KeyScope>, createdBy: string, createdAt: string, lastUsedAt: string | null, revokedAt: string | null };

export type MemberFieldsFragment = { id: string, name: string, email: string | null, role: MemberRole, createdAt: string, removedAt: string | null };

export type TokenFieldsFragment = { network: Network, asset: string, mint: string, isNative: boolean, name: string, ticker: string, decimals: number, tokenProgram: string | null, extensions: Array<string>, feedKey: string, imageUrl: string | null, enabled: boolean };

export type TransferFieldsFragment = { id: string, key: string, kind: string, status: TransferStatus, reason: string | null, network: Network, asset: string, attempts: number, signature: string | null, intentIndex: number | null, createdAt: string, doneAt: string | null };

export type DeliveryFieldsFragment = { id: string, webhookId: string, accountId: string, url: string, type: string, status: DeliveryStatus, attempts: number, nextAttemptAt: string | null, lastStatusCode: number | null, lastError: string | null, createdAt: string };

export type NetworkStatusFieldsFragment = { genesisHash: string, feePayer: string, feePayerLamports: string, slot: string, lagSeconds: number, consensus: Consensus | null, slotMs: number | null, finalAfterSlots: number, providers: Array<{ number: number, latencyMs: number | null, failures: number, isResting: boolean }>, deposits: { source: DepositSourceKind, reason: string, since: string, readToSlot: string | null, noticeCallsPerMinute: number, pollingCallsPerMinute: number, blockCallsPerMinute: number, noticedAccounts: number, watchedAccounts: number } | null };

export type BillingStatusFieldsFragment = { mint: string, problems: Array<string>, delegate: string, chargesDue: number, chargesInFlight: number, oldestChargeSince: string | null, sponsorSpent: string, sponsorBudget: string, subscriptions: Array<{ status: BillingSubscriptionStatus, count: number }>, delegations: Array<{ status: SubscriptionDelegationStatus, count: number }> };

export type CreateAccountMutationVariables = Exact<{
  input: CreateAccountInput;
}>;


export type CreateAccountMutation = { createAccount: { apiKey: string, webhookSecret: string, account: { id: string, name: string, mode: Network, label: string | null, sweepDestination: string | null, webhookUrl: string | null, webhookEvents: Array<string>, logoUrl: string | null, accentColor: string | null, supportUrl: string | null, supportEmail: string | null, derivationIndex: number, marketplaceAccountId: string | null, externalId: string | null, marketplaceFeeBps: number | null, archivedAt: string | null, disabledAt: string | null, disabledReason: string | null, createdAt: string, updatedAt: string } } };

export type UpdateAccountMutationVariables = Exact<{
  id: string;
  input: UpdateAccountInput;
}>;


export type UpdateAccountMutation = { updateAccount: { id: string, name: string, mode: Network, label: string | null, sweepDestination: string | null, webhookUrl: string | null, webhookEvents: Array<string>, logoUrl: string | null, accentColor: string | null, supportUrl: string | null, supportEmail: string | null, derivationIndex: number, marketplaceAccountId: string | null, externalId: string | null, marketplaceFeeBps: number | null, archivedAt: string | null, disabledAt: string | null, disabledReason: string | null, createdAt: string, updatedAt: string } };

export type SetBrandMutationVariables = Exact<{
  id: string;
  input: BrandInput;
}>;


export type SetBrandMutation = { setBrand: { id: string, name: string, mode: Network, label: string | null, sweepDestination: string | null, webhookUrl: string | null, webhookEvents: Array<string>, logoUrl: string | null, accentColor: string | null, supportUrl: string | null, supportEmail: string | null, derivationIndex: number, marketplaceAccountId: string | null, externalId: string | null, marketplaceFeeBps: number | null, archivedAt: string | null, disabledAt: string | null, disabledReason: string | null, createdAt: string, updatedAt: string } };

export type DisableAccountMutationVariables = Exact<{
  id: string;
  reason: string;
}>;


export type DisableAccountMutation = { disableAccount: { id: string, name: string, mode: Network, label: string | null, sweepDestination: string | null, webhookUrl: string | null, webhookEvents: Array<string>, logoUrl: string | null, accentColor: string | null, supportUrl: string | null, supportEmail: string | null, derivationIndex: number, marketplaceAccountId: string | null, externalId: string | null, marketplaceFeeBps: number | null, archivedAt: string | null, disabledAt: string | null, disabledReason: string | null, createdAt: string, updatedAt: string } };

export type EnableAccountMutationVariables = Exact<{
  id: string;
}>;


export type EnableAccountMutation = { enableAccount: { id: string, name: string, mode: Network, label: string | null, sweepDestination: string | null, webhookUrl: string | null, webhookEvents: Array<string>, logoUrl: string | null, accentColor: string | null, supportUrl: string | null, supportEmail: string | null, derivationIndex: number, marketplaceAccountId: string | null, externalId: string | null, marketplaceFeeBps: number | null, archivedAt: string | null, disabledAt: string | null, disabledReason: string | null, createdAt: string, updatedAt: string } };

export type ListAccountsQueryVariables = Exact<{ [key: string]: never; }>;


export type ListAccountsQuery = { accounts: Array<{ id: string, name: string, mode: Network, label: string | null, sweepDestination: string | null, webhookUrl: string | null, webhookEvents: Array<string>, logoUrl: string | null, accentColor: string | null, supportUrl: string | null, supportEmail: string | null, derivationIndex: number, marketplaceAccountId: string | null, externalId: string | null, marketplaceFeeBps: number | null, archivedAt: string | null, disabledAt: string | null, disabledReason: string | null, createdAt: string, updatedAt: string }> };

export type ShowAccountQueryVariables = Exact<{
  id: string;
}>;


export type ShowAccountQuery = { account: { id: string, name: string, mode: Network, label: string | null, sweepDestination: string | null, webhookUrl: string | null, webhookEvents: Array<string>, logoUrl: string | null, accentColor: string | null, supportUrl: string | null, supportEmail: string | null, derivationIndex: number, marketplaceAccountId: string | null, externalId: string | null, marketplaceFeeBps: number | null, archivedAt: string | null, disabledAt: string | null, disabledReason: string | null, createdAt: string, updatedAt: string, pendingPayoutChange: { sweepDestination: string | null, requestedBy: string, ip: string, requestedAt: string, effectiveAt: string } | null } };

export type CreateKeyMutationVariables = Exact<{
  accountId: string;
  name?: string | null | undefined;
  scopes?: Array<KeyScope> | KeyScope | null | undefined;
}>;


export type CreateKeyMutation = { createAccountKey: { apiKey: string, key: { id: string, accountId: string, name: string, hint: string, scopes: Array<KeyScope>, createdBy: string, createdAt: string, lastUsedAt: string | null, revokedAt: string | null } } };

export type ListKeysQueryVariables = Exact<{
  accountId: string;
}>;


export type ListKeysQuery = { keys: Array<{ id: string, accountId: string, name: string, hint: string, scopes: Array<KeyScope>, createdBy: string, createdAt: string, lastUsedAt: string | null, revokedAt: string | null }> };

export type RevokeKeyMutationVariables = Exact<{
  id: string;
}>;


export type RevokeKeyMutation = { revokeAccountKey: { id: string, accountId: string, name: string, hint: string, scopes: Array<KeyScope>, createdBy: string, createdAt: string, lastUsedAt: string | null, revokedAt: string | null } };

export type CancelPayoutChangeMutationVariables = Exact<{
  accountId: string;
}>;


export type CancelPayoutChangeMutation = { cancelAccountPayoutChange: { id: string, name: string, mode: Network, label: string | null, sweepDestination: string | null, webhookUrl: string | null, webhookEvents: Array<string>, logoUrl: string | null, accentColor: string | null, supportUrl: string | null, supportEmail: string | null, derivationIndex: number, marketplaceAccountId: string | null, externalId: string | null, marketplaceFeeBps: number | null, archivedAt: string | null, disabledAt: string | null, disabledReason: string | null, createdAt: string, updatedAt: string } };

export type InviteMemberMutationVariables = Exact<{
  accountId: string;
  name: string;
  email?: string | null | undefined;
  role: MemberRole;
}>;


export type InviteMemberMutation = { inviteAccountMember: { url: string, expiresAt: string, member: { id: string, name: string, email: string | null, role: MemberRole, createdAt: string, removedAt: string | null } } };

export type LinkMemberMutationVariables = Exact<{
  id: string;
}>;


export type LinkMemberMutation = { createAccountMemberLink: { url: string, expiresAt: string, member: { id: string, name: string, email: string | null, role: MemberRole, createdAt: string, removedAt: string | null } } };

export type ListOperatorLogQueryVariables = Exact<{
  limit?: number | null | undefined;
  before?: string | null | undefined;
}>;


export type ListOperatorLogQuery = { operatorLog: Array<{ id: string, action: string, given: string, ip: string, startedAt: string, outcome: string | null, endedAt: string | null }> };

export type ListMembersQueryVariables = Exact<{
  accountId: string;
}>;


export type ListMembersQuery = { members: Array<{ id: string, name: string, email: string | null, role: MemberRole, createdAt: string, logins: Array<{ id: string, name: string, wallet: string | null, lastUsedAt: string | null }> }> };

export type RemoveMemberMutationVariables = Exact<{
  id: string;
}>;


export type RemoveMemberMutation = { removeAccountMember: { id: string, name: string, email: string | null, role: MemberRole, createdAt: string, removedAt: string | null } };

export type AllowTokenMutationVariables = Exact<{
  input: AllowTokenInput;
}>;


export type AllowTokenMutation = { allowToken: { priceProblem: string | null, network: Network, asset: string, mint: string, isNative: boolean, name: string, ticker: string, decimals: number, tokenProgram: string | null, extensions: Array<string>, feedKey: string, imageUrl: string | null, enabled: boolean } };

export type SetTokenImageMutationVariables = Exact<{
  network: Network;
  asset: string;
  image?: string | null | undefined;
}>;


export type SetTokenImageMutation = { setTokenImage: { imageUrl: string | null, network: Network, asset: string, mint: string, isNative: boolean, name: string, ticker: string, decimals: number, tokenProgram: string | null, extensions: Array<string>, feedKey: string, enabled: boolean } };

export type DisallowTokenMutationVariables = Exact<{
  network: Network;
  asset: string;
}>;


export type DisallowTokenMutation = { disallowToken: { network: Network, asset: string, mint: string, isNative: boolean, name: string, ticker: string, decimals: number, tokenProgram: string | null, extensions: Array<string>, feedKey: string, imageUrl: string | null, enabled: boolean } };

export type ListTokensQueryVariables = Exact<{ [key: string]: never; }>;


export type ListTokensQuery = { tokens: Array<{ network: Network, asset: string, mint: string, isNative: boolean, name: string, ticker: string, decimals: number, tokenProgram: string | null, extensions: Array<string>, feedKey: string, imageUrl: string | null, enabled: boolean }> };

export type StatusQueryVariables = Exact<{ [key: string]: never; }>;


export type StatusQuery = { operatorStatus: { openIntents: number, unfinishedTransfers: number, alerts: Array<string>, networks: { live: { genesisHash: string, feePayer: string, feePayerLamports: string, slot: string, lagSeconds: number, consensus: Consensus | null, slotMs: number | null, finalAfterSlots: number, providers: Array<{ number: number, latencyMs: number | null, failures: number, isResting: boolean }>, deposits: { source: DepositSourceKind, reason: string, since: string, readToSlot: string | null, noticeCallsPerMinute: number, pollingCallsPerMinute: number, blockCallsPerMinute: number, noticedAccounts: number, watchedAccounts: number } | null } | null, test: { genesisHash: string, feePayer: string, feePayerLamports: string, slot: string, lagSeconds: number, consensus: Consensus | null, slotMs: number | null, finalAfterSlots: number, providers: Array<{ number: number, latencyMs: number | null, failures: number, isResting: boolean }>, deposits: { source: DepositSourceKind, reason: string, since: string, readToSlot: string | null, noticeCallsPerMinute: number, pollingCallsPerMinute: number, blockCallsPerMinute: number, noticedAccounts: number, watchedAccounts: number } | null } | null }, workers: Array<{ id: string, role: string, startedAt: string, lastSeenAt: string }>, billing: { mint: string, problems: Array<string>, delegate: string, chargesDue: number, chargesInFlight: number, oldestChargeSince: string | null, sponsorSpent: string, sponsorBudget: string, subscriptions: Array<{ status: BillingSubscriptionStatus, count: number }>, delegations: Array<{ status: SubscriptionDelegationStatus, count: number }> } | null } };

export type AdvanceClockMutationVariables = Exact<{
  seconds: number;
}>;


export type AdvanceClockMutation = { advanceClock: { now: string } };

export type FaucetMutationVariables = Exact<{
  input: FaucetInput;
}>;


export type FaucetMutation = { faucet: { signature: string | null } };

export type ListTransfersQueryVariables = Exact<{
  status?: TransferStatus | null | undefined;
  limit?: number | null | undefined;
}>;


export type ListTransfersQuery = { transfers: Array<{ id: string, key: string, kind: string, status: TransferStatus, reason: string | null, network: Network, asset: string, attempts: number, signature: string | null, intentIndex: number | null, createdAt: string, doneAt: string | null }> };

export type RetryTransferMutationVariables = Exact<{
  id: string;
}>;


export type RetryTransferMutation = { retryTransfer: { id: string, key: string, kind: string, status: TransferStatus, reason: string | null, network: Network, asset: string, attempts: number, signature: string | null, intentIndex: number | null, createdAt: string, doneAt: string | null } };

export type ListDeliveriesQueryVariables = Exact<{
  accountId?: string | null | undefined;
  status?: DeliveryStatus | null | undefined;
  limit?: number | null | undefined;
}>;


export type ListDeliveriesQuery = { webhookDeliveries: Array<{ id: string, webhookId: string, accountId: string, url: string, type: string, status: DeliveryStatus, attempts: number, nextAttemptAt: string | null, lastStatusCode: number | null, lastError: string | null, createdAt: string }> };

export type TestWebhookMutationVariables = Exact<{
  accountId: string;
}>;


export type TestWebhookMutation = { testWebhook: Array<{ id: string, webhookId: string, accountId: string, url: string, type: string, status: DeliveryStatus, attempts: number, nextAttemptAt: string | null, lastStatusCode: number | null, lastError: string | null, createdAt: string }> };

export type RedeliverMutationVariables = Exact<{
  id: string;
}>;


export type RedeliverMutation = { redeliverWebhook: { id: string, webhookId: string, accountId: string, url: string, type: string, status: DeliveryStatus, attempts: number, nextAttemptAt: string | null, lastStatusCode: number | null, lastError: string | null, createdAt: string } };

export type RotateWebhookSecretMutationVariables = Exact<{
  accountId: string;
  revokeOld: boolean;
}>;


export type RotateWebhookSecretMutation = { rotateWebhookSecret: { webhookSecret: string, oldSecretsUntil: Array<string> } };

export type HaltFieldsFragment = { id: string, network: Network, address: string, intentIndex: number | null, reason: string, haltedAt: string, clearedAt: string | null, clearedBy: string | null, clearedReason: string | null, faults: Array<{ kind: FaultKind, account: string | null, asset: string | null, amount: string }> };

export type ListHaltsQueryVariables = Exact<{
  network?: Network | null | undefined;
  open?: boolean | null | undefined;
  limit?: number | null | undefined;
}>;


export type ListHaltsQuery = { halts: Array<{ id: string, network: Network, address: string, intentIndex: number | null, reason: string, haltedAt: string, clearedAt: string | null, clearedBy: string | null, clearedReason: string | null, faults: Array<{ kind: FaultKind, account: string | null, asset: string | null, amount: string }> }> };

export type ClearHaltMutationVariables = Exact<{
  id: string;
  reason: string;
}>;


export type ClearHaltMutation = { clearHalt: { id: string, network: Network, address: string, intentIndex: number | null, reason: string, haltedAt: string, clearedAt: string | null, clearedBy: string | null, clearedReason: string | null, faults: Array<{ kind: FaultKind, account: string | null, asset: string | null, amount: string }> } };

export type CustodianFieldsFragment = { network: Network, address: string, label: string };

export type ListCustodiansQueryVariables = Exact<{
  network?: Network | null | undefined;
}>;


export type ListCustodiansQuery = { custodians: Array<{ network: Network, address: string, label: string }> };

export type SaveCustodiansMutationVariables = Exact<{
  network: Network;
  custodians: Array<CustodianInput> | CustodianInput;
}>;


export type SaveCustodiansMutation = { saveCustodians: Array<{ network: Network, address: string, label: string }> };

export type RemoveCustodianMutationVariables = Exact<{
  network: Network;
  address: string;
}>;


export type RemoveCustodianMutation = { removeCustodian: boolean };

export type ReleaseFieldsFragment = { transferId: string, intentIndex: number, network: Network, asset: string, sourceAccount: string | null, amount: string, to: string, reason: string, releasedBy: string, releasedAt: string, status: TransferStatus, problem: string | null, signature: string | null };

export type ListHeldQueryVariables = Exact<{
  network?: Network | null | undefined;
  accountId?: string | null | undefined;
  afterIndex?: number | null | undefined;
  includeDust: boolean;
  limit?: number | null | undefined;
}>;


export type ListHeldQuery = { heldPayments: { nextIndex: number | null, dustPayments: number, payments: Array<{ intentId: string, intentIndex: number, accountId: string, network: Network, address: string, status: IntentStatus, proposedAddress: string | null, updatedAt: string, held: Array<{ mint: string | null, amount: string, reason: string }> }> } };

export type ListReleasesQueryVariables = Exact<{
  network?: Network | null | undefined;
  limit?: number | null | undefined;
}>;


export type ListReleasesQuery = { releases: Array<{ transferId: string, intentIndex: number, network: Network, asset: string, sourceAccount: string | null, amount: string, to: string, reason: string, releasedBy: string, releasedAt: string, status: TransferStatus, problem: string | null, signature: string | null }> };

export type ReleaseHeldMutationVariables = Exact<{
  input: ReleaseHeldInput;
}>;


export type ReleaseHeldMutation = { releaseHeld: Array<{ transferId: string, intentIndex: number, network: Network, asset: string, sourceAccount: string | null, amount: string, to: string, reason: string, releasedBy: string, releasedAt: string, status: TransferStatus, problem: string | null, signature: string | null }> };

export type AuditScopeQueryVariables = Exact<{
  network: Network;
}>;


export type AuditScopeQuery = { auditScope: { addresses: number, feePayer: string, feePayerLamports: string } | null };

export type AuditStatsQueryVariables = Exact<{
  network: Network;
  after?: string | null | undefined;
}>;


export type AuditStatsQuery = { auditStats: { accounts: number, next: string | null, differences: Array<{ accountId: string, scope: string, day: string, span: number, asset: string, figures: Array<{ figure: string, difference: string }> }> } };

export type AuditPageQueryVariables = Exact<{
  network: Network;
  afterIndex: number;
  limit: number;
}>;


export type AuditPageQuery = { audit: { nextIndex: number | null, addresses: Array<{ intentIndex: number, address: string, derivedAddress: string, tokenAccountLamports: string, balances: Array<{ account: string, asset: string, ledger: string, chain: string, inFlight: string, unbooked: string, difference: string }>, flows: Array<{ asset: string, received: string, settled: string, returned: string, remaining: string, difference: string }> }>, feePayer: { spent: string, repaid: string, rent: string } } };

export type ListUnacceptedQueryVariables = Exact<{
  network?: Network | null | undefined;
  intent?: string | null | undefined;
  limit?: number | null | undefined;
}>;


export type ListUnacceptedQuery = { unacceptedTokens: Array<{ intentIndex: number, network: Network, address: string, mint: string | null, isAllowed: boolean, arrivals: string, amount: string | null, firstSignature: string, lastSignature: string, firstSeenAt: string, lastSeenAt: string }> };

export type MarketplaceFieldsFragment = { accountId: string, status: MarketplaceStatus, defaultFeeBps: number, feeWallet: string | null, sellerLimit: number | null, sellersCount: number, sellersTotal: number };

export type ShowMarketplaceQueryVariables = Exact<{
  accountId: string;
}>;


export type ShowMarketplaceQuery = { marketplace: { accountId: string, status: MarketplaceStatus, defaultFeeBps: number, feeWallet: string | null, sellerLimit: number | null, sellersCount: number, sellersTotal: number } };

export type ApproveMarketplaceMutationVariables = Exact<{
  accountId: string;
  terms: MarketplaceTermsInput;
}>;


export type ApproveMarketplaceMutation = { approveMarketplace: { accountId: string, status: MarketplaceStatus, defaultFeeBps: number, feeWallet: string | null, sellerLimit: number | null, sellersCount: number, sellersTotal: number } };

export type RevokeMarketplaceMutationVariables = Exact<{
  accountId: string;
}>;


export type RevokeMarketplaceMutation = { revokeMarketplace: { accountId: string, status: MarketplaceStatus, defaultFeeBps: number, feeWallet: string | null, sellerLimit: number | null, sellersCount: number, sellersTotal: number } };

export type CorrectSellerMutationVariables = Exact<{
  id: string;
  input: CorrectSellerInput;
}>;


export type CorrectSellerMutation = { correctSeller: { id: string, name: string, mode: Network, label: string | null, sweepDestination: string | null, webhookUrl: string | null, webhookEvents: Array<string>, logoUrl: string | null, accentColor: string | null, supportUrl: string | null, supportEmail: string | null, derivationIndex: number, marketplaceAccountId: string | null, externalId: string | null, marketplaceFeeBps: number | null, archivedAt: string | null, disabledAt: string | null, disabledReason: string | null, createdAt: string, updatedAt: string } };

export type ChargeFieldsFragment = { id: string, subscriptionId: string, accountId: string, network: Network, wallet: string, mint: string, periodIndex: number, periodStart: string, periodEnd: string | null, amount: string, netAmount: string, feeAmount: string, destinationAta: string, feeDestination: string | null, status: ChargeStatus, failureCode: ChargeFailureCode | null, recoveryAction: ChargeRecoveryAction | null, reason: string | null, attempts: number, nextAttemptAt: string | null, signature: string | null, createdAt: string, settledAt: string | null };

export type SubscriptionFieldsFragment = { id: string, accountId: string, tierId: string, network: Network, status: BillingSubscriptionStatus, wallet: string, mint: string, unitAmount: string, authorizedAmount: string, spentAmount: string, remainingAmount: string, periodIndex: number, currentPeriodStart: string | null, currentPeriodEnd: string | null, nextChargeAt: string | null, cancelAtPeriodEnd: boolean, pastDueSince: string | null, dueAt: string | null, createdAt: string, endedAt: string | null };

export type ListSubscriptionsQueryVariables = Exact<{
  status?: BillingSubscriptionStatus | null | undefined;
  accountId?: string | null | undefined;
  wallet?: string | null | undefined;
  limit?: number | null | undefined;
}>;


export type ListSubscriptionsQuery = { subscriptions: Array<{ id: string, accountId: string, tierId: string, network: Network, status: BillingSubscriptionStatus, wallet: string, mint: string, unitAmount: string, authorizedAmount: string, spentAmount: string, remainingAmount: string, periodIndex: number, currentPeriodStart: string | null, currentPeriodEnd: string | null, nextChargeAt: string | null, cancelAtPeriodEnd: boolean, pastDueSince: string | null, dueAt: string | null, createdAt: string, endedAt: string | null }> };

export type ShowSubscriptionQueryVariables = Exact<{
  id: string;
}>;


export type ShowSubscriptionQuery = { subscription: { id: string, accountId: string, tierId: string, network: Network, status: BillingSubscriptionStatus, wallet: string, mint: string, unitAmount: string, authorizedAmount: string, spentAmount: string, remainingAmount: string, periodIndex: number, currentPeriodStart: string | null, currentPeriodEnd: string | null, nextChargeAt: string | null, cancelAtPeriodEnd: boolean, pastDueSince: string | null, dueAt: string | null, createdAt: string, endedAt: string | null, delegation: { id: string, status: SubscriptionDelegationStatus, tokenAccount: string, epoch: number, authorizedTotal: string, chainDelegate: string | null, chainAllowance: string, chainCheckedAt: string | null }, charges: Array<{ id: string, subscriptionId: string, accountId: string, network: Network, wallet: string, mint: string, periodIndex: number, periodStart: string, periodEnd: string | null, amount: string, netAmount: string, feeAmount: string, destinationAta: string, feeDestination: string | null, status: ChargeStatus, failureCode: ChargeFailureCode | null, recoveryAction: ChargeRecoveryAction | null, reason: string | null, attempts: number, nextAttemptAt: string | null, signature: string | null, createdAt: string, settledAt: string | null }> } };

export type ListChargesQueryVariables = Exact<{
  status?: ChargeStatus | null | undefined;
  subscriptionId?: string | null | undefined;
  accountId?: string | null | undefined;
  wallet?: string | null | undefined;
  limit?: number | null | undefined;
}>;


export type ListChargesQuery = { charges: Array<{ id: string, subscriptionId: string, accountId: string, network: Network, wallet: string, mint: string, periodIndex: number, periodStart: string, periodEnd: string | null, amount: string, netAmount: string, feeAmount: string, destinationAta: string, feeDestination: string | null, status: ChargeStatus, failureCode: ChargeFailureCode | null, recoveryAction: ChargeRecoveryAction | null, reason: string | null, attempts: number, nextAttemptAt: string | null, signature: string | null, createdAt: string, settledAt: string | null }> };

export type ShowChargeQueryVariables = Exact<{
  id: string;
}>;


export type ShowChargeQuery = { charge: { id: string, subscriptionId: string, accountId: string, network: Network, wallet: string, mint: string, periodIndex: number, periodStart: string, periodEnd: string | null, amount: string, netAmount: string, feeAmount: string, destinationAta: string, feeDestination: string | null, status: ChargeStatus, failureCode: ChargeFailureCode | null, recoveryAction: ChargeRecoveryAction | null, reason: string | null, attempts: number, nextAttemptAt: string | null, signature: string | null, createdAt: string, settledAt: string | null } };

export type RetryChargeMutationVariables = Exact<{
  id: string;
}>;


export type RetryChargeMutation = { retryCharge: { id: string, subscriptionId: string, accountId: string, network: Network, wallet: string, mint: string, periodIndex: number, periodStart: string, periodEnd: string | null, amount: string, netAmount: string, feeAmount: string, destinationAta: string, feeDestination: string | null, status: ChargeStatus, failureCode: ChargeFailureCode | null, recoveryAction: ChargeRecoveryAction | null, reason: string | null, attempts: number, nextAttemptAt: string | null, signature: string | null, createdAt: string, settledAt: string | null } };

export type AuditBillingQueryVariables = Exact<{
  network: Network;
  record: BillingRecord;
  after?: string | null | undefined;
  limit?: number | null | undefined;
}>;


export type AuditBillingQuery = { auditBilling: { records: number, feePayerSpent: string, next: string | null, totals: Array<{ mint: string, charges: number, pulled: string, paidOut: string, fees: string, difference: string }>, findings: Array<{ record: BillingRecord, id: string, rule: BillingRule, problem: string }> } };

export type ApplicationFieldsFragment = { accountId: string, state: MarketplaceApplicationState, website: string, sells: string, expectedVolume: string, appliedAt: string, decidedAt: string | null, reason: string | null };

export type ListApplicationsQueryVariables = Exact<{
  pending: boolean;
}>;


export type ListApplicationsQuery = { applications: Array<{ accountId: string, state: MarketplaceApplicationState, website: string, sells: string, expectedVolume: string, appliedAt: string, decidedAt: string | null, reason: string | null }> };

export type RefuseMarketplaceMutationVariables = Exact<{
  accountId: string;
  reason: string;
}>;


export type RefuseMarketplaceMutation = { refuseMarketplace: { accountId: string, state: MarketplaceApplicationState, website: string, sells: string, expectedVolume: string, appliedAt: string, decidedAt: string | null, reason: string | null } };

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
export const AccountFieldsFragmentDoc = new TypedDocumentString(`
    fragment AccountFields on Account {
  id
  name
  mode
  label
  sweepDestination
  webhookUrl
  webhookEvents
  logoUrl
  accentColor
  supportUrl
  supportEmail
  derivationIndex
  marketplaceAccountId
  externalId
  marketplaceFeeBps
  archivedAt
  disabledAt
  disabledReason
  createdAt
  updatedAt
}
    `, {"fragmentName":"AccountFields"}) as unknown as TypedDocumentString<AccountFieldsFragment, unknown>;
export const KeyFieldsFragmentDoc = new TypedDocumentString(`
    fragment KeyFields on ApiKey {
  id
  accountId
  name
  hint
  scopes
  createdBy
  createdAt
  lastUsedAt
  revokedAt
}
    `, {"fragmentName":"KeyFields"}) as unknown as TypedDocumentString<KeyFieldsFragment, unknown>;
export const MemberFieldsFragmentDoc = new TypedDocumentString(`
    fragment MemberFields on Member {
  id
  name
  email
  role
  createdAt
  removedAt
}
    `, {"fragmentName":"MemberFields"}) as unknown as TypedDocumentString<MemberFieldsFragment, unknown>;
export const TokenFieldsFragmentDoc = new TypedDocumentString(`
    fragment TokenFields on Token {
  network
  asset
  mint
  isNative
  name
  ticker
  decimals
  tokenProgram
  extensions
  feedKey
  imageUrl
  enabled
}
    `, {"fragmentName":"TokenFields"}) as unknown as TypedDocumentString<TokenFieldsFragment, unknown>;
export const TransferFieldsFragmentDoc = new TypedDocumentString(`
    fragment TransferFields on Transfer {
  id
  key
  kind
  status
  reason
  network
  asset
  attempts
  signature
  intentIndex
  createdAt
  doneAt
}
    `, {"fragmentName":"TransferFields"}) as unknown as TypedDocumentString<TransferFieldsFragment, unknown>;
export const DeliveryFieldsFragmentDoc = new TypedDocumentString(`
    fragment DeliveryFields on WebhookDelivery {
  id
  webhookId
  accountId
  url
  type
  status
  attempts
  nextAttemptAt
  lastStatusCode
  lastError
  createdAt
}
    `, {"fragmentName":"DeliveryFields"}) as unknown as TypedDocumentString<DeliveryFieldsFragment, unknown>;
export const NetworkStatusFieldsFragmentDoc = new TypedDocumentString(`
    fragment NetworkStatusFields on NetworkStatus {
  genesisHash
  feePayer
  feePayerLamports
  slot
  lagSeconds
  consensus
  slotMs
  finalAfterSlots
  providers {
    number
    latencyMs
    failures
    isResting
  }
  deposits {
    source
    reason
    since
    readToSlot
    noticeCallsPerMinute
    pollingCallsPerMinute
    blockCallsPerMinute
    noticedAccounts
    watchedAccounts
  }
}
    `, {"fragmentName":"NetworkStatusFields"}) as unknown as TypedDocumentString<NetworkStatusFieldsFragment, unknown>;
export const BillingStatusFieldsFragmentDoc = new TypedDocumentString(`
    fragment BillingStatusFields on BillingStatus {
  mint
  problems
  delegate
  subscriptions {
    status
    count
  }
  delegations {
    status
    count
  }
  chargesDue
  chargesInFlight
  oldestChargeSince
  sponsorSpent
  sponsorBudget
}
    `, {"fragmentName":"BillingStatusFields"}) as unknown as TypedDocumentString<BillingStatusFieldsFragment, unknown>;
export const HaltFieldsFragmentDoc = new TypedDocumentString(`
    fragment HaltFields on Halt {
  id
  network
  address
  intentIndex
  reason
  faults {
    kind
    account
    asset
    amount
  }
  haltedAt
  clearedAt
  clearedBy
  clearedReason
}
    `, {"fragmentName":"HaltFields"}) as unknown as TypedDocumentString<HaltFieldsFragment, unknown>;
export const CustodianFieldsFragmentDoc = new TypedDocumentString(`
    fragment CustodianFields on Custodian {
  network
  address
  label
}
    `, {"fragmentName":"CustodianFields"}) as unknown as TypedDocumentString<CustodianFieldsFragment, unknown>;
export const ReleaseFieldsFragmentDoc = new TypedDocumentString(`
    fragment ReleaseFields on Release {
  transferId
  intentIndex
  network
  asset
  sourceAccount
  amount
  to
  reason
  releasedBy
  releasedAt
  status
  problem
  signature
}
    `, {"fragmentName":"ReleaseFields"}) as unknown as TypedDocumentString<ReleaseFieldsFragment, unknown>;
export const MarketplaceFieldsFragmentDoc = new TypedDocumentString(`
    fragment MarketplaceFields on Marketplace {
  accountId
  status
  defaultFeeBps
  feeWallet
  sellerLimit
  sellersCount
  sellersTotal
}
    `, {"fragmentName":"MarketplaceFields"}) as unknown as TypedDocumentString<MarketplaceFieldsFragment, unknown>;
export const ChargeFieldsFragmentDoc = new TypedDocumentString(`
    fragment ChargeFields on Charge {
  id
  subscriptionId
  accountId
  network
  wallet
  mint
  periodIndex
  periodStart
  periodEnd
  amount
  netAmount
  feeAmount
  destinationAta
  feeDestination
  status
  failureCode
  recoveryAction
  reason
  attempts
  nextAttemptAt
  signature
  createdAt
  settledAt
}
    `, {"fragmentName":"ChargeFields"}) as unknown as TypedDocumentString<ChargeFieldsFragment, unknown>;
export const SubscriptionFieldsFragmentDoc = new TypedDocumentString(`
    fragment SubscriptionFields on BillingSubscription {
  id
  accountId
  tierId
  network
  status
  wallet
  mint
  unitAmount
  authorizedAmount
  spentAmount
  remainingAmount
  periodIndex
  currentPeriodStart
  currentPeriodEnd
  nextChargeAt
  cancelAtPeriodEnd
  pastDueSince
  dueAt
  createdAt
  endedAt
}
    `, {"fragmentName":"SubscriptionFields"}) as unknown as TypedDocumentString<SubscriptionFieldsFragment, unknown>;
export const ApplicationFieldsFragmentDoc = new TypedDocumentString(`
    fragment ApplicationFields on MarketplaceApplication {
  accountId
  state
  website
  sells
  expectedVolume
  appliedAt
  decidedAt
  reason
}
    `, {"fragmentName":"ApplicationFields"}) as unknown as TypedDocumentString<ApplicationFieldsFragment, unknown>;
export const CreateAccountDocument = new TypedDocumentString(`
    mutation CreateAccount($input: CreateAccountInput!) {
  createAccount(input: $input) {
    account {
      ...AccountFields
    }
    apiKey
    webhookSecret
  }
}
    fragment AccountFields on Account {
  id
  name
  mode
  label
  sweepDestination
  webhookUrl
  webhookEvents
  logoUrl
  accentColor
  supportUrl
  supportEmail
  derivationIndex
  marketplaceAccountId
  externalId
  marketplaceFeeBps
  archivedAt
  disabledAt
  disabledReason
  createdAt
  updatedAt
}`) as unknown as TypedDocumentString<CreateAccountMutation, CreateAccountMutationVariables>;
export const UpdateAccountDocument = new TypedDocumentString(`
    mutation UpdateAccount($id: UUID!, $input: UpdateAccountInput!) {
  updateAccount(id: $id, input: $input) {
    ...AccountFields
  }
}
    fragment AccountFields on Account {
  id
  name
  mode
  label
  sweepDestination
  webhookUrl
  webhookEvents
  logoUrl
  accentColor
  supportUrl
  supportEmail
  derivationIndex
  marketplaceAccountId
  externalId
  marketplaceFeeBps
  archivedAt
  disabledAt
  disabledReason
  createdAt
  updatedAt
}`) as unknown as TypedDocumentString<UpdateAccountMutation, UpdateAccountMutationVariables>;
export const SetBrandDocument = new TypedDocumentString(`
    mutation SetBrand($id: UUID!, $input: BrandInput!) {
  setBrand(id: $id, input: $input) {
    ...AccountFields
  }
}
    fragment AccountFields on Account {
  id
  name
  mode
  label
  sweepDestination
  webhookUrl
  webhookEvents
  logoUrl
  accentColor
  supportUrl
  supportEmail
  derivationIndex
  marketplaceAccountId
  externalId
  marketplaceFeeBps
  archivedAt
  disabledAt
  disabledReason
  createdAt
  updatedAt
}`) as unknown as TypedDocumentString<SetBrandMutation, SetBrandMutationVariables>;
export const DisableAccountDocument = new TypedDocumentString(`
    mutation DisableAccount($id: UUID!, $reason: Line!) {
  disableAccount(id: $id, reason: $reason) {
    ...AccountFields
  }
}
    fragment AccountFields on Account {
  id
  name
  mode
  label
  sweepDestination
  webhookUrl
  webhookEvents
  logoUrl
  accentColor
  supportUrl
  supportEmail
  derivationIndex
  marketplaceAccountId
  externalId
  marketplaceFeeBps
  archivedAt
  disabledAt
  disabledReason
  createdAt
  updatedAt
}`) as unknown as TypedDocumentString<DisableAccountMutation, DisableAccountMutationVariables>;
export const EnableAccountDocument = new TypedDocumentString(`
    mutation EnableAccount($id: UUID!) {
  enableAccount(id: $id) {
    ...AccountFields
  }
}
    fragment AccountFields on Account {
  id
  name
  mode
  label
  sweepDestination
  webhookUrl
  webhookEvents
  logoUrl
  accentColor
  supportUrl
  supportEmail
  derivationIndex
  marketplaceAccountId
  externalId
  marketplaceFeeBps
  archivedAt
  disabledAt
  disabledReason
  createdAt
  updatedAt
}`) as unknown as TypedDocumentString<EnableAccountMutation, EnableAccountMutationVariables>;
export const ListAccountsDocument = new TypedDocumentString(`
    query ListAccounts {
  accounts {
    ...AccountFields
  }
}
    fragment AccountFields on Account {
  id
  name
  mode
  label
  sweepDestination
  webhookUrl
  webhookEvents
  logoUrl
  accentColor
  supportUrl
  supportEmail
  derivationIndex
  marketplaceAccountId
  externalId
  marketplaceFeeBps
  archivedAt
  disabledAt
  disabledReason
  createdAt
  updatedAt
}`) as unknown as TypedDocumentString<ListAccountsQuery, ListAccountsQueryVariables>;
export const ShowAccountDocument = new TypedDocumentString(`
    query ShowAccount($id: UUID!) {
  account(id: $id) {
    ...AccountFields
    pendingPayoutChange {
      sweepDestination
      requestedBy
      ip
      requestedAt
      effectiveAt
    }
  }
}
    fragment AccountFields on Account {
  id
  name
  mode
  label
  sweepDestination
  webhookUrl
  webhookEvents
  logoUrl
  accentColor
  supportUrl
  supportEmail
  derivationIndex
  marketplaceAccountId
  externalId
  marketplaceFeeBps
  archivedAt
  disabledAt
  disabledReason
  createdAt
  updatedAt
}`) as unknown as TypedDocumentString<ShowAccountQuery, ShowAccountQueryVariables>;
export const CreateKeyDocument = new TypedDocumentString(`
    mutation CreateKey($accountId: UUID!, $name: Line, $scopes: [KeyScope!]) {
  createAccountKey(accountId: $accountId, name: $name, scopes: $scopes) {
    key {
      ...KeyFields
    }
    apiKey
  }
}
    fragment KeyFields on ApiKey {
  id
  accountId
  name
  hint
  scopes
  createdBy
  createdAt
  lastUsedAt
  revokedAt
}`) as unknown as TypedDocumentString<CreateKeyMutation, CreateKeyMutationVariables>;
export const ListKeysDocument = new TypedDocumentString(`
    query ListKeys($accountId: UUID!) {
  keys(accountId: $accountId) {
    ...KeyFields
  }
}
    fragment KeyFields on ApiKey {
  id
  accountId
  name
  hint
  scopes
  createdBy
  createdAt
  lastUsedAt
  revokedAt
}`) as unknown as TypedDocumentString<ListKeysQuery, ListKeysQueryVariables>;
export const RevokeKeyDocument = new TypedDocumentString(`
    mutation RevokeKey($id: UUID!) {
  revokeAccountKey(id: $id) {
    ...KeyFields
  }
}
    fragment KeyFields on ApiKey {
  id
  accountId
  name
  hint
  scopes
  createdBy
  createdAt
  lastUsedAt
  revokedAt
}`) as unknown as TypedDocumentString<RevokeKeyMutation, RevokeKeyMutationVariables>;
export const CancelPayoutChangeDocument = new TypedDocumentString(`
    mutation CancelPayoutChange($accountId: UUID!) {
  cancelAccountPayoutChange(accountId: $accountId) {
    ...AccountFields
  }
}
    fragment AccountFields on Account {
  id
  name
  mode
  label
  sweepDestination
  webhookUrl
  webhookEvents
  logoUrl
  accentColor
  supportUrl
  supportEmail
  derivationIndex
  marketplaceAccountId
  externalId
  marketplaceFeeBps
  archivedAt
  disabledAt
  disabledReason
  createdAt
  updatedAt
}`) as unknown as TypedDocumentString<CancelPayoutChangeMutation, CancelPayoutChangeMutationVariables>;
export const InviteMemberDocument = new TypedDocumentString(`
    mutation InviteMember($accountId: UUID!, $name: Line!, $email: Text, $role: MemberRole!) {
  inviteAccountMember(
    accountId: $accountId
    name: $name
    email: $email
    role: $role
  ) {
    member {
      ...MemberFields
    }
    url
    expiresAt
  }
}
    fragment MemberFields on Member {
  id
  name
  email
  role
  createdAt
  removedAt
}`) as unknown as TypedDocumentString<InviteMemberMutation, InviteMemberMutationVariables>;
export const LinkMemberDocument = new TypedDocumentString(`
    mutation LinkMember($id: UUID!) {
  createAccountMemberLink(id: $id) {
    member {
      ...MemberFields
    }
    url
    expiresAt
  }
}
    fragment MemberFields on Member {
  id
  name
  email
  role
  createdAt
  removedAt
}`) as unknown as TypedDocumentString<LinkMemberMutation, LinkMemberMutationVariables>;
export const ListOperatorLogDocument = new TypedDocumentString(`
    query ListOperatorLog($limit: Int, $before: UUID) {
  operatorLog(limit: $limit, before: $before) {
    id
    action
    given
    ip
    startedAt
    outcome
    endedAt
  }
}
    `) as unknown as TypedDocumentString<ListOperatorLogQuery, ListOperatorLogQueryVariables>;
export const ListMembersDocument = new TypedDocumentString(`
    query ListMembers($accountId: UUID!) {
  members: accountMembers(accountId: $accountId) {
    id
    name
    email
    role
    createdAt
    logins {
      id
      name
      wallet
      lastUsedAt
    }
  }
}
    `) as unknown as TypedDocumentString<ListMembersQuery, ListMembersQueryVariables>;
export const RemoveMemberDocument = new TypedDocumentString(`
    mutation RemoveMember($id: UUID!) {
  removeAccountMember(id: $id) {
    ...MemberFields
  }
}
    fragment MemberFields on Member {
  id
  name
  email
  role
  createdAt
  removedAt
}`) as unknown as TypedDocumentString<RemoveMemberMutation, RemoveMemberMutationVariables>;
export const AllowTokenDocument = new TypedDocumentString(`
    mutation AllowToken($input: AllowTokenInput!) {
  allowToken(input: $input) {
    ...TokenFields
    priceProblem
  }
}
    fragment TokenFields on Token {
  network
  asset
  mint
  isNative
  name
  ticker
  decimals
  tokenProgram
  extensions
  feedKey
  imageUrl
  enabled
}`) as unknown as TypedDocumentString<AllowTokenMutation, AllowTokenMutationVariables>;
export const SetTokenImageDocument = new TypedDocumentString(`
    mutation SetTokenImage($network: Network!, $asset: Asset!, $image: ImageData) {
  setTokenImage(network: $network, asset: $asset, image: $image) {
    ...TokenFields
    imageUrl
  }
}
    fragment TokenFields on Token {
  network
  asset
  mint
  isNative
  name
  ticker
  decimals
  tokenProgram
  extensions
  feedKey
  imageUrl
  enabled
}`) as unknown as TypedDocumentString<SetTokenImageMutation, SetTokenImageMutationVariables>;
export const DisallowTokenDocument = new TypedDocumentString(`
    mutation DisallowToken($network: Network!, $asset: Asset!) {
  disallowToken(network: $network, asset: $asset) {
    ...TokenFields
  }
}
    fragment TokenFields on Token {
  network
  asset
  mint
  isNative
  name
  ticker
  decimals
  tokenProgram
  extensions
  feedKey
  imageUrl
  enabled
}`) as unknown as TypedDocumentString<DisallowTokenMutation, DisallowTokenMutationVariables>;
export const ListTokensDocument = new TypedDocumentString(`
    query ListTokens {
  tokens {
    ...TokenFields
  }
}
    fragment TokenFields on Token {
  network
  asset
  mint
  isNative
  name
  ticker
  decimals
  tokenProgram
  extensions
  feedKey
  imageUrl
  enabled
}`) as unknown as TypedDocumentString<ListTokensQuery, ListTokensQueryVariables>;
export const StatusDocument = new TypedDocumentString(`
    query Status {
  operatorStatus {
    networks {
      live {
        ...NetworkStatusFields
      }
      test {
        ...NetworkStatusFields
      }
    }
    workers {
      id
      role
      startedAt
      lastSeenAt
    }
    openIntents
    unfinishedTransfers
    billing {
      ...BillingStatusFields
    }
    alerts
  }
}
    fragment NetworkStatusFields on NetworkStatus {
  genesisHash
  feePayer
  feePayerLamports
  slot
  lagSeconds
  consensus
  slotMs
  finalAfterSlots
  providers {
    number
    latencyMs
    failures
    isResting
  }
  deposits {
    source
    reason
    since
    readToSlot
    noticeCallsPerMinute
    pollingCallsPerMinute
    blockCallsPerMinute
    noticedAccounts
    watchedAccounts
  }
}
fragment BillingStatusFields on BillingStatus {
  mint
  problems
  delegate
  subscriptions {
    status
    count
  }
  delegations {
    status
    count
  }
  chargesDue
  chargesInFlight
  oldestChargeSince
  sponsorSpent
  sponsorBudget
}`) as unknown as TypedDocumentString<StatusQuery, StatusQueryVariables>;
export const AdvanceClockDocument = new TypedDocumentString(`
    mutation AdvanceClock($seconds: Int!) {
  advanceClock(seconds: $seconds) {
    now
  }
}
    `) as unknown as TypedDocumentString<AdvanceClockMutation, AdvanceClockMutationVariables>;
export const FaucetDocument = new TypedDocumentString(`
    mutation Faucet($input: FaucetInput!) {
  faucet(input: $input) {
    signature
  }
}
    `) as unknown as TypedDocumentString<FaucetMutation, FaucetMutationVariables>;
export const ListTransfersDocument = new TypedDocumentString(`
    query ListTransfers($status: TransferStatus, $limit: Int) {
  transfers(status: $status, limit: $limit) {
    ...TransferFields
  }
}
    fragment TransferFields on Transfer {
  id
  key
  kind
  status
  reason
  network
  asset
  attempts
  signature
  intentIndex
  createdAt
  doneAt
}`) as unknown as TypedDocumentString<ListTransfersQuery, ListTransfersQueryVariables>;
export const RetryTransferDocument = new TypedDocumentString(`
    mutation RetryTransfer($id: UUID!) {
  retryTransfer(id: $id) {
    ...TransferFields
  }
}
    fragment TransferFields on Transfer {
  id
  key
  kind
  status
  reason
  network
  asset
  attempts
  signature
  intentIndex
  createdAt
  doneAt
}`) as unknown as TypedDocumentString<RetryTransferMutation, RetryTransferMutationVariables>;
export const ListDeliveriesDocument = new TypedDocumentString(`
    query ListDeliveries($accountId: UUID, $status: DeliveryStatus, $limit: Int) {
  webhookDeliveries(accountId: $accountId, status: $status, limit: $limit) {
    ...DeliveryFields
  }
}
    fragment DeliveryFields on WebhookDelivery {
  id
  webhookId
  accountId
  url
  type
  status
  attempts
  nextAttemptAt
  lastStatusCode
  lastError
  createdAt
}`) as unknown as TypedDocumentString<ListDeliveriesQuery, ListDeliveriesQueryVariables>;
export const TestWebhookDocument = new TypedDocumentString(`
    mutation TestWebhook($accountId: UUID!) {
  testWebhook(accountId: $accountId) {
    ...DeliveryFields
  }
}
    fragment DeliveryFields on WebhookDelivery {
  id
  webhookId
  accountId
  url
  type
  status
  attempts
  nextAttemptAt
  lastStatusCode
  lastError
  createdAt
}`) as unknown as TypedDocumentString<TestWebhookMutation, TestWebhookMutationVariables>;
export const RedeliverDocument = new TypedDocumentString(`
    mutation Redeliver($id: UUID!) {
  redeliverWebhook(id: $id) {
    ...DeliveryFields
  }
}
    fragment DeliveryFields on WebhookDelivery {
  id
  webhookId
  accountId
  url
  type
  status
  attempts
  nextAttemptAt
  lastStatusCode
  lastError
  createdAt
}`) as unknown as TypedDocumentString<RedeliverMutation, RedeliverMutationVariables>;
export const RotateWebhookSecretDocument = new TypedDocumentString(`
    mutation RotateWebhookSecret($accountId: UUID!, $revokeOld: Boolean!) {
  rotateWebhookSecret(accountId: $accountId, revokeOld: $revokeOld) {
    webhookSecret
    oldSecretsUntil
  }
}
    `) as unknown as TypedDocumentString<RotateWebhookSecretMutation, RotateWebhookSecretMutationVariables>;
export const ListHaltsDocument = new TypedDocumentString(`
    query ListHalts($network: Network, $open: Boolean, $limit: Int) {
  halts(network: $network, open: $open, limit: $limit) {
    ...HaltFields
  }
}
    fragment HaltFields on Halt {
  id
  network
  address
  intentIndex
  reason
  faults {
    kind
    account
    asset
    amount
  }
  haltedAt
  clearedAt
  clearedBy
  clearedReason
}`) as unknown as TypedDocumentString<ListHaltsQuery, ListHaltsQueryVariables>;
export const ClearHaltDocument = new TypedDocumentString(`
    mutation ClearHalt($id: UUID!, $reason: Text!) {
  clearHalt(id: $id, reason: $reason) {
    ...HaltFields
  }
}
    fragment HaltFields on Halt {
  id
  network
  address
  intentIndex
  reason
  faults {
    kind
    account
    asset
    amount
  }
  haltedAt
  clearedAt
  clearedBy
  clearedReason
}`) as unknown as TypedDocumentString<ClearHaltMutation, ClearHaltMutationVariables>;
export const ListCustodiansDocument = new TypedDocumentString(`
    query ListCustodians($network: Network) {
  custodians(network: $network) {
    ...CustodianFields
  }
}
    fragment CustodianFields on Custodian {
  network
  address
  label
}`) as unknown as TypedDocumentString<ListCustodiansQuery, ListCustodiansQueryVariables>;
export const SaveCustodiansDocument = new TypedDocumentString(`
    mutation SaveCustodians($network: Network!, $custodians: [CustodianInput!]!) {
  saveCustodians(network: $network, custodians: $custodians) {
    ...CustodianFields
  }
}
    fragment CustodianFields on Custodian {
  network
  address
  label
}`) as unknown as TypedDocumentString<SaveCustodiansMutation, SaveCustodiansMutationVariables>;
export const RemoveCustodianDocument = new TypedDocumentString(`
    mutation RemoveCustodian($network: Network!, $address: SolanaAddress!) {
  removeCustodian(network: $network, address: $address)
}
    `) as unknown as TypedDocumentString<RemoveCustodianMutation, RemoveCustodianMutationVariables>;
export const ListHeldDocument = new TypedDocumentString(`
    query ListHeld($network: Network, $accountId: UUID, $afterIndex: Int, $includeDust: Boolean!, $limit: Int) {
  heldPayments(
    network: $network
    accountId: $accountId
    afterIndex: $afterIndex
    includeDust: $includeDust
    limit: $limit
  ) {
    payments {
      intentId
      intentIndex
      accountId
      network
      address
      status
      held {
        mint
        amount
        reason
      }
      proposedAddress
      updatedAt
    }
    nextIndex
    dustPayments
  }
}
    `) as unknown as TypedDocumentString<ListHeldQuery, ListHeldQueryVariables>;
export const ListReleasesDocument = new TypedDocumentString(`
    query ListReleases($network: Network, $limit: Int) {
  releases(network: $network, limit: $limit) {
    ...ReleaseFields
  }
}
    fragment ReleaseFields on Release {
  transferId
  intentIndex
  network
  asset
  sourceAccount
  amount
  to
  reason
  releasedBy
  releasedAt
  status
  problem
  signature
}`) as unknown as TypedDocumentString<ListReleasesQuery, ListReleasesQueryVariables>;
export const ReleaseHeldDocument = new TypedDocumentString(`
    mutation ReleaseHeld($input: ReleaseHeldInput!) {
  releaseHeld(input: $input) {
    ...ReleaseFields
  }
}
    fragment ReleaseFields on Release {
  transferId
  intentIndex
  network
  asset
  sourceAccount
  amount
  to
  reason
  releasedBy
  releasedAt
  status
  problem
  signature
}`) as unknown as TypedDocumentString<ReleaseHeldMutation, ReleaseHeldMutationVariables>;
export const AuditScopeDocument = new TypedDocumentString(`
    query AuditScope($network: Network!) {
  auditScope(network: $network) {
    addresses
    feePayer
    feePayerLamports
  }
}
    `) as unknown as TypedDocumentString<AuditScopeQuery, AuditScopeQueryVariables>;
export const AuditStatsDocument = new TypedDocumentString(`
    query AuditStats($network: Network!, $after: UUID) {
  auditStats(network: $network, after: $after) {
    accounts
    next
    differences {
      accountId
      scope
      day
      span
      asset
      figures {
        figure
        difference
      }
    }
  }
}
    `) as unknown as TypedDocumentString<AuditStatsQuery, AuditStatsQueryVariables>;
export const AuditPageDocument = new TypedDocumentString(`
    query AuditPage($network: Network!, $afterIndex: Int!, $limit: Int!) {
  audit(network: $network, afterIndex: $afterIndex, limit: $limit) {
    addresses {
      intentIndex
      address
      derivedAddress
      tokenAccountLamports
      balances {
        account
        asset
        ledger
        chain
        inFlight
        unbooked
        difference
      }
      flows {
        asset
        received
        settled
        returned
        remaining
        difference
      }
    }
    feePayer {
      spent
      repaid
      rent
    }
    nextIndex
  }
}
    `) as unknown as TypedDocumentString<AuditPageQuery, AuditPageQueryVariables>;
export const ListUnacceptedDocument = new TypedDocumentString(`
    query ListUnaccepted($network: Network, $intent: Text, $limit: Int) {
  unacceptedTokens(network: $network, intent: $intent, limit: $limit) {
    intentIndex
    network
    address
    mint
    isAllowed
    arrivals
    amount
    firstSignature
    lastSignature
    firstSeenAt
    lastSeenAt
  }
}
    `) as unknown as TypedDocumentString<ListUnacceptedQuery, ListUnacceptedQueryVariables>;
export const ShowMarketplaceDocument = new TypedDocumentString(`
    query ShowMarketplace($accountId: UUID!) {
  marketplace: accountMarketplace(accountId: $accountId) {
    ...MarketplaceFields
  }
}
    fragment MarketplaceFields on Marketplace {
  accountId
  status
  defaultFeeBps
  feeWallet
  sellerLimit
  sellersCount
  sellersTotal
}`) as unknown as TypedDocumentString<ShowMarketplaceQuery, ShowMarketplaceQueryVariables>;
export const ApproveMarketplaceDocument = new TypedDocumentString(`
    mutation ApproveMarketplace($accountId: UUID!, $terms: MarketplaceTermsInput!) {
  approveMarketplace(accountId: $accountId, terms: $terms) {
    ...MarketplaceFields
  }
}
    fragment MarketplaceFields on Marketplace {
  accountId
  status
  defaultFeeBps
  feeWallet
  sellerLimit
  sellersCount
  sellersTotal
}`) as unknown as TypedDocumentString<ApproveMarketplaceMutation, ApproveMarketplaceMutationVariables>;
export const RevokeMarketplaceDocument = new TypedDocumentString(`
    mutation RevokeMarketplace($accountId: UUID!) {
  revokeMarketplace(accountId: $accountId) {
    ...MarketplaceFields
  }
}
    fragment MarketplaceFields on Marketplace {
  accountId
  status
  defaultFeeBps
  feeWallet
  sellerLimit
  sellersCount
  sellersTotal
}`) as unknown as TypedDocumentString<RevokeMarketplaceMutation, RevokeMarketplaceMutationVariables>;
export const CorrectSellerDocument = new TypedDocumentString(`
    mutation CorrectSeller($id: UUID!, $input: CorrectSellerInput!) {
  correctSeller(id: $id, input: $input) {
    ...AccountFields
  }
}
    fragment AccountFields on Account {
  id
  name
  mode
  label
  sweepDestination
  webhookUrl
  webhookEvents
  logoUrl
  accentColor
  supportUrl
  supportEmail
  derivationIndex
  marketplaceAccountId
  externalId
  marketplaceFeeBps
  archivedAt
  disabledAt
  disabledReason
  createdAt
  updatedAt
}`) as unknown as TypedDocumentString<CorrectSellerMutation, CorrectSellerMutationVariables>;
export const ListSubscriptionsDocument = new TypedDocumentString(`
    query ListSubscriptions($status: BillingSubscriptionStatus, $accountId: UUID, $wallet: SolanaAddress, $limit: Int) {
  subscriptions(
    status: $status
    accountId: $accountId
    wallet: $wallet
    limit: $limit
  ) {
    ...SubscriptionFields
  }
}
    fragment SubscriptionFields on BillingSubscription {
  id
  accountId
  tierId
  network
  status
  wallet
  mint
  unitAmount
  authorizedAmount
  spentAmount
  remainingAmount
  periodIndex
  currentPeriodStart
  currentPeriodEnd
  nextChargeAt
  cancelAtPeriodEnd
  pastDueSince
  dueAt
  createdAt
  endedAt
}`) as unknown as TypedDocumentString<ListSubscriptionsQuery, ListSubscriptionsQueryVariables>;
export const ShowSubscriptionDocument = new TypedDocumentString(`
    query ShowSubscription($id: UUID!) {
  subscription(id: $id) {
    ...SubscriptionFields
    delegation {
      id
      status
      tokenAccount
      epoch
      authorizedTotal
      chainDelegate
      chainAllowance
      chainCheckedAt
    }
    charges {
      ...ChargeFields
    }
  }
}
    fragment ChargeFields on Charge {
  id
  subscriptionId
  accountId
  network
  wallet
  mint
  periodIndex
  periodStart
  periodEnd
  amount
  netAmount
  feeAmount
  destinationAta
  feeDestination
  status
  failureCode
  recoveryAction
  reason
  attempts
  nextAttemptAt
  signature
  createdAt
  settledAt
}
fragment SubscriptionFields on BillingSubscription {
  id
  accountId
  tierId
  network
  status
  wallet
  mint
  unitAmount
  authorizedAmount
  spentAmount
  remainingAmount
  periodIndex
  currentPeriodStart
  currentPeriodEnd
  nextChargeAt
  cancelAtPeriodEnd
  pastDueSince
  dueAt
  createdAt
  endedAt
}`) as unknown as TypedDocumentString<ShowSubscriptionQuery, ShowSubscriptionQueryVariables>;
export const ListChargesDocument = new TypedDocumentString(`
    query ListCharges($status: ChargeStatus, $subscriptionId: UUID, $accountId: UUID, $wallet: SolanaAddress, $limit: Int) {
  charges(
    status: $status
    subscriptionId: $subscriptionId
    accountId: $accountId
    wallet: $wallet
    limit: $limit
  ) {
    ...ChargeFields
  }
}
    fragment ChargeFields on Charge {
  id
  subscriptionId
  accountId
  network
  wallet
  mint
  periodIndex
  periodStart
  periodEnd
  amount
  netAmount
  feeAmount
  destinationAta
  feeDestination
  status
  failureCode
  recoveryAction
  reason
  attempts
  nextAttemptAt
  signature
  createdAt
  settledAt
}`) as unknown as TypedDocumentString<ListChargesQuery, ListChargesQueryVariables>;
export const ShowChargeDocument = new TypedDocumentString(`
    query ShowCharge($id: UUID!) {
  charge(id: $id) {
    ...ChargeFields
  }
}
    fragment ChargeFields on Charge {
  id
  subscriptionId
  accountId
  network
  wallet
  mint
  periodIndex
  periodStart
  periodEnd
  amount
  netAmount
  feeAmount
  destinationAta
  feeDestination
  status
  failureCode
  recoveryAction
  reason
  attempts
  nextAttemptAt
  signature
  createdAt
  settledAt
}`) as unknown as TypedDocumentString<ShowChargeQuery, ShowChargeQueryVariables>;
export const RetryChargeDocument = new TypedDocumentString(`
    mutation RetryCharge($id: UUID!) {
  retryCharge(id: $id) {
    ...ChargeFields
  }
}
    fragment ChargeFields on Charge {
  id
  subscriptionId
  accountId
  network
  wallet
  mint
  periodIndex
  periodStart
  periodEnd
  amount
  netAmount
  feeAmount
  destinationAta
  feeDestination
  status
  failureCode
  recoveryAction
  reason
  attempts
  nextAttemptAt
  signature
  createdAt
  settledAt
}`) as unknown as TypedDocumentString<RetryChargeMutation, RetryChargeMutationVariables>;
export const AuditBillingDocument = new TypedDocumentString(`
    query AuditBilling($network: Network!, $record: BillingRecord!, $after: UUID, $limit: Int) {
  auditBilling(network: $network, record: $record, after: $after, limit: $limit) {
    records
    totals {
      mint
      charges
      pulled
      paidOut
      fees
      difference
    }
    findings {
      record
      id
      rule
      problem
    }
    feePayerSpent
    next
  }
}
    `) as unknown as TypedDocumentString<AuditBillingQuery, AuditBillingQueryVariables>;
export const ListApplicationsDocument = new TypedDocumentString(`
    query ListApplications($pending: Boolean!) {
  applications: marketplaceApplications(pending: $pending) {
    ...ApplicationFields
  }
}
    fragment ApplicationFields on MarketplaceApplication {
  accountId
  state
  website
  sells
  expectedVolume
  appliedAt
  decidedAt
  reason
}`) as unknown as TypedDocumentString<ListApplicationsQuery, ListApplicationsQueryVariables>;
export const RefuseMarketplaceDocument = new TypedDocumentString(`
    mutation RefuseMarketplace($accountId: UUID!, $reason: Line!) {
  refuseMarketplace(accountId: $accountId, reason: $reason) {
    ...ApplicationFields
  }
}
    fragment ApplicationFields on MarketplaceApplication {
  accountId
  state
  website
  sells
  expectedVolume
  appliedAt
  decidedAt
  reason
}`) as unknown as TypedDocumentString<RefuseMarketplaceMutation, RefuseMarketplaceMutationVariables>;