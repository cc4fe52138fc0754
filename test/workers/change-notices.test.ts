// What each change notice has read again.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type ChangeFollower, type ChangeNotice, followChangeNotices } from '#workers/change-notices.ts'

let loaded: boolean
let away: Error | null
let done: string[]
let errors: unknown[]
let follower: ChangeFollower
const notify = (notice: ChangeNotice): void => follower.onNotice(notice)
/** How long a read takes, in milliseconds. */
let readMs: number

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  loaded = true
  away = null
  done = []
  errors = []
  readMs = 0
  follower = followChangeNotices({
    detection: {
      get loaded() {
        return loaded
      },
      async refresh(ids, kind) {
        done.push(`refresh ${kind} ${ids.join()}`)
        if (readMs > 0) await new Promise((resolve) => setTimeout(resolve, readMs))
        if (away !== null) throw away
        if (readMs > 0) done.push('read')
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

/** Waits a moment. Returns the calls that were made. */
async function settled(): Promise<readonly string[]> {
  await vi.advanceTimersByTimeAsync(1_000)
  return done
}

describe('a change notice', () => {
  test('of created intents has them read at once', () => {
    notify({ kind: 'created', ids: ['a', 'b'] })
    expect(done).toEqual(['refresh created a,b'])
  })

  test('of a change has the intent read together with all that change at the same moment, each once', async () => {
    for (const id of ['a', 'b', 'a']) notify({ kind: 'changed', ids: [id] })
    expect(done).toEqual([])
    expect(await settled()).toEqual(['refresh changed a,b'])
  })

  test('of a planned transfer wakes the transfer job, once for all that are planned at the same moment', async () => {
    for (let count = 0; count < 3; count += 1) notify({ kind: 'planned', count })
    expect(done).toEqual([])
    expect(await settled()).toEqual(['transfer'])
  })

  test('of many transfers that were planned at once wakes the transfer job at once', () => {
    notify({ kind: 'planned', count: 64 })
    expect(done).toEqual(['transfer'])
  })

  test('that others may be lost has every intent read', () => {
    notify({ kind: 'lost' })
    expect(done).toEqual(['reload'])
  })

  test('is passed over by an instance that does not lead', async () => {
    loaded = false
    notify({ kind: 'created', ids: ['a'] })
    notify({ kind: 'changed', ids: ['a'] })
    expect(await settled()).toEqual([])
  })

  test.each(['created', 'changed'] as const)(
    'of intents that were %s and could not be read has every intent read',
    async (kind) => {
      away = new Error('the database is away')
      notify({ kind, ids: ['a'] })
      expect(await settled()).toEqual([`refresh ${kind} a`, 'reload'])
      expect(errors).toEqual([away])
    },
  )

  test('that comes during a read has what is new read after it, together', async () => {
    readMs = 100
    for (const id of ['a', 'b', 'c']) notify({ kind: 'created', ids: [id] })
    expect(done).toEqual(['refresh created a'])
    expect(await settled()).toEqual(['refresh created a', 'read', 'refresh created b,c', 'read'])
  })
})

describe('the end', () => {
  test('waits for the read under way, and nothing is read after it', async () => {
    readMs = 100
    notify({ kind: 'created', ids: ['a'] })
    notify({ kind: 'created', ids: ['b'] })
    notify({ kind: 'changed', ids: ['c'] })
    const stopped = follower.stop().then(() => done.push('stopped'))
    expect(await settled()).toEqual(['refresh created a', 'read', 'stopped'])
    await stopped
    notify({ kind: 'created', ids: ['d'] })
    expect(await settled()).toHaveLength(3)
  })
})
