// The price of a tier in words.
import type { PayTierFragment } from '#pay/documents.generated.ts'
import { usePage } from './context.tsx'
import type { Formats } from './formats.ts'

// How often a tier is charged, in words. The pages and the dashboard say it in the same way.

const EACH = { day: 'everyDay', week: 'everyWeek', month: 'everyMonth', year: 'everyYear' } as const

type Interval = keyof typeof EACH

type Words = {
  say(key: (typeof EACH)[Interval] | 'every', values?: Readonly<Record<string, string>>): string
  readonly formats: Pick<Formats, 'duration'>
}

/** Returns a text such as `every month`, or `every 3 months`. */
export const rhythmOf = (
  { say, formats }: Words,
  { interval, intervalCount }: { readonly interval: Interval; readonly intervalCount: number },
): string =>
  intervalCount === 1 ? say(EACH[interval]) : say('every', { duration: formats.duration(intervalCount, interval) })

type Trial = { readonly trialDays: number; readonly trialEndsAt: string | null }

/** `trial`: what is free before the price is charged. */
export function Price({ tier, trial }: { tier: PayTierFragment; trial?: Trial }) {
  const page = usePage()
  const { say, formats } = page
  if (trial !== undefined && trial.trialEndsAt !== null) {
    const price = { price: formats.dollars(tier.priceUsdCents), rhythm: rhythmOf(page, tier) }
    return (
      <>
        <p class="price">
          <strong>{say('daysFree', { duration: formats.duration(trial.trialDays, 'day') })}</strong>
        </p>
        <p class="hint">{say('thenPrice', { ...price, date: formats.date(trial.trialEndsAt) })}</p>
      </>
    )
  }
  return (
    <p class="price">
      <strong>{page.formats.dollars(tier.priceUsdCents)}</strong> {rhythmOf(page, tier)}
    </p>
  )
}
