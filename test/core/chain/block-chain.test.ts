import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type LinkedBlock, linkBlocks } from '#core/chain/block-chain.ts'
import {
  chooseSource,
  type DepositSourceKind,
  pollingCallsPerMinute,
  REST_AFTER_MOVE_MS,
} from '#core/chain/source-choice.ts'

describe('block chain', () => {
  const block = (slot: number, parent: number, over: Partial<LinkedBlock> = {}): LinkedBlock => ({
    slot: BigInt(slot),
    blockhash: `hash ${slot}`,
    parentSlot: BigInt(parent),
    parentBlockhash: `hash ${parent}`,
    ...over,
  })
  const HEAD = { slot: 10n, blockhash: 'hash 10' }
  const slotsOf = (blocks: readonly LinkedBlock[]) => blocks.map(({ slot }) => Number(slot))

  describe('blocks', () => {
    test('follow the head in the order of their slots, however they were read', () => {
      const { linked, obstacle } = linkBlocks(HEAD, [block(13, 11), block(11, 10), block(14, 13)])
      expect(slotsOf(linked)).toEqual([11, 13, 14])
      expect(obstacle).toBeNull()
    })

    test('up to the head are passed over', () => {
      expect(slotsOf(linkBlocks(HEAD, [block(9, 8), block(10, 9), block(11, 10)]).linked)).toEqual([11])
    })

    test('beyond one that was not read wait for it', () => {
      expect(linkBlocks(HEAD, [block(11, 10), block(14, 13)])).toEqual({
        linked: [block(11, 10)],
        obstacle: { kind: 'missing', slot: 13n },
      })
    })

    test.each([
      ['another block than the head', block(11, 10, { parentBlockhash: 'hash of a fork' })],
      ['a block before the head', block(11, 9)],
    ])('that follow %s are a fork, and nothing after them is linked', (_, fork) => {
      expect(linkBlocks(HEAD, [fork, block(12, 11)])).toEqual({ linked: [], obstacle: { kind: 'fork', slot: 11n } })
    })
  })

  test('whatever is left out, linking stops before it, and goes on once it is there', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: 11, max: 60 }), { minLength: 1, maxLength: 30 }),
        fc.array(fc.boolean(), { minLength: 30, maxLength: 30 }),
        (slots, isRead) => {
          const chain = slots
            .sort((a, b) => a - b)
            .map((slot, at, all) => block(slot, at === 0 ? 10 : (all[at - 1] ?? 10)))
          const read = chain.filter((_, at) => isRead[at])
          const { linked, obstacle } = linkBlocks(HEAD, read)
          const firstUnread = isRead.indexOf(false)
          const expected = chain.slice(0, firstUnread === -1 ? chain.length : firstUnread)
          expect(linked).toEqual(expected.slice(0, chain.length))
          if (read.length === expected.length) expect(obstacle).toBeNull()
          else expect(obstacle?.kind).toBe('missing')
          expect(linkBlocks(HEAD, chain).linked).toEqual(chain)
        },
      ),
    )
  })
})

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
