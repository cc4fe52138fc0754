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

/** How a cluster makes blocks final. */
export type Consensus =
  /** By a certificate of votes, a moment after the block. */
  | 'alpenglow'
  /** By votes on 32 later blocks. */
  | 'tower_bft';

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

/** Whether deposits are found by reading every address, or every block. */
export type DepositSourceKind =
  /** Every final block is read. */
  | 'blocks'
  /** Every address is read as often as it is due. */
  | 'polling';

/** Whether a part of the service works. */
export type HealthStatus =
  /** It works in part, or late. */
  | 'degraded'
  /** It does not work. */
  | 'down'
  /** It works. */
  | 'ok';

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

export type OperatorApplicationsQueryVariables = Exact<{
  pending: boolean;
}>;


export type OperatorApplicationsQuery = { marketplaceApplications: Array<{ accountId: string, website: string, sells: string, expectedVolume: string, appliedAt: string, state: MarketplaceApplicationState, reason: string | null, account: { name: string } }> };

export type OperatorApproveMutationVariables = Exact<{
  accountId: string;
  terms?: MarketplaceTermsInput | null | undefined;
}>;


export type OperatorApproveMutation = { marketplace: { status: MarketplaceStatus } };

export type OperatorRefuseMutationVariables = Exact<{
  accountId: string;
  reason: string;
}>;


export type OperatorRefuseMutation = { application: { accountId: string } };

export type OperatorAuditScopeQueryVariables = Exact<{
  network: Network;
}>;


export type OperatorAuditScopeQuery = { auditScope: { addresses: number } | null, tokens: Array<{ network: Network, asset: string, ticker: string, decimals: number }> };

export type OperatorAuditPageQueryVariables = Exact<{
  network: Network;
  afterIndex: number;
}>;


export type OperatorAuditPageQuery = { audit: { nextIndex: number | null, addresses: Array<{ intentIndex: number, address: string, derivedAddress: string, balances: Array<{ asset: string, ledger: string, chain: string, inFlight: string, unbooked: string, difference: string }>, flows: Array<{ asset: string, difference: string }> }> } };

export type OperatorAuditBillingQueryVariables = Exact<{
  network: Network;
  record: BillingRecord;
  after?: string | null | undefined;
}>;


export type OperatorAuditBillingQuery = { auditBilling: { records: number, next: string | null, findings: Array<{ id: string, problem: string }> } };

export type OperatorAuditStatsQueryVariables = Exact<{
  network: Network;
  after?: string | null | undefined;
}>;


export type OperatorAuditStatsQuery = { auditStats: { accounts: number, next: string | null, differences: Array<{ accountId: string, scope: string, day: string, figures: Array<{ figure: string, difference: string }> }> } };

export type OperatorBusinessesQueryVariables = Exact<{ [key: string]: never; }>;


export type OperatorBusinessesQuery = { accounts: Array<{ id: string, name: string, mode: Network, sweepDestination: string | null, marketplaceAccountId: string | null, disabledAt: string | null, createdAt: string }> };

export type OperatorBusinessQueryVariables = Exact<{
  id: string;
}>;


export type OperatorBusinessQuery = { account: { id: string, name: string, label: string | null, mode: Network, sweepDestination: string | null, webhookUrl: string | null, marketplaceAccountId: string | null, disabledAt: string | null, disabledReason: string | null, createdAt: string, pendingPayoutChange: { sweepDestination: string | null, effectiveAt: string, requestedBy: string, ip: string } | null }, members: Array<{ id: string, name: string, email: string | null, role: MemberRole, removedAt: string | null, logins: Array<{ createdAt: string, lastUsedAt: string | null }> }>, keys: Array<{ id: string, name: string, hint: string, createdAt: string, lastUsedAt: string | null, revokedAt: string | null }> };

export type OperatorCreateBusinessMutationVariables = Exact<{
  input: CreateAccountInput;
}>;


export type OperatorCreateBusinessMutation = { created: { apiKey: string, webhookSecret: string, account: { id: string } } };

export type OperatorChangeBusinessMutationVariables = Exact<{
  id: string;
  input: UpdateAccountInput;
}>;


