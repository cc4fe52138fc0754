// One refund: what a wallet has to pay, what was paid, and how it ended.
import { useRoute } from 'preact-iso/router'
import { useChange, useRead } from '#dashboard/browser/data.ts'
import { usePermission } from '#dashboard/browser/me.ts'
import { PayByWallet } from '#dashboard/browser/pages/refunds/pay-by-wallet.tsx'
import { Card, Copyable, Fact, Facts, FaultNotice, Loading, Page, Time } from '#dashboard/browser/parts/basics.tsx'
import { Address, Transaction } from '#dashboard/browser/parts/chain.tsx'
import { Confirm } from '#dashboard/browser/parts/forms.tsx'
import {
  isWaiting,
  RefundStanding,
  RefundTable,
  useLiveRefunds,
  useRefundFigure,
} from '#dashboard/browser/parts/refunds.tsx'
import { SignedReceipt } from '#dashboard/browser/parts/signed-receipt.tsx'
import { paymentPath, REFUNDS, subscriptionPath } from '#dashboard/browser/paths.ts'
import { useWords } from '#dashboard/browser/say.tsx'
import {
  DashboardCancelRefundDocument,
  DashboardRefundDetailDocument,
  type DashboardRefundDetailQuery,
  DashboardRefundsDocument,
} from '#dashboard/documents.generated.ts'
import { QrCode } from '#pay/views/qr.tsx'

type Refund = NonNullable<DashboardRefundDetailQuery['refund']>
type Given = { readonly refund: Refund }

export function RefundPage() {
  const { say } = useWords()
  const { id = '' } = useRoute().params
  const { data, fault } = useRead(DashboardRefundDetailDocument, { id })
  const figure = useRefundFigure()
  useLiveRefunds(data === null ? [] : [data.refund])
  if (fault !== null)
    return (
      <Page title={say('refunds')}>
        <FaultNotice fault={fault} />
        <a href={REFUNDS}>{say('allRefunds')}</a>
      </Page>
    )
  if (data === null) return <Loading />
  const { refund } = data
  return (
    <Page
      key={refund.uuid}
      title={say('refundOf', { amount: figure(refund, refund.amount) })}
      actions={
        refund.status === 'succeeded' ? <SignedReceipt of="refund" id={refund.uuid} /> : <Cancel refund={refund} />
      }
    >
      <ToPay refund={refund} />
      <Summary refund={refund} />
      <OtherPart refund={refund} />
    </Page>
  )
}

/** For those who may, as long as nothing was paid. */
function Cancel({ refund: { uuid: id, status } }: Given) {
  const { say } = useWords()
  const mayCancel = usePermission('payments')
  const { run, isBusy, fault } = useChange(DashboardCancelRefundDocument)
  if (!mayCancel || status !== 'open') return null
  return (
    <Confirm
      label={say('cancelRefund')}
      question={say('cancelRefundQuestion')}
      isBusy={isBusy}
      fault={fault}
      onConfirm={() => run({ id })}
    />
  )
}

/** What a person does now, as long as money is missing. */
function ToPay({ refund }: Given) {
  const { say } = useWords()
  const figure = useRefundFigure()
  const { status, amount, paidAmount, payer, recipient, expiresAt, paymentUri, problem } = refund
  if (paymentUri === null) return null
  const missing = figure(refund, String(BigInt(amount) - BigInt(paidAmount)))
  return (
    <Card title={say('payRefund')}>
      <div class="buyer-link to-pay">
        <QrCode text={paymentUri} label={say('refundQr', { amount: missing })} />
        <div class="ways">
          <strong class="figure">{missing}</strong>
          {status === 'processing' && (
            <p>{say('partIsPaid', { paid: figure(refund, paidAmount), all: figure(refund, amount) })}</p>
          )}
          <a class="button primary touch" href={paymentUri}>
            {say('openWallet')}
          </a>
          <PayByWallet id={refund.uuid} payer={payer} />
          <Facts>
            <Fact label={say('fromWallet')}>
              <Address address={payer} />
            </Fact>
            <Fact label={say('to')}>
              <Address address={recipient} />
            </Fact>
            <Fact label={say('payUntil')}>
              <Time iso={expiresAt} />
            </Fact>
            <Fact label={say('walletLink')}>
              <Copyable text={paymentUri} isLong />
            </Fact>
          </Facts>
          <p class="hint">{say('notByHand')}</p>
        </div>
      </div>
      {problem !== null && <p class="notice quiet">{say('refundProblem', { problem })}</p>}
      <p class="hint" role="status">
        {say('refundIsWatched')}
      </p>
    </Card>
  )
}

