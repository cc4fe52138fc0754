import { expect, test } from 'vitest'
import { createSearchIndexer } from '#services/payments/index-searches.ts'

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
