// Stored payment intents. The stores of a business or a buyer take its credential first. No edge gets the stores of
// workers.
import type { Tenant } from '#core/accounts/account.ts'
import type { Address, Asset, Network } from '#core/chain/types.ts'
import type { IntentChange, IntentFacts } from '#core/payments/change.ts'
import type { Deposit, NewIntent, PaymentIntent } from '#core/payments/payment-intent.ts'
import type { UnacceptedStore } from './held.ts'

/** The intents of a business, and of the sellers of its marketplace. */
export type IntentStore = {
  /** Returns new derivation indexes, ascending, each only once. An unused index is lost, which is harmless. */
  reserveIndexes(count: number): Promise<readonly number[]>
  /**
   * Stores the intent with its `intent.created` event, or finds the one that already has the reference
   * (`created: false`). Concurrent calls with one reference store one.
   */
  create(tenant: Tenant, intent: NewIntent): Promise<{ intent: PaymentIntent; created: boolean }>
  findByIndex(tenant: Tenant, index: number): Promise<PaymentIntent | null>
  findById(tenant: Tenant, id: string): Promise<PaymentIntent | null>
  findByReference(tenant: Tenant, reference: string): Promise<PaymentIntent | null>
}

/** The deposit addresses of every business. No money may be sent to one of them by the service. */
export type DepositAddressStore = {
  /** Returns whether the address was ever issued, on any network. */
  isIssued(address: Address): Promise<boolean>
}

/** The intent of a buyer, by the hash of its client secret. */
export type CheckoutStore = {
  findByClientSecretHash(hash: Uint8Array): Promise<PaymentIntent | null>
  /** Returns the newest deposits that count for the price, at most `most` of them, the oldest first. */
  countedDeposits(intentId: string, most: number): Promise<readonly Deposit[]>
}

/** Applies decisions of checkout, businesses and workers. */
export type ChangeStore = {
  /** Writes a change with its events and notice in one transaction. Returns false when the intent has changed since it was read. */
  apply(change: IntentChange): Promise<boolean>
}

/** The intents of every business, for workers. No edge gets this store. */
export type IntentWorkStore = ChangeStore & {
  facts(intentId: string): Promise<IntentFacts | null>
  /** Returns the times of the intent's selections, the newest first, at most `most` of them. */
  selectionTimes(intentId: string, most: number): Promise<readonly Date[]>
  /** Adds to the bounded record of tokens that are not allowed. See `UnacceptedStore`. */
  readonly recordUnaccepted: UnacceptedStore['record']
  /** Returns intents to watch, oldest first, in pages by index, with few columns. */
  watchList(
    network: Network,
    options: { afterIndex: number; limit: number; open: boolean },
  ): Promise<readonly WatchedIntent[]>
  watched(intentIds: readonly string[]): Promise<readonly WatchedIntent[]>
  /**
   * Returns pending and underpaid intents whose window ended before `before`, in the order of its end. `after` is the
   * last one of the page before; null asks for the first page.
   */
  expired(
    network: Network,
    before: Date,
    page: { readonly after: ExpiredIntent | null; readonly limit: number },
  ): Promise<readonly ExpiredIntent[]>
}

export type ExpiredIntent = { readonly id: string; readonly expiresAt: Date }

export type WatchedIntent = {
  readonly id: string
  /** Grows with every change of the intent, also with the booking of its transfers. */
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

// Waits for a payment to change, on any instance, without a query in a loop.

export type IntentChanges = {
  /** Begins to watch an intent: a change after this is not missed. Ends when the signal aborts. */
  watch(intentId: string, signal?: AbortSignal): IntentWatch
}

export type IntentWatch = {
  /**
   * Resolves soon after a change that came since the last call, at the latest after `ms` milliseconds, and at once when
   * the watch has ended. Returns for how many milliseconds it waited. A notice can be lost, so read the payment in any case.
   */
  next(ms: number): Promise<number>
  close(): void
}

export type SearchIndexStore = {
  /** Writes the parts of at most `limit` search entries that have none yet. Returns how many there were. */
  index(limit: number): Promise<number>
}
