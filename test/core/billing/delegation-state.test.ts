// Room for slices, and the verdict on a delegation by its token account.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Delegation } from '#core/billing/delegation.ts'
import {
  accountFor,
  afterPull,
  afterRevocation,
  beginEpoch,
  hasPulledAfter,
  judgeDelegation,
  takeReading,
} from '#core/billing/delegation-state.ts'
import { approveTotal, hasRoom, outstandingOf, type Slice } from '#core/billing/room.ts'
import { SUBSCRIPTION_POLICY, SUBSCRIPTION_STATUSES, type SubscriptionStatus } from '#core/billing/subscription.ts'
import { MAX_U64, sumOf } from '#core/money/amounts.ts'
import { DELEGATE, STRANGER } from '../../support/charge.ts'
import { units } from '../../support/payment.ts'
import { DELEGATION, START } from '../../support/subscription-world.ts'

const delegate = DELEGATE.address
const LATER = new Date(START.getTime() + 60_000)

let ages = 0
/** Each slice is newer than the one before. */
function slice(status: SubscriptionStatus, remaining: bigint, inFlight = 0n): Slice {
  ages += 1
  return {
    subscriptionId: `s${ages}`,
    status,
    remaining: units(remaining),
    inFlight: units(inFlight),
    createdAt: new Date(START.getTime() + ages),
  }
}

const shown = (allowance: bigint, patch: Partial<Delegation> = {}): Delegation => ({
  ...DELEGATION,
  chainAllowance: units(allowance),
  chainDelegate: allowance === 0n ? null : delegate,
  ...patch,
})

const judge = (delegation: Delegation, ...slices: Slice[]) => judgeDelegation({ delegation, slices, delegate }, LATER)

describe('room', () => {
  test.each<[SubscriptionStatus, bigint]>([
    ['incomplete', 10n],
    ['active', 10n],
    ['renewal_required', 10n],
    ['past_due', 10n],
    ['paused', 10n],
    ['revoked', 0n],
    ['exhausted', 0n],
    ['canceled', 0n],
    ['failed', 0n],
  ])('of a subscription that is %s, %d of 10 are outstanding', (status, outstanding) => {
    expect(outstandingOf([slice(status, 10n)])).toBe(outstanding)
  })

  test('a charge under way is outstanding after its subscription has ended', () => {
    expect(outstandingOf([slice('canceled', 10n, 4n)])).toBe(4n)
  })

  test('a slice fits when it and what is outstanding are within the allowance', () => {
    const others = [slice('active', 40n), slice('revoked', 1_000n)]
    expect(hasRoom(units(60n), others, shown(100n), delegate)).toBe(true)
    expect(hasRoom(units(61n), others, shown(100n), delegate)).toBe(false)
  })

  test('the allowance of another delegate is no room', () => {
    expect(hasRoom(units(1n), [], shown(100n, { chainDelegate: STRANGER }), delegate)).toBe(false)
  })

  test('a charge under way of another subscription does not make room', () => {
    expect(hasRoom(units(61n), [slice('active', 40n, 40n)], shown(100n), delegate)).toBe(false)
  })

  test('an approve is for what is outstanding and the new slice', () => {
    expect(approveTotal(units(60n), [slice('active', 40n), slice('paused', 5n)])).toBe(105n)
    expect(approveTotal(units(MAX_U64), [slice('active', 1n)])).toEqual({ refused: 'authorization_total_too_large' })
  })

  test('after an approve for the total, the new slice has room and every slice is covered', () => {
    const slices = fc.array(
      fc.record({
        status: fc.constantFrom(...SUBSCRIPTION_STATUSES),
        remaining: fc.bigInt({ min: 0n, max: 10n ** 12n }),
        share: fc.bigInt({ min: 0n, max: 4n }),
      }),
      { maxLength: 12 },
    )
    fc.assert(
      fc.property(slices, fc.bigInt({ min: 1n, max: 10n ** 12n }), (given, wanted) => {
        const others = given.map(({ status, remaining, share }) => slice(status, remaining, (remaining * share) / 4n))
        const total = approveTotal(units(wanted), others)
        if (typeof total !== 'bigint') throw new Error('too large')
        const begun = beginEpoch(shown(0n), { delegate, total, slot: 200n, pulls: [] }, LATER)
        expect(hasRoom(units(wanted), others, begun, delegate)).toBe(true)
        expect(hasRoom(units(wanted + 1n), others, begun, delegate)).toBe(false)
        expect(judge(begun, ...others, slice('active', wanted))).toMatchObject({
          uncovered: [],
          delegation: { status: 'active' },
        })
      }),
    )
  })
})

