// The values of enums that both schemas have, each with its meaning.
import type { ChargeStatus, FailureCode, RecoveryAction, Waiting } from '#core/billing/charge.ts'
import type { DelegationStatus } from '#core/billing/delegation.ts'
import type { SubscriptionStatus } from '#core/billing/subscription.ts'
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
  underpaid: {
    description: 'Less than the expected amount has arrived, and more than the business tolerates is missing.',
  },
  paid: {
    description: 'The expected amount has arrived, or as much of it as counts as paid. Settlement is in progress.',
  },
  overpaid: { description: 'More than the expected amount has arrived. The excess is refunded automatically.' },
  settling: { description: 'The funds are being swept to the destination wallet of the business.' },
  swept: { description: 'Settled to the destination wallet. The amounts are final.' },
  refunding: { description: 'The balance is being returned to the payer, or released by the operator.' },
  refunded: { description: 'The refund is complete, or the operator released the money.' },
  cancelled: { description: 'The payment timed out or was cancelled, and no funds had arrived.' },
  settle_failed: { description: 'The settlement failed, or cannot arrive. A person must act.' },
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

export const CHARGE_STATUS_VALUES = {
  pending: { description: 'It is planned, and nothing was sent.' },
  submitted: { description: 'A transaction of it may land.' },
  succeeded: { description: 'Its transaction is final.' },
  failed: { description: 'The last try failed for certain. Another may follow.' },
  canceled: { description: 'It is not tried any more.' },
} satisfies Meanings<ChargeStatus>

export const FAILURE_CODE_VALUES = {
  insufficient_funds: { description: 'The token account holds too little.' },
  account_frozen: { description: 'The issuer froze the token account.' },
  chain_unavailable: { description: 'The chain did not take the transaction.' },
  delegate_revoked: { description: 'The owner removed the allowance.' },
  delegate_replaced: { description: 'The owner gave the account to another delegate.' },
  allowance_insufficient: { description: 'The owner lowered the allowance.' },
  account_closed: { description: 'The token account does not exist any more.' },
  destination_unavailable: { description: 'The account of the business cannot receive.' },
  platform_error: { description: 'The service could not make the charge.' },
} satisfies Meanings<FailureCode>

export const RECOVERY_ACTION_VALUES = {
  retry: { description: 'Time, or a refill of the wallet.' },
  reapprove: { description: 'A new approval by the subscriber.' },
  none: { description: 'Nothing that the subscriber can do.' },
} satisfies Meanings<RecoveryAction>

export const WAITING_REASON_VALUES = {
  business_budget: {
    description:
      'The subscriptions of the business have cost the fee payer as much as they may in 24 hours. Nothing is lost, and no action of ' +
      'the business or the subscriber is needed.',
  },
} satisfies Meanings<Waiting['reason']>

export const SUBSCRIPTION_STATUS_VALUES = {
  incomplete: { description: 'The first charge is not final.' },
  trialing: { description: 'Its trial has not ended, or the first charge after it is being made.' },
  active: { description: 'It is charged each period.' },
  renewal_required: { description: 'The last authorized period has begun.' },
  past_due: { description: 'A charge failed, and is tried again.' },
  paused: { description: 'Nothing is charged until it is resumed.' },
  canceled: { description: 'It has ended.' },
  revoked: { description: 'The allowance does not cover it any more.' },
  exhausted: { description: 'Everything that was authorized is spent.' },
  failed: { description: 'The first charge never succeeded.' },
} satisfies Meanings<SubscriptionStatus>

export const DELEGATION_STATUS_VALUES = {
  pending: { description: 'No approve is final yet.' },
  active: { description: 'It covers the subscriptions that are charged.' },
  exhausted: { description: 'It was spent to zero.' },
  revoked: { description: 'The owner removed or lowered it.' },
  replaced: { description: 'The owner gave the account to another delegate.' },
  cleared: { description: 'Nothing is outstanding any more.' },
} satisfies Meanings<DelegationStatus>
