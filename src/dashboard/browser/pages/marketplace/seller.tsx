// A seller of a marketplace: its wallet, the fee, its figures and its payments.
import { useState } from 'preact/hooks'
import { useRoute } from 'preact-iso/router'
import { useChange, useRead } from '#dashboard/browser/data.ts'
import { type Fault, idsIn } from '#dashboard/browser/fault.ts'
import { usePermission } from '#dashboard/browser/me.ts'
import { Figures } from '#dashboard/browser/pages/marketplace/figures.tsx'
import { MarketplaceFrame } from '#dashboard/browser/pages/marketplace/frame.tsx'
import { feeOf, SellerFields, SellerStatus, sellerIn } from '#dashboard/browser/pages/marketplace/seller-fields.tsx'
import {
  Button,
  Card,
  Copyable,
  Empty,
  Fact,
  Facts,
  FaultNotice,
  Loading,
  Time,
} from '#dashboard/browser/parts/basics.tsx'
import { Confirm, FileField, Form } from '#dashboard/browser/parts/forms.tsx'
import { IMAGE_FORMATS, imageDataOf, readImage } from '#dashboard/browser/parts/images.ts'
import { Pager, useList } from '#dashboard/browser/parts/lists.tsx'
import { PaymentTable } from '#dashboard/browser/parts/payments.tsx'
import { MARKETPLACE_AUDIT, paymentPath, sellerPath } from '#dashboard/browser/paths.ts'
import { useWords } from '#dashboard/browser/say.tsx'
import {
  DashboardArchiveSellerDocument,
  type DashboardMarketplaceFragment,
  DashboardOneSellersPaymentsDocument,
  DashboardSellerDocument,
  type DashboardSellerFragment,
  DashboardSellerLogoDocument,
  DashboardUpdateSellerDocument,
} from '#dashboard/documents.generated.ts'
import { shortened } from '#pay/views/formats.ts'

type Seller = DashboardSellerFragment
type Props = { readonly seller: Seller; readonly marketplace: DashboardMarketplaceFragment }

export function SellerPage() {
  const { say } = useWords()
  const { id = '' } = useRoute().params
  const { data, fault } = useRead(DashboardSellerDocument, { id })
  const mayManage = usePermission('marketplace-manage')
  const [isEdited, setEdited] = useState(false)
  const seller = data?.seller
  return (
    <MarketplaceFrame
      title={seller?.name ?? say('theSeller')}
      actions={
        mayManage &&
        seller?.status === 'active' && (
          <div class="actions">
            {!isEdited && <Button onPress={() => setEdited(true)}>{say('edit')}</Button>}
            <Archive seller={seller} />
          </div>
        )
      }
    >
      {(marketplace) => (
        <>
          {data === null && fault === null && <Loading />}
          <FaultNotice fault={fault} />
          {data !== null && (
            <>
              {isEdited ? (
                <Edit seller={data.seller} marketplace={marketplace} onDone={() => setEdited(false)} />
              ) : (
                <Summary seller={data.seller} marketplace={marketplace} />
              )}
              <Payments seller={data.seller} />
              <Figures sellerId={id} path={sellerPath(id)} />
            </>
          )}
        </>
      )}
    </MarketplaceFrame>
  )
}

function Summary({ seller, marketplace }: Props) {
  const words = useWords()
  const { say } = words
  return (
    <Card>
      <p class="standing">
        {seller.logoUrl !== null && <img class="logo" src={seller.logoUrl} alt="" height="32" />}
        <SellerStatus seller={seller} />
      </p>
      {seller.disabledAt != null && <p class="notice">{say('sellerDisabled')}</p>}
      <Facts>
        <Fact label={say('sellerWallet')}>
          {seller.sweepDestination === null ? say('noSellerWallet') : <Copyable text={seller.sweepDestination} />}
        </Fact>
        <Fact label={say('yourFee')}>{feeOf(words, seller, marketplace)}</Fact>
        {seller.label !== null && (
          <Fact label={say('label')}>
            <bdi>{seller.label}</bdi>
          </Fact>
        )}
        {seller.externalId !== null && (
          <Fact label={say('externalId')}>
            <Copyable text={seller.externalId} />
          </Fact>
        )}
        {seller.description !== null && (
          <Fact label={say('description')}>
            <bdi>{seller.description}</bdi>
          </Fact>
        )}
        <Fact label={say('created')}>
          <Time iso={seller.createdAt} />
        </Fact>
        <Fact label="ID">
          <Copyable text={seller.uuid} isLong />
        </Fact>
      </Facts>
      <p>
        <a href={`${MARKETPLACE_AUDIT}?seller=${seller.uuid}`}>{say('auditTrail')}</a>
      </p>
    </Card>
  )
}

