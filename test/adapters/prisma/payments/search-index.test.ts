// The parts that the database writes are those that a search looks for.
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createSearchIndexStore } from '#adapters/prisma/payments/search-index.ts'
import { searchPartsOf, searchTextOf } from '#core/marketplace/search.ts'
import { describeOnBothEngines } from '../../../support/database.ts'
import { addBusiness, addIntent, storesOf } from '../../../support/stores.ts'

describeOnBothEngines('the index of searches', (open) => {
  let db: Database
  beforeAll(async () => {
    db = await open()
  })

  test('has the parts of any text, of a limited number of payments at a time', async () => {
    const tenant = await addBusiness(db)
    const text = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 40 })
      .filter((given) => given.isWellFormed() && !given.includes('\0') && searchTextOf([given]) !== '')
    const given = fc.sample(fc.tuple(text, text), 30)
    for (const [reference, email] of given)
      await addIntent(storesOf(db), tenant, { reference, customerDetails: { email } })
    const { index } = createSearchIndexStore(db)
    const expected = new Set(given.map(([reference]) => reference)).size
    const taken = [await index(20), await index(20), await index(20)]
    expect(taken).toEqual([20, expected - 20, 0])
    const rows = await db.query<{ text: string; parts: string[] }>('SELECT text, parts FROM payment_search')
    for (const { text, parts } of rows) expect(parts.toSorted()).toEqual([...searchPartsOf(text)].toSorted())
  })
})
