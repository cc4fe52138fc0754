// The subscriptions of a business. Its filters are in the address.
import { useRead } from '#dashboard/browser/data.ts'
import { Card, Empty, Loading, Page, Table, Time } from '#dashboard/browser/parts/basics.tsx'
import {
  amountOf,
  BillingFault,
  BillingTabs,
  SUBSCRIPTION_STATUSES,
  SubscriptionStatus,
  titleOf,
} from '#dashboard/browser/parts/billing.tsx'
import { Filter, type PageOf, Pager, Search, useList } from '#dashboard/browser/parts/lists.tsx'
import { PRODUCTS, SUBSCRIPTIONS, subscriptionPath } from '#dashboard/browser/paths.ts'
import { useWords } from '#dashboard/browser/say.tsx'
import {
  DashboardProductNamesDocument,
  type DashboardSubscriptionFragment,
  DashboardSubscriptionsDocument,
} from '#dashboard/documents.generated.ts'
import { shortened } from '#pay/views/formats.ts'

export function SubscriptionsPage() {
  const { say } = useWords()
  const { page, filter, isFiltered, show } = useList(SUBSCRIPTIONS, ['wallet', 'status', 'product'])
  const status = SUBSCRIPTION_STATUSES.find((one) => one === filter('status')) ?? null
  const { data, fault } = useRead(DashboardSubscriptionsDocument, {
    ...page,
    filter: { status, subscriberWallet: filter('wallet'), productId: filter('product') },
  })
  const products = useRead(DashboardProductNamesDocument, {}, { pause: fault !== null })
  return (
    <Page title={say('subscriptions')}>
      <BillingTabs />
      <search class="filters">
        <Search label={say('searchWallet')} text={filter('wallet')} onSearch={(wallet) => show({ wallet })} />
        <Filter
          label={say('status')}
          value={status}
          options={SUBSCRIPTION_STATUSES.map((one) => [one, say(one)])}
          onChoose={(value) => show({ status: value })}
        />
        <Filter
          label={say('product')}
          value={filter('product')}
          options={products.data?.products.edges.map(({ node }) => [node.uuid, node.name]) ?? []}
          onChoose={(value) => show({ product: value })}
        />
      </search>
      <BillingFault fault={fault} />
      {fault === null && (
        <Card>
          {data === null ? (
            <Loading />
          ) : (
            <SubscriptionTable subscriptions={data.subscriptions} isFiltered={isFiltered} show={show} />
          )}
        </Card>
      )}
    </Page>
  )
}

type SubscriptionTableProps = {
  readonly subscriptions: PageOf<DashboardSubscriptionFragment>
  readonly isFiltered: boolean
  show: Parameters<typeof Pager>[0]['show']
}

function SubscriptionTable({ subscriptions: { edges, pageInfo }, isFiltered, show }: SubscriptionTableProps) {
  const words = useWords()
  const { say } = words
  if (edges.length === 0 && isFiltered) return <Empty title={say('noSubscriptionMatches')} />
  if (edges.length === 0)
    return (
      <Empty title={say('noSubscriptions')}>
        <p>{say('noSubscriptionsText')}</p>
        <a href={PRODUCTS}>{say('products')}</a>
      </Empty>
    )
  return (
    <>
      <Table
        label={say('subscriptions')}
        rows={edges.map(({ node }) => node)}
        keyOf={({ uuid }) => uuid}
        columns={[
          {
            label: say('subscriber'),
            cell: ({ uuid, subscriberWallet }) => (
              <a href={subscriptionPath(uuid)} dir="ltr" title={subscriberWallet}>
                {shortened(subscriberWallet)}
              </a>
            ),
          },
          { label: say('status'), cell: (subscription) => <SubscriptionStatus {...subscription} /> },
          { label: say('tier'), cell: (subscription) => <bdi class="cut">{titleOf(subscription)}</bdi> },
          {
            label: say('price'),
            kind: 'number',
            cell: ({ unitAmount, discount, tier }) => (
              <>
                {amountOf(words, discount === null || discount.periodsLeft === 0 ? unitAmount : discount.amount, tier)}
                {discount !== null && discount.periodsLeft !== 0 && (
                  <p class="hint">
                    <bdi>{discount.code}</bdi>
                  </p>
                )}
              </>
            ),
          },
          { label: say('nextCharge'), cell: ({ nextChargeAt }) => nextChargeAt && <Time iso={nextChargeAt} /> },
          { label: say('created'), cell: ({ createdAt }) => <Time iso={createdAt} /> },
        ]}
      />
      <Pager label={say('subscriptions')} info={pageInfo} show={show} />
    </>
  )
}
