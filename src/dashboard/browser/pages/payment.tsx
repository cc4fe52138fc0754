// One payment: how it stands, what has happened, and where its money went.
import { useState } from 'preact/hooks'
import { useRoute } from 'preact-iso/router'
import { useChange, useRead } from '#dashboard/browser/data.ts'
import { linkOf } from '#dashboard/browser/links.ts'
import { usePermission } from '#dashboard/browser/me.ts'
import { Held } from '#dashboard/browser/pages/payment-held.tsx'
import { Money } from '#dashboard/browser/pages/payment-money.tsx'
import { PaymentTimeline } from '#dashboard/browser/pages/payment-timeline.tsx'
import { GiveBack } from '#dashboard/browser/pages/refunds/give-back.tsx'
import { RefundsOfPayment } from '#dashboard/browser/pages/refunds/of-payment.tsx'
import { type Token, useTokens } from '#dashboard/browser/parts/assets.tsx'
import {
  Button,
  Card,
  Copyable,
  Fact,
  Facts,
  FaultNotice,
  JsonCode,
  Loading,
  Page,
  Time,
} from '#dashboard/browser/parts/basics.tsx'
import { LinkToBuyer } from '#dashboard/browser/parts/buyer-link.tsx'
import { Address } from '#dashboard/browser/parts/chain.tsx'
import { Confirm } from '#dashboard/browser/parts/forms.tsx'
import { buyerOf, PaymentStatus } from '#dashboard/browser/parts/payments.tsx'
import { SignedReceipt } from '#dashboard/browser/parts/signed-receipt.tsx'
import { PAYMENTS } from '#dashboard/browser/paths.ts'
import { useWords } from '#dashboard/browser/say.tsx'
import { site } from '#dashboard/browser/site.ts'
import {
  DashboardCancelPaymentDocument,
  DashboardPaymentDetailDocument,
  type DashboardPaymentDetailQuery,
  DashboardSimulateDepositDocument,
  DashboardSweepPaymentDocument,
} from '#dashboard/documents.generated.ts'

type Payment = NonNullable<DashboardPaymentDetailQuery['payment']>
type Given = { readonly payment: Payment }

const CAN_BE_PAID: ReadonlySet<Payment['status']> = new Set(['pending', 'underpaid'])
/** The statuses in which money for the business waits for a sweep. */
const CAN_BE_SWEPT: ReadonlySet<Payment['status']> = new Set(['paid', 'overpaid', 'settle_failed'])
/** Their message has the reason. */
const NEEDS_A_PERSON: ReadonlySet<Payment['status']> = new Set(['settle_failed', 'refund_failed'])

export function PaymentPage() {
  const { say, formats } = useWords()
  const { id = '' } = useRoute().params
  const { data, fault } = useRead(DashboardPaymentDetailDocument, { id })
  const tokens = useTokens()
  if (fault !== null)
    return (
      <Page title={say('paymentNotFound')}>
        <FaultNotice fault={fault.code === 'intent_not_found' ? null : fault} />
        <a href={PAYMENTS}>{say('allPayments')}</a>
      </Page>
    )
  if (data === null) return <Loading />
  const { payment } = data
  return (
    <Page
      key={payment.uuid}
      title={say('paymentOf', { amount: formats.dollars(payment.priceUsdCents) })}
      actions={<Actions payment={payment} />}
    >
      <Summary payment={payment} />
      <Link payment={payment} />
      <Simulate payment={payment} tokens={tokens} />
      <Held payment={payment} tokens={tokens} />
      <Money legs={payment.settledLegs} />
      <RefundsOfPayment payment={payment} />
      <PaymentTimeline payment={payment} tokens={tokens} />
      <details class="panel">
        <summary>{say('asJson')}</summary>
        <JsonCode value={payment} name={say('asJson')} />
      </details>
    </Page>
  )
}

/** What can be done about a payment, by the people who may. */
function Actions({ payment }: Given) {
  const { say } = useWords()
  const cancel = useChange(DashboardCancelPaymentDocument)
  const sweep = useChange(DashboardSweepPaymentDocument)
  const mayAct = usePermission('payments')
  const { uuid, status, derivationIndex: index, ticker, mintDecimals: decimals } = payment
  return (
    <div class="actions">
      {ticker !== null && decimals !== null && (
        <GiveBack
          of={{ paymentId: uuid }}
          token={{ ticker, decimals }}
          hasMarketplace={payment.seller !== null}
          refundable={payment.refundableAmount}
        />
      )}
      {mayAct && CAN_BE_PAID.has(status) && (
        <Confirm
          label={say('cancelPayment')}
          question={say('cancelPaymentQuestion')}
          isBusy={cancel.isBusy}
          fault={cancel.fault}
          onConfirm={() => cancel.run({ index })}
        />
      )}
      {mayAct && CAN_BE_SWEPT.has(status) && (
        <Button isBusy={sweep.isBusy} onPress={() => void sweep.run({ index })}>
          {say('sweepNow')}
        </Button>
      )}
      {payment.settledLegs.length > 0 && <SignedReceipt of="payment" id={uuid} />}
      <Button onPress={() => print()}>{say('print')}</Button>
      <FaultNotice fault={sweep.fault} />
    </div>
  )
}

