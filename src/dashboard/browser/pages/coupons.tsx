// The coupons of a business: what each takes off, and how often it is used.
import { useState } from 'preact/hooks'
import { useChange, useIdempotencyKey, useRead } from '#dashboard/browser/data.ts'
import { usePermission } from '#dashboard/browser/me.ts'
import { Button, Card, Empty, Loading, Page, Table, Time } from '#dashboard/browser/parts/basics.tsx'
import { BillingFault, BillingTabs, CatalogueStatus, discountIn } from '#dashboard/browser/parts/billing.tsx'
import { Choice, Confirm, DayField, Field, Form, type Given } from '#dashboard/browser/parts/forms.tsx'
import { Filter, type PageOf, Pager, useList } from '#dashboard/browser/parts/lists.tsx'
import { centsOf } from '#dashboard/browser/parts/money.ts'
import { COUPONS } from '#dashboard/browser/paths.ts'
import { useWords } from '#dashboard/browser/say.tsx'
import {
  DashboardArchiveCouponDocument,
  type DashboardCouponFragment,
  DashboardCouponsDocument,
  type DashboardCouponsQuery,
  DashboardCreateCouponDocument,
} from '#dashboard/documents.generated.ts'

type Product = NonNullable<DashboardCouponsQuery['products']>['edges'][number]['node']

const STATUSES = ['active', 'archived'] as const

export function CouponsPage() {
  const { say } = useWords()
  const mayManage = usePermission('subscriptions-manage')
  const [isOpen, setOpen] = useState(false)
  const { page, filter, isFiltered, show } = useList(COUPONS, ['status'])
  const status = STATUSES.find((one) => one === filter('status')) ?? null
  const { data, fault } = useRead(DashboardCouponsDocument, { ...page, filter: { status } })
  const isOff = fault !== null
  const products = data?.products.edges.map(({ node }) => node) ?? []
  return (
    <Page
      title={say('coupons')}
      actions={
        mayManage &&
        !isOff &&
        !isOpen && (
          <Button kind="primary" onPress={() => setOpen(true)}>
            {say('newCoupon')}
          </Button>
        )
      }
    >
      <BillingTabs />
      {isOpen && <NewCoupon products={products} onClose={() => setOpen(false)} />}
      {!isOff && (
        <search class="filters">
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
          {data === null ? (
            <Loading />
          ) : (
            <CouponTable coupons={data.coupons} products={products} isFiltered={isFiltered} show={show} />
          )}
        </Card>
      )}
    </Page>
  )
}

type CouponTableProps = {
  readonly coupons: PageOf<DashboardCouponFragment>
  readonly products: readonly Product[]
  readonly isFiltered: boolean
  show: Parameters<typeof Pager>[0]['show']
}

function CouponTable({ coupons: { edges, pageInfo }, products, isFiltered, show }: CouponTableProps) {
  const words = useWords()
  const { say } = words
  const mayManage = usePermission('subscriptions-manage')
  if (edges.length === 0 && isFiltered) return <Empty title={say('noCouponMatches')} />
  if (edges.length === 0) return <Empty title={say('noCoupons')}>{say('noCouponsText')}</Empty>
  const nameOf = (id: string) => products.find(({ uuid }) => uuid === id)?.name ?? id
  return (
    <>
      <Table
        label={say('coupons')}
        rows={edges.map(({ node }) => node)}
        keyOf={({ uuid }) => uuid}
        columns={[
          {
            label: say('code'),
            cell: ({ code }) => (
              <bdi>
                <strong>{code}</strong>
              </bdi>
            ),
          },
          {
            label: say('discount'),
            cell: ({ productId, ...coupon }) => (
              <>
                {discountIn(words, coupon)}
                {productId !== null && (
                  <p class="hint">
                    <bdi>{nameOf(productId)}</bdi>
                  </p>
                )}
              </>
            ),
          },
          { label: say('uses'), cell: (coupon) => <Uses coupon={coupon} /> },
          { label: say('endsAt'), cell: ({ endsAt }) => (endsAt === null ? '–' : <Time iso={endsAt} />) },
          { label: say('status'), cell: (coupon) => <CatalogueStatus {...coupon} /> },
          ...(mayManage
            ? [
                {
                  label: say('actions'),
                  kind: 'actions' as const,
                  cell: (coupon: DashboardCouponFragment) => <Archive coupon={coupon} />,
                },
              ]
            : []),
        ]}
      />
      <Pager label={say('coupons')} info={pageInfo} show={show} />
    </>
  )
}

