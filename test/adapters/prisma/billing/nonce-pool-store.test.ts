// The pool of durable nonces under many workers.
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { createNoncePoolStore } from '#adapters/prisma/billing/nonce-pool-store.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { describeOnBothEngines, emptyTables } from '../../../support/database.ts'
import { addressNo, later, NOW } from '../../../support/payment.ts'

const ACCOUNTS = 64
const ROUNDS = 8

const ADD_ACCOUNTS = `
INSERT INTO nonce_accounts (network, index, address, state, created_at, updated_at)
SELECT 'live', place - 1, address, 'ready', $2, $2 FROM unnest($1::text[]) WITH ORDINALITY given (address, place)`

const CLAIM_NEW = `
INSERT INTO transfers (id, key, network, subject_kind, subject_id, kind, source, authority, authority_key, asset, decimals,
  status, lease_until, updated_at)
SELECT id, id::text, 'live', 'charge', id, 'charge', $2, $2, 'delegate', 'SOL', 9, 'in_progress', $3, $3
FROM unnest($1::uuid[]) id`

describeOnBothEngines('the pool of durable nonces', (open) => {
  let db: Database
  beforeAll(async () => {
    db = await open()
    await emptyTables(db, 'transfers', 'nonce_accounts')
    await db.query(ADD_ACCOUNTS, [Array.from({ length: ACCOUNTS }, (_, at) => addressNo(at)), NOW])
  })

  test('transfers that lease at the same time each lease an account of their own', async () => {
    const pool = createNoncePoolStore(db)
    for (let round = 0; round < ROUNDS; round += 1) {
      const ids = Array.from({ length: ACCOUNTS }, () => randomUUID())
      await db.query(CLAIM_NEW, [ids, addressNo(1), later(3_600)])
      const leased = await Promise.all(ids.map((id) => pool.lease('live', id, NOW)))
      expect(new Set(leased).size).toBe(ACCOUNTS)
      await db.query(`UPDATE transfers SET status = 'done', lease_until = NULL`)
    }
  })
})
