// Decisions about one thing at the same time: each reads it again until no other came in between.
import { expect, test } from 'vitest'
import { CHANGED_MEANWHILE, MAX_RACES, retryWhenChanged } from '#services/retry-when-changed.ts'

/** A version that each decision raises, when it is still the version that the decision has read. */
function createRow() {
  let version = 0
  return {
    get version() {
      return version
    },
    decide: () =>
      retryWhenChanged(async () => {
        const read = version
        await Promise.resolve()
        if (read !== version) return CHANGED_MEANWHILE
        version += 1
        return read
      }),
  }
}

test('as many decisions at once as one may lose races are all made in the end', async () => {
  const row = createRow()
  await Promise.all(Array.from({ length: MAX_RACES }, () => row.decide()))
  expect(row.version).toBe(MAX_RACES)
})

test('a decision that loses more races than that is not made', async () => {
  const row = createRow()
  const decisions = await Promise.allSettled(Array.from({ length: MAX_RACES + 1 }, () => row.decide()))
  expect(decisions.filter(({ status }) => status === 'rejected')).toHaveLength(1)
})
