// The page on which a buyer pays: what is due, the ways to pay it, and how the payment stands.

import { Fragment } from 'preact'
import { tellParent, useParent } from '#pay/browser/parent.ts'
import type { PaymentStateFragment } from '#pay/documents.generated.ts'
import type { PaymentState } from '#pay/payment/state.ts'
import type { TextKey } from '#pay/texts/texts.ts'
import { usePage } from '#pay/views/context.tsx'
import { Button, Confirmed, Notice, Row, Stage, Status, type Tone, Transaction } from '#pay/views/parts.tsx'
import { Assets } from '#pay/views/payment/assets.tsx'
import { type Checkout, useCheckout } from '#pay/views/payment/checkout.ts'
import { Details } from '#pay/views/payment/details.tsx'
import { Ways } from '#pay/views/payment/ways.tsx'

type Payment = PaymentStateFragment

const SOL = 'SOL'

export function PaymentView({ state }: { state: PaymentState }) {
  const { say, formats, site } = usePage()
  const checkout = useCheckout(state)
  const { payment } = checkout
  useParent(site.embeddedIn, payment)
  return (
    <>
      <header>
        <p class="payee">{payment.merchantName}</p>
        <h1>{formats.dollars(payment.priceUsdCents)}</h1>
      </header>
      <Stage>
        <Progress checkout={checkout} />
        {checkout.isOffline && <Notice>{say('offline')}</Notice>}
      </Stage>
    </>
  )
}

/** What is next for the buyer. */
function Progress({ checkout }: { checkout: Checkout }) {
  const { say } = usePage()
  const { payment, details, isCancellable } = checkout
  if (!isPayable(payment)) return <Outcome payment={payment} checkout={checkout} />
  if (checkout.secondsLeft === 0)
    return (
      <>
        <Status tone="attention" title={say('timeOverTitle')} text={say('timeOverText')} />
        <Late checkout={checkout} />
      </>
    )
  if (payment.asset === null) {
    return (
      <>
        <h2>{say('choose')}</h2>
        <Assets checkout={checkout} />
        {details.length > 0 && <Details checkout={checkout} />}
        {isCancellable && <Cancel checkout={checkout} />}
      </>
    )
  }
  return (
    <>
      {payment.status === 'underpaid' && (
        <Status tone="attention" title={say('underpaidTitle')} text={say('underpaidText')} />
      )}
      <Due checkout={checkout} />
      <p class="hint">{say('rateLocked')}</p>
      <Ways checkout={checkout} />
      {details.length > 0 && <Details checkout={checkout} />}
      <div class="actions">
        {payment.status === 'pending' && checkout.tokens.length > 1 && (
          <Button kind="plain" onPress={checkout.changeAsset}>
            {say('changeAsset')}
          </Button>
        )}
        {isCancellable && <Cancel checkout={checkout} />}
      </div>
    </>
  )
}

/** Whether more can be paid for the price. */
const isPayable = ({ status }: Payment): boolean => status === 'pending' || status === 'underpaid'

/** What is to be paid, and until when. */
function Due({ checkout }: { checkout: Checkout }) {
  const { say, formats } = usePage()
  const { payment, token, secondsLeft } = checkout
  if (token === null || payment.expectedAmount === null) return null
  const isPart = payment.status === 'underpaid'
  return (
    <dl class="due">
      <Row label={say(isPart ? 'amountLeft' : 'amountDue')}>
        <strong>{formats.amount(payment.shortfall ?? payment.expectedAmount, token)}</strong>
      </Row>
      {isPart && <Row label={say('amountReceived')}>{formats.amount(payment.receivedAmount, token)}</Row>}
      <Row label={say('timeLeft')}>
        <span class="clock">{formats.countdown(secondsLeft)}</span>
      </Row>
    </dl>
  )
}

const Cancel = ({ checkout }: { checkout: Checkout }) => {
  const { say } = usePage()
  return <Confirmed question={say('cancelQuestion')} yes={say('cancel')} no={say('keep')} onYes={checkout.cancel} />
}

type Words = { readonly tone: Tone; readonly title: TextKey; readonly text: TextKey }

