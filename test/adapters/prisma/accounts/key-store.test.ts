// API keys by their hash, on both engines.
import { randomBytes, randomUUID } from 'node:crypto'
import { beforeAll, expect, it, vi } from 'vitest'
import { createKeyStore } from '#adapters/prisma/accounts/key-store.ts'
import type { Database } from '#adapters/prisma/engine/engine.ts'
import { describeOnBothEngines } from '../../../support/database.ts'
import { addAccount } from '../../../support/webhook-rows.ts'

describeOnBothEngines('API keys', (open) => {
  let db: Database
  let accountId: string
  beforeAll(async () => {
    db = await open()
    accountId = await addAccount(db)
  })
  const newKey = () => ({ id: randomUUID(), accountId, hash: randomBytes(32), hint: 'abcd', scopes: [] })

  it('are found among a thousand wrong keys, in few statements', async () => {
    const statements = vi.spyOn(db.prisma.apiKey, 'findMany')
    const keys = createKeyStore(db.prisma)
    const key = newKey()
    await keys.create(key)
    const wrong = Array.from({ length: 1_000 }, () => keys.findByHash(randomBytes(32)))
    expect(await keys.findByHash(key.hash)).toMatchObject({ key: { id: key.id }, account: { id: accountId } })
    expect(new Set(await Promise.all(wrong))).toEqual(new Set([null]))
    expect(statements.mock.calls.length).toBeGreaterThan(0)
    expect(statements.mock.calls.length).toBeLessThanOrEqual(10)
  })

  it('are not found after they are revoked', async () => {
    const keys = createKeyStore(db.prisma)
    const key = newKey()
    await keys.create(key)
    await keys.revoke(key.id, new Date('2026-11-20T10:00:00Z'))
    expect(await keys.findByHash(key.hash)).toBeNull()
  })
})
