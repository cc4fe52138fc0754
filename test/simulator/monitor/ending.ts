// When the faults are over and everything has ended: the books, the chain and the promises side by side.
import type { Database } from '#adapters/prisma/database.ts'
import type { Stage } from '../stage.ts'
import type { Ground } from '../world.ts'
import { readBooks } from './books.ts'
import { checkConservation } from './conservation.ts'
import type { Findings } from './findings.ts'
import type { Monitor } from './monitor.ts'
import { checkPromises } from './promises.ts'

export type Ending = {
  readonly ground: Ground
  readonly stage: Stage
  readonly monitor: Monitor
  readonly findings: Findings
  readonly db: Pick<Database, 'query'>
}

/** The documented hold of a token account that cannot be closed: what lies in it is spoken of for itself. */
const RENT_WAITS = 'Something arrived in the emptied token account.'

/** Whatever is still under way, in words. */
export async function openWork(db: Pick<Database, 'query'>): Promise<readonly string[]> {
  const rows = await db.query<{ what: string }>(`
    SELECT 'intent ' || derivation_index || ' is ' || status AS what FROM payment_intents
    WHERE status IN ('pending', 'underpaid', 'paid', 'overpaid', 'settling', 'refunding')
    UNION ALL SELECT key || ' is ' || status || ': ' || coalesce(reason, '') FROM transfers
    WHERE status IN ('planned', 'in_progress') AND NOT (kind = 'rent' AND reason = '${RENT_WAITS}')
    UNION ALL SELECT 'deposit ' || signature || ' is not final' FROM deposits WHERE state = 'confirmed'
    UNION ALL SELECT 'halted: ' || reason FROM halts WHERE cleared_at IS NULL
    UNION ALL SELECT 'delivery ' || id || ' is pending' FROM webhook_deliveries WHERE status = 'pending'`)
  return rows.map(({ what }) => what)
}

export async function checkEnd(ending: Ending): Promise<void> {
  const books = await readBooks(ending.db)
  checkConservation(ending, books)
  await checkPromises(ending, books)
  ending.monitor.attempts.checkLanded()
  await checkSecrets(ending)
}

/** No credential stands in any row, nor in anything that was told. */
async function checkSecrets({ db, monitor, findings, ground }: Ending): Promise<void> {
  const tables = ['payment_intents', 'events', 'transfers', 'settings', 'accounts']
  for (const secret of monitor.secrets) {
    for (const table of tables) {
      const [found] = await db.query(`SELECT 1 FROM ${table} t WHERE t::text LIKE '%' || $1 || '%' LIMIT 1`, [secret])
      findings.check('no secret is kept', found === undefined, () => `a client secret in ${table}`)
    }
    const isTold = ground.trace.lines().some((line) => line.includes(secret))
    findings.check('no secret is kept', !isTold, () => 'a client secret in what was told')
  }
}