function Edit({ seller, marketplace, onDone }: Props & { onDone: () => void }) {
  const { say } = useWords()
  const update = useChange(DashboardUpdateSellerDocument)
  return (
    <Card title={say('edit')}>
      <Form
        submit={say('save')}
        isBusy={update.isBusy}
        fault={update.fault}
        onSubmit={async (given) => {
          const { sweepDestination, ...rest } = sellerIn(given)
          // Another wallet needs a new proof, so the same one is not sent.
          const wallet = sweepDestination === seller.sweepDestination ? {} : { sweepDestination }
          if ((await update.run({ id: seller.uuid, input: { ...rest, ...wallet } })) !== null) onDone()
        }}
        onCancel={onDone}
      >
        <SellerFields marketplace={marketplace} seller={seller} />
      </Form>
      <Logo seller={seller} />
    </Card>
  )
}

/** A logo is set as soon as it is chosen. */
function Logo({ seller: { uuid: id, logoUrl } }: Pick<Props, 'seller'>) {
  const { say } = useWords()
  const change = useChange(DashboardSellerLogoDocument)
  const [fault, setFault] = useState<Fault | null>(null)
  return (
    <div class="form">
      {logoUrl !== null && <img class="logo" src={logoUrl} alt={say('logo')} height="32" />}
      <FileField
        label={say('logo')}
        accept={IMAGE_FORMATS}
        hint={say('logoHint')}
        onFile={async (file) => {
          const read = await readImage(file)
          setFault('fault' in read ? read.fault : null)
          if ('url' in read) await change.run({ id, image: imageDataOf(read.url) })
        }}
      />
      {logoUrl !== null && (
        <div class="actions">
          <Button isBusy={change.isBusy} onPress={() => void change.run({ id, image: null })}>
            {say('removeLogo')}
          </Button>
        </div>
      )}
      <FaultNotice fault={fault ?? change.fault} />
    </div>
  )
}

function Archive({ seller: { uuid: id, name } }: Pick<Props, 'seller'>) {
  const { say } = useWords()
  const archive = useChange(DashboardArchiveSellerDocument)
  return (
    <Confirm
      label={say('archive')}
      question={say('archiveSellerQuestion', { name })}
      isBusy={archive.isBusy}
      fault={archive.fault}
      onConfirm={() => archive.run({ id })}
    >
      {archive.fault !== null && <InTheWay fault={archive.fault} />}
    </Confirm>
  )
}

/** As many payments as a person goes through. */
const SHOWN = 5

/** Says what has to end before a seller is archived. */
function InTheWay({ fault }: { fault: Fault }) {
  const { say, formats } = useWords()
  const payments = idsIn(fault, 'intent_ids')
  const subscriptions = idsIn(fault, 'subscription_ids')
  const checkouts = idsIn(fault, 'subscription_intent_ids')
  const counted = (ids: readonly string[]) => ({ count: formats.number(ids.length) })
  return (
    <ul class="reasons">
      {payments.length > 0 && (
        <li>
          {say('paymentsInTheWay', counted(payments))}{' '}
          {payments.slice(0, SHOWN).map((id) => (
            <a key={id} href={paymentPath(id)} dir="ltr">
              {shortened(id)}
            </a>
          ))}
        </li>
      )}
      {subscriptions.length > 0 && <li>{say('subscriptionsInTheWay', counted(subscriptions))}</li>}
      {checkouts.length > 0 && <li>{say('checkoutsInTheWay', counted(checkouts))}</li>}
    </ul>
  )
}

function Payments({ seller: { uuid: sellerId } }: Pick<Props, 'seller'>) {
  const { say } = useWords()
  const { page, show } = useList(sellerPath(sellerId), ['interval', 'zone'])
  const { data, fault } = useRead(DashboardOneSellersPaymentsDocument, { ...page, filter: { sellerId } })
  const payments = data?.payments
  return (
    <Card title={say('payments')}>
      {data === null && fault === null && <Loading />}
      <FaultNotice fault={fault} />
      {payments?.edges.length === 0 && <Empty title={say('noPayments')}>{say('noSellerPaymentsText')}</Empty>}
      {payments !== undefined && payments.edges.length > 0 && (
        <>
          <PaymentTable label={say('payments')} payments={payments.edges.map(({ node }) => node)} />
          <Pager label={say('payments')} info={payments.pageInfo} show={show} />
        </>
      )}
    </Card>
  )
}
