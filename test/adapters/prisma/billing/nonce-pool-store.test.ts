// The pool of durable nonces under many workers.
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { createNoncePoolStore } from '#adapters/prisma/billing/nonce-pool-store.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { inGroups } from '#lib/groups.ts'
import { describeOnBothEngines, emptyTables } from '../../../support/database.ts'
import { addressNo, later, NOW } from '../../../support/payment.ts'

const ACCOUNTS = 64
const ROUNDS = 8
const PREPARED_TOGETHER = 3

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
      const groups = [...inGroups(ids, PREPARED_TOGETHER)]
      const leased = await Promise.all(groups.map((group) => pool.lease('live', group, NOW)))
      expect(new Set(leased.flatMap((some) => [...some.keys()])).size).toBe(ACCOUNTS)
      expect(new Set(leased.flatMap((some) => [...some.values()])).size).toBe(ACCOUNTS)
      await db.query(`UPDATE transfers SET status = 'done', lease_until = NULL`)
    }
  })

  test('a transfer keeps the account that it has leased, and the others lease what is left', async () => {
    const pool = createNoncePoolStore(db)
    const [first = '', ...rest] = Array.from({ length: ACCOUNTS + 2 }, () => randomUUID())
    await db.query(CLAIM_NEW, [[first, ...rest], addressNo(1), later(3_600)])
    const own = (await pool.lease('live', [first], NOW)).get(first)
    const leased = await pool.lease('live', [...rest, first], NOW)
    expect(leased.get(first)).toBe(own)
    expect([...leased.keys()].toSorted()).toEqual([first, ...rest.slice(0, ACCOUNTS - 1)].toSorted())
    expect(new Set(leased.values()).size).toBe(ACCOUNTS)
  })

  test('no account is leased for no transfer, and the use of no value is no use', async () => {
    const pool = createNoncePoolStore(db)
    expect(await pool.lease('live', [], NOW)).toEqual(new Map())
    expect(await pool.usedIn(new Map())).toEqual(new Map())
  })
})