function Summary({ refund }: Given) {
  const { say } = useWords()
  const figure = useRefundFigure()
  const { uuid, status, amount, paidAmount, paidBy, payer, recipient, signatures, problem } = refund
  const { paymentId, chargeId, subscriptionId, reason, reference, createdAt, endedAt } = refund
  const isMore = BigInt(paidAmount) > BigInt(amount)
  const isPaid = BigInt(paidAmount) > 0n
  return (
    <Card>
      <p class="standing">
        <RefundStanding status={status} />
      </p>
      {status !== 'open' && status !== 'processing' && (
        <p>{say(isMore ? 'refundMeans_more' : `refundMeans_${status}`)}</p>
      )}
      {!isWaiting(refund) && problem !== null && <p class="hint">{problem}</p>}
      <Facts>
        <Fact label={say('amount')}>{figure(refund, amount)}</Fact>
        {isPaid && paidAmount !== amount && <Fact label={say('refundPaid')}>{figure(refund, paidAmount)}</Fact>}
        {!isWaiting(refund) && (
          <>
            {(isPaid ? paidBy : [payer]).map((wallet) => (
              <Fact key={wallet} label={say(isPaid ? 'paidBy' : 'fromWallet')}>
                <Address address={wallet} />
                {isPaid && wallet !== payer && <p class="hint">{say('otherWalletPaid')}</p>}
              </Fact>
            ))}
            <Fact label={say('to')}>
              <Address address={recipient} />
            </Fact>
          </>
        )}
        {signatures.length > 0 && (
          <Fact label={say('transaction')}>
            {signatures.map((signature) => (
              <div key={signature}>
                <Transaction signature={signature} />
              </div>
            ))}
          </Fact>
        )}
        {reason !== null && (
          <Fact label={say('reason')}>
            <bdi>{reason}</bdi>
          </Fact>
        )}
        {reference !== null && (
          <Fact label={say('reference')}>
            <Copyable text={reference} />
          </Fact>
        )}
        {paymentId !== null && (
          <Fact label={say('payment')}>
            <a href={paymentPath(paymentId)}>{say('seePayment')}</a>
          </Fact>
        )}
        {chargeId !== null && (
          <Fact label={say('aCharge')}>
            <Copyable text={chargeId} isLong />
            <p>
              <a href={subscriptionPath(subscriptionId ?? '')}>{say('seeSubscription')}</a>
            </p>
          </Fact>
        )}
        <Fact label={say('created')}>
          <Time iso={createdAt} />
        </Fact>
        {endedAt !== null && (
          <Fact label={say('ended')}>
            <Time iso={endedAt} />
          </Fact>
        )}
        <Fact label="ID">
          <Copyable text={uuid} isLong />
        </Fact>
      </Facts>
    </Card>
  )
}

/** As many refunds of one payment as are searched for the other part. */
const MANY = 100

/** With its fee, a marketplace gives a part of the refund from another wallet. */
function OtherPart({ refund: { uuid, paymentId, partOf, reverseFee } }: Given) {
  const { say } = useWords()
  const page = { first: MANY, after: null, last: null, before: null }
  const { data } = useRead(DashboardRefundsDocument, { ...page, filter: { paymentId } }, { pause: !reverseFee })
  const refunds = data?.refunds.edges.map(({ node }) => node) ?? []
  const others = refunds.filter((one) => one.partOf === uuid || one.uuid === partOf)
  if (others.length === 0) return null
  return (
    <Card title={say('otherPart')}>
      <p class="hint">{say('otherPartText')}</p>
      <RefundTable label={say('otherPart')} refunds={others} />
    </Card>
  )
}
