// The statuses that end a subscription, as SQL.
import { sqlList } from '#adapters/prisma/sql-parts.ts'
import { SUBSCRIPTION_POLICY } from '#core/billing/status-policy.ts'
import { SUBSCRIPTION_STATUSES } from '#core/billing/subscription.ts'

const ENDED = SUBSCRIPTION_STATUSES.filter((status) => SUBSCRIPTION_POLICY[status].isFinal)

/** The list for IN. Every other status is live: it counts against the limit of a wallet. */
export const ENDED_STATUSES = sqlList(ENDED)
