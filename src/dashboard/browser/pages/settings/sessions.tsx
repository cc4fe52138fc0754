// Where the member who reads is logged in.
import { useChange, useRead } from '#dashboard/browser/data.ts'
import { useMe } from '#dashboard/browser/me.ts'
import { Button, Card, FaultNotice, Table, Time } from '#dashboard/browser/parts/basics.tsx'
import { useWords } from '#dashboard/browser/say.tsx'
import { DashboardEndSessionDocument, DashboardSessionsDocument } from '#dashboard/documents.generated.ts'

export function Sessions() {
  const { say } = useWords()
  const { member } = useMe()
  const { data } = useRead(DashboardSessionsDocument, {})
  const end = useChange(DashboardEndSessionDocument)
  const own = data?.sessions.filter(({ memberId }) => memberId === member.id)
  if (data === null || own === undefined) return null
  const here = data.me.session.id
  return (
    <Card id="sessions" title={say('yourSessions')}>
      <Table
        label={say('yourSessions')}
        rows={own}
        keyOf={({ id }) => id}
        columns={[
          {
            label: say('browser'),
            cell: ({ userAgent }) => (
              <bdi class="cut" title={userAgent}>
                {userAgent}
              </bdi>
            ),
          },
          { label: say('network'), cell: ({ ip }) => <code dir="ltr">{ip}</code> },
          { label: say('lastUsed'), cell: ({ lastSeenAt }) => <Time iso={lastSeenAt} /> },
          {
            label: say('actions'),
            kind: 'actions',
            cell: ({ id }) =>
              id === here ? (
                say('thisSession')
              ) : (
                <Button onPress={() => void end.run({ id })}>{say('endSession')}</Button>
              ),
          },
        ]}
      />
      <FaultNotice fault={end.fault} />
    </Card>
  )
}
