// The business itself: where its money goes, how buyers see it, who works for it.
import { useEffect } from 'preact/hooks'
import { useRead } from '#dashboard/browser/data.ts'
import { usePermission } from '#dashboard/browser/me.ts'
import { Brand } from '#dashboard/browser/pages/settings/brand.tsx'
import { Defaults } from '#dashboard/browser/pages/settings/defaults.tsx'
import { Domains } from '#dashboard/browser/pages/settings/domains.tsx'
import { Members } from '#dashboard/browser/pages/settings/members.tsx'
import { SettingsMenu } from '#dashboard/browser/pages/settings/menu.tsx'
import { PayoutWallet } from '#dashboard/browser/pages/settings/payout-wallet.tsx'
import { Sessions } from '#dashboard/browser/pages/settings/sessions.tsx'
import { FaultNotice, Loading, Page } from '#dashboard/browser/parts/basics.tsx'
import { useWords } from '#dashboard/browser/say.tsx'
import { DashboardBusinessDocument } from '#dashboard/documents.generated.ts'

export function SettingsPage() {
  const { say } = useWords()
  const { data, fault } = useRead(DashboardBusinessDocument, {})
  const maySet = usePermission('settings-manage')
  const seesDomains = usePermission('subscriptions-view')
  const seesMembers = usePermission('members-view')
  useAnchor()
  return (
    <Page title={say('settings')}>
      <SettingsMenu />
      {data === null && fault === null && <Loading />}
      <FaultNotice fault={fault} />
      {data !== null && (
        <>
          <PayoutWallet business={data.business} />
          {maySet && <Brand business={data.business} />}
          {maySet && <Defaults business={data.business} />}
        </>
      )}
      {seesDomains && <Domains />}
      {seesMembers && <Members />}
      <Sessions />
    </Page>
  )
}

/** What a person does with a page. */
const TOUCHES = ['wheel', 'keydown', 'pointerdown', 'touchmove'] as const

/** Keeps the section that the address names in sight while the page is filled, until the person moves on. */
function useAnchor(): void {
  useEffect(() => {
    const id = location.hash.slice(1)
    if (id === '') return
    const observer = new ResizeObserver(() => document.getElementById(id)?.scrollIntoView())
    observer.observe(document.body)
    const end = () => observer.disconnect()
    for (const touch of TOUCHES) addEventListener(touch, end, { once: true, passive: true })
    return end
  }, [])
}
