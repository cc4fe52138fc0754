// A product, and the tiers in which it is sold.
import { useState } from 'preact/hooks'
import { useRoute } from 'preact-iso/router'
import { useChange, useIdempotencyKey, useRead } from '#dashboard/browser/data.ts'
import { usePermission } from '#dashboard/browser/me.ts'
import {
  Button,
  Card,
  Copyable,
  Empty,
  Fact,
  Facts,
  Loading,
  Page,
  Table,
  Time,
} from '#dashboard/browser/parts/basics.tsx'
import { allowanceOf, BillingFault, CatalogueStatus, priceOf } from '#dashboard/browser/parts/billing.tsx'
import { Choice, Confirm, Field, Form } from '#dashboard/browser/parts/forms.tsx'
import { LinkDialog } from '#dashboard/browser/parts/link-dialog.tsx'
import { type PageOf, Pager, useList } from '#dashboard/browser/parts/lists.tsx'
import { centsOf } from '#dashboard/browser/parts/money.ts'
import { PRODUCTS, productPath, SUBSCRIPTIONS } from '#dashboard/browser/paths.ts'
import { useWords } from '#dashboard/browser/say.tsx'
import { site } from '#dashboard/browser/site.ts'
import {
  DashboardCreateCheckoutDocument,
  DashboardCreateTierDocument,
  DashboardProductDocument,
  type DashboardProductQuery,
  type DashboardTierFragment,
  DashboardUpdateProductDocument,
  DashboardUpdateTierDocument,
} from '#dashboard/documents.generated.ts'

type Product = NonNullable<DashboardProductQuery['product']>

export function ProductPage() {
  const { say } = useWords()
  const { id = '' } = useRoute().params
  const { page, show } = useList(productPath(id), [])
  const { data, fault } = useRead(DashboardProductDocument, { id, ...page })
  const mayManage = usePermission('subscriptions-manage')
  const [isEdited, setEdited] = useState(false)
  if (fault !== null)
    return (
      <Page title={say('products')}>
        <BillingFault fault={fault} />
        <a href={PRODUCTS}>{say('allProducts')}</a>
      </Page>
    )
  if (data === null) return <Loading />
  const { product, tiers } = data
  return (
    <Page
      key={product.uuid}
      title={product.name}
      actions={
        mayManage && (
          <div class="actions">
            {!isEdited && <Button onPress={() => setEdited(true)}>{say('edit')}</Button>}
            <Archive product={product} />
          </div>
        )
      }
    >
      {isEdited ? <Edit product={product} onDone={() => setEdited(false)} /> : <Summary product={product} />}
      <TierList product={product} tiers={tiers} show={show} />
    </Page>
  )
}

function Archive({ product: { uuid: id, name, status } }: { product: Product }) {
  const { say } = useWords()
  const update = useChange(DashboardUpdateProductDocument)
  if (status === 'archived')
    return (
      <Button isBusy={update.isBusy} onPress={() => void update.run({ id, input: { status: 'active' } })}>
        {say('offerAgain')}
      </Button>
    )
  return (
    <Confirm
      label={say('archive')}
      question={say('archiveProductQuestion', { name })}
      isBusy={update.isBusy}
      fault={update.fault}
      onConfirm={() => update.run({ id, input: { status: 'archived' } })}
    />
  )
}

function Summary({ product: { uuid, description, status, externalId, createdAt } }: { product: Product }) {
  const { say } = useWords()
  return (
    <Card>
      <p>
        <CatalogueStatus status={status} />
      </p>
      <Facts>
        {description !== null && (
          <Fact label={say('description')}>
            <bdi>{description}</bdi>
          </Fact>
        )}
        {externalId !== null && (
          <Fact label={say('externalId')}>
            <Copyable text={externalId} />
          </Fact>
        )}
        <Fact label={say('created')}>
          <Time iso={createdAt} />
        </Fact>
        <Fact label={say('subscriptions')}>
          <a href={`${SUBSCRIPTIONS}?product=${uuid}`}>{say('allSubscriptions')}</a>
        </Fact>
        <Fact label="ID">
          <Copyable text={uuid} isLong />
        </Fact>
      </Facts>
    </Card>
  )
}

function Edit({ product: { uuid: id, name, description }, onDone }: { product: Product; onDone: () => void }) {
  const { say } = useWords()
  const update = useChange(DashboardUpdateProductDocument)
  return (
    <Card>
      <Form
        submit={say('save')}
        isBusy={update.isBusy}
        fault={update.fault}
        onSubmit={async ({ text }) => {
          const input = { name: text('name') ?? name, description: text('description') }
          if ((await update.run({ id, input })) !== null) onDone()
        }}
        onCancel={onDone}
      >
        <Field label={say('name')} name="name" value={name} isRequired maxLength={200} hint={say('productNameHint')} />
        <Field
          label={say('description')}
          name="description"
          value={description}
          maxLength={2_000}
          hint={say('subscribersSeeIt')}
        />
      </Form>
    </Card>
  )
}

type TierListProps = {
  readonly product: Product
  readonly tiers: PageOf<DashboardTierFragment>
  show: Parameters<typeof Pager>[0]['show']
}

