// How a planted bug alters what a service decides, before it is written and watched.

import type { IntentChange } from '#core/payments/machine/change.ts'
import type { PaymentIntent, Settlement } from '#core/payments/payment-intent.ts'
import type { NewPaymentTransfer } from '#core/payments/transfers.ts'

import { type InstancePorts, replaced } from '../ports.ts'

/** A mistake of a service, as a plant's `above`. */
export type Above = (ports: InstancePorts) => InstancePorts

/** Changes are altered on their way to the store. */
export const changed =
  (alter: (change: IntentChange) => IntentChange): Above =>
  (ports) => ({ ...ports, work: replaced(ports.work, { apply: (change) => ports.work.apply(alter(change)) }) })

/** The intent says something else, to everybody: in the row and in every event of the change. */
export const told = (alter: (intent: PaymentIntent, change: IntentChange) => PaymentIntent): Above =>
  changed((change) => ({
    ...change,
    after: alter(change.after, change),
    events: change.events.map((event) => ({ ...event, intent: alter(event.intent, change) })),
  }))

export const settlementTold = (
  alter: (settlement: Settlement, intent: PaymentIntent, change: IntentChange) => Settlement,
): Above =>
  told((intent, change) =>
    intent.settlement === null ? intent : { ...intent, settlement: alter(intent.settlement, intent, change) },
  )

/** Obligations are planned otherwise. */
export const planned = (alter: (transfer: NewPaymentTransfer, change: IntentChange) => NewPaymentTransfer): Above =>
  changed((change) => ({ ...change, transfers: change.transfers.map((transfer) => alter(transfer, change)) }))
