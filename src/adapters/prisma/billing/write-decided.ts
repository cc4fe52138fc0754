import type { Tx } from '#adapters/prisma/transfers/records.ts'
import type { DecidedCheckout } from '#ports/checkouts.ts'
import { DELEGATIONS, SUBSCRIPTION_INTENTS } from './tables.ts'

/** Writes what an authorization was decided by. Throws VersionConflict when it has changed since it was read. */
export async function writeDecided(tx: Tx, { delegation, version, checkout }: DecidedCheckout): Promise<void> {
  await DELEGATIONS.update(tx, { ...delegation, version: version + 1 }, version)
  if (checkout !== null) await SUBSCRIPTION_INTENTS.update(tx, checkout.after, checkout.before.version)
}
