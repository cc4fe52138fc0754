// A payment at the moment of its creation.
import type { Tenant } from '#core/accounts/account.ts'
import { ZERO } from '#core/money/amounts.ts'
import { SHOWN_WHOLE } from '#core/payments/parts.ts'
import type { INTENT_FIELDS, IntentField, PaymentIntent } from '#core/payments/payment-intent.ts'

type WrittenLater = {
  [Name in IntentField]: (typeof INTENT_FIELDS)[Name]['written'] extends 'later' ? Name : never
}[IntentField]

/** The fields that only changes write. The database has the same defaults. */
const AT_CREATION: Pick<PaymentIntent, WrittenLater> = {
  selection: null,
  received: ZERO,
  status: 'pending',
  statusReason: null,
  refundSender: null,
  settlement: null,
  refunds: [],
  tokenRefunds: [],
  latePayments: [],
  held: [],
  listTotals: SHOWN_WHOLE,
  version: 1,
}

/** What the creation decides. The caller is the tenant. */
export type NewIntent = Omit<PaymentIntent, WrittenLater | 'network' | 'callerAccountId' | 'updatedAt'> & {
  readonly clientSecretHash: Uint8Array
}

/** Returns the payment, without the hash of its client secret. */
export function createdIntent({ network, accountId }: Tenant, draft: NewIntent): PaymentIntent {
  const { clientSecretHash: _, ...given } = draft
  return { ...AT_CREATION, ...given, network, callerAccountId: accountId, updatedAt: given.createdAt }
}
