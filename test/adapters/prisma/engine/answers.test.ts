// How long the answers of the database stay in memory.
import { GCProfiler } from 'node:v8'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from '#adapters/prisma/engine/database.ts'
import { createPostgresDatabase, describeOnBothEngines } from '../../../support/database.ts'

describe('answers', () => {
  let direct: Awaited<ReturnType<typeof createPostgresDatabase>>
  let db: Database
  beforeAll(async () => {
    direct = await createPostgresDatabase()
    db = await openDatabase({ kind: 'postgresql', url: direct.url, poolSize: 2 })
  })
  afterAll(async () => {
    await db.close()
    await direct.drop()
  })

  const ROWS = `SELECT at, md5(at::text) AS name, md5((at + 1)::text) AS other FROM generate_series(1, 1000) at`

  type Heap = {
    readonly heapSpaceStatistics: readonly { readonly spaceName: string; readonly spaceUsedSize: number }[]
  }
  const used = ({ heapSpaceStatistics }: Heap, name: string): number =>
    heapSpaceStatistics.find(({ spaceName }) => spaceName === name)?.spaceUsedSize ?? Number.NaN

  it('the answer of a statement is gone when its reader is done with it', async () => {
    const read = () => db.query(ROWS)
    for (let at = 0; at < 20; at += 1) await read()
    const profiler = new GCProfiler()
    profiler.start()
    for (let at = 0; at < 500; at += 1) await read()
    const { statistics } = profiler.stop()
    const young = statistics.filter(({ gcType }) => gcType === 'Scavenge')
    expect(young.length).toBeGreaterThan(2)
    const shares = young.map(({ beforeGC, afterGC }) => {
      const survived = used(afterGC, 'new_space') + used(afterGC, 'old_space') - used(beforeGC, 'old_space')
      return survived / used(beforeGC, 'new_space')
    })
    // The median: what other tests of the process have left survives one or two of them.
    expect(shares.toSorted((a, b) => a - b)[Math.floor(shares.length / 2)]).toBeLessThan(0.15)
  })
})

describeOnBothEngines('an id that the database draws', (open) => {
  it('is a UUID of version 7, which sorts after the ids before it', async () => {
    const db = await open()
    const rows = await db.query<{ id: string }>('SELECT time_ordered_uuid()::text AS id FROM generate_series(1, 100)')
    const ids = rows.map(({ id }) => id)
    expect(ids.every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id))).toBe(
      true,
    )
    expect(ids).toEqual(ids.toSorted())
    const time = Number.parseInt(ids[0]?.replace('-', '').slice(0, 12) ?? '', 16)
    expect(Math.abs(Date.now() - time)).toBeLessThan(60_000)
  })

  it('is drawn so for every table', async () => {
    const db = await open()
    const drawn = await db.query<{ default: string }>(
      `SELECT DISTINCT column_default AS default FROM information_schema.columns
       WHERE table_schema = 'public' AND data_type = 'uuid' AND column_default IS NOT NULL`,
    )
    expect(drawn).toEqual([{ default: 'time_ordered_uuid()' }])
  })
})
