// The price of a tier in words.
import type { PayTierFragment } from '#pay/documents.generated.ts'
import type { TextKey } from '#pay/texts/texts.ts'
import { type Page, usePage } from '#pay/views/context.tsx'

const EACH: Readonly<Record<PayTierFragment['interval'], TextKey>> = {
  day: 'everyDay',
  week: 'everyWeek',
  month: 'everyMonth',
  year: 'everyYear',
}

/** Returns a text such as `every month`, or `every 3 months`. */
export const rhythmOf = ({ say, formats }: Page, { interval, intervalCount }: PayTierFragment): string =>
  intervalCount === 1 ? say(EACH[interval]) : say('every', { duration: formats.duration(intervalCount, interval) })

export function Price({ tier }: { tier: PayTierFragment }) {
  const page = usePage()
  return (
    <p class="price">
      <strong>{page.formats.dollars(tier.priceUsdCents)}</strong> {rhythmOf(page, tier)}
    </p>
  )
}
