import { SUBSCRIPTION_CHANGED } from '#adapters/prisma/engine/notices.ts'
import type { Tx } from '#adapters/prisma/transfers/records.ts'
import type { DecidedCheckout } from '#ports/checkouts.ts'
import { DELEGATIONS, SUBSCRIPTION_INTENTS } from './tables.ts'

/** Tells the followers of a checkout that it has changed, when the transaction commits. */
export const noticeOfCheckout = (tx: Pick<Tx, '$queryRaw'>, intentId: string) =>
  tx.$queryRaw`SELECT pg_notify(${SUBSCRIPTION_CHANGED}, ${intentId})::text`

/** Writes what an authorization was decided by. Throws VersionConflict when it has changed since it was read. */
export async function writeDecided(tx: Tx, { delegation, version, checkout }: DecidedCheckout): Promise<void> {
  await DELEGATIONS.update(tx, [{ value: { ...delegation, version: version + 1 }, version }])
  if (checkout === null) return
  await SUBSCRIPTION_INTENTS.update(tx, [{ value: checkout.after, version: checkout.before.version }])
  await noticeOfCheckout(tx, checkout.after.id)
}
