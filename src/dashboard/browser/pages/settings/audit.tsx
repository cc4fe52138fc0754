// Who changed what in the business. What is filtered is in the address.
import { useRead } from '#dashboard/browser/data.ts'
import { SettingsMenu } from '#dashboard/browser/pages/settings/menu.tsx'
import { AUDIT_ACTIONS, AuditEntries } from '#dashboard/browser/parts/audit.tsx'
import { Card, Empty, FaultNotice, Loading, Page } from '#dashboard/browser/parts/basics.tsx'
import { Filter, Pager, useList } from '#dashboard/browser/parts/lists.tsx'
import { AUDIT_LOG } from '#dashboard/browser/paths.ts'
import { useWords } from '#dashboard/browser/say.tsx'
import { DashboardAuditLogDocument } from '#dashboard/documents.generated.ts'

export function AuditPage() {
  const { say } = useWords()
  const { page, filter, show } = useList(AUDIT_LOG, ['action'])
  const action = AUDIT_ACTIONS.find((one) => one === filter('action')) ?? null
  const { data, fault } = useRead(DashboardAuditLogDocument, { ...page, filter: { action } })
  const entries = data?.entries
  return (
    <Page title={say('auditLog')}>
      <SettingsMenu />
      <search class="filters">
        <Filter
          label={say('what')}
          value={action}
          options={AUDIT_ACTIONS.map((one) => [one, say(`did_${one}`)])}
          onChoose={(chosen) => show({ action: chosen })}
        />
      </search>
      <Card>
        {data === null && fault === null && <Loading />}
        <FaultNotice fault={fault} />
        {entries?.edges.length === 0 && <Empty title={say(action === null ? 'noAuditEntries' : 'noAuditMatch')} />}
        {entries !== undefined && entries.edges.length > 0 && (
          <>
            <AuditEntries label={say('auditLog')} entries={entries.edges.map(({ node }) => node)} />
            <Pager label={say('auditLog')} info={entries.pageInfo} show={show} />
          </>
        )}
      </Card>
    </Page>
  )
}
