// A second copy of the contract's table of statuses, so that a mistake in the service's own table is noticed.
// docs/contract.md, "Statuses and transitions".
import type { IntentStatus } from '#core/payments/payment-intent.ts'

/**
 * Every documented transition. A transition to the same status means that the status is emitted again with other
 * amounts.
 */
const NEXT: Readonly<Record<IntentStatus, readonly IntentStatus[]>> = {
  // The buyer selects an asset, a payment arrives, or the window ends.
  pending: ['pending', 'underpaid', 'paid', 'overpaid', 'cancelled'],
  // To settling when the business sweeps the money.
  underpaid: ['underpaid', 'paid', 'overpaid', 'settling', 'refunding'],
  // The sweep is planned in the same change.
  paid: ['settling'],
  overpaid: ['settling'],
  settling: ['swept', 'settle_failed'],
  settle_failed: ['settling'],
  // Late deposits to a swept intent leave it as it is.
  swept: [],
  refunding: ['refunded', 'refund_failed'],
  refund_failed: ['refunding'],
  refunded: ['refunding'],
  cancelled: ['refunding'],
}

export type Transition = `${IntentStatus} → ${IntentStatus}`

export const DOCUMENTED: readonly string[] = Object.entries(NEXT).flatMap(([from, targets]) =>
  targets.map((to) => `${from} → ${to}`),
)

export const isDocumented = (from: IntentStatus, to: IntentStatus): boolean => NEXT[from].includes(to)

/** The event of a status; null for pending, which `intent.created` reports. */
export const announcementOf = (status: IntentStatus): string | null =>
  status === 'pending' ? null : `intent.${status}`

/** The action that a buyer is shown for a status. docs/contract.md, "Actions". */
export function actionOf(status: string, isOverpaid: boolean): string {
  if (status === 'pending') return 'waiting'
  if (status === 'settling' || status === 'settle_failed') return isOverpaid ? 'overpaid' : 'paid'
  return status
}