function Uses({ coupon: { uses, maxUses, maxUsesPerWallet } }: { coupon: DashboardCouponFragment }) {
  const { say, formats } = useWords()
  const used = formats.number(uses)
  return (
    <>
      {maxUses === null ? used : say('usesOf', { uses: used, max: formats.number(maxUses) })}
      {maxUsesPerWallet !== null && (
        <p class="hint">{say('usesOfWallet', { max: formats.number(maxUsesPerWallet) })}</p>
      )}
    </>
  )
}

function Archive({ coupon: { uuid: id, code, status } }: { coupon: DashboardCouponFragment }) {
  const { say } = useWords()
  const archive = useChange(DashboardArchiveCouponDocument)
  if (status === 'archived') return null
  return (
    <Confirm
      label={say('archive')}
      question={say('archiveCouponQuestion', { code })}
      isBusy={archive.isBusy}
      fault={archive.fault}
      onConfirm={() => archive.run({ id })}
    />
  )
}

const KINDS = ['percent', 'amount'] as const

/** Returns what was entered as a coupon. A date ends at its last moment, by the clock of the person. */
function couponIn({ text }: Pick<Given, 'text'>) {
  const isPercent = text('kind') !== 'amount'
  const count = (name: string): number | null => (text(name) === null ? null : Number(text(name)))
  const day = text('endsAt')
  return {
    code: text('code') ?? '',
    percentOff: isPercent ? Number(text('off')) : null,
    amountOffUsdCents: isPercent ? null : (centsOf(text('off')) ?? 0),
    periods: count('periods'),
    maxUses: count('maxUses'),
    maxUsesPerWallet: count('maxUsesPerWallet'),
    endsAt: day === null ? null : new Date(`${day}T23:59:59.999`).toISOString(),
    productId: text('productId'),
  }
}

const COUNT = '[1-9]\\d{0,5}'

function NewCoupon({ products, onClose }: { products: readonly Product[]; onClose: () => void }) {
  const words = useWords()
  const { say } = words
  const create = useChange(DashboardCreateCouponDocument)
  const keyOf = useIdempotencyKey()
  const [isPercent, setPercent] = useState(true)
  const sold = products.filter(({ status }) => status === 'active')
  return (
    <Card title={say('newCoupon')}>
      <p class="hint">{say('couponIsFixed')}</p>
      <Form
        submit={say('createCoupon')}
        isBusy={create.isBusy}
        fault={create.fault}
        onEntered={({ text }) => setPercent(text('kind') !== 'amount')}
        onSubmit={async (given) => {
          const input = couponIn(given)
          if ((await create.run({ input, idempotencyKey: keyOf(input) })) !== null) onClose()
        }}
        onCancel={onClose}
      >
        <Field
          label={say('code')}
          name="code"
          isRequired
          pattern="[A-Za-z0-9][A-Za-z0-9_\-]{2,31}"
          maxLength={32}
          hint={say('codeHint')}
        />
        <div class="row">
          <Choice
            label={say('discountKind')}
            name="kind"
            options={KINDS.map((kind) => [kind, say(kind === 'percent' ? 'aPercentage' : 'anAmount')] as const)}
          />
          <Field
            label={say(isPercent ? 'inPercent' : 'amountInDollars')}
            name="off"
            isRequired
            pattern={isPercent ? '[1-9]\\d?' : '\\d{1,9}([.,]\\d{1,2})?'}
            inputMode="decimal"
          />
        </div>
        <Field
          label={say('chargesDiscounted')}
          name="periods"
          pattern={COUNT}
          inputMode="numeric"
          hint={say('chargesDiscountedHint')}
        />
        <div class="row">
          <Field
            label={say('mostUses')}
            name="maxUses"
            pattern={COUNT}
            inputMode="numeric"
            hint={say('emptyForNoLimit')}
          />
          <Field
            label={say('mostUsesOfWallet')}
            name="maxUsesPerWallet"
            pattern={COUNT}
            inputMode="numeric"
            hint={say('emptyForNoLimit')}
          />
        </div>
        <DayField label={say('lastDay')} name="endsAt" hint={say('emptyForNoEnd')} />
        <Choice
          label={say('product')}
          name="productId"
          options={[['', say('allProducts')], ...sold.map(({ uuid, name }) => [uuid, name] as const)]}
        />
      </Form>
    </Card>
  )
}
