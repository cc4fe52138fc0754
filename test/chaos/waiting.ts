// Measures how long work that is due waits, by queries of the database at an interval.
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { LEASE_MS } from '#services/transfers/advance.ts'

const LOOK_EVERY_MS = 500

// A worker with a claim is at work. When the lease is still there long after the claim, the worker is dead.
const MAX_LENGTH = `
  SELECT coalesce(max(extract(epoch FROM now() - since)), 0)::float8 AS seconds FROM (
    SELECT coalesce(lease_until - $1 * interval '1 millisecond', next_attempt_at) AS since
    FROM transfers WHERE status IN ('planned', 'in_progress')
  ) AS work`
const OPEN = `
  SELECT (SELECT count(*) FROM transfers WHERE status IN ('planned', 'in_progress'))::int
       + (SELECT count(*) FROM payment_intents WHERE status NOT IN ('swept', 'refunded', 'cancelled'))::int AS open`
const TWICE = `
  SELECT count(*)::int AS twice FROM (
    SELECT transfer_id FROM transfer_attempts WHERE state = 'final_ok' GROUP BY transfer_id HAVING count(*) > 1
  ) AS paid`

export type Watch = {
  /** The longest wait of work that was due, in seconds. */
  longestSeconds(): number
  /** The number of transfers and payments that have not ended. */
  open(): Promise<number>
  /** The number of transfers for which more than one transaction landed. */
  paidTwice(): Promise<number>
  stop(): Promise<void>
}

export async function watchWork(databaseUrl: string): Promise<Watch> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  let longest = 0
  let stopped = false
  const first = async <T>(query: string, values: readonly unknown[] = []): Promise<T> =>
    (await client.query(query, [...values])).rows[0]
  const looking = (async () => {
    while (!stopped) {
      const { seconds } = await first<{ seconds: number }>(MAX_LENGTH, [LEASE_MS])
      longest = Math.max(longest, seconds)
      await sleep(LOOK_EVERY_MS)
    }
  })()
  return {
    longestSeconds: () => longest,
    open: async () => (await first<{ open: number }>(OPEN)).open,
    paidTwice: async () => (await first<{ twice: number }>(TWICE)).twice,
    async stop() {
      stopped = true
      await looking
      await client.end()
    },
  }
}
