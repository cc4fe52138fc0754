// After a failover nothing is signed until what the database has lost has landed, or cannot land any more.
import { beforeEach, expect, test } from 'vitest'
import { createDatabaseLineage, createSettingStore } from '#adapters/prisma/platform/platform-store.ts'
import { makeBlockhash } from '#core/chain/base58.ts'
import type { Network } from '#core/chain/types.ts'
import { type AfterFailoverDeps, createAfterFailover } from '#services/transfers/after-failover.ts'
import { openTestDatabase } from '../../support/database.ts'
import { addressNo, NOW } from '../../support/payment.ts'

let timeline: string
let height: bigint
let slot: bigint
let stored: Map<string, unknown>
beforeEach(() => {
  timeline = '00000001'
  height = 1_000n
  slot = 5_000n
  stored = new Map()
})

const deps: AfterFailoverDeps = {
  lineage: { timeline: async () => timeline },
  settings: { read: async (key) => stored.get(key), write: async (key, value) => void stored.set(key, value) },
  chainOf: () => ({
    lifetime: async () => ({ blockhash: makeBlockhash(addressNo(1)), lastValidBlockHeight: height + 150n }),
    blockTime: async () => ({ slot, time: NOW }),
  }),
}
const aftermath = createAfterFailover(deps)

const waits = async (network: Network) => (await aftermath(network)).waits

test('a new database, and one that goes on, keep nothing waiting', async () => {
  expect(await waits('live')).toBeNull()
  height += 10_000n
  expect(await waits('live')).toBeNull()
})

test('after another timeline all attempts wait for the life of a blockhash and 64 blocks, once', async () => {
  await waits('live')
  timeline = '00000002'
  expect(await waits('live')).toMatchObject({ reason: expect.stringContaining('replaced') })
  height += 150n + 64n
  expect(await waits('live')).not.toBeNull()
  height += 1n
  expect(await waits('live')).toBeNull()
  height -= 100n
  expect(await waits('live')).toBeNull()
})

test('from then on every address that had money before is compared to the unit, also after the next start', async () => {
  expect((await aftermath('live')).lostBefore).toBeNull()
  timeline = '00000002'
  await aftermath('live')
  height += 150n + 65n
  slot += 250n
  const { lostBefore } = await aftermath('live')
  expect(lostBefore).toBeGreaterThan(slot)
  slot += 10_000n
  expect((await aftermath('live')).lostBefore).toBe(lostBefore)
})

/** docs/runbook.md, "When an older backup is restored". */
const SAY_RESTORED = `UPDATE settings SET value = jsonb_set(value, '{timeline}', '"restored"') WHERE key LIKE 'timeline:%'`

test('a restored backup without another timeline is noticed when the operator says so', async () => {
  const db = await openTestDatabase()
  try {
    const aftermathOf = createAfterFailover({ ...deps, settings: createSettingStore(db.prisma) })
    expect((await aftermathOf('live')).waits).toBeNull()
    await db.query(SAY_RESTORED, [])
    expect((await aftermathOf('live')).waits).not.toBeNull()
    height += 150n + 65n
    expect(await aftermathOf('live')).toMatchObject({ waits: null, lostBefore: expect.any(BigInt) })
  } finally {
    await db.close()
  }
})

test('each network waits for its own chain', async () => {
  await waits('live')
  await waits('test')
  timeline = '00000002'
  expect(await waits('live')).not.toBeNull()
  expect(await waits('test')).not.toBeNull()
})

test('a database says its timeline, and that it has no standbys', async () => {
  const db = await openTestDatabase()
  try {
    expect(await createDatabaseLineage(db).standbys()).toEqual([])
    expect(await createDatabaseLineage(db).timeline()).toMatch(/^([0-9A-F]{8})?$/)
  } finally {
    await db.close()
  }
})

const STATES = `('one', 'async'), ('two', 'quorum'), ('three', NULL)`

test('a standby is synchronous when a commit waits for it, and unknown to a role that may not see it', async () => {
  const db = await openTestDatabase()
  const given = `FROM (VALUES ${STATES}) AS pg_stat_replication (application_name, sync_state)`
  const query: typeof db.query = (text, params) => db.query(text.replace('FROM pg_stat_replication', given), params)
  try {
    const standbys = await createDatabaseLineage({ query }).standbys()
    expect(standbys.map(({ isSynchronous }) => isSynchronous)).toEqual([false, true, null])
  } finally {
    await db.close()
  }
})
