// Why an operator did something that is kept for good.
import { ServiceError } from '#core/errors.ts'

const MAX_LENGTH = 500

/** The reason without blanks around it. Throws `invalid_request` when nothing is left, or too much. */
export function readReason(given: string): string {
  const reason = given.trim()
  if (reason === '') throw new ServiceError('invalid_request', { field: 'reason', rule: 'must say why' })
  if (reason.length > MAX_LENGTH) {
    throw new ServiceError('invalid_request', { field: 'reason', rule: `must have at most ${MAX_LENGTH} characters` })
  }
  return reason
}
