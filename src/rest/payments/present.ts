// Shapes of the wire: what the spec says is null stays null, what it says is omitted is left out.
import type { PaymentIntentBodyFragment, StatusBodyFragment } from '#rest/documents.generated.ts'

type Present<T> = { [Key in keyof T]?: NonNullable<T[Key]> }

/** The object without its nulls. */
function present<T extends object>(fields: T): Present<T> {
  const kept: Present<T> = {}
  for (const name in fields) {
    const value = fields[name]
    if (value !== null && value !== undefined) kept[name] = value
  }
  return kept
}

type CustomerDetailsBody = NonNullable<PaymentIntentBodyFragment['customer_details']>

export const customerDetailsBody = ({ address, ...names }: CustomerDetailsBody) => ({
  ...present(names),
  ...(address && { address: present(address) }),
})

/** Spec: "PaymentIntent". */
export const intentBody = ({ marketplace_fee_bps, customer_details, ...intent }: PaymentIntentBodyFragment) => ({
  ...intent,
  ...(marketplace_fee_bps !== null && { marketplace_fee_bps }),
  ...(customer_details && { customer_details: customerDetailsBody(customer_details) }),
})

/** Spec: "Status response". */
export function statusBody(status: StatusBodyFragment) {
  const {
    action,
    message,
    payment_uri,
    shortfall_lamports,
    settlement,
    refunds,
    token_refunds,
    token_refunds_count,
    late_payments,
    late_payments_count,
    late_payments_totals,
    held,
    held_count,
    held_totals,
    ...intent
  } = status
  return {
    ...intentBody(intent),
    action,
    message,
    ...present({ payment_uri, shortfall_lamports, settlement }),
    ...(refunds.length > 0 && { refunds }),
    ...(token_refunds.length > 0 && { token_refunds }),
    ...(late_payments.length > 0 && { late_payments }),
    ...(held.length > 0 && { held }),
    ...present({ token_refunds_count, late_payments_count, late_payments_totals, held_count, held_totals }),
  }
}
