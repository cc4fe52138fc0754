// What the pages of subscriptions share.
import type { Fault } from '#dashboard/browser/fault.ts'
import { useMe } from '#dashboard/browser/me.ts'
import { Card, Empty, FaultNotice } from '#dashboard/browser/parts/basics.tsx'
import { useWords, type Words } from '#dashboard/browser/say.tsx'
import type { DashboardTierFragment } from '#dashboard/documents.generated.ts'
import { shortened } from '#pay/views/formats.ts'
import { rhythmOf } from '#pay/views/rhythm.ts'

/** Says why a page of subscriptions cannot be read. */
export function BillingFault({ fault }: { fault: Fault | null }) {
  const { say } = useWords()
  const { business } = useMe()
  if (fault?.code !== 'subscription_service_unavailable') return <FaultNotice fault={fault} />
  return (
    <Card>
      <Empty title={say('billingOff')}>{say(business.mode === 'test' ? 'billingOffInTest' : 'billingOffHere')}</Empty>
    </Card>
  )
}

/** Returns a price such as `$9.00 every month, in USDC`. */
export const priceOf = (words: Words, tier: DashboardTierFragment): string =>
  words.say('tierPrice', {
    price: words.formats.dollars(tier.priceUsdCents),
    rhythm: rhythmOf(words, tier),
    token: tickerOf(tier),
  })

export const tickerOf = ({ ticker, mint }: Pick<DashboardTierFragment, 'ticker' | 'mint'>): string =>
  ticker ?? shortened(mint)

/** Returns what a wallet allows at a checkout, such as `$108.00, for 12 charges`. */
export function allowanceOf({ say, formats }: Words, tier: DashboardTierFragment): string {
  const total = formats.dollars(tier.totalAuthorizationUsdCents)
  const { authorizationPeriods: count } = tier
  return count === 1 ? say('allowsOne', { total }) : say('allowsMany', { total, count: formats.number(count) })
}

export function CatalogueStatus({ status }: Pick<DashboardTierFragment, 'status'>) {
  const { say } = useWords()
  return <span class={`badge ${status === 'active' ? 'good' : 'quiet'}`}>{say(status)}</span>
}
