// The id of a tier, as callers give it.
import { ServiceError } from '#core/errors.ts'
import { isUuid } from '#services/uuid.ts'

/** Throws `invalid_tier_id` for a text that is no UUID. */
export function requireTierId(tierId: string): void {
  if (!isUuid(tierId)) throw new ServiceError('invalid_tier_id', { field: 'tier_id' })
}
