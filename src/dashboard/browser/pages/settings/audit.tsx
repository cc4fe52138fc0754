// Who changed what in the business. What is filtered is in the address.
import { useRead } from '#dashboard/browser/data.ts'
import { SettingsMenu } from '#dashboard/browser/pages/settings/menu.tsx'
import { AUDIT_ACTIONS, AuditList } from '#dashboard/browser/parts/audit.tsx'
import { Page } from '#dashboard/browser/parts/basics.tsx'
import { useList } from '#dashboard/browser/parts/lists.tsx'
import { AUDIT_LOG } from '#dashboard/browser/paths.ts'
import { useWords } from '#dashboard/browser/say.tsx'
import { DashboardAuditLogDocument } from '#dashboard/documents.generated.ts'

export function AuditPage() {
  const { say } = useWords()
  const { page, filter, show } = useList(AUDIT_LOG, ['action'])
  const action = AUDIT_ACTIONS.find((one) => one === filter('action')) ?? null
  const { data, fault } = useRead(DashboardAuditLogDocument, { ...page, filter: { action } })
  return (
    <Page title={say('auditLog')}>
      <SettingsMenu />
      <AuditList
        label={say('auditLog')}
        actions={AUDIT_ACTIONS}
        action={action}
        entries={data?.entries ?? null}
        fault={fault}
        show={show}
      />
    </Page>
  )
}
