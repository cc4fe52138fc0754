/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
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
  | 'revoked';

/** How a cluster makes blocks final. */
export type Consensus =
  /** By a certificate of votes, a moment after the block. */
  | 'alpenglow'
  /** By votes on 32 later blocks. */
  | 'tower_bft';

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
  /** The expected amount has arrived. Settlement is in progress. */
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
  /** Less than the expected amount has arrived. */
  | 'underpaid';

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

export type OperatorLogInMutationVariables = Exact<{ [key: string]: never; }>;


export type OperatorLogInMutation = { session: { expiresAt: string } };

export type OperatorLogOutMutationVariables = Exact<{ [key: string]: never; }>;


export type OperatorLogOutMutation = { ended: boolean };

export type OperatorServiceQueryVariables = Exact<{ [key: string]: never; }>;


export type OperatorServiceQuery = { health: { version: string } };

export type OperatorNeedsQueryVariables = Exact<{ [key: string]: never; }>;


export type OperatorNeedsQuery = { operatorStatus: { alerts: Array<string> }, heldPayments: { nextIndex: number | null, dustPayments: number, payments: Array<{ intentId: string, intentIndex: number, network: Network, address: string, status: IntentStatus, updatedAt: string, account: { id: string, name: string, sweepDestination: string | null }, held: Array<{ mint: string | null, amount: string, reason: string }> }> }, halts: Array<{ id: string, network: Network, address: string, intentIndex: number | null, reason: string, haltedAt: string }>, failed: Array<{ id: string, kind: string, network: Network, asset: string, status: TransferStatus, attempts: number, reason: string | null, intentIndex: number | null, createdAt: string }>, waiting: Array<{ id: string, kind: string, network: Network, asset: string, status: TransferStatus, attempts: number, reason: string | null, intentIndex: number | null, createdAt: string }>, marketplaceApplications: Array<{ accountId: string, sells: string, appliedAt: string, account: { name: string } }>, tokens: Array<{ network: Network, asset: string, ticker: string, decimals: number }> };

export type TokenUnitsFragment = { network: Network, asset: string, ticker: string, decimals: number };

export type HeldPaymentPartsFragment = { intentId: string, intentIndex: number, network: Network, address: string, status: IntentStatus, updatedAt: string, account: { id: string, name: string, sweepDestination: string | null }, held: Array<{ mint: string | null, amount: string, reason: string }> };

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


export type OperatorStateQuery = { health: { status: HealthStatus, version: string, checks: { database: { status: HealthStatus, detail: string | null }, chain: { status: HealthStatus, detail: string | null }, priceFeed: { status: HealthStatus, detail: string | null }, workers: { status: HealthStatus, detail: string | null } } }, operatorStatus: { openIntents: number, unfinishedTransfers: number, networks: { live: { genesisHash: string, feePayer: string, feePayerLamports: string, slot: string, lagSeconds: number, consensus: Consensus | null, slotMs: number | null, finalAfterSlots: number, deposits: { source: DepositSourceKind, reason: string, since: string, readToSlot: string | null, pollingCallsPerMinute: number, blockCallsPerMinute: number } | null } | null, test: { genesisHash: string, feePayer: string, feePayerLamports: string, slot: string, lagSeconds: number, consensus: Consensus | null, slotMs: number | null, finalAfterSlots: number, deposits: { source: DepositSourceKind, reason: string, since: string, readToSlot: string | null, pollingCallsPerMinute: number, blockCallsPerMinute: number } | null } | null }, workers: Array<{ id: string, role: string, startedAt: string, lastSeenAt: string }>, billing: { mint: string, problems: Array<string>, delegate: string, chargesDue: number, chargesInFlight: number, oldestChargeSince: string | null, sponsorSpent: string, sponsorBudget: string, subscriptions: Array<{ status: BillingSubscriptionStatus, count: number }>, delegations: Array<{ status: SubscriptionDelegationStatus, count: number }> } | null } };

export type CheckPartsFragment = { status: HealthStatus, detail: string | null };

export type NetworkPartsFragment = { genesisHash: string, feePayer: string, feePayerLamports: string, slot: string, lagSeconds: number, consensus: Consensus | null, slotMs: number | null, finalAfterSlots: number, deposits: { source: DepositSourceKind, reason: string, since: string, readToSlot: string | null, pollingCallsPerMinute: number, blockCallsPerMinute: number } | null };

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
  deposits {
    source
    reason
    since
    readToSlot
    pollingCallsPerMinute
    blockCallsPerMinute
  }
}
    `, {"fragmentName":"NetworkParts"}) as unknown as TypedDocumentString<NetworkPartsFragment, unknown>;
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
  deposits {
    source
    reason
    since
    readToSlot
    pollingCallsPerMinute
    blockCallsPerMinute
  }
}`) as unknown as TypedDocumentString<OperatorStateQuery, OperatorStateQueryVariables>;