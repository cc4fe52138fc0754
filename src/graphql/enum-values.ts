// The values of enums that both schemas have, each with its meaning.
import type { Network } from '#core/chain/types.ts'
import type { IntentStatus } from '#core/payments/payment-intent.ts'
import type { TransferStatus } from '#core/transfers/transfer.ts'
import type { Health } from '#services/platform/platform-services.ts'

type Meanings<Value extends string> = Readonly<Record<Value, { readonly description: string }>>

export const NETWORK_VALUES = {
  live: { description: 'The network of live accounts, with keys that begin with `sk_live_`.' },
  test: { description: 'The network of test accounts, with keys that begin with `sk_test_`.' },
} satisfies Meanings<Network>

export const INTENT_STATUS_VALUES = {
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
} satisfies Meanings<IntentStatus>

export const TRANSFER_STATUS_VALUES = {
  planned: { description: 'It is due, and nothing was sent yet.' },
  in_progress: { description: 'A transaction for it is under way.' },
  done: { description: 'Its transaction is final.' },
  failed: { description: 'It used up its retries. The operator can retry it.' },
  held: { description: 'It waits for the operator. `reason` says why.' },
} satisfies Meanings<TransferStatus>

export const HEALTH_STATUS_VALUES = {
  ok: { description: 'It works.' },
  degraded: { description: 'It works in part, or late.' },
  down: { description: 'It does not work.' },
} satisfies Meanings<Health['status']>
