// What the pages of a marketplace have in common. A business that is none finds there how to become one.
import type { ComponentChildren } from 'preact'
import { useRead } from '#dashboard/browser/data.ts'
import { Apply } from '#dashboard/browser/pages/marketplace/apply.tsx'
import { FaultNotice, Loading, Page } from '#dashboard/browser/parts/basics.tsx'
import { type Tab, Tabs } from '#dashboard/browser/parts/tabs.tsx'
import { MARKETPLACE, MARKETPLACE_AUDIT, MARKETPLACE_FIGURES, MARKETPLACE_TERMS } from '#dashboard/browser/paths.ts'
import { useWords, type Words } from '#dashboard/browser/say.tsx'
import { DashboardMarketplaceDocument, type DashboardMarketplaceFragment } from '#dashboard/documents.generated.ts'

type FrameProps = {
  /** That of a page within; the marketplace's own when left out. */
  readonly title?: string
  readonly actions?: ComponentChildren
  /** What is shown to a marketplace. */
  children(marketplace: DashboardMarketplaceFragment): ComponentChildren
}

export function MarketplaceFrame({ title, actions, children }: FrameProps) {
  const words = useWords()
  const { say } = words
  const { data, fault } = useRead(DashboardMarketplaceDocument, {})
  if (fault?.code === 'marketplace_not_found')
    return (
      <Page title={say('marketplacePage')}>
        <Apply />
      </Page>
    )
  return (
    <Page title={title ?? say('marketplacePage')} actions={data?.marketplace.status === 'active' && actions}>
      <Tabs label={say('marketplacePage')} tabs={tabsIn(words)} />
      {data === null && fault === null && <Loading />}
      <FaultNotice fault={fault} />
      {data?.marketplace.status === 'disabled' && <p class="notice quiet">{say('marketplaceRevoked')}</p>}
      {data !== null && children(data.marketplace)}
    </Page>
  )
}

const tabsIn = ({ say }: Words): readonly Tab[] => [
  { href: MARKETPLACE, label: say('sellers') },
  { href: MARKETPLACE_FIGURES, label: say('marketplaceFigures') },
  { href: MARKETPLACE_TERMS, label: say('split') },
  { href: MARKETPLACE_AUDIT, label: say('auditTrail') },
]
