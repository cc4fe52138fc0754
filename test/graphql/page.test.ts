import { describe, expect, it } from 'vitest'
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
