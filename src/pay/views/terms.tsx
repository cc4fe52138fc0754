// The price of a tier in words.
import type { PayTierFragment } from '#pay/documents.generated.ts'
import { usePage } from '#pay/views/context.tsx'
import { rhythmOf } from '#pay/views/rhythm.ts'

export function Price({ tier }: { tier: PayTierFragment }) {
  const page = usePage()
  return (
    <p class="price">
      <strong>{page.formats.dollars(tier.priceUsdCents)}</strong> {rhythmOf(page, tier)}
    </p>
  )
}
