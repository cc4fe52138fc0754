/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
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

/** The state to show to a buyer. It has fewer values than `status`. */
export type IntentAction =
  /** The payment was cancelled or timed out. */
  | 'cancelled'
  /** More than the amount has arrived. The excess goes back. */
  | 'overpaid'
  /** The amount has arrived, or is being settled. */
  | 'paid'
  /** The refund failed: the buyer should contact the business. */
  | 'refund_failed'
  /** The money went back to the payer. */
  | 'refunded'
  /** The money is going back to the payer. */
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
  /** The expected amount has arrived. Settlement is in progress. */
  | 'paid'
  /** Created. No funds have arrived. */
  | 'pending'
  /** The refund used up its retries, or has no safe recipient. A person must act. */
  | 'refund_failed'
  /** The refund is complete. */
  | 'refunded'
  /** The balance is being returned to the payer. */
  | 'refunding'
  /** The settlement used up its retries. A person must act. */
  | 'settle_failed'
  /** The funds are being swept to the destination wallet of the business. */
  | 'settling'
  /** Settled to the destination wallet. The amounts are final. */
  | 'swept'
  /** Less than the expected amount has arrived. */
  | 'underpaid';

/** What became of money that arrived late. */
export type LatePaymentStatus =
  /** Its refund failed. A person must act. */
  | 'failed'
  /** It stays at the address until the operator releases it. */
  | 'held'
  /** Its refund is not under way yet. */
  | 'pending'
  /** It went back. */
  | 'refunded'
  /** Its refund is under way. */
  | 'settling';

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

export type FundDemoWalletMutationVariables = Exact<{
  wallet: string;
}>;


export type FundDemoWalletMutation = { fundDemoWallet: Array<string> | null };

export type PaymentStateFragment = { version: number, network: Network, status: IntentStatus, action: IntentAction, merchantName: string, priceUsdCents: number, address: string, asset: string | null, mintDecimals: number | null, expectedAmount: string | null, receivedAmount: string, shortfall: string | null, paymentUri: string | null, expiresInSeconds: number, refundSender: string | null, customerDetails: { firstName: string | null, lastName: string | null, email: string | null } | null, settlement: { ticker: string, destinationUi: number, signatures: Array<string> } | null, refunds: Array<{ mint: string | null, amount: string, signatures: Array<string> }>, latePayments: Array<{ mint: string | null, amount: string, status: LatePaymentStatus, signature: string }> };

export type PaymentPageQueryVariables = Exact<{
  clientSecret: string;
  parent?: string | null | undefined;
}>;


export type PaymentPageQuery = { checkout: { mayBeEmbeddedIn: boolean, version: number, network: Network, status: IntentStatus, action: IntentAction, merchantName: string, priceUsdCents: number, address: string, asset: string | null, mintDecimals: number | null, expectedAmount: string | null, receivedAmount: string, shortfall: string | null, paymentUri: string | null, expiresInSeconds: number, refundSender: string | null, acceptedTokens: Array<{ asset: string, ticker: string, name: string, decimals: number, imageUrl: string | null }>, customerDetails: { firstName: string | null, lastName: string | null, email: string | null } | null, settlement: { ticker: string, destinationUi: number, signatures: Array<string> } | null, refunds: Array<{ mint: string | null, amount: string, signatures: Array<string> }>, latePayments: Array<{ mint: string | null, amount: string, status: LatePaymentStatus, signature: string }> } | null };

export type PaymentQuoteQueryVariables = Exact<{
  clientSecret: string;
}>;


export type PaymentQuoteQuery = { quote: { quotes: Array<{ asset: string, expectedAmount: string }> } | null };

export type SelectAssetMutationVariables = Exact<{
  clientSecret: string;
  asset: string;
}>;


export type SelectAssetMutation = { checkout: { version: number, network: Network, status: IntentStatus, action: IntentAction, merchantName: string, priceUsdCents: number, address: string, asset: string | null, mintDecimals: number | null, expectedAmount: string | null, receivedAmount: string, shortfall: string | null, paymentUri: string | null, expiresInSeconds: number, refundSender: string | null, customerDetails: { firstName: string | null, lastName: string | null, email: string | null } | null, settlement: { ticker: string, destinationUi: number, signatures: Array<string> } | null, refunds: Array<{ mint: string | null, amount: string, signatures: Array<string> }>, latePayments: Array<{ mint: string | null, amount: string, status: LatePaymentStatus, signature: string }> } | null };

export type SaveDetailsMutationVariables = Exact<{
  clientSecret: string;
  details: CustomerInput;
}>;


export type SaveDetailsMutation = { checkout: { version: number, network: Network, status: IntentStatus, action: IntentAction, merchantName: string, priceUsdCents: number, address: string, asset: string | null, mintDecimals: number | null, expectedAmount: string | null, receivedAmount: string, shortfall: string | null, paymentUri: string | null, expiresInSeconds: number, refundSender: string | null, customerDetails: { firstName: string | null, lastName: string | null, email: string | null } | null, settlement: { ticker: string, destinationUi: number, signatures: Array<string> } | null, refunds: Array<{ mint: string | null, amount: string, signatures: Array<string> }>, latePayments: Array<{ mint: string | null, amount: string, status: LatePaymentStatus, signature: string }> } | null };