describe('the verdict on a delegation', () => {
  test('before the first approve it is pending, whatever the chain shows', () => {
    const verdict = judge(shown(0n, { epoch: 0, status: 'pending' }), slice('incomplete', 10n))
    expect(verdict).toEqual({ delegation: shown(0n, { epoch: 0, status: 'pending' }), uncovered: [] })
  })

  test('an allowance that covers what is outstanding is active', () => {
    expect(judge(shown(30n), slice('active', 10n), slice('past_due', 20n))).toMatchObject({
      uncovered: [],
      delegation: { status: 'active' },
    })
  })

  test('a charge under way counts as taken, whether the chain shows it already or not', () => {
    const [first, second] = [slice('active', 10n, 5n), slice('active', 20n)]
    for (const allowance of [30n, 25n])
      expect(judge(shown(allowance), first, second)).toMatchObject({
        uncovered: [],
        delegation: { status: 'active' },
      })
    expect(judge(shown(24n), first, second).uncovered).toEqual([second.subscriptionId])
  })

  test('without a delegate every subscription with a slice is uncovered, the newest first', () => {
    const [first, second] = [slice('active', 10n), slice('renewal_required', 20n)]
    expect(judge(shown(0n), first, second)).toMatchObject({
      uncovered: [second.subscriptionId, first.subscriptionId],
      delegation: { status: 'revoked', updatedAt: LATER },
    })
  })

  test('with another delegate it is replaced', () => {
    const one = slice('active', 10n)
    expect(judge(shown(1_000n, { chainDelegate: STRANGER }), one)).toMatchObject({
      uncovered: [one.subscriptionId],
      delegation: { status: 'replaced' },
    })
  })

  test('an allowance lowered below what is outstanding no longer covers the newest', () => {
    const [first, second, third] = [slice('active', 10n), slice('active', 10n), slice('active', 10n)]
    expect(judge(shown(29n), third, first, second).uncovered).toEqual([third.subscriptionId])
    expect(judge(shown(19n), third, first, second).uncovered).toEqual([third.subscriptionId, second.subscriptionId])
    expect(judge(shown(19n), third, first, second).delegation.status).toBe('active')
  })

  test('a paused or incomplete subscription is never reported as uncovered', () => {
    const slices = [slice('active', 10n), slice('paused', 10n), slice('incomplete', 10n)]
    expect(judge(shown(10n), ...slices).uncovered).toEqual([])
    expect(judge(shown(0n), ...slices)).toMatchObject({
      uncovered: [slices[0]?.subscriptionId],
      delegation: { status: 'revoked' },
    })
  })

  test('an allowance that was spent to zero is exhausted, not revoked', () => {
    expect(judge(shown(0n), slice('renewal_required', 0n))).toMatchObject({
      uncovered: [],
      delegation: { status: 'exhausted' },
    })
  })

  test('it stays revoked while its revoked subscription is neither renewed nor canceled', () => {
    expect(judge(shown(0n, { status: 'revoked' }), slice('revoked', 10n)).delegation.status).toBe('revoked')
    expect(judge(shown(0n, { status: 'replaced' }), slice('revoked', 10n)).delegation.status).toBe('replaced')
  })

  test('it is cleared when every subscription has ended', () => {
    expect(judge(shown(50n)).delegation).toMatchObject({ status: 'cleared', clearedAt: LATER })
    expect(judge(shown(50n), slice('canceled', 10n, 10n)).delegation.status).toBe('cleared')
  })

  test('what remains after the verdict is within the allowance, and not one more is uncovered than must be', () => {
    const slices = fc.array(
      fc.record({ status: fc.constantFrom(...SUBSCRIPTION_STATUSES), remaining: fc.bigInt({ min: 0n, max: 100n }) }),
      { maxLength: 10 },
    )
    fc.assert(
      fc.property(slices, fc.bigInt({ min: 0n, max: 600n }), (given, allowance) => {
        const all = given.map(({ status, remaining }) => slice(status, remaining))
        const { uncovered } = judge(shown(allowance), ...all)
        const isRevocable = ({ status }: Slice) => SUBSCRIPTION_POLICY[status].isRevocable
        const covered = all.filter((one) => isRevocable(one) && !uncovered.includes(one.subscriptionId))
        expect(outstandingOf(covered)).toBeLessThanOrEqual(allowance)
        const last = all.find(({ subscriptionId }) => subscriptionId === uncovered.at(-1))
        if (last === undefined) return
        const older = all.filter((one) => one.createdAt <= last.createdAt)
        expect(outstandingOf(older)).toBeGreaterThan(allowance)
      }),
    )
  })
})

