// Made-up payments for a sandbox, so that lists, figures and plots have something to show: a shop that grows, and sells more at
// weekends.
import { makeUsdCents, type UsdCents } from '#core/money/amounts.ts'

export type ExamplePayment = {
  readonly createdAt: Date
  readonly priceUsdCents: UsdCents
  readonly outcome: 'swept' | 'cancelled' | 'refunded' | 'settle_failed'
  /** The place of its asset among those that are allowed, from 0 up to, not including, 1. Half of them are 0. */
  readonly asset: number
  readonly customer: { readonly firstName: string; readonly lastName: string; readonly email: string }
}

const DAY_MS = 86_400_000
/** A month of the example has four weeks, and a year thirteen months. */
export const EXAMPLE_MONTHS = 13
const DAYS = 28
const YEAR_DAYS = DAYS * EXAMPLE_MONTHS

const FIRST_NAMES = ['Ada', 'Alan', 'Grace', 'Linus', 'Margaret', 'Dennis', 'Barbara', 'Donald', 'Radia', 'Edsger']
const LAST_NAMES = ['Berg', 'Costa', 'Dupont', 'Ito', 'Khan', 'Lopez', 'Meyer', 'Novak', 'Okafor', 'Smith']

/** Returns the payments of the month that ended so many months before `now`. `draw` gives a number from 0 up to, not including, 1. */
export function examplePayments(monthsAgo: number, now: Date, draw: () => number): readonly ExamplePayment[] {
  return Array.from({ length: DAYS }, (_, day) => monthsAgo * DAYS + day).flatMap((daysAgo) => {
    const at = now.getTime() - daysAgo * DAY_MS
    const grown = 1 - daysAgo / YEAR_DAYS
    const isWeekend = [0, 6].includes(new Date(at - DAY_MS / 2).getUTCDay())
    const count = Math.round((1 + 3 * grown) * (isWeekend ? 1.7 : 1) * (0.6 + 0.8 * draw()))
    return Array.from({ length: count }, () => ({
      // Not in the last minutes: its window has ended.
      createdAt: new Date(at - Math.round((0.02 + 0.98 * draw()) * DAY_MS)),
      priceUsdCents: makeUsdCents(500 + Math.floor(draw() ** 3 * 25_000 * (1 + grown / 2))),
      outcome: outcomeOf(draw(), daysAgo),
      asset: Math.max(0, 2 * draw() - 1),
      customer: customerOf(draw(), draw()),
    }))
  })
}

/** What needs a person is new. */
function outcomeOf(drawn: number, daysAgo: number): ExamplePayment['outcome'] {
  if (drawn < 0.78) return 'swept'
  if (drawn < 0.95) return 'cancelled'
  return drawn > 0.98 && daysAgo < 7 ? 'settle_failed' : 'refunded'
}

function customerOf(one: number, other: number): ExamplePayment['customer'] {
  const firstName = at(FIRST_NAMES, one)
  const lastName = at(LAST_NAMES, other)
  return { firstName, lastName, email: `${firstName}.${lastName}@example.com`.toLowerCase() }
}

const at = (names: readonly string[], drawn: number): string => names[Math.floor(drawn * names.length)] ?? ''