export type OperatorChangeBusinessMutation = { account: { id: string } };

export type OperatorDisableMutationVariables = Exact<{
  id: string;
  reason: string;
}>;


export type OperatorDisableMutation = { account: { id: string } };

export type OperatorEnableMutationVariables = Exact<{
  id: string;
}>;


export type OperatorEnableMutation = { account: { id: string } };

export type OperatorKeepWalletMutationVariables = Exact<{
  id: string;
}>;


export type OperatorKeepWalletMutation = { account: { id: string } };

export type OperatorInviteMutationVariables = Exact<{
  accountId: string;
  name: string;
  email?: string | null | undefined;
  role: MemberRole;
}>;


export type OperatorInviteMutation = { invited: { url: string } };

export type OperatorNewLinkMutationVariables = Exact<{
  id: string;
}>;


export type OperatorNewLinkMutation = { invited: { url: string } };

export type OperatorRemoveMemberMutationVariables = Exact<{
  id: string;
}>;


export type OperatorRemoveMemberMutation = { removed: { id: string } };

export type OperatorCreateKeyMutationVariables = Exact<{
  accountId: string;
  name?: string | null | undefined;
}>;


export type OperatorCreateKeyMutation = { created: { apiKey: string } };

export type OperatorRevokeKeyMutationVariables = Exact<{
  id: string;
}>;


export type OperatorRevokeKeyMutation = { revoked: { id: string } };

export type OperatorLogQueryVariables = Exact<{
  before?: string | null | undefined;
  logins: boolean;
}>;


export type OperatorLogQuery = { operatorLog: Array<{ id: string, action: string, given: string, ip: string, startedAt: string, outcome: string | null, endedAt: string | null }> };

export type OperatorLogInMutationVariables = Exact<{ [key: string]: never; }>;


export type OperatorLogInMutation = { session: { expiresAt: string } };

export type OperatorLogOutMutationVariables = Exact<{ [key: string]: never; }>;


export type OperatorLogOutMutation = { ended: boolean };

export type OperatorServiceQueryVariables = Exact<{ [key: string]: never; }>;


export type OperatorServiceQuery = { health: { version: string } };

export type OperatorNeedsQueryVariables = Exact<{ [key: string]: never; }>;


export type OperatorNeedsQuery = { operatorStatus: { alerts: Array<string> }, heldPayments: { nextIndex: number | null, dustPayments: number, payments: Array<{ intentId: string, intentIndex: number, network: Network, address: string, status: IntentStatus, proposedAddress: string | null, updatedAt: string, account: { id: string, name: string, sweepDestination: string | null }, held: Array<{ mint: string | null, amount: string, reason: string }> }> }, halts: Array<{ id: string, network: Network, address: string, intentIndex: number | null, reason: string, haltedAt: string }>, failed: Array<{ id: string, kind: string, network: Network, asset: string, status: TransferStatus, attempts: number, reason: string | null, intentIndex: number | null, createdAt: string }>, waiting: Array<{ id: string, kind: string, network: Network, asset: string, status: TransferStatus, attempts: number, reason: string | null, intentIndex: number | null, createdAt: string }>, marketplaceApplications: Array<{ accountId: string, sells: string, appliedAt: string, account: { name: string } }>, tokens: Array<{ network: Network, asset: string, ticker: string, decimals: number }> };

export type OperatorHeldSendersQueryVariables = Exact<{
  network: Network;
  after: number;
}>;


export type OperatorHeldSendersQuery = { heldPayments: { payments: Array<{ intentId: string, senders: Array<{ asset: string, wallet: string, amount: string }> }> } };

export type TokenUnitsFragment = { network: Network, asset: string, ticker: string, decimals: number };

export type HeldPaymentPartsFragment = { intentId: string, intentIndex: number, network: Network, address: string, status: IntentStatus, proposedAddress: string | null, updatedAt: string, account: { id: string, name: string, sweepDestination: string | null }, held: Array<{ mint: string | null, amount: string, reason: string }> };

