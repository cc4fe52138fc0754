// How far a payment is, in one word. Spec: "Payment intent statuses".
import type { IntentStatus } from '#core/payments/payment-intent.ts'
import type { Action } from '#core/payments/status-view.ts'
import { builder } from '#graphql/builder.ts'

type Meanings<Value extends string> = Readonly<Record<Value, { readonly description: string }>>

export const IntentStatusEnum = builder.enumType('IntentStatus', {
  description: 'How far a payment is.',
  values: {
    pending: { description: 'Created. No funds have arrived.' },
    underpaid: { description: 'Less than the expected amount has arrived.' },
    paid: { description: 'The expected amount has arrived. Settlement is in progress.' },
    overpaid: { description: 'More than the expected amount has arrived. The excess is refunded automatically.' },
    settling: { description: 'The funds are being swept to the destination wallet of the business.' },
    swept: { description: 'Settled to the destination wallet. The amounts are final.' },
    refunding: { description: 'The balance is being returned to the payer.' },
    refunded: { description: 'The refund is complete.' },
    cancelled: { description: 'The payment timed out or was cancelled, and no funds had arrived.' },
    settle_failed: { description: 'The settlement used up its retries. A person must act.' },
    refund_failed: { description: 'The refund used up its retries, or has no safe recipient. A person must act.' },
  } satisfies Meanings<IntentStatus>,
})

export const IntentActionEnum = builder.enumType('IntentAction', {
  description: 'The state to show to a buyer. It has fewer values than `status`.',
  values: {
    waiting: { description: 'No funds have arrived: show the deposit address.' },
    underpaid: { description: 'A part of the amount has arrived: show the shortfall.' },
    paid: { description: 'The amount has arrived, or is being settled.' },
    overpaid: { description: 'More than the amount has arrived. The excess goes back.' },
    swept: { description: 'The payment is settled.' },
    refunding: { description: 'The money is going back to the payer.' },
    refunded: { description: 'The money went back to the payer.' },
    cancelled: { description: 'The payment was cancelled or timed out.' },
    refund_failed: { description: 'The refund failed: the buyer should contact the business.' },
  } satisfies Meanings<Action>,
})
