// Reads the reason for an action of the operator, which is stored permanently.
import { ServiceError } from '#core/errors.ts'
import { isShortText, MAX_TEXT } from '#core/text.ts'

/** Returns the reason without leading and trailing blanks. Throws `invalid_request` when it is empty or too long. */
export function readReason(given: string): string {
  const reason = given.trim()
  if (reason === '') throw new ServiceError('invalid_request', { field: 'reason', rule: 'must say why' })
  if (!isShortText(reason)) {
    throw new ServiceError('invalid_request', { field: 'reason', rule: `must have at most ${MAX_TEXT} characters` })
  }
  return reason
}
