// When the faults are over and everything has ended: the books, the chain and the promises side by side.
import type { Database } from '#adapters/prisma/database.ts'
import type { Stage } from '../stage.ts'
import type { Ground } from '../world.ts'
import type { Findings } from './findings.ts'
import type { Monitor } from './monitor.ts'

export type Ending = {
  readonly ground: Ground
  readonly stage: Stage
  readonly monitor: Monitor
  readonly findings: Findings
  readonly db: Pick<Database, 'query'>
}

/** Whatever is still under way, in words. */
export async function openWork(db: Pick<Database, 'query'>): Promise<readonly string[]> {
  const rows = await db.query<{ what: string }>(`
    SELECT 'intent ' || derivation_index || ' is ' || status AS what FROM payment_intents
    WHERE status IN ('pending', 'underpaid', 'paid', 'overpaid', 'settling', 'refunding')
    UNION ALL SELECT key || ' is ' || status || ': ' || coalesce(reason, '') FROM transfers WHERE status IN ('planned', 'in_progress')
    UNION ALL SELECT 'deposit ' || signature || ' is not final' FROM deposits WHERE state = 'confirmed'
    UNION ALL SELECT 'delivery ' || id || ' is pending' FROM webhook_deliveries WHERE status = 'pending'`)
  return rows.map(({ what }) => what)
}

export async function checkEnd({ findings, db }: Ending): Promise<void> {
  const open = await openWork(db)
  findings.check('everything ends', open.length === 0, () => open.join('; '))
}