export type HaltPartsFragment = { id: string, network: Network, address: string, intentIndex: number | null, reason: string, haltedAt: string };

export type TransferPartsFragment = { id: string, kind: string, network: Network, asset: string, status: TransferStatus, attempts: number, reason: string | null, intentIndex: number | null, createdAt: string };

export type OperatorReleaseMutationVariables = Exact<{
  input: ReleaseHeldInput;
}>;


export type OperatorReleaseMutation = { releases: Array<{ transferId: string }> };

export type OperatorClearHaltMutationVariables = Exact<{
  id: string;
  reason: string;
}>;


export type OperatorClearHaltMutation = { halt: { id: string } };

export type OperatorRetryTransferMutationVariables = Exact<{
  id: string;
}>;


export type OperatorRetryTransferMutation = { transfer: { id: string } };

export type OperatorStateQueryVariables = Exact<{ [key: string]: never; }>;


export type OperatorStateQuery = { health: { status: HealthStatus, version: string, checks: { database: { status: HealthStatus, detail: string | null }, chain: { status: HealthStatus, detail: string | null }, priceFeed: { status: HealthStatus, detail: string | null }, workers: { status: HealthStatus, detail: string | null } } }, operatorStatus: { openIntents: number, unfinishedTransfers: number, networks: { live: { genesisHash: string, feePayer: string, feePayerLamports: string, slot: string, lagSeconds: number, consensus: Consensus | null, slotMs: number | null, finalAfterSlots: number, providers: Array<{ number: number, latencyMs: number | null, failures: number, isResting: boolean }>, deposits: { source: DepositSourceKind, reason: string, since: string, readToSlot: string | null, noticeCallsPerMinute: number, pollingCallsPerMinute: number, blockCallsPerMinute: number, noticedAccounts: number, watchedAccounts: number } | null } | null, test: { genesisHash: string, feePayer: string, feePayerLamports: string, slot: string, lagSeconds: number, consensus: Consensus | null, slotMs: number | null, finalAfterSlots: number, providers: Array<{ number: number, latencyMs: number | null, failures: number, isResting: boolean }>, deposits: { source: DepositSourceKind, reason: string, since: string, readToSlot: string | null, noticeCallsPerMinute: number, pollingCallsPerMinute: number, blockCallsPerMinute: number, noticedAccounts: number, watchedAccounts: number } | null } | null }, workers: Array<{ id: string, role: string, startedAt: string, lastSeenAt: string }>, queues: Array<{ name: string, waiting: number, oldestSince: string, retries: number }>, refunds: Array<{ network: Network, lastHour: string, lastDay: string, perHour: string, perDay: string }>, billing: { mint: string, problems: Array<string>, delegate: string, chargesDue: number, chargesInFlight: number, oldestChargeSince: string | null, sponsorSpent: string, sponsorBudget: string, subscriptions: Array<{ status: BillingSubscriptionStatus, count: number }>, delegations: Array<{ status: SubscriptionDelegationStatus, count: number }> } | null } };

export type OperatorReleasesQueryVariables = Exact<{ [key: string]: never; }>;


export type OperatorReleasesQuery = { releases: Array<{ transferId: string, intentIndex: number, network: Network, asset: string, amount: string, to: string, reason: string, releasedBy: string, releasedAt: string, status: TransferStatus, problem: string | null, signature: string | null }>, tokens: Array<{ network: Network, asset: string, ticker: string, decimals: number }> };

export type CheckPartsFragment = { status: HealthStatus, detail: string | null };

export type NetworkPartsFragment = { genesisHash: string, feePayer: string, feePayerLamports: string, slot: string, lagSeconds: number, consensus: Consensus | null, slotMs: number | null, finalAfterSlots: number, providers: Array<{ number: number, latencyMs: number | null, failures: number, isResting: boolean }>, deposits: { source: DepositSourceKind, reason: string, since: string, readToSlot: string | null, noticeCallsPerMinute: number, pollingCallsPerMinute: number, blockCallsPerMinute: number, noticedAccounts: number, watchedAccounts: number } | null };

export type OperatorTokensQueryVariables = Exact<{ [key: string]: never; }>;


