// How long the answers of the database stay in memory.
import { GCProfiler } from 'node:v8'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Database, openDatabase } from '#adapters/prisma/engine/database.ts'
import { createPostgresDatabase } from '../../../support/database.ts'

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

type Heap = { readonly heapSpaceStatistics: readonly { readonly spaceName: string; readonly spaceUsedSize: number }[] }
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
