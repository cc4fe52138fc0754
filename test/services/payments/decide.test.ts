import { describe, expect, test } from 'vitest'
import { moved, refused, startChange, step, UNCHANGED } from '#core/payments/change.ts'
import { decideAndApply } from '#services/payments/decide.ts'
import { CHANGED_MEANWHILE, MAX_RACES, retryWhenChanged } from '#services/retry-when-changed.ts'
import { factsWith, intentWith, NOW } from '../../support/payment.ts'

describe('read, decide, apply', () => {
  /** A store whose intent another writer changes before each of the first `races` writes. */
  function contested(races: number) {
    let version = 1
    const applied: number[] = []
    return {
      applied,
      store: {
        facts: async (id: string) => (id === 'here' ? factsWith(intentWith({ version })) : null),
        async apply(change: Parameters<typeof moved>[0]) {
          if (applied.length < races) version += 1
          applied.push(change.before.version)
          if (change.before.version !== version) return false
          version = change.after.version
          return true
        },
      },
    }
  }
  const forward = (facts: ReturnType<typeof factsWith>) => moved(step(startChange(facts.intent), {}, NOW, null))

  test('answers the intent after the change', async () => {
    expect(await decideAndApply(contested(0).store, 'here', forward)).toMatchObject({ version: 2 })
  })

  test('decides again from the new facts when the intent changed', async () => {
    const { store, applied } = contested(3)
    expect(await decideAndApply(store, 'here', forward)).toMatchObject({ version: 5 })
    expect(applied).toEqual([1, 2, 3, 4])
  })

  test('lets each of fifty concurrent decisions succeed', async () => {
    const { store, applied } = contested(0)
    const versions = await Promise.all(
      Array.from({ length: 50 }, async () => (await decideAndApply(store, 'here', forward))?.version),
    )
    expect(new Set(versions).size).toBe(50)
    expect(applied.length).toBeGreaterThan(50)
  })

  test('fails with a retryable error when others keep changing the intent', async () => {
    const { store, applied } = contested(99)
    await expect(decideAndApply(store, 'here', forward)).rejects.toMatchObject({ code: 'database_unavailable' })
    expect(applied).toHaveLength(64)
  })

  test('writes nothing when nothing changes, when the decision is refused, and when there is no intent', async () => {
    const { store, applied } = contested(0)
    expect(await decideAndApply(store, 'here', () => UNCHANGED)).toMatchObject({ version: 1 })
    await expect(decideAndApply(store, 'here', () => refused('selection_frozen'))).rejects.toMatchObject({
      code: 'selection_frozen',
      context: { status: 'pending' },
    })
    expect(await decideAndApply(store, 'nowhere', forward)).toBeNull()
    expect(applied).toEqual([])
  })
})

// Decisions about one thing at the same time: each reads it again until no other came in between.
describe('decisions at once', () => {
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
})
