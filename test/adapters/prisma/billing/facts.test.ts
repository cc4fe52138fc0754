// The facts of a decision about a subscription are found by indexes, so that a decision costs the same at any size.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBillingStore } from '#adapters/prisma/billing/billing-store.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import type { BillingStore } from '#ports/billing.ts'
import { addSubscription, addTier } from '../../../support/billing-rows.ts'
import { openTestDatabase, type Statement } from '../../../support/database.ts'
import { indexesOf } from '../../../support/statements.ts'
import { addBusiness } from '../../../support/stores.ts'

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