export type OperatorTokensQuery = { tokens: Array<{ network: Network, asset: string, ticker: string, name: string, decimals: number, extensions: Array<string>, feedKey: string, enabled: boolean, priceProblem: string | null }> };

export type OperatorAllowTokenMutationVariables = Exact<{
  input: AllowTokenInput;
}>;


export type OperatorAllowTokenMutation = { token: { asset: string } };

export type OperatorDisallowTokenMutationVariables = Exact<{
  network: Network;
  asset: string;
}>;


export type OperatorDisallowTokenMutation = { token: { asset: string } };

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
export const TokenUnitsFragmentDoc = new TypedDocumentString(`
    fragment TokenUnits on Token {
  network
  asset
  ticker
  decimals
}
    `, {"fragmentName":"TokenUnits"}) as unknown as TypedDocumentString<TokenUnitsFragment, unknown>;
export const HeldPaymentPartsFragmentDoc = new TypedDocumentString(`
    fragment HeldPaymentParts on HeldPayment {
  intentId
  intentIndex
  account {
    id
    name
    sweepDestination
  }
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
    `, {"fragmentName":"HeldPaymentParts"}) as unknown as TypedDocumentString<HeldPaymentPartsFragment, unknown>;
export const HaltPartsFragmentDoc = new TypedDocumentString(`
    fragment HaltParts on Halt {
  id
  network
  address
  intentIndex
  reason
  haltedAt
}
    `, {"fragmentName":"HaltParts"}) as unknown as TypedDocumentString<HaltPartsFragment, unknown>;
export const TransferPartsFragmentDoc = new TypedDocumentString(`
    fragment TransferParts on Transfer {
  id
  kind
  network
  asset
  status
  attempts
  reason
  intentIndex
  createdAt
}
    `, {"fragmentName":"TransferParts"}) as unknown as TypedDocumentString<TransferPartsFragment, unknown>;
export const CheckPartsFragmentDoc = new TypedDocumentString(`
    fragment CheckParts on HealthCheck {
  status
  detail
}
    `, {"fragmentName":"CheckParts"}) as unknown as TypedDocumentString<CheckPartsFragment, unknown>;
export const NetworkPartsFragmentDoc = new TypedDocumentString(`
    fragment NetworkParts on NetworkStatus {
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
    `, {"fragmentName":"NetworkParts"}) as unknown as TypedDocumentString<NetworkPartsFragment, unknown>;
export const OperatorApplicationsDocument = new TypedDocumentString(`
    query OperatorApplications($pending: Boolean!) {
  marketplaceApplications(pending: $pending) {
    accountId
    account {
      name
    }
    website
    sells
    expectedVolume
    appliedAt
    state
    reason
  }
}
    `) as unknown as TypedDocumentString<OperatorApplicationsQuery, OperatorApplicationsQueryVariables>;
export const OperatorApproveDocument = new TypedDocumentString(`
    mutation OperatorApprove($accountId: UUID!, $terms: MarketplaceTermsInput) {
  marketplace: approveMarketplace(accountId: $accountId, terms: $terms) {
    status
  }
}
    `) as unknown as TypedDocumentString<OperatorApproveMutation, OperatorApproveMutationVariables>;
export const OperatorRefuseDocument = new TypedDocumentString(`
    mutation OperatorRefuse($accountId: UUID!, $reason: Line!) {
  application: refuseMarketplace(accountId: $accountId, reason: $reason) {
    accountId
  }
}
    `) as unknown as TypedDocumentString<OperatorRefuseMutation, OperatorRefuseMutationVariables>;
export const OperatorAuditScopeDocument = new TypedDocumentString(`
    query OperatorAuditScope($network: Network!) {
  auditScope(network: $network) {
    addresses
  }
  tokens {
    ...TokenUnits
  }
}
    fragment TokenUnits on Token {
  network
  asset
  ticker
  decimals
}`) as unknown as TypedDocumentString<OperatorAuditScopeQuery, OperatorAuditScopeQueryVariables>;
export const OperatorAuditPageDocument = new TypedDocumentString(`
    query OperatorAuditPage($network: Network!, $afterIndex: Int!) {
  audit(network: $network, afterIndex: $afterIndex, limit: 200) {
    addresses {
      intentIndex
      address
      derivedAddress
      balances {
        asset
        ledger
        chain
        inFlight
        unbooked
        difference
      }
      flows {
        asset
        difference
      }
    }
    nextIndex
  }
}
    `) as unknown as TypedDocumentString<OperatorAuditPageQuery, OperatorAuditPageQueryVariables>;
