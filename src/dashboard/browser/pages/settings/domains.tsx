// The hosts to which buyers may return from their page, and whose pages may embed it.
import { useState } from 'preact/hooks'
import { useChange, useRead } from '#dashboard/browser/data.ts'
import { usePermission } from '#dashboard/browser/me.ts'
import { Button, Card, Empty, FaultNotice, Loading, Table, Time } from '#dashboard/browser/parts/basics.tsx'
import { Confirm, Field, Form } from '#dashboard/browser/parts/forms.tsx'
import { Pager, useList } from '#dashboard/browser/parts/lists.tsx'
import { SETTINGS } from '#dashboard/browser/paths.ts'
import { useWords } from '#dashboard/browser/say.tsx'
import {
  DashboardAddDomainDocument,
  DashboardDomainsDocument,
  type DashboardDomainsQuery,
  DashboardRemoveDomainDocument,
} from '#dashboard/documents.generated.ts'

type Domain = NonNullable<DashboardDomainsQuery['domains']>['edges'][number]['node']

export function Domains() {
  const { say } = useWords()
  const mayManage = usePermission('subscriptions-manage')
  const { page, show } = useList(SETTINGS, [])
  const { data, fault } = useRead(DashboardDomainsDocument, page)
  const domains = data?.domains
  return (
    <Card id="domains" title={say('domains')}>
      <p class="hint">{say('domainsText')}</p>
      {data === null && fault === null && <Loading />}
      <FaultNotice fault={fault} />
      {domains?.edges.length === 0 && <Empty title={say('noDomains')} />}
      {domains !== undefined && domains.edges.length > 0 && (
        <>
          <Table
            label={say('domains')}
            rows={domains.edges.map(({ node }) => node)}
            keyOf={({ uuid }) => uuid}
            columns={[
              { label: say('domain'), cell: ({ host }) => <bdi>{host}</bdi> },
              { label: say('created'), cell: ({ createdAt }) => <Time iso={createdAt} /> },
              ...(mayManage
                ? [
                    {
                      label: say('actions'),
                      kind: 'actions' as const,
                      cell: ({ uuid, host }: Domain) => <RemoveDomain id={uuid} host={host} />,
                    },
                  ]
                : []),
            ]}
          />
          <Pager label={say('domains')} show={show} info={domains.pageInfo} />
        </>
      )}
      {mayManage && data !== null && <AddDomain />}
    </Card>
  )
}

function AddDomain() {
  const { say } = useWords()
  const [isOpen, setOpen] = useState(false)
  const add = useChange(DashboardAddDomainDocument)
  if (!isOpen)
    return (
      <div class="actions">
        <Button onPress={() => setOpen(true)}>{say('addDomain')}</Button>
      </div>
    )
  return (
    <Form
      submit={say('addDomain')}
      isBusy={add.isBusy}
      fault={add.fault}
      onSubmit={async ({ text }) => {
        if ((await add.run({ host: text('host') ?? '' })) !== null) setOpen(false)
      }}
      onCancel={() => setOpen(false)}
    >
      <Field label={say('domain')} name="host" isRequired inputMode="url" hint={say('domainHint')} />
    </Form>
  )
}

function RemoveDomain({ id, host }: { id: string; host: string }) {
  const { say } = useWords()
  const remove = useChange(DashboardRemoveDomainDocument)
  return (
    <Confirm
      label={say('remove')}
      question={say('removeDomainQuestion', { host })}
      isBusy={remove.isBusy}
      fault={remove.fault}
      onConfirm={() => remove.run({ id })}
    />
  )
}
