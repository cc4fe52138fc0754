// What the pages of subscriptions share.
import type { Fault } from '#dashboard/browser/fault.ts'
import { useMe } from '#dashboard/browser/me.ts'
import { Card, Empty, FaultNotice } from '#dashboard/browser/parts/basics.tsx'
import { Tabs } from '#dashboard/browser/parts/tabs.tsx'
import { COUPONS, PRODUCTS, SUBSCRIPTION_FIGURES, SUBSCRIPTIONS } from '#dashboard/browser/paths.ts'
import { useWords, type Words } from '#dashboard/browser/say.tsx'
import type { DashboardSubscriptionFragment, DashboardTierFragment } from '#dashboard/documents.generated.ts'
import { shortened } from '#pay/views/formats.ts'
import { rhythmOf } from '#pay/views/terms.tsx'

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

type Discount = { readonly percentOff: number | null; readonly amountOffUsdCents: number | null }

/** Returns what a coupon takes off, such as `50% off, for 3 charges`. `periods`: for how many charges; null for all. */
export function discountIn(
  { say, formats }: Words,
  { percentOff, amountOffUsdCents, periods }: Discount & { readonly periods: number | null },
): string {
  const off = percentOff === null ? formats.dollars(amountOffUsdCents ?? 0) : formats.percent(percentOff)
  if (periods === null) return say('offAll', { off })
  return periods === 1 ? say('offOne', { off }) : say('offMany', { off, count: formats.number(periods) })
}

export function CatalogueStatus({ status }: Pick<DashboardTierFragment, 'status'>) {
  const { say } = useWords()
  return <span class={`badge ${status === 'active' ? 'good' : 'quiet'}`}>{say(status)}</span>
}

type Token = Pick<DashboardTierFragment, 'ticker' | 'mint' | 'decimals'>

/** Returns base units of the token of a tier, such as `9.00 USDC`. */
export const amountOf = ({ formats }: Words, units: string, token: Token): string =>
  formats.amount(units, { ticker: tickerOf(token), decimals: token.decimals })

type Status = DashboardSubscriptionFragment['status']

const TONES: Readonly<Record<Status, string>> = {
  incomplete: 'waiting',
  trialing: 'good',
  active: 'good',
  renewal_required: 'waiting',
  past_due: 'bad',
  paused: 'waiting',
  canceled: 'quiet',
  revoked: 'bad',
  exhausted: 'quiet',
  failed: 'quiet',
}

export const SUBSCRIPTION_STATUSES: readonly Status[] = [
  'incomplete',
  'trialing',
  'active',
  'renewal_required',
  'past_due',
  'paused',
  'canceled',
  'revoked',
  'exhausted',
  'failed',
]

type Standing = Pick<DashboardSubscriptionFragment, 'status' | 'cancelAtPeriodEnd' | 'currentPeriodEnd'>

/** Whether it is charged when a period begins. */
export const isCharged = ({ status }: Pick<Standing, 'status'>): boolean =>
  status === 'trialing' || status === 'active' || status === 'past_due' || status === 'renewal_required'

export function SubscriptionStatus({ status, cancelAtPeriodEnd, currentPeriodEnd }: Standing) {
  const { say, formats } = useWords()
  const isEnding = cancelAtPeriodEnd && currentPeriodEnd !== null && isCharged({ status })
  return (
    <>
      <span class={`badge ${TONES[status]}`}>{say(status)}</span>
      {isEnding && <span class="hint"> {say('endsOn', { date: formats.date(currentPeriodEnd) })}</span>}
    </>
  )
}

/** Returns what is subscribed to, such as `Coffee · Monthly`. */
export const titleOf = ({ tier }: Pick<DashboardSubscriptionFragment, 'tier'>): string =>
  `${tier.product.name} · ${tier.name}`

const TABS = [
  [SUBSCRIPTIONS, 'subscriptions'],
  [PRODUCTS, 'products'],
  [COUPONS, 'coupons'],
  [SUBSCRIPTION_FIGURES, 'subscriptionFigures'],
] as const

export function BillingTabs() {
  const { say } = useWords()
  return <Tabs label={say('subscriptions')} tabs={TABS.map(([href, label]) => ({ href, label: say(label) }))} />
}
