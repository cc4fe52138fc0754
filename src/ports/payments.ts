// Payment intents, as they are remembered. Two kinds of store: those of a business or a buyer take what proves who asks
// first; those of the service’s own workers are given to no edge.
import type { Tenant } from '#core/accounts/account.ts'
import type { Address, Asset, Network } from '#core/chain/types.ts'
import type { IntentChange, IntentFacts } from '#core/payments/machine/change.ts'
import type { NewIntent } from '#core/payments/new-intent.ts'
import type { CustomerDetails } from '#core/payments/parts.ts'
import type { Deposit, PaymentIntent } from '#core/payments/payment-intent.ts'
import type { UnacceptedStore } from '#ports/unaccepted.ts'

/** The intents of a business, and of its marketplace's sellers. */
export type IntentStore = {
  /** Fresh derivation indexes, ascending, never given twice; unused ones are lost, which is harmless. */
  reserveIndexes(count: number): Promise<readonly number[]>
  /**
   * Stores the intent with its `intent.created` event, or finds the one that already has the reference
   * (`created: false`). Concurrent calls with one reference store one.
   */
  create(tenant: Tenant, intent: NewIntent): Promise<{ intent: PaymentIntent; created: boolean }>
  findByIndex(tenant: Tenant, index: number): Promise<PaymentIntent | null>
  findByReference(tenant: Tenant, reference: string): Promise<PaymentIntent | null>
}

/** The addresses at which payments are received, of every business: nobody's money may be sent to one. */
export type DepositAddressStore = {
  /** Whether it was ever handed out, on any network. */
  isIssued(address: Address): Promise<boolean>
}

/** What one buyer may reach: the intent whose secret it holds. The hash is its own proof. */
export type CheckoutStore = {
  findByClientSecretHash(hash: Uint8Array): Promise<PaymentIntent | null>
  /** Replaces the details of the intent at this version; null when the version moved on. */
  saveCustomerDetails(intent: PaymentIntent, details: CustomerDetails | null, now: Date): Promise<PaymentIntent | null>
}

/** Applies decisions. Shared by checkout, businesses and workers: the intent in the change was read by one of them. */
export type ChangeStore = {
  /** Everything in one transaction with its events and notice; false when the intent moved on meanwhile: read again. */
  apply(change: IntentChange): Promise<boolean>
}

/** What workers read: every business's intents, so no edge is ever given one. */
export type IntentWorkStore = ChangeStore & {
  facts(intentId: string): Promise<IntentFacts | null>
  /** Returns when the intent's asset was chosen, the newest times first, at most so many. */
  selectionTimes(intentId: string, most: number): Promise<readonly Date[]>
  /** Adds to the bounded record of tokens that are not allowed. See `UnacceptedStore`. */
  readonly recordUnaccepted: UnacceptedStore['record']
  /** Intents to watch, oldest first, in pages by index: a light row for each. */
  watchList(
    network: Network,
    options: { afterIndex: number; limit: number; open: boolean },
  ): Promise<readonly WatchedIntent[]>
  watched(intentIds: readonly string[]): Promise<readonly WatchedIntent[]>
  /** Intents whose buyer has chosen or begun to pay, newest first. */
  busiest(network: Network, limit: number): Promise<readonly WatchedIntent[]>
  /**
   * Returns deposits that were seen and are not final yet: the oldest of every payment, then the second of every payment,
   * and so on, at most `ofOnePayment` of one. Deposits of the same rank come oldest first.
   */
  unfinalDeposits(
    network: Network,
    most: { readonly inAll: number; readonly ofOnePayment: number },
  ): Promise<readonly Deposit[]>
  /**
   * Returns pending and underpaid intents whose window ended before `before`, in the order of its end. `after` is the
   * last one of the page before; null asks for the first page.
   */
  expired(
    network: Network,
    before: Date,
    page: { readonly after: ExpiredIntent | null; readonly limit: number },
  ): Promise<readonly ExpiredIntent[]>
  /** Intents in paid or overpaid whose deposits are all final: nothing is left to wait for. */
  settleable(network: Network, limit: number): Promise<readonly string[]>
}

export type ExpiredIntent = { readonly id: string; readonly expiresAt: Date }

export type WatchedIntent = {
  readonly id: string
  /** Grows with every change of the intent, the booking of each of its transfers among them. */
  readonly version: number
  readonly network: Network
  readonly derivationIndex: number
  readonly address: Address
  readonly acceptedAssets: readonly Asset[]
  readonly asset: Asset | null
  readonly status: PaymentIntent['status']
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly updatedAt: Date
}
