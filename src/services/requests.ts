// What several services read of a request, and refuse.
import { type ErrorCode, ServiceError } from '#core/errors.ts'
import { isShortText, MAX_TEXT } from '#core/text.ts'

/**
 * Returns the reason for an action of the operator, which is stored permanently, without leading and trailing blanks. Throws
 * `invalid_request` when it is empty or too long.
 */
export function readReason(given: string): string {
  const reason = given.trim()
  if (reason === '') throw new ServiceError('invalid_request', { field: 'reason', rule: 'must say why' })
  if (!isShortText(reason)) {
    throw new ServiceError('invalid_request', { field: 'reason', rule: `must have at most ${MAX_TEXT} characters` })
  }
  return reason
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Returns whether a store can be asked for it at all: a database refuses to compare its ids with anything else. */
export const isUuid = (text: string): boolean => UUID.test(text)

// The id of a tier, as callers give it.

/** Throws `invalid_tier_id` for a text that is no UUID. */
export function requireTierId(tierId: string): void {
  if (!isUuid(tierId)) throw new ServiceError('invalid_tier_id', { field: 'tier_id' })
}

/** Throws the error of a rule that is broken. */
export function refuse(code: ErrorCode | null): void {
  if (code !== null) throw new ServiceError(code)
}
