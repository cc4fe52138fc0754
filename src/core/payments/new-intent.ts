// A payment at the moment of its creation.
import type { Tenant } from '#core/accounts/account.ts'
import type { Actor } from '#core/accounts/audit.ts'
import { ZERO } from '#core/money/amounts.ts'
import { SHOWN_WHOLE } from '#core/payments/intent-values.ts'
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
  /** Recorded in the audit trail, when the payment is for a seller. Null records nothing. */
  readonly createdBy: Actor | null
}

/** Returns the payment, without the hash of its client secret and without its creator. */
export function createdIntent({ network, accountId }: Tenant, draft: NewIntent): PaymentIntent {
  const { clientSecretHash: _, createdBy: _by, ...given } = draft
  return { ...AT_CREATION, ...given, network, callerAccountId: accountId, updatedAt: given.createdAt }
}
