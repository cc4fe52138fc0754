// What people agreed on: the terms that a business was shown for a tier, and the consent of each wallet. The rules of
// subscriptions compare the chain with these, and not with the records of the service.

import { Temporal } from 'temporal-polyfill'
import type { SubscriptionStatus } from '#core/billing/subscription.ts'
import type { Interval } from '#core/billing/tier.ts'
import type { Address } from '#core/chain/types.ts'

// The periods of a subscription by the calendar of Temporal, so that a mistake in the service's own arithmetic is noticed.

type Rhythm = { readonly interval: Interval; readonly intervalCount: number }

/** Returns when period `index` begins: that many intervals after the anchor, in UTC. Times are in milliseconds. */
function periodStart(anchor: number, { interval, intervalCount }: Rhythm, index: number): number {
  const from = Temporal.Instant.fromEpochMilliseconds(anchor).toZonedDateTimeISO('UTC')
  const count = index * intervalCount
  const units = { day: { days: count }, week: { weeks: count }, month: { months: count }, year: { years: count } }
  return from.add(units[interval]).epochMilliseconds
}

export type TierTerms = Rhythm & {
  readonly accountId: string
  readonly productId: string
  readonly trialDays: number
  readonly unit: bigint
  readonly periods: number
  readonly payoutOwner: Address
  readonly feeBps: number
  readonly platformWallet: Address | null
}

/** What a business has said about a coupon. Amounts are in cents, which are the base units. */
export type CouponTerms = {
  readonly percentOff: number | null
  readonly amountOff: number
  /** The charges that have the discount; null for all. */
  readonly charges: number | null
  readonly maxUses: number | null
  readonly maxUsesPerWallet: number | null
}

/** The lowest price of a period. */
const LOWEST = 10n

/** Returns what a charge costs of which `paid` others were paid before. */
export function priceOf({ unit }: TierTerms, coupon: CouponTerms | null, paid: number): bigint {
  if (coupon === null || (coupon.charges !== null && paid >= coupon.charges)) return unit
  const off = coupon.percentOff === null ? BigInt(coupon.amountOff) : (unit * BigInt(coupon.percentOff)) / 100n
  return unit - off > LOWEST ? unit - off : LOWEST
}

/** Returns what so many charges cost, after `paid` others. */
export function sumOf(terms: TierTerms, coupon: CouponTerms | null, paid: number, charges: number): bigint {
  let sum = 0n
  for (let nth = 0; nth < charges; nth += 1) sum += priceOf(terms, coupon, paid + nth)
  return sum
}

/** Returns how many charges an amount pays, after `paid` others. */
export function chargesIn(amount: bigint, terms: TierTerms, coupon: CouponTerms | null, paid: number): number {
  let charges = 0
  while (sumOf(terms, coupon, paid, charges + 1) <= amount) charges += 1
  return charges
}

/** A time in which nothing may be charged. `order` counts what is written, because several things have the same time. */
type Stop = {
  readonly from: { readonly order: number; readonly time: number }
  until: { readonly order: number; readonly time: number } | null
}

export type Known = {
  readonly id: string
  readonly wallet: Address
  readonly createdAt: number
  /** When its trial ends; null without one. Its first charge is that of period 1. */
  readonly trialEnd: number | null
  /** Whether the end of the trial was announced, and its first charge. */
  isAnnounced: boolean
  isActivated: boolean
  /** The terms of the next charge. A change of the tier replaces them. */
  terms: TierTerms
  /** The id and the terms of the coupon of its checkout. */
  readonly couponId: string | null
  readonly coupon: CouponTerms | null
  /** How many charges have succeeded. */
  paid: number
  /** In their order. The first begins with the first pull, or with its trial, each other where the one before it was left. */
  readonly calendars: Calendar[]
  /** By period: the terms by which its charge was planned; `unit` is the price with the discount. */
  readonly charged: Map<number, TierTerms>
  status: SubscriptionStatus
  /**
   * Base units that the wallet has agreed to in all. A renewal agrees to the periods of the tier again, beyond what was booked
   * before it.
   */
  granted: bigint
  /** Base units of pulls that the service has booked, and of the charge that is submitted. */
  booked: bigint
  submitted: bigint
  readonly stops: Stop[]
  /** Whether charges are made: its status says so, and it does not end with its period. */
  isCharged: boolean
  /** When charges were planned, and whether their periods had ended by then. */
  readonly planned: { readonly at: number; readonly isMissed: boolean }[]
  /** The failures in a row that a retry may cure, without those of tries before their time. */
  failures: number
  /** The newest failure, and the time of the next try. */
  failed: { readonly at: number; readonly code: string | null; readonly nextAt: number } | null
  /** The time of the next try, while one that was asked for comes before it. */
  triedBefore: number | null
  /** The first failure of the newest charge. */
  failingSince: number | null
  pastDueSince: number | null
}

/** A rhythm from a period on. */
type Calendar = {
  readonly rhythm: Rhythm
  readonly from: number
  /** When that period begins; null for the first without a trial, which begins with the first pull. */
  readonly anchor: number | null
}

/** Returns when a period begins; null before the first pull, whose time is `first`. Times are in milliseconds. */
export function beginOf({ calendars }: Pick<Known, 'calendars'>, first: number | null, period: number): number | null {
  const calendar = calendars.findLast(({ from }) => from <= period)
  const anchor = calendar?.anchor ?? first
  return calendar === undefined || anchor === null ? null : periodStart(anchor, calendar.rhythm, period - calendar.from)
}

/** Returns the index of the period that contains the time; 0 before the first pull. */
export function periodAt(own: Pick<Known, 'calendars'>, first: number | null, time: number): number {
  let index = 0
  for (let next = beginOf(own, first, 1); next !== null && next <= time; next = beginOf(own, first, index + 1))
    index += 1
  return index
}

/** What the wallet has agreed to and the service has not booked yet, in base units. */
export const remaining = ({ granted, booked }: Pick<Known, 'granted' | 'booked'>): bigint => granted - booked

/** What a person did, by the subscription or the wallet, with the time. */
export type Acts = {
  note(id: string): void
  /** Returns whether a person has acted on it, since then. */
  since(id: string, time: number): boolean
}

export function createActs(now: () => number): Acts {
  const times = new Map<string, number>()
  return {
    note: (id) => void times.set(id, now()),
    since: (id, time) => (times.get(id) ?? Number.NEGATIVE_INFINITY) >= time,
  }
}