const OUTCOMES: Readonly<Record<Exclude<Payment['action'], 'waiting' | 'underpaid'>, Words>> = {
  paid: { tone: 'good', title: 'paidTitle', text: 'paidText' },
  overpaid: { tone: 'good', title: 'overpaidTitle', text: 'overpaidText' },
  swept: { tone: 'good', title: 'sweptTitle', text: 'sweptText' },
  refunding: { tone: 'attention', title: 'refundingTitle', text: 'refundingText' },
  refunded: { tone: 'attention', title: 'refundedTitle', text: 'refundedText' },
  cancelled: { tone: 'bad', title: 'cancelledTitle', text: 'cancelledText' },
  refund_failed: { tone: 'bad', title: 'refundFailedTitle', text: 'refundFailedText' },
}

/** How a payment that needs nothing more from the buyer stands. */
function Outcome({ payment, checkout }: { payment: Payment; checkout: Checkout }) {
  const { say, formats, site } = usePage()
  if (payment.action === 'waiting' || payment.action === 'underpaid') return null
  const { tone, title, text } = OUTCOMES[payment.action]
  const excess = (payment.settlement?.legs ?? []).filter(({ role }) => role === 'refund')
  return (
    <>
      <Status tone={tone} title={say(title)} text={say(text, { merchant: payment.merchantName })} />
      <dl>
        {payment.receivedAmount !== '0' && checkout.token && (
          <Row label={say('amountReceived')}>{formats.amount(payment.receivedAmount, checkout.token)}</Row>
        )}
        {payment.settlement?.signatures.map((signature) => (
          <Row key={signature} label={say('transaction')}>
            <Transaction signature={signature} />
          </Row>
        ))}
        {excess.map(({ amount, signature }, at) => (
          <SentBack key={at} asset={payment.asset} refund={{ amount, signatures: [signature] }} checkout={checkout} />
        ))}
        {payment.refunds.map(({ mint, ...refund }) => (
          <SentBack key={mint ?? SOL} asset={mint ?? SOL} refund={refund} checkout={checkout} />
        ))}
      </dl>
      <Late checkout={checkout} />
      {site.embeddedIn !== null && (
        <Button kind="plain" onPress={() => tellParent(site.embeddedIn, { type: 'closed' })}>
          {say('close')}
        </Button>
      )}
    </>
  )
}

type LatePayment = Payment['latePayments'][number]
type Refund = NonNullable<LatePayment['refund']>

/** What goes back, or went back: its amount, and its transactions once they are final. */
function SentBack({ asset, refund, checkout }: { asset: string | null; refund: Refund; checkout: Checkout }) {
  const { say, formats } = usePage()
  const token = checkout.tokens.find((one) => one.asset === asset)
  return (
    <Row label={say(refund.signatures.length === 0 ? 'onItsWayBack' : 'sentBack')}>
      {token && <span>{formats.amount(refund.amount, token)}</span>}
      {refund.signatures.map((signature) => (
        <Fragment key={signature}>
          {' '}
          <Transaction signature={signature} />
        </Fragment>
      ))}
    </Row>
  )
}

const LATE_TEXTS: Readonly<Record<LatePayment['status'], TextKey>> = {
  pending: 'lateText',
  settling: 'lateMovingText',
  refunded: 'lateReturnedText',
  held: 'lateHeldText',
  failed: 'lateHeldText',
}

/** Each late payment with its state, and its refund unless the refunds of the payment contain it. */
function Late({ checkout }: { checkout: Checkout }) {
  const { say, formats } = usePage()
  const { payment, tokens } = checkout
  return payment.latePayments.map(({ mint, amount, status, signature, refund }) => {
    const token = tokens.find(({ asset }) => asset === (mint ?? SOL))
    if (token === undefined) return null
    const values = { amount: formats.amount(amount, token), merchant: payment.merchantName }
    const isListed = payment.refunds.some((one) => one.mint === mint)
    return (
      <Fragment key={signature}>
        <Status tone="attention" title={say('lateTitle')} text={say(LATE_TEXTS[status], values)} />
        <dl>
          <Row label={say('transaction')}>
            <Transaction signature={signature} />
          </Row>
          {refund && !isListed && <SentBack asset={token.asset} refund={refund} checkout={checkout} />}
        </dl>
      </Fragment>
    )
  })
}
