// How far a payment is, in one word. Spec: "Payment intent statuses".
import type { Action } from '#core/payments/status-view.ts'
import { builder } from '#graphql/builder.ts'
import { INTENT_STATUS_VALUES } from '#graphql/enum-values.ts'

type Meanings<Value extends string> = Readonly<Record<Value, { readonly description: string }>>

export const IntentStatusEnum = builder.enumType('IntentStatus', {
  description: 'How far a payment is.',
  values: INTENT_STATUS_VALUES,
})

export const IntentActionEnum = builder.enumType('IntentAction', {
  description: 'The state to show to a buyer. It has fewer values than `status`.',
  values: {
    waiting: { description: 'No funds have arrived: show the deposit address.' },
    underpaid: { description: 'A part of the amount has arrived: show the shortfall.' },
    paid: { description: 'The amount has arrived, or is being settled.' },
    overpaid: {
      description:
        'More than the amount has arrived. The excess goes back where that is possible, and is held otherwise.',
    },
    swept: { description: 'The payment is settled.' },
    refunding: { description: 'The money is going back to the payer, or where the operator released it.' },
    refunded: { description: 'The money went back to the payer, or where the operator released it.' },
    cancelled: { description: 'The payment was cancelled or timed out.' },
    refund_failed: { description: 'The refund failed: the buyer should contact the business.' },
  } satisfies Meanings<Action>,
})
