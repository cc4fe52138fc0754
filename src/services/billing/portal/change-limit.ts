// The limit of the changes that a subscriber makes, whatever links they are made with.

import { ServiceError } from '#core/errors.ts'
import { MAX_CHANGES, waitToChange } from '#core/events/change-limit.ts'
import type { PortalDeps } from './deps.ts'

/**
 * Throws `rate_limited` when the subscription has been changed too often. Called after its facts were read: when another change
 * comes in between, the one that is decided by them is not applied.
 */
export async function requireRoomToChange(
  { billing, clock }: Pick<PortalDeps, 'billing' | 'clock'>,
  subscriptionId: string,
): Promise<void> {
  const wait = waitToChange(await billing.changeTimes(subscriptionId, MAX_CHANGES), clock.now())
  if (wait > 0) throw new ServiceError('rate_limited', { retry_after_seconds: Math.ceil(wait / 1_000) })
}
