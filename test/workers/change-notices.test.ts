// Which notice has what read again.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type ChangeNotice, followChangeNotices } from '#workers/change-notices.ts'

let loaded: boolean
let away: Error | null
let done: string[]
let errors: unknown[]
let tell: (notice: ChangeNotice) => void

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  loaded = true
  away = null
  done = []
  errors = []
  tell = followChangeNotices({
    detection: {
      get loaded() {
        return loaded
      },
      async refresh(ids, kind) {
        done.push(`refresh ${kind} ${ids.join()}`)
        if (away !== null) throw away
      },
    },
    jobs: {
      reload: { wake: () => void done.push('reload') },
      transfer: { wake: () => void done.push('transfer') },
    },
    onError: (error) => errors.push(error),
  })
})
afterEach(() => vi.useRealTimers())

/** A moment later. */
async function settled(): Promise<readonly string[]> {
  await vi.advanceTimersByTimeAsync(1_000)
  return done
}

describe('a notice', () => {
  test('of new intents has them read at once', () => {
    tell({ kind: 'created', ids: ['a', 'b'] })
    expect(done).toEqual(['refresh created a,b'])
  })

  test('of a change has it read with all that change at the same moment, each once', async () => {
    for (const id of ['a', 'b', 'a']) tell({ kind: 'changed', ids: [id] })
    expect(done).toEqual([])
    expect(await settled()).toEqual(['refresh changed a,b'])
  })

  test('of what was planned wakes who moves money, once for all that is planned at the same moment', async () => {
    for (let count = 0; count < 3; count += 1) tell({ kind: 'planned' })
    expect(done).toEqual([])
    expect(await settled()).toEqual(['transfer'])
  })

  test('that others may have been lost has everything read', () => {
    tell({ kind: 'lost' })
    expect(done).toEqual(['reload'])
  })

  test('is nothing to who does not lead: it reads everything when it takes over', async () => {
    loaded = false
    tell({ kind: 'created', ids: ['a'] })
    tell({ kind: 'changed', ids: ['a'] })
    expect(await settled()).toEqual([])
  })

  test.each(['created', 'changed'] as const)(
    'of what was %s that could not be read has everything read',
    async (kind) => {
      away = new Error('the database is away')
      tell({ kind, ids: ['a'] })
      expect(await settled()).toEqual([`refresh ${kind} a`, 'reload'])
      expect(errors).toEqual([away])
    },
  )
})
