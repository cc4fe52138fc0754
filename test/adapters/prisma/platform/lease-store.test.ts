import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createLeaseStore } from '#adapters/prisma/platform/lease-store.ts'
import { describeOnBothEngines } from '../../../support/database.ts'
import { until } from '../../../support/until.ts'

describeOnBothEngines('leases', (open) => {
  let db: Database
  const [one, other] = [randomUUID(), randomUUID()]
  beforeAll(async () => {
    db = await open()
  })

  test('belong to one instance at a time, which may renew', async () => {
    const leases = createLeaseStore(db)
    expect(await leases.acquire('a', one, 60_000)).toBe(true)
    expect(await leases.acquire('a', one, 60_000)).toBe(true)
    expect(await leases.acquire('a', other, 60_000)).toBe(false)
    expect(await leases.acquire('b', other, 60_000)).toBe(true)
  })

  test('are won by exactly one of many concurrent instances', async () => {
    const leases = createLeaseStore(db)
    const asked = await Promise.all(Array.from({ length: 10 }, () => leases.acquire('c', randomUUID(), 60_000)))
    expect(asked.filter(Boolean)).toHaveLength(1)
  })

  test('are free when they have expired by the database’s clock', async () => {
    const leases = createLeaseStore(db)
    await leases.acquire('d', one, 1)
    await until(() => leases.acquire('d', other, 60_000))
    expect(await leases.acquire('d', one, 60_000)).toBe(false)
  })

  test('are released by their holder only', async () => {
    const leases = createLeaseStore(db)
    await leases.acquire('e', one, 60_000)
    await leases.giveBack('e', other)
    expect(await leases.acquire('e', other, 60_000)).toBe(false)
    await leases.giveBack('e', one)
    expect(await leases.acquire('e', other, 60_000)).toBe(true)
  })
})
