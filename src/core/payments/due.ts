// What is still to be paid for a payment.
import type { Asset } from '#core/chain/types.ts'
import type { BaseUnits } from '#core/money/amounts.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import { STATUS_POLICY } from '#core/payments/status-policy.ts'
import { shortfallOf } from '#core/payments/status-view.ts'

/** `amount` is in base units of the asset, which has `decimals` decimals. */
export type Due = { readonly asset: Asset; readonly decimals: number; readonly amount: BaseUnits }

/**
 * Returns the whole amount, or the shortfall of an underpaid payment. Null before token selection, because there is no
 * amount yet, and once nothing more is to be paid.
 */
export function dueOf(intent: Pick<PaymentIntent, 'status' | 'selection' | 'received'>): Due | null {
  const { selection, status } = intent
  if (selection === null || !STATUS_POLICY[status].canExpire) return null
  return { ...selection, amount: shortfallOf(intent) ?? selection.expected }
}
