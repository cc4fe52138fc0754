import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createSearchIndexStore } from '#adapters/prisma/payments/search-index.ts'
import { searchPartsOf, searchTextOf } from '#core/marketplace/search.ts'
import { createSearchIndexer } from '#services/payments/index-searches.ts'
import { describeOnBothEngines } from '../../../support/database.ts'
import { addBusiness, addIntent, storesOf } from '../../../support/stores.ts'

// The parts that the database writes are those that a search looks for.
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

describe('a round of the index', () => {
  test('a round of the index of searches ends after 4,000 payments, and says that there may be more', async () => {
    const rows = [200, 200, 7]
    const index = createSearchIndexer({ index: async () => rows.shift() ?? 0 })
    expect([await index(), rows]).toEqual([{ again: false }, []])
    let indexed = 0
    const endless = createSearchIndexer({
      index: async (limit) => {
        indexed += limit
        return limit
      },
    })
    expect([await endless(), indexed]).toEqual([{ again: true }, 4_000])
  })
})
