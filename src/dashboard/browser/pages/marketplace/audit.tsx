// Who changed what of the marketplace and its sellers.
import { useRead } from '#dashboard/browser/data.ts'
import { MarketplaceFrame } from '#dashboard/browser/pages/marketplace/frame.tsx'
import { AuditList, MARKETPLACE_ACTIONS } from '#dashboard/browser/parts/audit.tsx'
import { useList } from '#dashboard/browser/parts/lists.tsx'
import { MARKETPLACE_AUDIT } from '#dashboard/browser/paths.ts'
import { useWords } from '#dashboard/browser/say.tsx'
import { DashboardMarketplaceAuditDocument } from '#dashboard/documents.generated.ts'

export const MarketplaceAuditPage = () => <MarketplaceFrame>{() => <Trail />}</MarketplaceFrame>

function Trail() {
  const { say } = useWords()
  const list = useList(MARKETPLACE_AUDIT, ['action', 'seller'])
  const action = MARKETPLACE_ACTIONS.find((one) => one === list.filter('action')) ?? null
  const filter = { action, sellerId: list.filter('seller') }
  const { data, fault } = useRead(DashboardMarketplaceAuditDocument, { ...list.page, filter })
  return (
    <AuditList
      label={say('auditTrail')}
      actions={MARKETPLACE_ACTIONS}
      action={action}
      entries={data?.entries ?? null}
      fault={fault}
      show={list.show}
    />
  )
}
