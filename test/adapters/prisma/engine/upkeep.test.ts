import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '#adapters/prisma/engine/engine.ts'
import { keepUp } from '#adapters/prisma/engine/upkeep.ts'
import { createDeliveryStore } from '#adapters/prisma/events/delivery-store.ts'
import { openTestDatabase } from '../../../support/database.ts'
import { addAccount, addEndpoint, stage, stageMany } from '../../../support/webhook-rows.ts'

const now = new Date('2026-11-20T12:00:00.000Z')
const worker = randomUUID()
/** After these, PostgreSQL keeps one plan of a statement for all parameters. */
const EXECUTIONS = 20

let db: Database
let shop: Parameters<typeof stage>[1]

beforeAll(async () => {
  db = await openTestDatabase()
  const accountId = await addAccount(db)
  shop = { accountId, endpointId: await addEndpoint(db, accountId), dueAt: now }
})
afterAll(() => db.close())

const claim = () =>
  createDeliveryStore(db).claim({
    now,
    leaseMs: 45_000,
    limit: 1,
    perEndpoint: 1_000,
    failing: [],
    resting: [],
    worker,
    deadAfterMs: 15_000,
  })

async function planOfClaim(): Promise<string> {
  const [{ name } = { name: '' }] = await db.query<{ name: string }>(
    // This statement is prepared as well.
    "SELECT name FROM pg_prepared_statements WHERE statement LIKE '%RECURSIVE' || ' hop%'",
  )
  const explain = `EXPLAIN EXECUTE ${name} (now(), now(), 1, 1000, '${worker}', 15000, '{}', '{}')`
  const lines = await db.query<{ 'QUERY PLAN': string }>(explain)
  return lines.map((line) => line['QUERY PLAN']).join('\n')
}

async function sizeOf(table: string): Promise<number> {
  const [row] = await db.query<{ rows: number }>(
    `SELECT reltuples::int AS rows FROM pg_class WHERE relname = '${table}'`,
  )
  return row?.rows ?? Number.NaN
}

test('a statement that was planned for empty tables is planned again when they have grown', async () => {
  for (let execution = 0; execution < EXECUTIONS; execution += 1) await claim()
  await stageMany(db, 30, shop)
  await db.query(`
    INSERT INTO events (network, account_id, receiver_account_id, type, subject_kind, subject_id, intent_id, data, created_at)
    SELECT network, account_id, receiver_account_id, type, subject_kind, subject_id, intent_id, data, created_at
    FROM events CROSS JOIN generate_series(1, 50)`)
  expect(await planOfClaim()).toContain('Seq Scan on events')
  await keepUp(db)
  expect(await planOfClaim()).not.toContain('Seq Scan on events')
  expect(await claim()).toHaveLength(1)
})

test('the space of old row versions is freed', async () => {
  await stageMany(db, 100, shop)
  for (let turn = 0; turn < 3; turn += 1) {
    await db.query(`UPDATE webhook_deliveries SET next_attempt_at = next_attempt_at + interval '1 second'`)
  }
  await db.query('SELECT pg_stat_force_next_flush()')
  const dead = async () => {
    const [row] = await db.query<{ dead: bigint }>(
      "SELECT n_dead_tup AS dead FROM pg_stat_user_tables WHERE relname = 'webhook_deliveries'",
    )
    return Number(row?.dead)
  }
  expect(await dead()).toBeGreaterThan(100)
  await keepUp(db)
  expect(await dead()).toBe(0)
})

test('a table that has changed little keeps its statistics', async () => {
  await keepUp(db)
  const before = await sizeOf('events')
  await stage(db, shop)
  await keepUp(db)
  expect(await sizeOf('events')).toBe(before)
})

test('a server keeps up itself', async () => {
  const refuse = () => Promise.reject(new Error('a statement was sent'))
  await expect(keepUp({ kind: 'postgresql', query: refuse, session: refuse })).resolves.toBeUndefined()
})
