// Delegations are read by indexes: a round costs the same however many there are, and an approve however many wallets.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDelegationStore } from '#adapters/prisma/billing/delegation-store.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import type { DelegationStore } from '#ports/billing.ts'
import { addSubscription, addTier } from '../../../support/billing-rows.ts'
import { openTestDatabase, type Statement } from '../../../support/database.ts'
import { later, NOW } from '../../../support/payment.ts'
import { indexesOf } from '../../../support/statements.ts'
import { addBusiness } from '../../../support/stores.ts'

let db: Database
const statements: Statement[] = []
let store: DelegationStore
beforeAll(async () => {
  db = await openTestDatabase()
  store = createDelegationStore({
    ...db,
    query(sql, values = []) {
      statements.push({ sql, values })
      return db.query(sql, values)
    },
  })
  await addSubscription(db, await addTier(db, await addBusiness(db)), NOW.getTime())
  // The tables of a test are too small for an index to be worth it.
  await db.session((session) => session.query('SET enable_seqscan = off'))
})
afterAll(() => db.close())

test('old readings, those of the future and the last ones are found by the indexes of readings', async () => {
  expect(await store.stale('live', { before: NOW, now: later(60) }, 10)).toHaveLength(1)
  expect(await indexesOf(db, statements.pop())).toEqual([
    'delegations_stale',
    'delegations_stale',
    'delegations_ended_unread',
  ])
})

test('the pulls after a slot are found by the subscriptions of the delegation', async () => {
  const { id } = await db.prisma.delegation.findFirstOrThrow()
  expect(await store.pullsAfter(id, 100n)).toEqual([])
  const indexes = await indexesOf(db, statements.pop())
  expect(indexes).toContain('billing_subscriptions_delegation_id_idx')
  expect(indexes).toContain('transfer_attempts_signature_key')
})
