import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createCursors } from '#graphql/cursor.ts'
import { connectionOf } from '#graphql/page.ts'

const ROWS = Array.from({ length: 100 }, (_, at) => ({ at }))

/** Makes a page, and counts the cursors that were sealed for it. */
async function pageOf(rows: readonly { readonly at: number }[], args = {}) {
  const sealed: number[] = []
  const toCursor = ({ at }: { readonly at: number }) => {
    sealed.push(at)
    return `cursor ${at}`
  }
  return { sealed, ...(await connectionOf({ first: 100, ...args }, toCursor, () => rows)) }
}

describe('a page', () => {
  it('seals the cursors that are asked for, and no others', async () => {
    const { edges, pageInfo, sealed } = await pageOf(ROWS)
    expect(edges.map(({ node }) => node)).toEqual(ROWS)
    expect(sealed).toEqual([])
    expect(pageInfo).toMatchObject({ startCursor: 'cursor 0', endCursor: 'cursor 99', hasNextPage: false })
    expect(edges[7]?.cursor).toBe('cursor 7')
    expect(new Set(sealed)).toEqual(new Set([0, 99, 7]))
  })

  it('leaves out the row by which it knows that more follow', async () => {
    const { edges, pageInfo } = await pageOf([...ROWS, { at: 100 }])
    expect(edges).toHaveLength(100)
    expect(pageInfo).toMatchObject({ endCursor: 'cursor 99', hasNextPage: true, hasPreviousPage: false })
  })

  it('turns the rows of a page from the end, which are read backwards', async () => {
    const { edges, pageInfo } = await pageOf([{ at: 2 }, { at: 1 }], { first: null, last: 1 })
    expect(edges.map(({ node }) => node)).toEqual([{ at: 2 }])
    expect(pageInfo).toMatchObject({ startCursor: 'cursor 2', hasPreviousPage: true, hasNextPage: false })
    const whole = await pageOf([{ at: 2 }, { at: 1 }], { first: null, last: 2 })
    expect(whole.edges.map(({ node }) => node)).toEqual([{ at: 1 }, { at: 2 }])
  })

  it('has no cursors when it is empty', async () => {
    const { edges, pageInfo } = await pageOf([], { after: 'cursor 99' })
    expect(edges).toEqual([])
    expect(pageInfo).toMatchObject({ startCursor: null, endCursor: null, hasPreviousPage: true, hasNextPage: false })
  })
})

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

  it('does not open where only the concatenation of scope and position is the same', () => {
    const head = Buffer.from(cursors.seal('scope', 'x'), 'base64url').subarray(0, 28)
    expect(() => cursors.open('scopex', head.toString('base64url'))).toThrow('invalid_request')
  })

  it('does not open when a single bit has changed', () => {
    const cursor = Buffer.from(cursors.seal('scope', '2026-11-20T12:00:00.000Z id'), 'base64url')
    for (let bit = 0; bit < cursor.length * 8; bit++) {
      const changed = Buffer.from(cursor)
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(() => cursors.open('scope', changed.toString('base64url'))).toThrow('invalid_request')
    }
  })

  it('shows only the length of its position, not its text or its distance to another position', () => {
    const bytesOf = (position: number) => Buffer.from(cursors.seal('scope', String(position)), 'base64url')
    expect(bytesOf(1_000_000).includes('1000000')).toBe(false)
    const equal = (one: Buffer, other: Buffer) => one.filter((byte, at) => byte === other[at]).length
    for (const distance of [1, 2, 10, 1_000]) {
      let same = 0
      for (let from = 1_000_000; from < 1_000_100; from += 1) same += equal(bytesOf(from), bytesOf(from + distance))
      // By chance one in 256 of the 3,500 bytes is equal. If the cursors were readable, most of the last seven bytes
      // would be equal.
      expect(same).toBeLessThan(60)
    }
    expect(new Set([1, 999_999].map((position) => bytesOf(1_000_000 + position).length)).size).toBe(1)
  })

  it('is the same for the same position, so that clients can compare cursors', () => {
    expect(cursors.seal('scope', 'position')).toBe(cursors.seal('scope', 'position'))
    expect(cursors.seal('other', 'position')).not.toBe(cursors.seal('scope', 'position'))
  })

  it('of another deployment does not open', () => {
    const other = createCursors(new Uint8Array(32).fill(2))
    expect(() => cursors.open('scope', other.seal('scope', 'p'))).toThrow('invalid_request')
  })

  it('does not open when it is not a cursor', () => {
    for (const cursor of ['', 'x', '💸', 'AAAA'.repeat(10)]) {
      expect(() => cursors.open('scope', cursor)).toThrow('invalid_request')
    }
  })
})
