// The page on which a buyer pays: what is due, the ways to pay it, and how the payment stands.

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
  const signatures = [...(payment.settlement?.signatures ?? []), ...payment.refunds.flatMap((one) => one.signatures)]
  return (
    <>
      <Status tone={tone} title={say(title)} text={say(text, { merchant: payment.merchantName })} />
      <dl>
        {payment.receivedAmount !== '0' && checkout.token && (
          <Row label={say('amountReceived')}>{formats.amount(payment.receivedAmount, checkout.token)}</Row>
        )}
        {signatures.map((signature) => (
          <Row key={signature} label={say('transaction')}>
            <Transaction signature={signature} />
          </Row>
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

function Late({ checkout }: { checkout: Checkout }) {
  const { say, formats } = usePage()
  const { payment, tokens } = checkout
  return payment.latePayments.map(({ mint, amount, signature }) => {
    const token = tokens.find(({ asset }) => asset === (mint ?? 'SOL'))
    if (token === undefined) return null
    return (
      <Status
        key={signature}
        tone="attention"
        title={say('lateTitle')}
        text={say('lateText', { amount: formats.amount(amount, token) })}
      />
    )
  })
}