function TierList({ product: { uuid, status }, tiers: { edges, pageInfo }, show }: TierListProps) {
  const words = useWords()
  const { say, formats } = words
  const mayManage = usePermission('subscriptions-manage')
  const mayAdd = mayManage && status === 'active'
  const [isOpen, setOpen] = useState(false)
  return (
    <Card title={say('tiers')}>
      {edges.length === 0 && !isOpen && <Empty title={say('noTiers')}>{say('noTiersText')}</Empty>}
      {edges.length > 0 && (
        <Table
          label={say('tiers')}
          rows={edges.map(({ node }) => node)}
          keyOf={(tier) => tier.uuid}
          columns={[
            {
              label: say('name'),
              cell: ({ name, description }) => (
                <>
                  <bdi>{name}</bdi> {description && <bdi class="hint">{description}</bdi>}
                </>
              ),
            },
            {
              label: say('price'),
              cell: (tier) => (
                <>
                  {priceOf(words, tier)}
                  {tier.trialDays > 0 && (
                    <p class="hint">{say('afterTrial', { duration: formats.duration(tier.trialDays, 'day') })}</p>
                  )}
                </>
              ),
            },
            { label: say('checkoutAsksFor'), cell: (tier) => allowanceOf(words, tier) },
            { label: say('status'), cell: (tier) => <CatalogueStatus {...tier} /> },
            ...(mayManage
              ? [
                  {
                    label: say('actions'),
                    kind: 'actions' as const,
                    cell: (tier: DashboardTierFragment) => (
                      <TierActions tier={tier} isProductActive={status === 'active'} />
                    ),
                  },
                ]
              : []),
          ]}
        />
      )}
      <Pager label={say('tiers')} info={pageInfo} show={show} />
      {mayAdd && isOpen && <NewTier productId={uuid} onDone={() => setOpen(false)} />}
      {mayAdd && !isOpen && (
        <div class="actions">
          <Button kind={edges.length === 0 ? 'primary' : 'plain'} onPress={() => setOpen(true)}>
            {say('newTier')}
          </Button>
        </div>
      )}
    </Card>
  )
}

type Checkout = { readonly url: string; readonly expiresAt: string }

function TierActions({
  tier: { uuid: id, name, status },
  isProductActive,
}: {
  tier: DashboardTierFragment
  isProductActive: boolean
}) {
  const { say, time } = useWords()
  const update = useChange(DashboardUpdateTierDocument)
  const create = useChange(DashboardCreateCheckoutDocument)
  const [checkout, setCheckout] = useState<Checkout | null>(null)
  if (!isProductActive) return null
  if (status === 'archived')
    return (
      <Button isBusy={update.isBusy} onPress={() => void update.run({ id, input: { status: 'active' } })}>
        {say('offerAgain')}
      </Button>
    )
  return (
    <div class="actions">
      <Button
        isBusy={create.isBusy}
        onPress={() =>
          void create
            .run({ tierId: id })
            .then(
              (done) =>
                done !== null &&
                setCheckout({ url: done.created.checkoutUrl, expiresAt: done.created.intent.expiresAt }),
            )
        }
      >
        {say('checkoutLink')}
      </Button>
      <Confirm
        label={say('archive')}
        question={say('archiveTierQuestion', { name })}
        isBusy={update.isBusy}
        fault={update.fault}
        onConfirm={() => update.run({ id, input: { status: 'archived' } })}
      />
      <BillingFault fault={create.fault} />
      {checkout !== null && (
        <LinkDialog
          title={say('checkoutLink')}
          text={say('checkoutLinkText', { time: time(checkout.expiresAt) })}
          hint={site.isSandbox ? say('subscribeInSandbox') : undefined}
          link={checkout.url}
          onClose={() => setCheckout(null)}
        />
      )}
    </div>
  )
}

const UNITS = ['month', 'year', 'week', 'day'] as const

function NewTier({ productId, onDone }: { productId: string; onDone: () => void }) {
  const { say } = useWords()
  const create = useChange(DashboardCreateTierDocument)
  const keyOf = useIdempotencyKey()
  return (
    <Form
      submit={say('createTier')}
      isBusy={create.isBusy}
      fault={create.fault}
      onSubmit={async ({ text }) => {
        const input = {
          name: text('name') ?? '',
          description: text('description'),
          priceUsdCents: centsOf(text('priceUsdCents')) ?? 0,
          interval: UNITS.find((one) => one === text('interval')) ?? 'month',
          intervalCount: Number(text('intervalCount')),
          authorizationPeriods: Number(text('authorizationPeriods')),
          trialDays: Number(text('trialDays')),
        }
        if ((await create.run({ productId, input, idempotencyKey: keyOf(input) })) !== null) onDone()
      }}
      onCancel={onDone}
    >
      <Field label={say('name')} name="name" isRequired maxLength={120} hint={say('tierNameHint')} />
      <Field label={say('description')} name="description" maxLength={2_000} hint={say('subscribersSeeIt')} />
      <Field
        label={say('amountInDollars')}
        name="priceUsdCents"
        isRequired
        pattern="\d{1,9}([.,]\d{1,2})?"
        inputMode="decimal"
        hint={say('tierPriceHint')}
      />
      <div class="row">
        <Field
          label={say('periodLength')}
          name="intervalCount"
          value="1"
          isRequired
          pattern="[1-9]\d{0,2}"
          inputMode="numeric"
        />
        <Choice label={say('periodUnit')} name="interval" options={UNITS.map((unit) => [unit, say(unit)] as const)} />
      </div>
      <Field
        label={say('chargesAllowed')}
        name="authorizationPeriods"
        value="12"
        isRequired
        pattern="[1-9]\d{0,3}"
        inputMode="numeric"
        hint={say('chargesAllowedHint')}
      />
      <Field
        label={say('trialDays')}
        name="trialDays"
        value="0"
        isRequired
        pattern="\d{1,3}"
        inputMode="numeric"
        hint={say('trialDaysHint')}
      />
    </Form>
  )
}
