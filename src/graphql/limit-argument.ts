// The `limit` of a list: 20 unless told, 1 to 100.
import { ServiceError } from '#core/errors.ts'

/** Throws `invalid_request` outside 1 to 100. */
export function limitOf(limit: number | null | undefined): number {
  if (limit === null || limit === undefined) return 20
  if (limit < 1 || limit > 100) throw new ServiceError('invalid_request', { field: 'limit' })
  return limit
}
