// The sellers of a marketplace.
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { useChange, useIdempotencyKey, useRead } from '#dashboard/browser/data.ts'
import { usePermission } from '#dashboard/browser/me.ts'
import { MarketplaceFrame } from '#dashboard/browser/pages/marketplace/frame.tsx'
import { feeOf, SellerFields, SellerStatus, sellerIn } from '#dashboard/browser/pages/marketplace/seller-fields.tsx'
import { Button, Card, Empty, FaultNotice, Loading, Table, Time } from '#dashboard/browser/parts/basics.tsx'
import { Form } from '#dashboard/browser/parts/forms.tsx'
import { Filter, Pager, Search, useList } from '#dashboard/browser/parts/lists.tsx'
import { MARKETPLACE, sellerPath } from '#dashboard/browser/paths.ts'
import { useWords } from '#dashboard/browser/say.tsx'
import {
  DashboardCreateSellerDocument,
  type DashboardMarketplaceFragment,
  DashboardSellersDocument,
} from '#dashboard/documents.generated.ts'

type Props = { readonly marketplace: DashboardMarketplaceFragment }

export function SellersPage() {
  const { say } = useWords()
  const mayManage = usePermission('marketplace-manage')
  const [isOpen, setOpen] = useState(false)
  return (
    <MarketplaceFrame
      actions={
        mayManage &&
        !isOpen && (
          <Button kind="primary" onPress={() => setOpen(true)}>
            {say('newSeller')}
          </Button>
        )
      }
    >
      {(marketplace) => (
        <>
          {isOpen && <NewSeller marketplace={marketplace} onClose={() => setOpen(false)} />}
          <Sellers marketplace={marketplace} />
        </>
      )}
    </MarketplaceFrame>
  )
}

function Sellers({ marketplace }: Props) {
  const words = useWords()
  const { say, formats } = words
  const { page, filter, show, isFiltered } = useList(MARKETPLACE, ['search', 'archived'])
  const search = filter('search')
  const archived = filter('archived')
  const asked = { search, includeArchived: archived !== null }
  const { data, fault } = useRead(DashboardSellersDocument, { ...page, filter: asked })
  const sellers = data?.sellers
  const { sellersCount, sellersTotal, sellerLimit } = marketplace
  return (
    <>
      <search class="filters">
        <Search label={say('searchSellers')} text={search} onSearch={(text) => show({ search: text })} />
        <Filter
          label={say('status')}
          value={archived}
          options={[['shown', say('withArchived')]]}
          all={say('active')}
          onChoose={(value) => show({ archived: value })}
        />
      </search>
      <Card>
        {data === null && fault === null && <Loading />}
        <FaultNotice fault={fault} />
        {sellers?.edges.length === 0 &&
          (isFiltered ? (
            <Empty title={say('noSellerMatch')} />
          ) : (
            <Empty title={say('noSellers')}>{say('noSellersText')}</Empty>
          ))}
        {sellers !== undefined && sellers.edges.length > 0 && (
          <>
            <Table
              label={say('sellers')}
              rows={sellers.edges.map(({ node }) => node)}
              keyOf={({ uuid }) => uuid}
              columns={[
                {
                  label: say('name'),
                  cell: ({ uuid, name }) => (
                    <a href={sellerPath(uuid)}>
                      <bdi>{name}</bdi>
                    </a>
                  ),
                },
                { label: say('externalId'), cell: ({ externalId }) => <bdi class="cut">{externalId}</bdi> },
                { label: say('status'), cell: (seller) => <SellerStatus seller={seller} /> },
                { label: say('yourFee'), kind: 'number', cell: (seller) => feeOf(words, seller, marketplace) },
                { label: say('created'), cell: ({ createdAt }) => <Time iso={createdAt} /> },
              ]}
            />
            <Pager label={say('sellers')} info={sellers.pageInfo} show={show} />
          </>
        )}
        <p class="hint">
          {say('sellerCounts', {
            active: formats.number(sellersCount),
            archived: formats.number(sellersTotal - sellersCount),
          })}
          {sellerLimit !== null && ` · ${say('sellerLimit')}: ${formats.number(sellerLimit)}`}
        </p>
      </Card>
    </>
  )
}

function NewSeller({ marketplace, onClose }: Props & { onClose: () => void }) {
  const { say } = useWords()
  const { route } = useLocation()
  const create = useChange(DashboardCreateSellerDocument)
  const keyOf = useIdempotencyKey()
  /** The seller that has the external id already. */
  const [known, setKnown] = useState<string | null>(null)
  return (
    <Card title={say('newSeller')}>
      <Form
        submit={say('createSeller')}
        isBusy={create.isBusy}
        fault={create.fault}
        onSubmit={async (given) => {
          const input = { ...sellerIn(given), externalId: given.text('externalId') }
          const done = await create.run({ input, idempotencyKey: keyOf(input) })
          if (done === null) return
          const { created, seller } = done.created
          if (created) route(sellerPath(seller.uuid))
          else setKnown(seller.uuid)
        }}
        onEntered={() => setKnown(null)}
        onCancel={onClose}
      >
        <SellerFields
          marketplace={marketplace}
          seller={null}
          idError={
            known !== null && (
              <>
                {say('sellerIdIsUsed')} <a href={sellerPath(known)}>{say('seeThatSeller')}</a>
              </>
            )
          }
        />
      </Form>
    </Card>
  )
}