export const OperatorAuditBillingDocument = new TypedDocumentString(`
    query OperatorAuditBilling($network: Network!, $record: BillingRecord!, $after: UUID) {
  auditBilling(network: $network, record: $record, after: $after, limit: 200) {
    records
    findings {
      id
      problem
    }
    next
  }
}
    `) as unknown as TypedDocumentString<OperatorAuditBillingQuery, OperatorAuditBillingQueryVariables>;
export const OperatorAuditStatsDocument = new TypedDocumentString(`
    query OperatorAuditStats($network: Network!, $after: UUID) {
  auditStats(network: $network, after: $after, limit: 100) {
    accounts
    differences {
      accountId
      scope
      day
      figures {
        figure
        difference
      }
    }
    next
  }
}
    `) as unknown as TypedDocumentString<OperatorAuditStatsQuery, OperatorAuditStatsQueryVariables>;
export const OperatorBusinessesDocument = new TypedDocumentString(`
    query OperatorBusinesses {
  accounts {
    id
    name
    mode
    sweepDestination
    marketplaceAccountId
    disabledAt
    createdAt
  }
}
    `) as unknown as TypedDocumentString<OperatorBusinessesQuery, OperatorBusinessesQueryVariables>;
export const OperatorBusinessDocument = new TypedDocumentString(`
    query OperatorBusiness($id: UUID!) {
  account(id: $id) {
    id
    name
    label
    mode
    sweepDestination
    pendingPayoutChange {
      sweepDestination
      effectiveAt
      requestedBy
      ip
    }
    webhookUrl
    marketplaceAccountId
    disabledAt
    disabledReason
    createdAt
  }
  members: accountMembers(accountId: $id) {
    id
    name
    email
    role
    removedAt
    logins {
      createdAt
      lastUsedAt
    }
  }
  keys(accountId: $id) {
    id
    name
    hint
    createdAt
    lastUsedAt
    revokedAt
  }
}
    `) as unknown as TypedDocumentString<OperatorBusinessQuery, OperatorBusinessQueryVariables>;
export const OperatorCreateBusinessDocument = new TypedDocumentString(`
    mutation OperatorCreateBusiness($input: CreateAccountInput!) {
  created: createAccount(input: $input) {
    account {
      id
    }
    apiKey
    webhookSecret
  }
}
    `) as unknown as TypedDocumentString<OperatorCreateBusinessMutation, OperatorCreateBusinessMutationVariables>;
export const OperatorChangeBusinessDocument = new TypedDocumentString(`
    mutation OperatorChangeBusiness($id: UUID!, $input: UpdateAccountInput!) {
  account: updateAccount(id: $id, input: $input) {
    id
  }
}
    `) as unknown as TypedDocumentString<OperatorChangeBusinessMutation, OperatorChangeBusinessMutationVariables>;
export const OperatorDisableDocument = new TypedDocumentString(`
    mutation OperatorDisable($id: UUID!, $reason: Line!) {
  account: disableAccount(id: $id, reason: $reason) {
    id
  }
}
    `) as unknown as TypedDocumentString<OperatorDisableMutation, OperatorDisableMutationVariables>;
export const OperatorEnableDocument = new TypedDocumentString(`
    mutation OperatorEnable($id: UUID!) {
  account: enableAccount(id: $id) {
    id
  }
}
    `) as unknown as TypedDocumentString<OperatorEnableMutation, OperatorEnableMutationVariables>;
export const OperatorKeepWalletDocument = new TypedDocumentString(`
    mutation OperatorKeepWallet($id: UUID!) {
  account: cancelAccountPayoutChange(accountId: $id) {
    id
  }
}
    `) as unknown as TypedDocumentString<OperatorKeepWalletMutation, OperatorKeepWalletMutationVariables>;
