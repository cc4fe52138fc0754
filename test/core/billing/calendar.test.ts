// The calendar of a subscription, compared with the calendar of Temporal.
import fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'
import { describe, expect, test } from 'vitest'
import { type Calendar, costsMorePerDay, periodAt, periodOf, type Rate } from '#core/billing/calendar.ts'
import { INTERVAL_LIMITS, INTERVALS, type Interval } from '#core/billing/tier.ts'

const monthly = (anchor: string): Calendar => ({
  anchor: new Date(anchor),
  anchorPeriod: 0,
  interval: 'month',
  intervalCount: 1,
})
const startOf = (calendar: Calendar, index: number): string => periodOf(calendar, index).start.toISOString()

const interval = fc.constantFrom(...INTERVALS)
const anchor = fc.date({
  min: new Date('2020-01-01T00:00:00Z'),
  max: new Date('2060-12-31T23:59:59.999Z'),
  noInvalidDate: true,
})
const calendars = fc
  .record({ anchor, interval, fraction: fc.double({ min: 0, max: 1, noNaN: true }), anchorPeriod: fc.nat(40) })
  .map(({ fraction, ...rest }): Calendar => {
    const intervalCount = 1 + Math.floor(fraction * (INTERVAL_LIMITS[rest.interval] - 1))
    return { ...rest, intervalCount }
  })

const UNIT = { day: 'days', week: 'weeks', month: 'months', year: 'years' } as const satisfies Record<Interval, string>

/** The oracle: one addition to the anchor in UTC. */
function expectedStart({ anchor: from, anchorPeriod, interval: unit, intervalCount }: Calendar, index: number): number {
  const zoned = Temporal.Instant.fromEpochMilliseconds(from.getTime()).toZonedDateTimeISO('UTC')
  return zoned.add({ [UNIT[unit]]: (index - anchorPeriod) * intervalCount }, { overflow: 'constrain' })
    .epochMilliseconds
}

describe('periods', () => {
  test('a month after 31 January ends on the last day of February, and the next on 31 March', () => {
    const calendar = monthly('2027-01-31T10:00:00.000Z')
    expect([0, 1, 2, 3].map((index) => startOf(calendar, index))).toEqual([
      '2027-01-31T10:00:00.000Z',
      '2027-02-28T10:00:00.000Z',
      '2027-03-31T10:00:00.000Z',
      '2027-04-30T10:00:00.000Z',
    ])
  })

  test('a month after 31 January is 29 February in a leap year', () => {
    expect(startOf(monthly('2028-01-31T10:00:00.000Z'), 1)).toBe('2028-02-29T10:00:00.000Z')
  })

  test('a year after 29 February is 28 February, and the fourth is 29 February again', () => {
    const yearly: Calendar = { ...monthly('2028-02-29T23:59:59.999Z'), interval: 'year' }
    expect([1, 2, 3, 4].map((index) => startOf(yearly, index).slice(0, 10))).toEqual([
      '2029-02-28',
      '2030-02-28',
      '2031-02-28',
      '2032-02-29',
    ])
  })

  test('a new calendar counts its periods from the period at its anchor', () => {
    const calendar = { ...monthly('2027-05-31T00:00:00.000Z'), anchorPeriod: 7 }
    expect(startOf(calendar, 7)).toBe('2027-05-31T00:00:00.000Z')
    expect(startOf(calendar, 8)).toBe('2027-06-30T00:00:00.000Z')
    expect(() => periodOf(calendar, 6)).toThrow(RangeError)
  })

  test('every period begins where calendar arithmetic from the anchor says', () => {
    fc.assert(
      fc.property(calendars, fc.nat(600), (calendar, later) => {
        const index = calendar.anchorPeriod + later
        expect(periodOf(calendar, index).start.getTime()).toBe(expectedStart(calendar, index))
        expect(periodOf(calendar, index).end).toEqual(periodOf(calendar, index + 1).start)
      }),
    )
  })

  test('the period at an instant contains the instant: its start belongs to it, its end does not', () => {
    fc.assert(
      fc.property(calendars, fc.nat(30 * 366 * 86_400), (calendar, seconds) => {
        const at = new Date(calendar.anchor.getTime() + seconds * 1_000)
        const { index, start, end } = periodAt(calendar, at)
        expect(start <= at && at < end).toBe(true)
        expect(periodAt(calendar, start).index).toBe(index)
        expect(periodAt(calendar, end).index).toBe(index + 1)
        expect(periodAt(calendar, new Date(end.getTime() - 1)).index).toBe(index)
      }),
    )
  })
})

describe('the price for each day', () => {
  const rate = (unitAmount: bigint, unit: Interval, intervalCount = 1): Rate => ({
    unitAmount,
    interval: unit,
    intervalCount,
  })

  test.each([
    // A day is 1 day, a week 7, a month 30.4375, a year 365.25.
    [rate(7n, 'week'), rate(1n, 'day'), false],
    [rate(8n, 'week'), rate(1n, 'day'), true],
    [rate(304_375n, 'month'), rate(10_000n, 'day'), false],
    [rate(304_376n, 'month'), rate(10_000n, 'day'), true],
    [rate(36_525n, 'year'), rate(100n, 'day'), false],
    [rate(36_526n, 'year'), rate(100n, 'day'), true],
    [rate(12n, 'year'), rate(1n, 'month'), false],
    [rate(13n, 'year'), rate(1n, 'month'), true],
    [rate(3n, 'month', 3), rate(1n, 'month'), false],
    [rate(4n, 'month', 3), rate(1n, 'month'), true],
  ])('%o costs more than %o: %s', (next, present, isMore) => {
    expect(costsMorePerDay(next, present)).toBe(isMore)
  })

  test('of two rates at most one costs more, and a rate never costs more than itself', () => {
    const rates = fc.record({
      unitAmount: fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }),
      interval,
      intervalCount: fc.integer({ min: 1, max: 365 }),
    })
    fc.assert(
      fc.property(rates, rates, (a, b) => {
        expect(costsMorePerDay(a, b) && costsMorePerDay(b, a)).toBe(false)
        expect(costsMorePerDay(a, a)).toBe(false)
      }),
    )
  })
})
