// The list of payments. Its filter is in the address, so that it can be shared, kept and gone back to.
import { useLocation } from 'preact-iso/router'
import { now } from '#dashboard/browser/clock.ts'
import { useRead } from '#dashboard/browser/data.ts'
import { usePermission } from '#dashboard/browser/me.ts'
import {
  askedOf,
  exportQueryOf,
  type FilterChange,
  filterOf,
  isFiltered,
  type PaymentFilter,
  queryOf,
} from '#dashboard/browser/pages/payment-filter.ts'
import { PaymentFilters } from '#dashboard/browser/pages/payment-filters.tsx'
import { SavedViews } from '#dashboard/browser/pages/payment-views.tsx'
import { Button, Card, Empty, FaultNotice, Loading, Page } from '#dashboard/browser/parts/basics.tsx'
import { Export } from '#dashboard/browser/parts/export.tsx'
import { Pager } from '#dashboard/browser/parts/lists.tsx'
import { PaymentTabs } from '#dashboard/browser/parts/payment-tabs.tsx'
import { PaymentTable } from '#dashboard/browser/parts/payments.tsx'
import { NEW_PAYMENT, PAYMENTS } from '#dashboard/browser/paths.ts'
import { useWords } from '#dashboard/browser/say.tsx'
import { DashboardPaymentsDocument, DashboardSellerPaymentsDocument } from '#dashboard/documents.generated.ts'

const PAGE_SIZE = 25

type Place = { readonly after: string | null; readonly before: string | null }

/** Reads a page: the payments for a seller are a list of their own. */
function usePayments(filter: PaymentFilter, { after, before }: Place) {
  const size = before === null ? { first: PAGE_SIZE, last: null } : { first: null, last: PAGE_SIZE }
  const page = { ...size, after, before }
  const asked = askedOf(filter, now())
  const isForSeller = filter.seller !== ''
  const all = useRead(DashboardPaymentsDocument, { ...page, filter: asked }, { pause: isForSeller })
  const ofSeller = useRead(
    DashboardSellerPaymentsDocument,
    { ...page, filter: { ...asked, sellerId: filter.seller } },
    { pause: !isForSeller },
  )
  return isForSeller ? ofSeller : all
}

export function PaymentsPage() {
  const { say } = useWords()
  const { query, route } = useLocation()
  const mayCreate = usePermission('payments')
  const filter = filterOf(query)
  const { data, fault } = usePayments(filter, { after: query.after ?? null, before: query.before ?? null })
  const show = (change: FilterChange | Partial<Place>): void =>
    route(`${PAYMENTS}?${queryOf({ ...filter, ...change })}`)
  const payments = data?.payments
  return (
    <Page
      title={say('payments')}
      actions={
        mayCreate && (
          <Button kind="primary" onPress={() => route(NEW_PAYMENT)}>
            {say('newPayment')}
          </Button>
        )
      }
    >
      <PaymentTabs />
      <PaymentFilters filter={filter} onChange={show} />
      <SavedViews query={queryOf(filter)} />
      <Card>
        {data === null && fault === null && <Loading />}
        <FaultNotice fault={fault} />
        {payments?.edges.length === 0 &&
          (isFiltered(filter) ? (
            <Empty title={say('noMatch')}>
              <Button onPress={() => route(PAYMENTS)}>{say('clearFilters')}</Button>
            </Empty>
          ) : (
            <Empty title={say('noPayments')}>{say('noPaymentsText')}</Empty>
          ))}
        {payments !== undefined && payments.edges.length > 0 && (
          <>
            <PaymentTable label={say('payments')} payments={payments.edges.map(({ node }) => node)} />
            <div class="below">
              <Export
                key={queryOf(filter)}
                label={say('exportCsv')}
                file="payments.csv"
                query={() => exportQueryOf(filter, now())}
              />
              <Pager label={say('payments')} info={payments.pageInfo} show={show} />
            </div>
          </>
        )}
      </Card>
    </Page>
  )
}
