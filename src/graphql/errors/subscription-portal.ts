// Errors of the hosted portal of subscriptions. REST shows these codes as they are. Spec: "Errors".
import type { PublicErrors } from '#graphql/errors/entry.ts'

export const SUBSCRIPTION_PORTAL_ERRORS = {
  portal_not_found: {
    status: 404,
    message: 'portal not found',
    meaning: 'No link to a portal has this token.',
    remedy: 'Get a new link at `recovery_url` with the wallet.',
    shows: ['recovery_url'],
  },
  portal_session_expired: {
    status: 401,
    message: 'the link to the portal has expired',
    meaning: 'The time of the link is over.',
    remedy: 'Get a new link at `recovery_url` with the wallet, or from the business.',
    shows: ['recovery_url'],
  },
} satisfies PublicErrors
