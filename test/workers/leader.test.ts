import { beforeEach, describe, expect, test } from 'vitest'
import { createLeader, type Leader } from '#workers/leader.ts'

const SECOND = 1_000

let now: number
/** The holder of the lease in the database, and its end. */
let lease: { holder: string; until: number } | null
let asked: number
let away: boolean

const leader = (instanceId = 'me'): Leader =>
  createLeader({
    leases: {
      async acquire(_, holder, forMs) {
        asked += 1
        if (away) throw new Error('the database is away')
        if (lease !== null && lease.holder !== holder && lease.until > now) return false
        lease = { holder, until: now + forMs }
        return true
      },
      async giveBack(_, holder) {
        if (lease?.holder === holder) lease = null
      },
    },
    name: 'chain:live',
    instanceId,
    clock: { now: () => new Date(now) },
  })

beforeEach(() => {
  now = 1_000_000
  lease = null
  asked = 0
  away = false
})

describe('a leader', () => {
  test('takes over when no instance leads, and is reported as new once', async () => {
    const me = leader()
    expect(await me.lead()).toEqual({ leads: true, took: true })
    expect(await me.lead()).toEqual({ leads: true, took: false })
  })

  test('asks the database every five seconds, long before its lease ends', async () => {
    const me = leader()
    for (let second = 0; second < 60; second += 1) {
      expect((await me.lead()).leads).toBe(true)
      expect(lease?.until).toBeGreaterThan(now + 9 * SECOND)
      now += SECOND
    }
    expect(asked).toBe(12)
  })

  test('is a single instance: another waits until the lease ends, and then takes over', async () => {
    const [me, other] = [leader('me'), leader('other')]
    await me.lead()
    expect(await other.lead()).toEqual({ leads: false, took: false })
    now += 15 * SECOND
    expect(await other.lead()).toEqual({ leads: true, took: true })
    expect(await me.lead()).toEqual({ leads: false, took: false })
  })

  test('that was away for a whole lease is new again, also when no other instance led meanwhile', async () => {
    const me = leader()
    await me.lead()
    now += 15 * SECOND + 1
    expect(await me.lead()).toEqual({ leads: true, took: true })
  })

  test('asks the database at once when its clock was set back, and does not lead by a lease of another', async () => {
    const [me, other] = [leader('me'), leader('other')]
    await me.lead()
    // The database has a clock of its own.
    lease = null
    await other.lead()
    now -= 24 * 3_600 * SECOND
    expect(await me.lead()).toEqual({ leads: false, took: false })
  })

  test('that lost the lease and got it back is new again', async () => {
    const [me, other] = [leader('me'), leader('other')]
    await me.lead()
    now += 15 * SECOND
    await other.lead()
    await me.lead()
    await other.resign()
    expect(await me.lead()).toEqual({ leads: true, took: true })
  })

  test('gives up at once when it resigns', async () => {
    const [me, other] = [leader('me'), leader('other')]
    await me.lead()
    await me.resign()
    expect((await other.lead()).leads).toBe(true)
  })

  test('does not lead while the database cannot be asked', async () => {
    const me = leader()
    await me.lead()
    away = true
    now += 5 * SECOND
    await expect(me.lead()).rejects.toThrow('the database is away')
    away = false
    expect(await me.lead()).toEqual({ leads: true, took: false })
  })
})
