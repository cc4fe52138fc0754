// Figures are read by one statement, however many buckets there are.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createStatsStore } from '#adapters/prisma/stats/stats-store.ts'
import { tenantOf } from '#core/accounts/account.ts'
import { bucketsOf, MAX_BUCKETS, STATS_INTERVALS } from '#core/stats/calendar.ts'
import { createStatsCompactor } from '#services/stats/stats.ts'
import { openTestDatabase } from '../../support/database.ts'

let db: Database
beforeAll(async () => {
  db = await openTestDatabase()
})
afterAll(() => db.close())

test.each(STATS_INTERVALS)('one statement reads every %s of a time series', async (interval) => {
  const statements: string[] = []
  const store = createStatsStore({
    query: (text, params) => {
      statements.push(text)
      return db.query(text, params)
    },
  })
  const from = new Date('2026-01-01T00:00:00Z')
  const to = new Date(from.getTime() + (MAX_BUCKETS - 1) * 3_600_000)
  const ranges = bucketsOf({ from, to }, interval, 'Asia/Kathmandu') ?? []
  const marketplace = tenantOf({ id: '0b9d7f4e-93b4-4a0a-8f0a-5f3a52b1d001', network: 'live' })
  const figures = await store.figures(marketplace, { of: 'sellers', ranges })
  expect([statements.length, figures.length]).toEqual([1, ranges.length])
})

test('a round of compaction ends after 20,000 changes, and says that there may be more', async () => {
  const rows = [2_000, 2_000, 7]
  const compact = createStatsCompactor({ compact: async () => rows.shift() ?? 0 })
  expect([await compact(), rows]).toEqual([{ again: false }, []])
  let taken = 0
  const endless = createStatsCompactor({
    compact: async (limit) => {
      taken += limit
      return limit
    },
  })
  expect([await endless(), taken]).toEqual([{ again: true }, 20_000])
})
