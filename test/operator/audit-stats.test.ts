// The audit recounts figures from payments, transfers and charges, and finds each figure that was altered.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Database } from '#adapters/prisma/engine/engine.ts'
import { createStatsRollupStore } from '#adapters/prisma/stats/rollup-store.ts'
import { createStatsAuditStore } from '#adapters/prisma/stats/stats-audit-store.ts'
import { makeLamports } from '#core/money/amounts.ts'
import { runOperator } from '#operator/program.ts'
import { createStatsAudit } from '#services/stats/audit-stats.ts'
import { NO_BILLING } from '../support/audited.ts'
import { openTestDatabase } from '../support/database.ts'
import { FEE_PAYER, leg, MARKETPLACE, PLATFORM } from '../support/payment.ts'
import { OPERATOR_TOKEN, startTestService, type TestService } from '../support/services.ts'
import { addBusiness, addIntent, planSweepOf, storesOf } from '../support/stores.ts'

let db: Database
let service: TestService
beforeAll(async () => {
  db = await openTestDatabase()
  const noLamports = makeLamports(0n)
  service = await startTestService({
    services: {
      statsAudit: createStatsAudit({ statsAudit: createStatsAuditStore(db) }),
      audit: {
        scope: async (network) =>
          network === 'live' ? { addresses: 0, feePayer: FEE_PAYER, feePayerLamports: noLamports } : null,
        page: async () => ({
          addresses: [],
          feePayer: { spent: 0n, repaid: 0n, rent: 0n },
          nextIndex: null,
        }),
      },
      billingAudit: NO_BILLING,
      tokens: { list: async () => [] },
    },
  })
})
afterAll(async () => {
  await service.close()
  await db.close()
})

/** A marketplace with three payments for one seller in two months: two of them are swept. */
beforeEach(async () => {
  await db.query('TRUNCATE payment_intents, stats_deltas, stats_rollups CASCADE')
  await db.query('DELETE FROM accounts')
  const stores = storesOf(db)
  const marketplace = await addBusiness(db)
  const { accountId } = await addBusiness(db, 'live', marketplace.accountId)
  const pay = async (createdAt: string) => {
    const payment = await addIntent(stores, marketplace, { accountId, createdAt: new Date(createdAt) })
    const legs = [leg('seller', PLATFORM, 900_000n), leg('marketplace', MARKETPLACE, 100_000n)]
    await planSweepOf(stores, payment, { legs })
    return payment.id
  }
  await addIntent(stores, marketplace, { accountId, createdAt: new Date('2026-09-01T00:00:00Z') })
  for (const id of [await pay('2026-11-01T00:07:00Z'), await pay('2026-11-01T09:00:00Z')]) {
    await db.query(
      `UPDATE transfer_legs SET moved_amount = amount WHERE transfer_id IN (SELECT id FROM transfers WHERE intent_id = $1)`,
      [id],
    )
    await db.query(`UPDATE transfers SET status = 'done' WHERE intent_id = $1`, [id])
    await db.query(
      `UPDATE payment_intents SET status = 'swept', asset = 'SOL', asset_decimals = 9, expected_amount = 1000000,
         settlement = jsonb_build_object('legs', (SELECT jsonb_agg(jsonb_build_object('role', role, 'amount', amount::text))
           FROM transfer_legs JOIN transfers ON transfers.id = transfer_id WHERE intent_id = $1)) WHERE id = $1`,
      [id],
    )
  }
})

const compact = () => createStatsRollupStore(db).compact(1_000)

async function run(...args: readonly string[]) {
  const out: string[] = []
  const err: string[] = []
  const terminal = { out: (line: string) => out.push(line), err: (line: string) => err.push(line) }
  const code = await runOperator(['--url', service.url, 'audit', ...args], { OPERATOR_TOKEN }, terminal)
  return { code, out: out.join('\n'), err: err.join('\n') }
}

it('an audit recounts the figures, whether or not they are compacted', async () => {
  const sentence = 'The figures of 2 businesses and sellers equal a recount.'
  expect(await run()).toMatchObject({ code: 0, out: expect.stringContaining(sentence) })
  await compact()
  expect(await run()).toMatchObject({ code: 0, out: expect.stringContaining(sentence) })
  expect(JSON.parse((await run('--json')).out)).toMatchObject({ clean: true, stats: { accounts: 2, differences: [] } })
})

it.each([
  [
    'a lost change',
    `DELETE FROM stats_deltas WHERE status = 'swept' AND id = (SELECT max(id) FROM stats_deltas)`,
    'swept -1',
  ],
  ['an altered count', 'UPDATE stats_rollups SET cancelled = cancelled + 1 WHERE span = 900', 'cancelled 2'],
  [
    'an altered amount',
    `UPDATE stats_rollups SET fee_revenue = 0 WHERE span = 86400 AND asset = 'SOL'`,
    'fee_revenue -200000',
  ],
  [
    'an altered count of the longest span',
    'UPDATE stats_rollups SET swept = swept - 1 WHERE span = 1382400 AND swept > 0',
    'spans of 1382400 s, SOL: swept -1',
  ],
  [
    'a leg that moved less',
    `UPDATE transfer_legs SET moved_amount = 1 WHERE role = 'marketplace'`,
    'fee_revenue 199998',
  ],
])('an audit exits with 1 for %s, and names the figure', async (_case, change, figure) => {
  if (change.includes('rollups')) await compact()
  await db.query(change)
  const { code, out, err } = await run()
  expect([code, err]).toEqual([1, expect.stringMatching(/figures differ from a recount$/)])
  expect(out).toContain(figure)
})

it('a rebuild counts every figure again', async () => {
  await compact()
  await db.query('UPDATE stats_rollups SET swept = 7, volume = 0')
  expect((await run()).code).toBe(1)
  await db.query('SELECT rebuild_stats()')
  expect((await run()).code).toBe(0)
})
