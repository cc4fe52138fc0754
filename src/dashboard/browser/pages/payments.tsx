// The list of payments. Its filter is in the address, so that it can be shared, kept and gone back to.
import { useLocation } from 'preact-iso/router'
import { useRead } from '#dashboard/browser/data.ts'
import { usePermission } from '#dashboard/browser/me.ts'
import { Button, Card, Empty, FaultNotice, Loading, Page } from '#dashboard/browser/parts/basics.tsx'
import { PaymentTable } from '#dashboard/browser/parts/payments.tsx'
import { NEW_PAYMENT, PAYMENTS } from '#dashboard/browser/paths.ts'
import { useWords } from '#dashboard/browser/say.tsx'
import { type DashboardPaymentFragment, DashboardPaymentsDocument } from '#dashboard/documents.generated.ts'

type Status = DashboardPaymentFragment['status']

const STATUSES: readonly Status[] = [
  'pending',
  'underpaid',
  'paid',
  'overpaid',
  'settling',
  'swept',
  'refunding',
  'refunded',
  'cancelled',
  'settle_failed',
  'refund_failed',
]
const PAGE_SIZE = 25

const isStatus = (value: string | undefined): value is Status => STATUSES.some((status) => status === value)

export function PaymentsPage() {
  const { say } = useWords()
  const { query, route } = useLocation()
  const mayCreate = usePermission('payments')
  const { after = null, before = null, search = '' } = query
  const status = isStatus(query.status) ? query.status : null
  const filter = { search: search === '' ? null : search, status: status === null ? null : [status] }
  const size = before === null ? { first: PAGE_SIZE, last: null } : { first: null, last: PAGE_SIZE }
  const { data, fault } = useRead(DashboardPaymentsDocument, { ...size, after, before, filter })

  const show = (changed: Readonly<Record<string, string | null>>): void => {
    const kept = Object.entries({ search, status, ...changed }).flatMap(([name, value]) =>
      value ? [[name, value]] : [],
    )
    route(`${PAYMENTS}?${new URLSearchParams(kept)}`)
  }
  const isFiltered = search !== '' || status !== null
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
      <search class="filters">
        <form
          onSubmit={(event) => {
            event.preventDefault()
            const given = new FormData(event.currentTarget).get('search')
            show({ search: typeof given === 'string' ? given.trim() : null })
          }}
        >
          <input
            key={search}
            type="search"
            name="search"
            maxLength={100}
            defaultValue={search}
            aria-label={say('searchPayments')}
            placeholder={say('searchPayments')}
          />
        </form>
        <label>
          <span class="hidden">{say('status')}</span>
          <select value={status ?? ''} onChange={({ currentTarget }) => show({ status: currentTarget.value })}>
            <option value="">{`${say('status')}: ${say('all')}`}</option>
            {STATUSES.map((one) => (
              <option key={one} value={one}>
                {say(one)}
              </option>
            ))}
          </select>
        </label>
      </search>
      <Card>
        {data === null && fault === null && <Loading />}
        <FaultNotice fault={fault} />
        {payments?.edges.length === 0 &&
          (isFiltered ? (
            <Empty title={say('noMatch')} />
          ) : (
            <Empty title={say('noPayments')}>{say('noPaymentsText')}</Empty>
          ))}
        {payments !== undefined && payments.edges.length > 0 && (
          <>
            <PaymentTable label={say('payments')} payments={payments.edges.map(({ node }) => node)} />
            <nav class="pager" aria-label={say('payments')}>
              <Button
                isDisabled={!payments.pageInfo.hasPreviousPage}
                onPress={() => show({ before: payments.pageInfo.startCursor })}
              >
                {say('newer')}
              </Button>
              <Button
                isDisabled={!payments.pageInfo.hasNextPage}
                onPress={() => show({ after: payments.pageInfo.endCursor })}
              >
                {say('older')}
              </Button>
            </nav>
          </>
        )}
      </Card>
    </Page>
  )
}