export const OperatorInviteDocument = new TypedDocumentString(`
    mutation OperatorInvite($accountId: UUID!, $name: Line!, $email: Text, $role: MemberRole!) {
  invited: inviteAccountMember(
    accountId: $accountId
    name: $name
    email: $email
    role: $role
  ) {
    url
  }
}
    `) as unknown as TypedDocumentString<OperatorInviteMutation, OperatorInviteMutationVariables>;
export const OperatorNewLinkDocument = new TypedDocumentString(`
    mutation OperatorNewLink($id: UUID!) {
  invited: createAccountMemberLink(id: $id) {
    url
  }
}
    `) as unknown as TypedDocumentString<OperatorNewLinkMutation, OperatorNewLinkMutationVariables>;
export const OperatorRemoveMemberDocument = new TypedDocumentString(`
    mutation OperatorRemoveMember($id: UUID!) {
  removed: removeAccountMember(id: $id) {
    id
  }
}
    `) as unknown as TypedDocumentString<OperatorRemoveMemberMutation, OperatorRemoveMemberMutationVariables>;
export const OperatorCreateKeyDocument = new TypedDocumentString(`
    mutation OperatorCreateKey($accountId: UUID!, $name: Line) {
  created: createAccountKey(accountId: $accountId, name: $name) {
    apiKey
  }
}
    `) as unknown as TypedDocumentString<OperatorCreateKeyMutation, OperatorCreateKeyMutationVariables>;
export const OperatorRevokeKeyDocument = new TypedDocumentString(`
    mutation OperatorRevokeKey($id: UUID!) {
  revoked: revokeAccountKey(id: $id) {
    id
  }
}
    `) as unknown as TypedDocumentString<OperatorRevokeKeyMutation, OperatorRevokeKeyMutationVariables>;
export const OperatorLogDocument = new TypedDocumentString(`
    query OperatorLog($before: UUID, $logins: Boolean!) {
  operatorLog(before: $before, logins: $logins, limit: 50) {
    id
    action
    given
    ip
    startedAt
    outcome
    endedAt
  }
}
    `) as unknown as TypedDocumentString<OperatorLogQuery, OperatorLogQueryVariables>;
export const OperatorLogInDocument = new TypedDocumentString(`
    mutation OperatorLogIn {
  session: beginOperatorSession {
    expiresAt
  }
}
    `) as unknown as TypedDocumentString<OperatorLogInMutation, OperatorLogInMutationVariables>;
export const OperatorLogOutDocument = new TypedDocumentString(`
    mutation OperatorLogOut {
  ended: endOperatorSession
}
    `) as unknown as TypedDocumentString<OperatorLogOutMutation, OperatorLogOutMutationVariables>;
export const OperatorServiceDocument = new TypedDocumentString(`
    query OperatorService {
  health {
    version
  }
}
    `) as unknown as TypedDocumentString<OperatorServiceQuery, OperatorServiceQueryVariables>;
export const OperatorNeedsDocument = new TypedDocumentString(`
    query OperatorNeeds {
  operatorStatus {
    alerts
  }
  heldPayments(limit: 50) {
    payments {
      ...HeldPaymentParts
    }
    nextIndex
    dustPayments
  }
  halts(limit: 50) {
    ...HaltParts
  }
  failed: transfers(status: failed, limit: 50) {
    ...TransferParts
  }
  waiting: transfers(status: held, limit: 50) {
    ...TransferParts
  }
  marketplaceApplications {
    accountId
    account {
      name
    }
    sells
    appliedAt
  }
  tokens {
    ...TokenUnits
  }
}
    fragment TokenUnits on Token {
  network
  asset
  ticker
  decimals
}
fragment HeldPaymentParts on HeldPayment {
  intentId
  intentIndex
  account {
    id
    name
    sweepDestination
  }
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
fragment HaltParts on Halt {
  id
  network
  address
  intentIndex
  reason
  haltedAt
}
fragment TransferParts on Transfer {
  id
  kind
  network
  asset
  status
  attempts
  reason
  intentIndex
  createdAt
}`) as unknown as TypedDocumentString<OperatorNeedsQuery, OperatorNeedsQueryVariables>;
export const OperatorHeldSendersDocument = new TypedDocumentString(`
    query OperatorHeldSenders($network: Network!, $after: Int!) {
  heldPayments(network: $network, afterIndex: $after, includeDust: true, limit: 1) {
    payments {
      intentId
      senders {
        asset
        wallet
        amount
      }
    }
  }
}
    `) as unknown as TypedDocumentString<OperatorHeldSendersQuery, OperatorHeldSendersQueryVariables>;
