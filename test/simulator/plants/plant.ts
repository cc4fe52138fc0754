// A planted bug between the services and their ports, which the monitor must find.

import type { IntentChange, IntentFacts } from '#core/payments/change.ts'
import type { Settlement } from '#core/payments/intent-values.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import type { NewPaymentTransfer } from '#core/payments/transfers.ts'
import { type InstancePorts, replaced, type WorldPorts } from '../ports.ts'
import type { Ground } from '../world.ts'

export type Plant = {
  readonly name: string
  /** The mistake, in a sentence. */
  readonly mistake: string
  /** Each seed has a season of subscriptions. */
  readonly subscriptions?: true
  /** Each seed has failovers of the database. */
  readonly failovers?: true
  /** A mistake of a service: it calls its ports wrongly, or trusts uncertain data. */
  readonly above?: (ports: InstancePorts, ground: Ground) => InstancePorts
  /** A mistake of a store or a signer: it breaks its contract. */
  readonly below?: (ports: WorldPorts, ground: Ground) => WorldPorts
  /** A mistake in the rules of the database. */
  readonly sql?: string
}

// Alters the decisions of a service for a planted bug, before they are written and checked.

/** A mistake of a service, as the `above` of a plant. */
export type Above = (ports: InstancePorts) => InstancePorts

/** Alters what a decision reads. */
export const read =
  (alter: (facts: IntentFacts) => IntentFacts): Above =>
  (ports) => ({
    ...ports,
    work: replaced(ports.work, {
      async facts(intentId) {
        const facts = await ports.work.facts(intentId)
        return facts === null ? null : alter(facts)
      },
    }),
  })

/** Changes are altered on their way to the store. */
export const changed =
  (alter: (change: IntentChange) => IntentChange): Above =>
  (ports) => ({ ...ports, work: replaced(ports.work, { apply: (change) => ports.work.apply(alter(change)) }) })

/** Alters the intent in the row and in every event of the change. */
export const reported = (alter: (intent: PaymentIntent, change: IntentChange) => PaymentIntent): Above =>
  changed((change) => ({
    ...change,
    after: alter(change.after, change),
    events: change.events.map((event) => ({ ...event, intent: alter(event.intent, change) })),
  }))

export const settlementReported = (
  alter: (settlement: Settlement, intent: PaymentIntent, change: IntentChange) => Settlement,
): Above =>
  reported((intent, change) =>
    intent.settlement === null ? intent : { ...intent, settlement: alter(intent.settlement, intent, change) },
  )

/** Alters the planned transfers. */
export const planned = (alter: (transfer: NewPaymentTransfer, change: IntentChange) => NewPaymentTransfer): Above =>
  changed((change) => ({ ...change, transfers: change.transfers.map((transfer) => alter(transfer, change)) }))
