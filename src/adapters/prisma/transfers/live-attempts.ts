// The states of an attempt that may still land.
import { sqlList } from '#adapters/prisma/sql-parts.ts'
import { LIVE_ATTEMPT_STATES } from '#core/transfers/transfer.ts'

/** For a query of Prisma. */
export const LIVE = [...LIVE_ATTEMPT_STATES]

/** The list for IN. */
export const LIVE_ATTEMPTS = sqlList(LIVE_ATTEMPT_STATES)