export const OperatorReleaseDocument = new TypedDocumentString(`
    mutation OperatorRelease($input: ReleaseHeldInput!) {
  releases: releaseHeld(input: $input) {
    transferId
  }
}
    `) as unknown as TypedDocumentString<OperatorReleaseMutation, OperatorReleaseMutationVariables>;
export const OperatorClearHaltDocument = new TypedDocumentString(`
    mutation OperatorClearHalt($id: UUID!, $reason: Text!) {
  halt: clearHalt(id: $id, reason: $reason) {
    id
  }
}
    `) as unknown as TypedDocumentString<OperatorClearHaltMutation, OperatorClearHaltMutationVariables>;
export const OperatorRetryTransferDocument = new TypedDocumentString(`
    mutation OperatorRetryTransfer($id: UUID!) {
  transfer: retryTransfer(id: $id) {
    id
  }
}
    `) as unknown as TypedDocumentString<OperatorRetryTransferMutation, OperatorRetryTransferMutationVariables>;
export const OperatorStateDocument = new TypedDocumentString(`
    query OperatorState {
  health {
    status
    version
    checks {
      database {
        ...CheckParts
      }
      chain {
        ...CheckParts
      }
      priceFeed {
        ...CheckParts
      }
      workers {
        ...CheckParts
      }
    }
  }
  operatorStatus {
    networks {
      live {
        ...NetworkParts
      }
      test {
        ...NetworkParts
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
    queues {
      name
      waiting
      oldestSince
      retries
    }
    refunds {
      network
      lastHour
      lastDay
      perHour
      perDay
    }
    billing {
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
  }
}
    fragment CheckParts on HealthCheck {
  status
  detail
}
fragment NetworkParts on NetworkStatus {
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
}`) as unknown as TypedDocumentString<OperatorStateQuery, OperatorStateQueryVariables>;
export const OperatorReleasesDocument = new TypedDocumentString(`
    query OperatorReleases {
  releases(limit: 10) {
    transferId
    intentIndex
    network
    asset
    amount
    to
    reason
    releasedBy
    releasedAt
    status
    problem
    signature
  }
  tokens {
    ...TokenUnits
  }
}
    fragment TokenUnits on Token {
  network
  asset
  ticker
  decimals
}`) as unknown as TypedDocumentString<OperatorReleasesQuery, OperatorReleasesQueryVariables>;
export const OperatorTokensDocument = new TypedDocumentString(`
    query OperatorTokens {
  tokens {
    network
    asset
    ticker
    name
    decimals
    extensions
    feedKey
    enabled
    priceProblem
  }
}
    `) as unknown as TypedDocumentString<OperatorTokensQuery, OperatorTokensQueryVariables>;
export const OperatorAllowTokenDocument = new TypedDocumentString(`
    mutation OperatorAllowToken($input: AllowTokenInput!) {
  token: allowToken(input: $input) {
    asset
  }
}
    `) as unknown as TypedDocumentString<OperatorAllowTokenMutation, OperatorAllowTokenMutationVariables>;
export const OperatorDisallowTokenDocument = new TypedDocumentString(`
    mutation OperatorDisallowToken($network: Network!, $asset: Asset!) {
  token: disallowToken(network: $network, asset: $asset) {
    asset
  }
}
    `) as unknown as TypedDocumentString<OperatorDisallowTokenMutation, OperatorDisallowTokenMutationVariables>;