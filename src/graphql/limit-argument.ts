// The `limit` of a list: 20 by default, 1 to 100 unless the list allows more.
import { ServiceError } from '#core/errors.ts'

/** Throws `invalid_request` outside 1 to `most`. */
export function limitOf(limit: number | null | undefined, most = 100): number {
  if (limit === null || limit === undefined) return 20
  if (limit < 1 || limit > most)
    throw new ServiceError('invalid_request', { field: 'limit', rule: `must be an integer from 1 to ${most}` })
  return limit
}