const pull = (amount: bigint) => ({ subscriptionId: 's', amount: units(amount) })

describe('a reading', () => {
  const open = { is: 'open', balance: units(1n), frozen: false, delegate, delegated: units(77n) } as const

  test('an older reading than the last changes nothing', () => {
    expect(takeReading(DELEGATION, { slot: 99n, state: open }, delegate, LATER)).toBe(DELEGATION)
    expect(takeReading(DELEGATION, { slot: 101n, state: open }, delegate, LATER)).toMatchObject({
      chainSlot: 101n,
      chainAllowance: 77n,
      chainCheckedAt: LATER,
    })
  })

  test('a missing account has no delegate and no allowance', () => {
    expect(takeReading(DELEGATION, { slot: 101n, state: { is: 'missing' } }, delegate, LATER)).toMatchObject({
      chainDelegate: null,
      chainAllowance: 0n,
    })
  })

  test('an approve begins the next epoch with its total as the allowance', () => {
    const begun = beginEpoch(
      shown(0n, { status: 'cleared', clearedAt: START }),
      { delegate, total: units(9n), slot: 101n, pulls: [] },
      LATER,
    )
    expect(begun).toMatchObject({
      epoch: 2,
      authorizedTotal: 9n,
      status: 'active',
      clearedAt: null,
      chainAllowance: 9n,
      chainDelegate: delegate,
    })
  })

  test('a reading from after the approve stays', () => {
    const begun = beginEpoch(
      shown(5n, { chainSlot: 300n }),
      { delegate, total: units(9n), slot: 200n, pulls: [] },
      LATER,
    )
    expect(begun).toMatchObject({ epoch: 2, chainAllowance: 5n, chainSlot: 300n })
  })

  test.each([
    { accountedAt: 199n, expected: null },
    { accountedAt: 200n, expected: 5n },
    { accountedAt: 300n, expected: 5n },
  ])('an approve of slot 200, accounted for at $accountedAt: $expected is known', ({ accountedAt, expected }) => {
    const known = shown(5n, { chainSlot: 300n, accountedSlot: accountedAt, accountedAllowance: units(5n) })
    const begun = beginEpoch(known, { delegate, total: units(9n), slot: 200n, pulls: [] }, LATER)
    expect(begun.accountedAllowance).toBe(expected)
  })

  test('pulls after the approve that are booked before it are taken from its total', () => {
    const booked = afterPull(shown(5n), units(4n), 300n, LATER)
    const approve = { delegate, total: units(9n), slot: 200n }
    expect(beginEpoch(booked, { ...approve, pulls: [pull(1n), pull(3n)] }, LATER)).toMatchObject({
      authorizedTotal: 9n,
      chainAllowance: 5n,
      chainSlot: 200n,
      chainDelegate: delegate,
    })
    for (const amount of [9n, 10n])
      expect(beginEpoch(booked, { ...approve, pulls: [pull(amount)] }, LATER)).toMatchObject({
        chainAllowance: 0n,
        chainDelegate: null,
      })
    // A reading from after the approve shows the pulls, or they were taken from it already.
    const read = shown(5n, { chainSlot: 250n })
    expect(beginEpoch(read, { ...approve, pulls: [pull(1n), pull(3n)] }, LATER).chainAllowance).toBe(5n)
  })

  test('an approve and pulls give one allowance, in whatever order they are booked', () => {
    const [total, slot] = [units(200n), 150n]
    const aPull = fc.record({ amount: fc.bigInt({ min: 1n, max: 30n }), slot: fc.bigInt({ min: 101n, max: 200n }) })
    const pulls = fc.uniqueArray(aPull, { maxLength: 6, selector: (one) => one.slot })
    fc.assert(
      fc.property(pulls, fc.nat(6), (given, place) => {
        const booked = given.map((one) => ({ ...pull(one.amount), slot: one.slot }))
        const isSince = (one: { readonly slot: bigint }) => one.slot > slot
        const pullAll = (from: Delegation, all: typeof booked) =>
          all.reduce((state, one) => afterPull(state, one.amount, one.slot, LATER), from)
        const earlier = booked.slice(0, place)
        const approve = { delegate, total, slot, pulls: earlier.filter(isSince) }
        const begun = beginEpoch(pullAll(shown(200n), earlier), approve, LATER)
        expect(hasPulledAfter(pullAll(shown(200n), earlier), slot)).toBe(approve.pulls.length > 0)
        const left = total - sumOf(booked.filter(isSince).map(({ amount }) => amount))
        expect(pullAll(begun, booked.slice(place)).chainAllowance).toBe(left)
      }),
    )
  })

  test('a revocation removes the delegate of an older reading, and only of an older one', () => {
    const { epoch, authorizedTotal } = DELEGATION
    expect(afterRevocation(shown(10n), 101n, LATER)).toMatchObject({
      chainDelegate: null,
      chainAllowance: 0n,
      chainSlot: 101n,
      chainCheckedAt: LATER,
      epoch,
      authorizedTotal,
    })
    expect(afterRevocation(DELEGATION, 99n, LATER)).toBe(DELEGATION)
  })

  test('a pull lowers the allowance of an older reading, and only of an older one', () => {
    expect(afterPull(shown(10n), units(4n), 101n, LATER)).toMatchObject({ chainAllowance: 6n, chainDelegate: delegate })
    expect(afterPull(shown(10n), units(10n), 101n, LATER)).toMatchObject({ chainAllowance: 0n, chainDelegate: null })
    expect(afterPull(shown(10n), units(4n), 100n, LATER).chainAllowance).toBe(10n)
  })

  test('a reading from before a booked pull, which comes after it, changes nothing', () => {
    const open = { is: 'open', balance: units(99n), frozen: false, delegate, delegated: units(10n) } as const
    const pulled = afterPull(shown(10n), units(4n), 120n, LATER)
    expect(takeReading(pulled, { slot: 119n, state: open }, delegate, LATER)).toBe(pulled)
    expect(
      takeReading(pulled, { slot: 120n, state: { ...open, delegated: units(6n) } }, delegate, LATER).chainAllowance,
    ).toBe(6n)
    // Pulls of two subscriptions are booked in any order.
    const both = afterPull(pulled, units(1n), 110n, LATER)
    expect(both).toMatchObject({ chainAllowance: 5n, pulledSlot: 120n })
    expect(takeReading(both, { slot: 115n, state: open }, delegate, LATER)).toBe(both)
  })
})

describe('a reading of the allowance after a loss', () => {
  const known = shown(5n, { accountedSlot: 100n, accountedAllowance: units(5n) })
  const compare = (allowance: bigint, slot: bigint, lostBefore: bigint | null) =>
    accountFor(known, { slot, allowance: units(allowance) }, { inFlight: 0n, lostBefore })

  test('an equal one is searched when it is the first since then, and counts without a search otherwise', () => {
    expect(compare(5n, 101n, 200n)).toEqual({ is: 'unsearched', since: 100n })
    expect(compare(5n, 300n, 101n)).toEqual({ is: 'unsearched', since: 100n })
    expect(compare(5n, 300n, 100n)).toEqual({ is: 'expected' })
    expect(compare(5n, 300n, null)).toEqual({ is: 'expected' })
  })

  test('the one that was just searched counts', () => {
    expect(compare(5n, 100n, 200n)).toEqual({ is: 'expected' })
  })

  test('another one has changed, whatever is lost', () => {
    expect(compare(4n, 101n, 200n)).toEqual({ is: 'changed', since: 100n })
  })
})
