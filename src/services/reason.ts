// Reads the reason for an action of the operator, which is stored permanently.
import { ServiceError } from '#core/errors.ts'

const MAX_LENGTH = 500

/** Returns the reason without leading and trailing blanks. Throws `invalid_request` when it is empty or too long. */
export function readReason(given: string): string {
  const reason = given.trim()
  if (reason === '') throw new ServiceError('invalid_request', { field: 'reason', rule: 'must say why' })
  if (reason.length > MAX_LENGTH) {
    throw new ServiceError('invalid_request', { field: 'reason', rule: `must have at most ${MAX_LENGTH} characters` })
  }
  return reason
}
