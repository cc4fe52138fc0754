// What happens to payments and charges, reported for traces and metrics.

import type { BillingChange } from '#core/billing/machine/change.ts'
import type { Signature } from '#core/chain/types.ts'
import type { DeliveryOutcome, LeasedDelivery } from '#core/events/delivery.ts'
import type { IntentChange } from '#core/payments/change.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import type { Transfer } from '#core/transfers/transfer.ts'
import type { BillingStore } from './billing.ts'
import type { DeliveryStore } from './events.ts'
import type { IntentStore, IntentWorkStore } from './payments.ts'
import type { TransferStore } from './transfers.ts'

/** The stores through which everything about the money of a payment or a charge goes. */
export type WatchedStores = {
  readonly intents: IntentStore
  readonly work: IntentWorkStore
  readonly billing: BillingStore
  readonly transfers: TransferStore
  readonly deliveries: DeliveryStore
}

/** When a write began and ended, in milliseconds of real time. */
export type Took = { readonly since: number; readonly until: number }

/** A step of a transfer that is not a change of its payment. */
export type TransferStep = {
  readonly transfer: Transfer
  readonly step: string
  readonly signature?: Signature
  readonly reason?: string
}

/** Receives each write when it is done, and none that was refused. It may not throw. */
export type Watcher = {
  created(payment: PaymentIntent, took: Took): void
  /** `ended`: the transfer whose end this change books, where this process has claimed it. */
  changed(change: IntentChange, took: Took, ended: Transfer | null): void
  charged(change: BillingChange, took: Took, ended: Transfer | null): void
  stepped(step: TransferStep, took: Took): void
  delivered(delivery: LeasedDelivery, outcome: DeliveryOutcome, took: Took): void
}
