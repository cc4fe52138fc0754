import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { keyActor } from '#core/accounts/audit.ts'
import { makeAddress } from '#core/chain/base58.ts'
import { creationEntry, marketplaceEntries, sellerEntries } from '#core/marketplace/audit.ts'
import { readSearch, searchPartsOf, searchTextOf } from '#core/marketplace/search.ts'
import { makeBasisPoints } from '#core/money/amounts.ts'
import { exampleSeller as seller } from '../../support/example-seller.ts'

describe('the audit trail', () => {
  const OTHER = makeAddress('Stake11111111111111111111111111111111111111')

  it('has an entry for each changed dimension of a seller', () => {
    const after = {
      ...seller,
      name: 'New',
      metadata: { b: 1, a: [1, { c: null }] },
      sweepDestination: OTHER,
      marketplaceFeeBps: makeBasisPoints(300),
    }
    expect(sellerEntries(seller, after)).toEqual([
      {
        action: 'seller.updated',
        sellerId: seller.id,
        changes: { name: [seller.name, 'New'], metadata: [seller.metadata, after.metadata] },
      },
      {
        action: 'seller.payout_changed',
        sellerId: seller.id,
        changes: { sweep_destination: [seller.sweepDestination, OTHER] },
      },
      { action: 'seller.fee_changed', sellerId: seller.id, changes: { marketplace_fee_bps: [250, 300] } },
    ])
  })

  it('has no entry for a value that stays, whatever the order of its keys', () => {
    const before = { ...seller, metadata: { a: 1, b: { c: 2, d: [1] } } }
    expect(sellerEntries(before, { ...before, metadata: { b: { d: [1], c: 2 }, a: 1 } })).toEqual([])
    expect(sellerEntries(before, { ...before, metadata: { a: 1, b: { c: 2, d: [2] } } })).toHaveLength(1)
    expect(sellerEntries({ ...seller, metadata: {} }, { ...seller, metadata: { a: null } })).toHaveLength(1)
  })

  it('says of a new seller what it was given', () => {
    const bare = { ...seller, externalId: null, description: null, metadata: {}, label: null, marketplaceFeeBps: null }
    expect(creationEntry(bare).changes).toEqual({
      name: [null, seller.name],
      sweep_destination: [null, seller.sweepDestination],
    })
  })

  it('has an entry for each changed field of a marketplace', () => {
    const terms = {
      accountId: seller.marketplaceAccountId,
      status: 'active',
      defaultFeeBps: makeBasisPoints(0),
      feeWallet: null,
      sellerLimit: null,
    } as const
    const after = { ...terms, defaultFeeBps: makeBasisPoints(100), feeWallet: OTHER }
    expect(marketplaceEntries(terms, after).map(({ changes }) => changes)).toEqual([
      { default_fee_bps: [0, 100] },
      { fee_wallet: [null, OTHER] },
    ])
    expect(marketplaceEntries(null, terms).map(({ changes }) => changes)).toEqual([
      { status: [null, 'active'] },
      { default_fee_bps: [null, 0] },
    ])
  })

  it('names a key by its mode and last characters', () => {
    expect(keyActor('test', 'x7Qa', '203.0.113.9')).toEqual({
      kind: 'api_key',
      credential: 'sk_test_…x7Qa',
      memberId: null,
      ip: '203.0.113.9',
    })
  })
})

describe('a search', () => {
  /** What the database answers: every part is there, and the text contains the search. */
  function isFound(texts: readonly (string | null)[], search: string): boolean {
    const searchText = searchTextOf(texts)
    const parts = new Set(searchPartsOf(searchText))
    const asked = readSearch(search)
    return asked === null || (asked.parts.every((part) => parts.has(part)) && searchText.includes(asked.text))
  }

  it('every substring finds its text, in either case', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }).filter((name) => !/\s/.test(name))
    fc.assert(
      fc.property(fc.tuple(text, text), ([name, within]) => {
        const whole = `${name}${within}x`
        expect(isFound([whole, null], within)).toBe(true)
        expect(isFound([null, whole], within.toUpperCase())).toBe(true)
        expect(isFound([whole, null], within.toLowerCase())).toBe(true)
      }),
      // Capital letters that are not those of their small letters.
      { examples: [[['!', 'ϴ!']], [['Weiß', 'STRAẞE']], [['ß', 'ẞ']]] },
    )
  })

  it('a text that does not contain the search is not found', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-c]{1,12}$/), fc.stringMatching(/^[a-c]{1,6}$/), (name, search) => {
        expect(isFound([name, null], search)).toBe(name.includes(search))
      }),
    )
  })

  it('no search matches the end of the name and the beginning of the external id', () => {
    expect(isFound(['Blue', 'Red'], 'uer')).toBe(false)
    expect(isFound(['Blue', 'Red'], 'lue')).toBe(true)
    expect(isFound(['Blue', 'Red'], 'RED')).toBe(true)
  })

  it('a blank search is none', () => {
    expect(readSearch(' \t')).toBeNull()
  })
})
