import { describe, expect, it } from 'vitest'
import { keyActor } from '#core/accounts/audit.ts'
import { makeAddress } from '#core/chain/base58.ts'
import { creationEntry, marketplaceEntries, sellerEntries } from '#core/marketplace/audit.ts'
import { makeBasisPoints } from '#core/money/amounts.ts'
import { exampleSeller as seller } from '../../support/example-seller.ts'

const OTHER = makeAddress('Stake11111111111111111111111111111111111111')

describe('the audit trail', () => {
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