/** The link is known in the tab that has created the payment. */
function Link({ payment: { uuid, status } }: Given) {
  const { say } = useWords()
  const link = linkOf(uuid)
  if (link === null || !CAN_BE_PAID.has(status)) return null
  return (
    <Card title={say('linkReady')} class="unprinted">
      <LinkToBuyer link={link} />
    </Card>
  )
}

const WAYS_TO_PAY = ['exact', 'under', 'over', 'wrong_asset'] as const

/** Pays as a buyer would, in a sandbox. */
function Simulate({ payment, tokens }: Given & { tokens: readonly Token[] }) {
  const { say } = useWords()
  const pay = useChange(DashboardSimulateDepositDocument)
  const mayPay = usePermission('payments')
  const { status, derivationIndex: index, latestDeposits } = payment
  const arrived = latestDeposits.edges.length
  /** How many deposits there were when the last one was sent. */
  const [before, setBefore] = useState<number | null>(null)
  if (!site.isSandbox || !mayPay || !CAN_BE_PAID.has(status)) return null
  const right = payment.asset === null ? payment.acceptedAssets : [payment.asset]
  const hasWrong = tokens.some(({ asset }) => !right.includes(asset))
  return (
    <Card title={say('payInSandbox')} class="unprinted">
      <div class="actions start">
        {WAYS_TO_PAY.map((kind) => (
          <Button
            key={kind}
            isBusy={pay.isBusy}
            isDisabled={kind === 'wrong_asset' && !hasWrong}
            onPress={() => void pay.run({ index, kind }).then((sent) => sent !== null && setBefore(arrived))}
          >
            {say(`pay_${kind}`)}
          </Button>
        ))}
      </div>
      {!hasWrong && <p class="hint">{say('noWrongAsset')}</p>}
      <p class="sent" role="status">
        {pay.isBusy ? say('paySending') : before === arrived && say('paySent')}
      </p>
      <FaultNotice fault={pay.fault} />
    </Card>
  )
}

function Summary({ payment }: Given) {
  const { say, formats } = useWords()
  const { ticker, mintDecimals, expectedAmount, seller, lineItems } = payment
  const token = ticker === null || mintDecimals === null ? null : { ticker, decimals: mintDecimals }
  const buyer = buyerOf(payment)
  return (
    <Card>
      <p class="standing">
        <PaymentStatus {...payment} /> {NEEDS_A_PERSON.has(payment.status) && payment.message}
      </p>
      <Facts>
        {token !== null && expectedAmount !== null && (
          <Fact label={say('amount')}>
            {formats.amount(expectedAmount, token)}
            <br />
            <span class="hint">{formats.rate(payment.priceUsdCents, expectedAmount, token)}</span>
          </Fact>
        )}
        {token !== null && <Fact label={say('received')}>{formats.amount(payment.receivedAmount, token)}</Fact>}
        {payment.reference !== null && (
          <Fact label={say('reference')}>
            <Copyable text={payment.reference} />
          </Fact>
        )}
        {buyer !== null && (
          <Fact label={say('buyer')}>
            <bdi>{buyer}</bdi>
          </Fact>
        )}
        {seller !== null && (
          <Fact label={say('paymentSeller')}>
            <bdi>{seller.name}</bdi>
          </Fact>
        )}
        {payment.description !== null && (
          <Fact label={say('description')}>
            <bdi>{payment.description}</bdi>
          </Fact>
        )}
        {lineItems.length > 0 && (
          <Fact label={say('order')}>
            {lineItems.map(({ name, quantity, amountUsdCents }) => (
              <div key={name}>
                <bdi>{`${quantity} × ${name}`}</bdi> <span class="hint">{formats.dollars(amountUsdCents)}</span>
              </div>
            ))}
          </Fact>
        )}
        <Fact label={say('created')}>
          <Time iso={payment.createdAt} />
        </Fact>
        {CAN_BE_PAID.has(payment.status) && (
          <Fact label={say('expires')}>
            <Time iso={payment.expiresAt} />
          </Fact>
        )}
        <Fact label={say('address')}>
          <Address address={payment.address} />
        </Fact>
        <Fact label="ID">
          <Copyable text={payment.uuid} isLong />
        </Fact>
      </Facts>
      {payment.metadata !== null && (
        <details>
          <summary>{say('metadata')}</summary>
          <JsonCode value={payment.metadata} name={say('metadata')} />
        </details>
      )}
    </Card>
  )
}
