// Pure conservation: what counts as accounted for, and that nothing else does.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type AddressBooks, auditAddress, isMadeOf } from '#core/audit/audit.ts'
import { type Asset, SOL } from '#core/chain/types.ts'
import { isSound } from '../../support/audited.ts'
import { MINT } from '../../support/example-intent.ts'
import { addressNo } from '../../support/payment.ts'

const ADDRESS = addressNo(1)
const issued = { intentIndex: 7, address: ADDRESS, derivedAddress: ADDRESS }
const NO_BOOKS: AddressBooks = { entries: [], received: [], settled: [], returned: [], underWay: [] }

const amount = fc.bigInt({ min: 1n, max: 2n ** 64n - 1n })
const nonZero = fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }).filter((value) => value !== 0n)
/** Moves so far apart that no two sets of them have the same sum. */
const moves = fc
  .array(fc.boolean(), { maxLength: 12 })
  .map((signs) => signs.map((positive, at) => (positive ? 1n : -1n) * 1_000n * 3n ** BigInt(at)))

/** A payment with complete records: received, partly settled, partly returned, the rest still there. */
const payment = fc
  .record({ settled: amount, returned: amount, remaining: amount, asset: fc.constantFrom<Asset>(SOL, MINT) })
  .map(({ settled, returned, remaining, asset }) => ({
    asset,
    remaining,
    books: {
      entries: [{ account: ADDRESS, asset, upToSlot: remaining, total: remaining }],
      received: [{ asset, amount: settled + returned + remaining }],
      settled: [{ asset, amount: settled }],
      returned: [{ asset, amount: returned }],
      underWay: [],
    } satisfies AddressBooks,
  }))

const sum = (amounts: readonly bigint[]) => amounts.reduce((total, one) => total + one, 0n)

describe('an address is sound', () => {
  it('when received is settled, returned or still there, and the chain holds what the ledger says', () => {
    fc.assert(
      fc.property(payment, ({ asset, remaining, books }) => {
        expect(isSound(auditAddress(issued, [{ account: ADDRESS, asset, chain: remaining }], books))).toBe(true)
      }),
    )
  })

  it('while the chain shows any of the moves that are under way, each whole or not at all', () => {
    fc.assert(
      fc.property(payment, moves, fc.infiniteStream(fc.boolean()), ({ asset, remaining, books }, deltas, picks) => {
        const shown = sum(deltas.filter(() => picks.next().value === true))
        const underWay = deltas.map((delta) => ({ account: ADDRESS, asset, delta }))
        const seen = [{ account: ADDRESS, asset, chain: remaining + shown }]
        const audited = auditAddress(issued, seen, { ...books, underWay })
        expect(isSound(audited)).toBe(true)
        expect(audited.balances[0]?.inFlight).toBe(shown)
      }),
    )
  })

  it('never with an address that the seed does not give', () => {
    expect(isSound(auditAddress(issued, [], NO_BOOKS))).toBe(true)
    expect(isSound(auditAddress({ ...issued, derivedAddress: addressNo(2) }, [], NO_BOOKS))).toBe(false)
  })
})

describe('a difference', () => {
  it('is exact to the unit, more or less, and never lost between ledger and chain', () => {
    fc.assert(
      fc.property(payment, nonZero, ({ asset, remaining, books }, delta) => {
        const audited = auditAddress(issued, [{ account: ADDRESS, asset, chain: remaining + delta }], books)
        expect(audited.balances).toEqual([
          {
            account: ADDRESS,
            asset,
            ledger: remaining,
            chain: remaining + delta,
            inFlight: 0n,
            unbooked: 0n,
            difference: delta,
          },
        ])
        expect(isSound(audited)).toBe(false)
      }),
    )
  })

  it('is only less, in an account that is not watched: more is not booked', () => {
    fc.assert(
      fc.property(payment, nonZero, ({ asset, remaining, books }, delta) => {
        const seen = { account: ADDRESS, asset, chain: remaining + delta, outOfReach: true } as const
        const isMore = delta > 0n
        expect(auditAddress(issued, [seen], books).balances).toMatchObject([
          { ledger: remaining, unbooked: isMore ? delta : 0n, difference: isMore ? 0n : delta },
        ])
      }),
    )
  })

  it('of one unit shows next to moves that are under way', () => {
    fc.assert(
      fc.property(moves, fc.constantFrom(1n, -1n), (deltas, off) => {
        const underWay = deltas.map((delta) => ({ account: ADDRESS, asset: SOL, delta }) as const)
        const seen = [{ account: ADDRESS, asset: SOL, chain: sum(deltas) + off } as const]
        expect(isSound(auditAddress(issued, seen, { ...NO_BOOKS, underWay }))).toBe(false)
      }),
    )
  })

  it('is not explained by what is under way in another account or asset', () => {
    const seen = [{ account: ADDRESS, asset: SOL, chain: 5n } as const]
    for (const place of [
      { account: ADDRESS, asset: MINT },
      { account: addressNo(2), asset: SOL },
    ] as const) {
      const books = { ...NO_BOOKS, underWay: [{ ...place, delta: 5n }] }
      expect(auditAddress(issued, seen, books).balances[0]).toMatchObject({ inFlight: 0n, difference: 5n })
    }
  })

  it('is only of entries up to the slot at which the chain was read', () => {
    const entries = [{ account: ADDRESS, asset: SOL, upToSlot: 3n, total: 8n } as const]
    const books = { ...NO_BOOKS, entries, received: [{ asset: SOL, amount: 8n } as const] }
    expect(isSound(auditAddress(issued, [{ account: ADDRESS, asset: SOL, chain: 3n }], books))).toBe(true)
    expect(isSound(auditAddress(issued, [{ account: ADDRESS, asset: SOL, chain: 8n }], books))).toBe(false)
  })

  it.each(['received', 'settled', 'returned'] as const)('shows where %s is off by a unit', (column) => {
    fc.assert(
      fc.property(payment, ({ asset, remaining, books }) => {
        const bent = { ...books, [column]: [...books[column], { asset, amount: 1n }] }
        const audited = auditAddress(issued, [{ account: ADDRESS, asset, chain: remaining }], bent)
        expect(audited.flows[0]?.difference).toBe(column === 'received' ? 1n : -1n)
        expect(isSound(audited)).toBe(false)
      }),
    )
  })
})

describe('more moves than can be tried one by one', () => {
  it('explain what is within their bounds, and nothing beyond', () => {
    const many = Array.from({ length: 50 }, (_, at) => (at % 2 === 0 ? 3n : -2n))
    expect([75n, -50n, 1n].map((delta) => isMadeOf(delta, many))).toEqual([true, true, true])
    expect([76n, -51n].map((delta) => isMadeOf(delta, many))).toEqual([false, false])
  })
})
