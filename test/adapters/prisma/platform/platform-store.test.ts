import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createImageCodec } from '#adapters/images/sharp-codec.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createTokenStore } from '#adapters/prisma/platform/directory-store.ts'
import { createLeaseStore } from '#adapters/prisma/platform/platform-store.ts'
import { SOL } from '#core/chain/types.ts'
import type { TokenStore } from '#ports/platform.ts'
import { createImageServices } from '#services/images/images.ts'
import { describeOnBothEngines, openTestDatabase } from '../../../support/database.ts'
import { createMemoryStorage, picture } from '../../../support/images.ts'
import { SOL_TOKEN } from '../../../support/payment.ts'
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

// The allowlist in the database.
describe('token store', () => {
  let db: Database
  let tokens: TokenStore
  beforeAll(async () => {
    db = await openTestDatabase()
    tokens = createTokenStore(db.prisma)
  })
  afterAll(() => db.close())

  test('a token that is no longer accepted stays so when an image is uploaded meanwhile', async () => {
    await tokens.save(SOL_TOKEN)
    const objects = createMemoryStorage(new Map())
    const images = createImageServices({
      codec: createImageCodec(),
      publicUrl: 'https://pay.example.com',
      directoryChanged: async () => {},
      tokens,
      storage: {
        ...objects,
        async put(...image) {
          await tokens.save({ ...SOL_TOKEN, enabled: false })
          await objects.put(...image)
        },
      },
    })
    const saved = await images.setTokenImage('live', SOL, await picture().png().toBuffer())
    expect(saved).toMatchObject({ enabled: false, imageName: expect.stringContaining('.png') })
    expect(await tokens.find('live', SOL)).toEqual(saved)
  })

  test('a token that is allowed again keeps its image', async () => {
    await tokens.save({ ...SOL_TOKEN, imageName: null, ticker: 'WSOL' })
    expect(await tokens.find('live', SOL)).toMatchObject({ ticker: 'WSOL', imageName: expect.any(String) })
    expect(await tokens.saveImage('live', SOL, null)).toMatchObject({ imageName: null })
    expect(await tokens.saveImage('test', SOL, null)).toBeNull()
  })
})
