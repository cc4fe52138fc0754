import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createCursors } from '#graphql/cursor.ts'

const cursors = createCursors(new Uint8Array(32).fill(1))

describe('a cursor', () => {
  it('opens to the position that was sealed', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ unit: 'grapheme' }), (scope, position) => {
        expect(cursors.open(scope, cursors.seal(scope, position))).toBe(position)
      }),
    )
  })

  it('does not open for another caller or other filters', () => {
    const cursor = cursors.seal('a', 'position')
    expect(() => cursors.open('b', cursor)).toThrow('invalid_request')
  })

  it('does not open where its scope and position only add up to the same text', () => {
    const mac = Buffer.from(cursors.seal('scope', 'x'), 'base64url').subarray(0, 16)
    expect(() => cursors.open('scopex', mac.toString('base64url'))).toThrow('invalid_request')
  })

  it('does not open once a single bit of it has changed', () => {
    const cursor = Buffer.from(cursors.seal('scope', '2026-11-20T12:00:00.000Z id'), 'base64url')
    for (let bit = 0; bit < cursor.length * 8; bit++) {
      const changed = Buffer.from(cursor)
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(() => cursors.open('scope', changed.toString('base64url'))).toThrow('invalid_request')
    }
  })

  it('of another deployment does not open', () => {
    const other = createCursors(new Uint8Array(32).fill(2))
    expect(() => cursors.open('scope', other.seal('scope', 'p'))).toThrow('invalid_request')
  })

  it('does not open when it is no cursor at all', () => {
    for (const cursor of ['', 'x', '💸', 'AAAA'.repeat(10)]) {
      expect(() => cursors.open('scope', cursor)).toThrow('invalid_request')
    }
  })
})
