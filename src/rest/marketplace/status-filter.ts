// The `status` of a list of payments: one status, or several with commas between them.
import { z } from 'zod'
import type { IntentStatus } from '#rest/documents.generated.ts'

/** Every status: the type refuses one that is forgotten. */
const STATUSES = {
  pending: 'pending',
  underpaid: 'underpaid',
  paid: 'paid',
  overpaid: 'overpaid',
  settling: 'settling',
  swept: 'swept',
  refunding: 'refunding',
  refunded: 'refunded',
  cancelled: 'cancelled',
  settle_failed: 'settle_failed',
  refund_failed: 'refund_failed',
} as const satisfies { readonly [Status in IntentStatus]: Status }

const NAMES = Object.keys(STATUSES)
const RULE = `must be one or more of ${NAMES.join(', ')}, with commas between them`

export const statusFilter = z
  .string(RULE)
  .transform((list) => list.split(','))
  .pipe(z.array(z.enum(STATUSES, RULE), RULE).max(NAMES.length, `must name at most ${NAMES.length} statuses`))
