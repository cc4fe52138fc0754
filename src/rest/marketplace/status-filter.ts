// The `status` of a list of payments: one status, or several with commas between them.
import { z } from 'zod'
import type { IntentStatus } from '#rest/documents.generated.ts'

const STATUSES = [
  'pending',
  'underpaid',
  'paid',
  'overpaid',
  'settling',
  'swept',
  'refunding',
  'refunded',
  'cancelled',
  'settle_failed',
  'refund_failed',
] as const satisfies readonly IntentStatus[]

const RULE = `must be one or more of ${STATUSES.join(', ')}, with commas between them`

export const statusFilter = z
  .string(RULE)
  .transform((list) => list.split(','))
  .pipe(z.array(z.enum(STATUSES, RULE), RULE).max(STATUSES.length, `must name at most ${STATUSES.length} statuses`))