export type CancelPaymentMutationVariables = Exact<{
  clientSecret: string;
}>;


export type CancelPaymentMutation = { checkout: { version: number, network: Network, status: IntentStatus, action: IntentAction, merchantName: string, priceUsdCents: number, address: string, asset: string | null, mintDecimals: number | null, expectedAmount: string | null, receivedAmount: string, shortfall: string | null, paymentUri: string | null, expiresInSeconds: number, refundSender: string | null, customerDetails: { firstName: string | null, lastName: string | null, email: string | null } | null, settlement: { ticker: string, destinationUi: number, signatures: Array<string> } | null, refunds: Array<{ mint: string | null, amount: string, signatures: Array<string> }>, latePayments: Array<{ mint: string | null, amount: string, status: LatePaymentStatus, signature: string }> } | null };

export type PaymentChangesSubscriptionVariables = Exact<{
  clientSecret: string;
}>;


export type PaymentChangesSubscription = { checkout: { version: number, network: Network, status: IntentStatus, action: IntentAction, merchantName: string, priceUsdCents: number, address: string, asset: string | null, mintDecimals: number | null, expectedAmount: string | null, receivedAmount: string, shortfall: string | null, paymentUri: string | null, expiresInSeconds: number, refundSender: string | null, customerDetails: { firstName: string | null, lastName: string | null, email: string | null } | null, settlement: { ticker: string, destinationUi: number, signatures: Array<string> } | null, refunds: Array<{ mint: string | null, amount: string, signatures: Array<string> }>, latePayments: Array<{ mint: string | null, amount: string, status: LatePaymentStatus, signature: string }> } };

export type PreparePaymentMutationVariables = Exact<{
  clientSecret: string;
  wallet: string;
}>;


export type PreparePaymentMutation = { prepared: { transaction: string } | null };

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
  mintDecimals
  expectedAmount
  receivedAmount
  shortfall
  paymentUri
  expiresInSeconds
  refundSender
  customerDetails {
    firstName
    lastName
    email
  }
  settlement {
    ticker
    destinationUi
    signatures
  }
  refunds {
    mint
    amount
    signatures
  }
  latePayments {
    mint
    amount
    status
    signature
  }
}
    `, {"fragmentName":"PaymentState"}) as unknown as TypedDocumentString<PaymentStateFragment, unknown>;
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
  mintDecimals
  expectedAmount
  receivedAmount
  shortfall
  paymentUri
  expiresInSeconds
  refundSender
  customerDetails {
    firstName
    lastName
    email
  }
  settlement {
    ticker
    destinationUi
    signatures
  }
  refunds {
    mint
    amount
    signatures
  }
  latePayments {
    mint
    amount
    status
    signature
  }
}`) as unknown as TypedDocumentString<PaymentPageQuery, PaymentPageQueryVariables>;
export const PaymentQuoteDocument = new TypedDocumentString(`
    query PaymentQuote($clientSecret: String!) {
  quote(clientSecret: $clientSecret) {
    quotes {
      asset
      expectedAmount
    }
  }
}
    `) as unknown as TypedDocumentString<PaymentQuoteQuery, PaymentQuoteQueryVariables>;
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
  mintDecimals
  expectedAmount
  receivedAmount
  shortfall
  paymentUri
  expiresInSeconds
  refundSender
  customerDetails {
    firstName
    lastName
    email
  }
  settlement {
    ticker
    destinationUi
    signatures
  }
  refunds {
    mint
    amount
    signatures
  }
  latePayments {
    mint
    amount
    status
    signature
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
  mintDecimals
  expectedAmount
  receivedAmount
  shortfall
  paymentUri
  expiresInSeconds
  refundSender
  customerDetails {
    firstName
    lastName
    email
  }
  settlement {
    ticker
    destinationUi
    signatures
  }
  refunds {
    mint
    amount
    signatures
  }
  latePayments {
    mint
    amount
    status
    signature
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
  mintDecimals
  expectedAmount
  receivedAmount
  shortfall
  paymentUri
  expiresInSeconds
  refundSender
  customerDetails {
    firstName
    lastName
    email
  }
  settlement {
    ticker
    destinationUi
    signatures
  }
  refunds {
    mint
    amount
    signatures
  }
  latePayments {
    mint
    amount
    status
    signature
  }
}`) as unknown as TypedDocumentString<CancelPaymentMutation, CancelPaymentMutationVariables>;
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
  mintDecimals
  expectedAmount
  receivedAmount
  shortfall
  paymentUri
  expiresInSeconds
  refundSender
  customerDetails {
    firstName
    lastName
    email
  }
  settlement {
    ticker
    destinationUi
    signatures
  }
  refunds {
    mint
    amount
    signatures
  }
  latePayments {
    mint
    amount
    status
    signature
  }
}`) as unknown as TypedDocumentString<PaymentChangesSubscription, PaymentChangesSubscriptionVariables>;
export const PreparePaymentDocument = new TypedDocumentString(`
    mutation PreparePayment($clientSecret: String!, $wallet: SolanaAddress!) {
  prepared: preparePayment(clientSecret: $clientSecret, wallet: $wallet) {
    transaction
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