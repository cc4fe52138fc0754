import fc from 'fast-check'
import { expect, it } from 'vitest'
import { EXAMPLE_MONTHS, examplePayments } from '#core/sandbox/example-payments.ts'

const NOW = new Date('2026-11-30T09:00:00.000Z')
const MONTH_MS = 28 * 86_400_000
const half = () => 0.5

it('a month has payments of its own four weeks only, and none whose window is open', () => {
  fc.assert(
    fc.property(
      fc.nat(EXAMPLE_MONTHS - 1),
      fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })),
      (month, drawn) => {
        const end = NOW.getTime() - month * MONTH_MS
        for (const { createdAt } of examplePayments(month, NOW, () => drawn.next().value ?? 0)) {
          expect(createdAt.getTime()).toBeLessThan(end - 600_000)
          expect(createdAt.getTime()).toBeGreaterThanOrEqual(end - MONTH_MS)
        }
      },
    ),
  )
})

it('a later month has more payments than an early one', () => {
  const count = (month: number) => examplePayments(month, NOW, half).length
  expect(count(0)).toBeGreaterThan(2 * count(EXAMPLE_MONTHS - 1))
})

it('only the last week has payments that need a person', () => {
  const draws = [0.99]
  const failed = [0, 1].map((month) =>
    examplePayments(month, NOW, () => draws[0] ?? 0).filter(({ outcome }) => outcome === 'settle_failed'),
  )
  expect(failed[0]?.length).toBeGreaterThan(0)
  expect(failed[1]).toEqual([])
})
