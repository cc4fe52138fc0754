// The refunds that the business makes of its payments and charges.
import { now } from '#dashboard/browser/clock.ts'
import { useRead } from '#dashboard/browser/data.ts'
import { RECENT, rangeOf } from '#dashboard/browser/pages/payment-filter.ts'
import { Button, Card, Empty, FaultNotice, Loading, Page } from '#dashboard/browser/parts/basics.tsx'
import { Filter, Pager, Search, useList } from '#dashboard/browser/parts/lists.tsx'
import { PaymentTabs } from '#dashboard/browser/parts/payment-tabs.tsx'
import { REFUND_STATUSES, RefundTable, useLiveRefunds } from '#dashboard/browser/parts/refunds.tsx'
import { REFUNDS } from '#dashboard/browser/paths.ts'
import { useWords } from '#dashboard/browser/say.tsx'
import { DashboardRefundsDocument } from '#dashboard/documents.generated.ts'

export function RefundsPage() {
  const { say } = useWords()
  const list = useList(REFUNDS, ['status', 'period', 'reference'])
  const status = REFUND_STATUSES.find((one) => one === list.filter('status')) ?? null
  const period = RECENT.find((one) => one === list.filter('period')) ?? null
  const reference = list.filter('reference')
  const made = rangeOf({ period, from: '', to: '' }, now())
  const filter = { ...made, status: status === null ? null : [status], reference }
  const { data, fault } = useRead(DashboardRefundsDocument, { ...list.page, filter })
  const refunds = data?.refunds.edges.map(({ node }) => node) ?? []
  useLiveRefunds(refunds)
  return (
    <Page title={say('refunds')}>
      <PaymentTabs />
      <search class="filters">
        <Search label={say('searchRefunds')} text={reference} onSearch={(text) => list.show({ reference: text })} />
        <Filter
          label={say('status')}
          value={status}
          options={REFUND_STATUSES.map((one) => [one, say(`refundIs_${one}`)])}
          onChoose={(chosen) => list.show({ status: chosen })}
        />
        <Filter
          label={say('createdWhen')}
          value={period}
          options={RECENT.map((one) => [one, say(one)])}
          onChoose={(chosen) => list.show({ period: chosen })}
        />
      </search>
      <Card>
        {data === null && fault === null && <Loading />}
        <FaultNotice fault={fault} />
        {data?.refunds.edges.length === 0 &&
          (list.isFiltered ? (
            <Empty title={say('noRefundMatch')}>
              <Button onPress={() => list.show({ status: null, period: null, reference: null })}>
                {say('clearFilters')}
              </Button>
            </Empty>
          ) : (
            <Empty title={say('noRefunds')}>{say('noRefundsText')}</Empty>
          ))}
        {data !== null && refunds.length > 0 && (
          <>
            <RefundTable label={say('refunds')} refunds={refunds} namesSubject />
            <Pager label={say('refunds')} info={data.refunds.pageInfo} show={list.show} />
          </>
        )}
      </Card>
    </Page>
  )
}
