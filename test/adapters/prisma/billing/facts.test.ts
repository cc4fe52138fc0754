// The facts of a decision about a subscription are found by indexes, so that a decision costs the same at any size.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createBillingStore } from '#adapters/prisma/billing/billing-store.ts'
import { createDelegationStore } from '#adapters/prisma/billing/delegation-store.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import type { BillingStore, DelegationStore } from '#ports/billing.ts'
import { addSubscription, addTier } from '../../../support/billing-rows.ts'
import { openTestDatabase, type Statement } from '../../../support/database.ts'
import { later, NOW } from '../../../support/payment.ts'
import { indexesOf } from '../../../support/statements.ts'
import { addBusiness } from '../../../support/stores.ts'

describe('facts', () => {
  let db: Database
  const statements: Statement[] = []
  let store: BillingStore
  beforeAll(async () => {
    db = await openTestDatabase()
    store = createBillingStore({
      ...db,
      query(sql, values = []) {
        statements.push({ sql, values })
        return db.query(sql, values)
      },
    })
  })
  afterAll(() => db.close())

  test.each(['facts', 'factsOfCharge'] as const)(
    '%s finds the transfer of a charge by an index of such transfers',
    async (read) => {
      const { subscription, charge } = await addSubscription(db, await addTier(db, await addBusiness(db)), Date.now())
      statements.length = 0
      const facts = await store[read](read === 'facts' ? subscription.id : charge.id)
      expect(facts?.charge?.transfer.subject.id).toBe(charge.id)
      // The tables of a test are too small for an index to be worth it.
      await db.session((session) => session.query('SET enable_seqscan = off'))
      expect(await indexesOf(db, statements[0])).toContain('transfers_of_billing')
    },
  )
})

// Delegations are read by indexes: a round costs the same however many there are, and an approve however many wallets.
describe('delegation indexes', () => {
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
})
