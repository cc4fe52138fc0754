// Errors of marketplaces.
import type { PublicErrors } from '#graphql/errors/entry.ts'

export const MARKETPLACE_ERRORS = {
  marketplace_not_found: {
    status: 404,
    message: 'not found',
    meaning: 'The business is not a marketplace.',
    remedy: 'Ask the operator to approve the business as a marketplace.',
  },
} satisfies PublicErrors
