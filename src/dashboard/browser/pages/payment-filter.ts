// What the list of payments shows: read from the address, written into it, and asked for.
import type { DashboardPaymentFragment } from '#dashboard/documents.generated.ts'

export type Status = DashboardPaymentFragment['status']

export const STATUSES: readonly Status[] = [
  'pending',
  'underpaid',
  'paid',
  'overpaid',
  'settling',
  'swept',
  'refunding',
  'refunded',
  'cancelled',
  'settle_failed',
  'refund_failed',
]

/** The days before today that a quick choice has. */
const DAYS_BEFORE = { today: 0, days7: 6, days30: 29, days90: 89 } as const

/** The quick choices: today, and some days before it. */
export const RECENT = ['today', 'days7', 'days30', 'days90'] as const
export const PERIODS = [...RECENT, 'chosenDays'] as const
export type Period = (typeof PERIODS)[number]

export type PaymentFilter = {
  readonly search: string
  readonly status: Status | null
  readonly period: Period | null
  /** Days of the reader such as `2026-11-20`, both included. They count for `chosenDays` only. Empty for no bound. */
  readonly from: string
  readonly to: string
  /** The id of a seller. */
  readonly seller: string
  /** As the API names it. */
  readonly asset: string
  /** A key and its value, such as `order=A-17`. */
  readonly metadata: string
}

/** What a person has changed, as it is written into the address. */
export type FilterChange = Readonly<Partial<Record<keyof PaymentFilter, string>>>

type Query = Readonly<Record<string, string | undefined>>

/** Reads the filter of an address. What it does not know is left out. */
export function filterOf({
  search = '',
  status,
  period,
  from = '',
  to = '',
  seller = '',
  asset = '',
  metadata = '',
}: Query): PaymentFilter {
  return {
    search,
    status: STATUSES.find((one) => one === status) ?? null,
    period: PERIODS.find((one) => one === period) ?? null,
    from: isDay(from) ? from : '',
    to: isDay(to) ? to : '',
    seller,
    asset,
    metadata,
  }
}

const isDay = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(startOf(text).getTime())

/** Returns the query of an address, without what is empty. */
export function queryOf(filter: Readonly<Record<string, string | null>>): string {
  const given = Object.entries(filter).flatMap(([name, value]) => (value ? [[name, value]] : []))
  return new URLSearchParams(given).toString()
}

export const isFiltered = (filter: PaymentFilter): boolean => queryOf(filter) !== ''

type Range = { readonly from: string | null; readonly to: string | null }

/** What the API finds. */
export type Asked = Range & {
  readonly search: string | null
  readonly status: Status[] | null
  readonly asset: string | null
  readonly metadata: Readonly<Record<string, string>> | null
}

export function askedOf(filter: PaymentFilter, now: Date): Asked {
  const { search, status, asset, metadata } = filter
  const [key, ...value] = metadata.split('=')
  return {
    ...rangeOf(filter, now),
    search: search === '' ? null : search,
    status: status === null ? null : [status],
    asset: asset === '' ? null : asset,
    metadata: key && value.length > 0 ? { [key.trim()]: value.join('=').trim() } : null,
  }
}

/** Returns the parameters by which an export has the same payments. */
export function exportQueryOf(filter: PaymentFilter, now: Date): URLSearchParams {
  const { from, to, search, status, asset, metadata } = askedOf(filter, now)
  const given = { from, to, search, asset, status: status?.join(',') ?? null, seller_id: filter.seller }
  const entries = Object.entries(metadata ?? {}).map(([key, value]) => [`metadata[${key}]`, value])
  return new URLSearchParams([
    ...Object.entries(given).flatMap(([name, value]) => (value ? [[name, value]] : [])),
    ...entries,
  ])
}

/** Days begin where the reader is. */
export function rangeOf({ period, from, to }: Pick<PaymentFilter, 'period' | 'from' | 'to'>, now: Date): Range {
  if (period === null) return { from: null, to: null }
  if (period === 'chosenDays')
    return {
      from: from === '' ? null : startOf(from).toISOString(),
      to: to === '' ? null : later(startOf(to), 1).toISOString(),
    }
  const today = new Date(now.getFullYear(), now.getMonth(), now.getDate())
  return { from: later(today, -DAYS_BEFORE[period]).toISOString(), to: null }
}

const startOf = (day: string): Date => new Date(`${day}T00:00`)

const later = (date: Date, days: number): Date => new Date(date.getFullYear(), date.getMonth(), date.getDate() + days)
