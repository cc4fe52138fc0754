import { describe, expect, test } from 'vitest'
import {
  MAX_OLD_SECRETS,
  oldSecretsUntil,
  ROTATION_OVERLAP_MS,
  rotate,
  signingVersions,
  type WebhookSecretState,
} from '#core/events/rotation.ts'

const HOUR = 3_600_000
const START = new Date('2026-11-20T12:00:00.000Z')
const at = (ms: number) => new Date(START.getTime() + ms)
const FIRST: WebhookSecretState = { version: 1, rotations: [] }

/** The state after a rotation at each of these times. */
const rotatedAt = (...times: readonly number[]): WebhookSecretState =>
  times.reduce((state, time) => {
    const next = rotate(state, at(time), false)
    if ('refused' in next) throw new Error('a rotation was refused')
    return next
  }, FIRST)

describe('a webhook secret', () => {
  test('that was never rotated signs alone', () => {
    expect(signingVersions(FIRST, START)).toEqual([1])
    expect(oldSecretsUntil(FIRST, START)).toEqual([])
  })

  test('signs next to the newer one for 24 hours after it was replaced, and not a moment longer', () => {
    expect(ROTATION_OVERLAP_MS).toBe(24 * HOUR)
    const state = rotatedAt(0)
    expect(signingVersions(state, START)).toEqual([2, 1])
    expect(signingVersions(state, at(24 * HOUR - 1))).toEqual([2, 1])
    expect(signingVersions(state, at(24 * HOUR))).toEqual([2])
  })

  test('that is in production goes on for its 24 hours however often it is rotated meanwhile', () => {
    const state = rotatedAt(0, HOUR, 2 * HOUR)
    expect(signingVersions(state, at(2 * HOUR))).toEqual([4, 3, 2, 1])
    expect(oldSecretsUntil(state, at(2 * HOUR))).toEqual([at(26 * HOUR), at(25 * HOUR), at(24 * HOUR)])
    expect(signingVersions(state, at(24 * HOUR))).toEqual([4, 3, 2])
    expect(signingVersions(state, at(25 * HOUR))).toEqual([4, 3])
    expect(signingVersions(state, at(26 * HOUR))).toEqual([4])
  })

  test('is not rotated while three older ones sign, because that would end one early', () => {
    expect(MAX_OLD_SECRETS).toBe(3)
    const state = rotatedAt(0, HOUR, 2 * HOUR)
    expect(rotate(state, at(24 * HOUR - 1), false)).toEqual({ refused: 'too_many_rotations' })
    const next = rotatedAt(0, HOUR, 2 * HOUR, 24 * HOUR)
    expect(signingVersions(next, at(24 * HOUR))).toEqual([5, 4, 3, 2])
  })

  test('that leaked ends at once when the older ones are revoked, also while a rotation would be refused', () => {
    const state = rotate(rotatedAt(0, HOUR, 2 * HOUR), at(3 * HOUR), true)
    expect(state).toEqual({ version: 5, rotations: [] })
  })
})
