import { describe, expect, test } from 'vitest'
import {
  chooseSource,
  type DepositSourceKind,
  pollingCallsPerMinute,
  REST_AFTER_MOVE_MS,
} from '#core/chain/source-choice.ts'

const LONG_AGO = REST_AFTER_MOVE_MS
const next = (source: DepositSourceKind, polling: number, sinceMs: number | null = LONG_AGO, blocks = 160) =>
  chooseSource({ source, sinceMs }, { polling, blocks }).source

describe('what polling costs', () => {
  test('is full calls, as often as each account is due', () => {
    expect(pollingCallsPerMinute([{ accounts: 250, everyMs: 2_000 }])).toBe(90)
    expect(
      pollingCallsPerMinute([
        { accounts: 100, everyMs: 6_000 },
        { accounts: 6_000, everyMs: 3_600_000 },
        { accounts: 0, everyMs: 2_000 },
      ]),
    ).toBe(11)
  })
})

describe('the source of deposits', () => {
  test('is whichever costs less by a good deal', () => {
    expect(next('polling', 600)).toBe('blocks')
    expect(next('polling', 30)).toBe('polling')
    expect(next('blocks', 30)).toBe('polling')
    expect(next('blocks', 600)).toBe('blocks')
  })

  test('stays what it is between the two thresholds, whichever it is', () => {
    for (const polling of [129, 160, 199]) {
      expect(next('polling', polling)).toBe('polling')
      expect(next('blocks', polling)).toBe('blocks')
    }
    expect(next('polling', 201)).toBe('blocks')
    expect(next('blocks', 127)).toBe('polling')
  })

  test('does not change again soon after it has', () => {
    expect(next('polling', 600, LONG_AGO - 1)).toBe('polling')
    expect(next('blocks', 30, LONG_AGO - 1)).toBe('blocks')
    expect(next('polling', 600, null)).toBe('blocks')
  })

  test('comes with a reason that a person can follow', () => {
    const costs = { polling: 600.4, blocks: 160 }
    expect(chooseSource({ source: 'polling', sinceMs: null }, costs).reason).toBe(
      'polling would cost 600 calls a minute, blocks 160',
    )
    expect(chooseSource({ source: 'blocks', sinceMs: null }, costs).reason).toMatch(/no reason to change/)
    expect(chooseSource({ source: 'polling', sinceMs: 5 }, costs).reason).toMatch(/too lately/)
  })
})
