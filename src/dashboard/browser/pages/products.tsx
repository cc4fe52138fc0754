// What a business sells by subscription.
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { useChange, useIdempotencyKey, useRead } from '#dashboard/browser/data.ts'
import { usePermission } from '#dashboard/browser/me.ts'
import { Button, Card, Empty, Loading, Page, Table, Time } from '#dashboard/browser/parts/basics.tsx'
import { BillingFault, BillingTabs, CatalogueStatus } from '#dashboard/browser/parts/billing.tsx'
import { Field, Form } from '#dashboard/browser/parts/forms.tsx'
import { Filter, type PageOf, Pager, Search, useList } from '#dashboard/browser/parts/lists.tsx'
import { PRODUCTS, productPath } from '#dashboard/browser/paths.ts'
import { useWords } from '#dashboard/browser/say.tsx'
import {
  DashboardCreateProductDocument,
  DashboardProductsDocument,
  type DashboardProductsQuery,
} from '#dashboard/documents.generated.ts'

type Product = NonNullable<DashboardProductsQuery['products']>['edges'][number]['node']

const STATUSES = ['active', 'archived'] as const

export function ProductsPage() {
  const { say } = useWords()
  const mayManage = usePermission('subscriptions-manage')
  const [isOpen, setOpen] = useState(false)
  const { page, filter, isFiltered, show } = useList(PRODUCTS, ['search', 'status'])
  const search = filter('search')
  const status = STATUSES.find((one) => one === filter('status')) ?? null
  const { data, fault } = useRead(DashboardProductsDocument, { ...page, filter: { search, status } })
  const isOff = fault !== null
  return (
    <Page
      title={say('products')}
      actions={
        mayManage &&
        !isOff &&
        !isOpen && (
          <Button kind="primary" onPress={() => setOpen(true)}>
            {say('newProduct')}
          </Button>
        )
      }
    >
      <BillingTabs />
      {isOpen && <NewProduct onClose={() => setOpen(false)} />}
      {!isOff && (
        <search class="filters">
          <Search label={say('searchProducts')} text={search} onSearch={(text) => show({ search: text })} />
          <Filter
            label={say('status')}
            value={status}
            options={STATUSES.map((one) => [one, say(one)])}
            onChoose={(value) => show({ status: value })}
          />
        </search>
      )}
      <BillingFault fault={fault} />
      {!isOff && (
        <Card>
          {data === null ? <Loading /> : <ProductTable products={data.products} isFiltered={isFiltered} show={show} />}
        </Card>
      )}
    </Page>
  )
}

type ProductTableProps = {
  readonly products: PageOf<Product>
  readonly isFiltered: boolean
  show: Parameters<typeof Pager>[0]['show']
}

function ProductTable({ products: { edges, pageInfo }, isFiltered, show }: ProductTableProps) {
  const { say } = useWords()
  if (edges.length === 0 && isFiltered) return <Empty title={say('noProductMatches')} />
  if (edges.length === 0) return <Empty title={say('noProducts')}>{say('noProductsText')}</Empty>
  return (
    <>
      <Table
        label={say('products')}
        rows={edges.map(({ node }) => node)}
        keyOf={({ uuid }) => uuid}
        columns={[
          {
            label: say('name'),
            cell: ({ uuid, name }) => (
              <a href={productPath(uuid)}>
                <bdi>{name}</bdi>
              </a>
            ),
          },
          { label: say('status'), cell: (product) => <CatalogueStatus {...product} /> },
          { label: say('description'), cell: ({ description }) => description && <bdi class="cut">{description}</bdi> },
          { label: say('created'), cell: ({ createdAt }) => <Time iso={createdAt} /> },
        ]}
      />
      <Pager label={say('products')} info={pageInfo} show={show} />
    </>
  )
}

function NewProduct({ onClose }: { onClose: () => void }) {
  const { say } = useWords()
  const { route } = useLocation()
  const create = useChange(DashboardCreateProductDocument)
  const keyOf = useIdempotencyKey()
  return (
    <Card title={say('newProduct')}>
      <Form
        submit={say('createProduct')}
        isBusy={create.isBusy}
        fault={create.fault}
        onSubmit={async ({ text }) => {
          const input = { name: text('name') ?? '', description: text('description') }
          const done = await create.run({ input, idempotencyKey: keyOf(input) })
          if (done !== null) route(productPath(done.created.product.uuid))
        }}
        onCancel={onClose}
      >
        <Field label={say('name')} name="name" isRequired maxLength={200} hint={say('productNameHint')} />
        <Field label={say('description')} name="description" maxLength={2_000} hint={say('subscribersSeeIt')} />
      </Form>
    </Card>
  )
}
