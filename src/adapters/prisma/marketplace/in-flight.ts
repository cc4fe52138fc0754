// The payments of a seller whose money is in flight, found without reading those that have ended.
import type { Tx } from '#adapters/prisma/transfers/records.ts'
import { statusesWhere } from '#core/payments/status-policy.ts'

// A payment that has ended can still return a late deposit. The rent that a sweep leaves behind waits by design, and is no
// reason to keep the seller. The conditions are those of two partial indexes.
export const IN_FLIGHT = `
WITH open_payments AS (
  SELECT id, created_at FROM payment_intents
  WHERE account_id = $1::uuid AND account_id <> caller_account_id
    AND status IN ('${statusesWhere('isInFlight').join("', '")}')
  ORDER BY created_at DESC, id DESC LIMIT 100
), moving_payments AS (
  SELECT id, created_at FROM payment_intents WHERE id IN (
    SELECT intent_id FROM transfers
    WHERE account_id = $1::uuid AND status IN ('planned', 'in_progress') AND kind <> 'rent'
      AND portion <> 'rent_reserve')
)
SELECT id::text FROM (SELECT * FROM open_payments UNION SELECT * FROM moving_payments) in_flight
ORDER BY created_at DESC, id DESC LIMIT 100`

/** Returns the ids of the payments, at most 100, the newest first. */
export async function readInFlight(tx: Pick<Tx, '$queryRawUnsafe'>, sellerId: string): Promise<readonly string[]> {
  const rows = await tx.$queryRawUnsafe<{ id: string }[]>(IN_FLIGHT, sellerId)
  return rows.map(({ id }) => id)
}
