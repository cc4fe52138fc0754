// The event log of the business, the newest event first: each with the body of its webhook, and how that was delivered.
import { useState } from 'preact/hooks'
import { useRead } from '#dashboard/browser/data.ts'
import { usePermission } from '#dashboard/browser/me.ts'
import { DeveloperLinks, DevelopersMenu } from '#dashboard/browser/pages/developers-menu.tsx'
import { Card, Empty, FaultNotice, JsonCode, Loading, Page, Time } from '#dashboard/browser/parts/basics.tsx'
import { DeliveryList } from '#dashboard/browser/parts/deliveries.tsx'
import { Filter, Pager, useList } from '#dashboard/browser/parts/lists.tsx'
import { EVENTS } from '#dashboard/browser/paths.ts'
import { useWords } from '#dashboard/browser/say.tsx'
import {
  DashboardEventDeliveriesDocument,
  DashboardEventDocument,
  DashboardEventsDocument,
  type DashboardEventsQuery,
} from '#dashboard/documents.generated.ts'

type Event = NonNullable<DashboardEventsQuery['events']>['edges'][number]['node']

export function EventsPage() {
  const { say } = useWords()
  const list = useList(EVENTS, ['type'])
  const type = list.filter('type')
  const { first, last, after, before } = list.page
  // The log begins with the oldest event, and the page with the newest: each direction is the other one there.
  const { data, fault } = useRead(DashboardEventsDocument, {
    type,
    first: last,
    last: first,
    after: before,
    before: after,
  })
  const events = data?.events
  return (
    <Page title={say('events')} actions={<DeveloperLinks />}>
      <DevelopersMenu />
      <search class="filters">
        <Filter
          label={say('eventType')}
          value={type}
          options={(data?.config.webhookEventTypes ?? (type === null ? [] : [type])).map((one) => [one, one])}
          onChoose={(chosen) => list.show({ type: chosen })}
        />
      </search>
      <Card>
        {data === null && fault === null && <Loading />}
        <FaultNotice fault={fault} />
        {events?.edges.length === 0 && <Empty title={say('noEvents')}>{say('noEventsText')}</Empty>}
        {events !== undefined && events.edges.length > 0 && (
          <>
            <ul class="log">
              {events.edges.toReversed().map(({ node }) => (
                <li key={node.id}>
                  <LoggedEvent event={node} />
                </li>
              ))}
            </ul>
            <Pager
              label={say('events')}
              info={{
                hasPreviousPage: events.pageInfo.hasNextPage,
                hasNextPage: events.pageInfo.hasPreviousPage,
                startCursor: events.pageInfo.endCursor,
                endCursor: events.pageInfo.startCursor,
              }}
              show={list.show}
            />
          </>
        )}
      </Card>
    </Page>
  )
}

function LoggedEvent({ event: { id, type, timestamp } }: { event: Event }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <code dir="ltr">{type}</code>{' '}
        <span class="hint">
          <Time iso={timestamp} isExact />
        </span>
      </summary>
      {isOpen && <EventBody id={id} />}
    </details>
  )
}

/** Read when it is opened: a body has a whole payment or subscription. */
function EventBody({ id }: { id: string }) {
  const { say } = useWords()
  const seesDeliveries = usePermission('webhooks-manage')
  const { data, fault } = useRead(DashboardEventDocument, { id })
  const sent = useRead(DashboardEventDeliveriesDocument, { id }, { pause: !seesDeliveries })
  const deliveries = sent.data?.deliveries.edges.map(({ node }) => node) ?? []
  return (
    <>
      {data === null && fault === null && <Loading />}
      <FaultNotice fault={fault ?? sent.fault} />
      {data !== null && <JsonCode name={say('payload')} value={data.event} />}
      <DeliveryList deliveries={deliveries} />
    </>
  )
}
