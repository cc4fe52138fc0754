// The requests with the API keys of the business, the newest first.
import { useEffect } from 'preact/hooks'
import { readAgain } from '#dashboard/browser/client.ts'
import { useRead } from '#dashboard/browser/data.ts'
import { usePermission } from '#dashboard/browser/me.ts'
import { DeveloperLinks, DevelopersMenu } from '#dashboard/browser/pages/developers-menu.tsx'
import { Card, Copyable, Empty, FaultNotice, Loading, Page, Table, Time } from '#dashboard/browser/parts/basics.tsx'
import { Filter, Pager, useList } from '#dashboard/browser/parts/lists.tsx'
import { REQUESTS } from '#dashboard/browser/paths.ts'
import { useWords } from '#dashboard/browser/say.tsx'
import { DashboardRequestsDocument } from '#dashboard/documents.generated.ts'

const RESULTS = ['done', 'refused'] as const

/** A request is no event of the business, so the page asks for newer ones by itself. */
const AGAIN_MS = 3_000

export function RequestsPage() {
  const { say } = useWords()
  const mayRead = usePermission('keys-manage')
  const list = useList(REQUESTS, ['result'])
  const result = RESULTS.find((one) => one === list.filter('result')) ?? null
  const filter = { isRefused: result === null ? null : result === 'refused' }
  const { data, fault } = useRead(DashboardRequestsDocument, { ...list.page, filter }, { pause: !mayRead })
  useEffect(() => {
    const timer = setInterval(readAgain, AGAIN_MS)
    return () => clearInterval(timer)
  }, [])
  const requests = data?.requests
  return (
    <Page title={say('requests')} actions={<DeveloperLinks />}>
      <DevelopersMenu />
      <search class="filters">
        <Filter
          label={say('result')}
          value={result}
          options={RESULTS.map((one) => [one, say(`request_${one}`)])}
          onChoose={(chosen) => list.show({ result: chosen })}
        />
      </search>
      <Card>
        {!mayRead && <p>{say('forbidden')}</p>}
        {mayRead && data === null && fault === null && <Loading />}
        <FaultNotice fault={fault} />
        {requests?.edges.length === 0 && <Empty title={say('noRequests')}>{say('noRequestsText')}</Empty>}
        {requests !== undefined && requests.edges.length > 0 && (
          <>
            <Table
              label={say('requests')}
              rows={requests.edges.map(({ node }) => node)}
              keyOf={({ uuid }) => uuid}
              columns={[
                { label: say('time'), cell: ({ createdAt }) => <Time iso={createdAt} isExact /> },
                {
                  label: say('request'),
                  cell: ({ method, route }) => (
                    <code dir="ltr">
                      {method} {route}
                    </code>
                  ),
                },
                {
                  label: say('result'),
                  cell: ({ status, errorCode }) => (
                    <>
                      <span class={`badge ${errorCode === null ? 'good' : 'bad'}`}>{status}</span>{' '}
                      {errorCode !== null && <code dir="ltr">{errorCode}</code>}
                    </>
                  ),
                },
                { label: say('key'), cell: ({ keyHint }) => <code dir="ltr" class="short">{`…${keyHint}`}</code> },
                {
                  label: say('requestId'),
                  cell: ({ requestId }) => <Copyable text={requestId} isLong={requestId.length > 16} />,
                },
              ]}
            />
            <Pager label={say('requests')} info={requests.pageInfo} show={list.show} />
          </>
        )}
      </Card>
    </Page>
  )
}
