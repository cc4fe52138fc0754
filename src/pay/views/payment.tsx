// The page on which a buyer pays: what is due, the ways to pay it, and how the payment stands.
import { tellParent, useParent } from '#pay/browser/parent.ts'
import type { PaymentStateFragment } from '#pay/documents.generated.ts'
import type { PaymentState } from '#pay/states.ts'
import type { TextKey } from '#pay/texts/texts.ts'
import { usePage } from './context.tsx'
import { OnPhone } from './elsewhere.tsx'
import { decimal } from './formats.ts'
import {
  Back,
  Button,
  Clock,
  Connection,
  Copyable,
  Payee,
  Return,
  Row,
  Stage,
  Status,
  Support,
  type Tone,
  Transaction,
} from './parts.tsx'
import { assetOf, NATIVE, SOL, useAmounts } from './payment/amounts.ts'
import { Assets } from './payment/assets.tsx'
import { type Checkout, isPayable, useCheckout } from './payment/checkout.ts'
import { Details, OrderView } from './payment/details.tsx'
import { type Paying, type SentStep, usePaying } from './payment/paying.ts'
import { RefundAddress } from './payment/refund-address.tsx'
import { hasReturns, Returns, SentOut } from './payment/returns.tsx'
import { Confirmed } from './press.tsx'
import { QrCode } from './qr.tsx'
import { WalletButtons } from './wallet-buttons.tsx'

// The ways to pay the amount that is due: a wallet of this browser, a wallet on a phone, or by hand.

function Ways({ checkout, paying }: { checkout: Checkout; paying: Paying }) {
  const { say, formats } = usePage()
  const { payment, token, funds } = checkout
  const { asset, paymentUri, address, expectedAmount, shortfall } = payment
  if (paymentUri === null || token === null || expectedAmount === null) return null
  const units = shortfall ?? expectedAmount
  const amount = formats.amount(units, token)
  const own = funds.get(token.asset)
  return (
    <>
      <WalletButtons signs="transaction" label="connectAndPay" asking={paying.asking} />
      {/* It comes later than the buttons, and moves none of them. */}
      {own && (
        <p class="hint">
          <bdi>{own.wallet}</bdi>: {formats.amount(own.amount, token)}
          {' · '}
          {say('networkCost', { amount: formats.amount(own.cost, NATIVE) })}
        </p>
      )}
      <a class="button plain on-phone" href={paymentUri}>
        {say('openWallet')}
      </a>
      <details class="code">
        <summary>{say('showCode')}</summary>
        <div class="scan">
          <QrCode text={paymentUri} label={say('qrLabel', { amount, address })} />
          <p>{say('scan')}</p>
        </div>
      </details>
      <p class="hint">{say('exchangeWarning')}</p>
      <OnPhone isNeeded={false} />
      <details>
        <summary>{say('payByAddress')}</summary>
        <p>{say('sendExactly', { amount })}</p>
        <Copyable label={say('amount')} text={decimal(units, token.decimals).replace(/\.0+$|(\.\d*[1-9])0+$/, '$1')} />
        <Copyable label={say('address')} text={address} />
        {asset !== null && asset !== SOL && <Copyable label={say('mint', { token: token.ticker })} text={asset} />}
      </details>
    </>
  )
}

type Payment = PaymentStateFragment

export function PaymentView({ state }: { state: PaymentState }) {
  const { formats, site } = usePage()
  const checkout = useCheckout(state)
  const paying = usePaying(checkout)
  const { payment } = checkout
  useParent(site.embeddedIn, payment)
  return (
    <>
      <Connection isOffline={checkout.isOffline} text={isPayable(payment) ? 'offlinePaying' : 'offline'} />
      <header>
        <Payee brand={state.brand} name={payment.merchantName} />
        <h1>{formats.dollars(payment.priceUsdCents)}</h1>
        <OrderView order={state.order} />
      </header>
      <Stage name={payment.merchantName}>
        {isPayable(payment) && checkout.secondsLeft > 0 && !isSent(paying.step) && (
          <Clock secondsLeft={checkout.secondsLeft} of={checkout.windowSeconds} />
        )}
        <Progress checkout={checkout} paying={paying} />
        <Support brand={state.brand} />
      </Stage>
    </>
  )
}

/** Shows what is next for the buyer. */
function Progress({ checkout, paying }: { checkout: Checkout; paying: Paying }) {
  const { say } = usePage()
  const { payment, details } = checkout
  if (!isPayable(payment)) return <Outcome payment={payment} checkout={checkout} />
  if (checkout.secondsLeft === 0)
    return (
      <>
        <Status tone="attention" title={say('timeOverTitle')} text={say('timeOverText')} />
        <Returns payment={payment} />
        <RefundAddress checkout={checkout} />
        <WayBack checkout={checkout} />
      </>
    )
  if (isSent(paying.step)) {
    return (
      <>
        <Returns payment={payment} />
        <Due checkout={checkout} />
        <Sent step={paying.step} />
      </>
    )
  }
  if (payment.asset === null) {
    return (
      <>
        <Returns payment={payment} />
        {details.length > 0 && <Details checkout={checkout} />}
        <h2>{say('choose')}</h2>
        <Assets checkout={checkout} />
        <Cancel checkout={checkout} paying={paying} />
      </>
    )
  }
  return (
    <>
      {payment.status === 'underpaid' && (
        <Status tone="attention" title={say('underpaidTitle')} text={say('underpaidText')} />
      )}
      <Returns payment={payment} />
      <Due checkout={checkout} />
      <p class="hint">{say('rateLocked')}</p>
      {details.length > 0 && <Details checkout={checkout} />}
      <Ways checkout={checkout} paying={paying} />
      <div class="actions">
        {payment.status === 'pending' && checkout.tokens.some(({ asset }) => asset !== payment.asset) && (
          <Button kind="plain" onPress={checkout.changeAsset} disabled={paying.step !== null}>
            {say('changeAsset')}
          </Button>
        )}
        <Cancel checkout={checkout} paying={paying} />
      </div>
    </>
  )
}

const SENT_TEXTS: Readonly<Record<SentStep, TextKey>> = {
  sending: 'doNotPayAgain',
  waitingForChain: 'doNotPayAgain',
  notKnownYet: 'notKnownText',
}

const isSent = (step: Paying['step']): step is SentStep => step !== null && step in SENT_TEXTS

/** Shows what becomes of a signed transaction. As long as it may land, nothing here can pay once more. */
function Sent({ step }: { step: SentStep }) {
  const { say } = usePage()
  return (
    <>
      <Status tone="waiting" title={say(step)} text={say(SENT_TEXTS[step])} />
      <Steps done={step === 'waitingForChain' ? 1 : 0} />
    </>
  )
}

const STEPS = ['stepSent', 'stepReceived', 'stepSettled'] as const satisfies readonly TextKey[]

/** Shows how many of its steps a payment has behind it. The status above says the same to a screen reader. */
function Steps({ done }: { done: number }) {
  const { say } = usePage()
  return (
    <ol class="steps" aria-hidden="true">
      {STEPS.map((step, at) => (
        <li key={step} class={at < done ? 'done' : ''}>
          {say(step)}
        </li>
      ))}
    </ol>
  )
}

/** Shows what is to be paid. */
function Due({ checkout }: { checkout: Checkout }) {
  const { say, formats } = usePage()
  const { payment, token } = checkout
  if (token === null || payment.expectedAmount === null) return null
  const isPart = payment.status === 'underpaid'
  return (
    <dl class="due">
      <Row label={say(isPart ? 'amountLeft' : 'amountDue')}>
        <strong>{formats.amount(payment.shortfall ?? payment.expectedAmount, token)}</strong>
      </Row>
      {isPart && <Row label={say('amountReceived')}>{formats.amount(payment.receivedAmount, token)}</Row>}
    </dl>
  )
}

/** What a wallet is asked for may be paid, so it has to answer first. */
const Cancel = ({ checkout, paying }: { checkout: Checkout; paying: Paying }) => {
  const { say } = usePage()
  const words = { question: say('cancelQuestion'), yes: say('cancel'), no: say('keep') }
  return <Confirmed {...words} action={checkout.cancel} disabled={paying.step !== null} />
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

/** Where the business settles a part of the price all the same. */
const PARTS: Readonly<Partial<Record<Payment['action'], Words>>> = {
  paid: { tone: 'attention', title: 'partTitle', text: 'partSettlingText' },
  swept: { tone: 'attention', title: 'partTitle', text: 'partSettledText' },
}

/** Returns what is missing of the price, in base units of the selected asset; null when nothing is, or the business tolerates it. */
function missingOf({ expectedAmount, receivedAmount, isCovered }: Payment): string | null {
  if (isCovered) return null
  const missing = BigInt(expectedAmount ?? 0) - BigInt(receivedAmount)
  return missing > 0n ? String(missing) : null
}

/** Leads back to the business, and goes there by itself when the price was paid on this page. A page in a frame is there already. */
function WayBack({ checkout: { payment, order, wasPayable } }: { checkout: Checkout }) {
  const { site } = usePage()
  const { successUrl, cancelUrl } = order
  if (site.embeddedIn !== null) return null
  const merchant = payment.merchantName
  if (!isSuccess(payment)) return <Back url={cancelUrl} merchant={merchant} isPrimary />
  // What becomes of an excess, and of money that does not count, is to be read.
  const isMore = BigInt(payment.receivedAmount) > BigInt(payment.expectedAmount ?? 0)
  const goes = wasPayable && !isMore && !hasReturns(payment)
  return <Return url={successUrl} merchant={merchant} goes={goes} />
}

/** Returns whether the price counts as paid, and stays paid. */
const isSuccess = ({ action, isCovered }: Payment): boolean => OUTCOMES_OF_SUCCESS.has(action) && isCovered
const OUTCOMES_OF_SUCCESS: ReadonlySet<Payment['action']> = new Set(['paid', 'overpaid', 'swept'])

/** Returns whether a refund is less than what was paid: the network fee comes out of a refund in SOL. */
const isFeeTaken = ({ asset, receivedAmount, refunds, status }: Payment): boolean =>
  asset === SOL &&
  status !== 'swept' &&
  refunds.some(({ mint, amount }) => assetOf(mint) === SOL && BigInt(amount) < BigInt(receivedAmount))

/** Shows how a payment that needs nothing more from the buyer stands. Where it is paid, this is the receipt. */
function Outcome({ payment, checkout }: { payment: Payment; checkout: Checkout }) {
  const { say, formats, site } = usePage()
  const amountOf = useAmounts(payment)
  if (payment.action === 'waiting' || payment.action === 'underpaid') return null
  const missing = missingOf(payment)
  const part = missing === null ? undefined : PARTS[payment.action]
  const { tone, title, text } = part ?? OUTCOMES[payment.action]
  const excess = (payment.settlement?.legs ?? []).filter(({ role }) => role === 'refund')
  return (
    <>
      <Status tone={tone} title={say(title)} text={say(text, { merchant: payment.merchantName })} />
      {isSuccess(payment) && <Steps done={payment.action === 'swept' ? 3 : 2} />}
      <dl>
        {isSuccess(payment) && checkout.token && payment.expectedAmount && (
          <Row label={say('rate')}>{formats.rate(payment.priceUsdCents, payment.expectedAmount, checkout.token)}</Row>
        )}
        {payment.receivedAmount !== '0' && checkout.token && (
          <Row label={say('amountReceived')}>{amountOf(payment.receivedAmount, payment.asset)}</Row>
        )}
        {part && missing && <Row label={say('amountMissing')}>{amountOf(missing, payment.asset)}</Row>}
        {excess.map(({ amount, signature }, at) => (
          <SentOut key={at} asset={payment.asset} refund={{ amount, signatures: [signature] }} payment={payment} />
        ))}
        {payment.refunds.map(({ mint, ...refund }) => (
          <SentOut key={assetOf(mint)} asset={assetOf(mint)} refund={refund} payment={payment} />
        ))}
      </dl>
      {isFeeTaken(payment) && <p class="hint">{say('refundFee')}</p>}
      {payment.countedDeposits.map(({ asset, amount, signature, arrivedAt }) => {
        const label = say('paidOn', { amount: amountOf(amount, asset), date: formats.date(arrivedAt) })
        return (
          <Copyable key={`${signature} ${asset}`} label={label} text={signature}>
            <Transaction signature={signature} />
          </Copyable>
        )
      })}
      <Returns payment={payment} />
      <RefundAddress checkout={checkout} />
      {isSuccess(payment) && site.embeddedIn === null && (
        <Button kind="plain" onPress={() => print()}>
          {say('printReceipt')}
        </Button>
      )}
      <WayBack checkout={checkout} />
      {site.embeddedIn !== null && (
        <Button kind="plain" onPress={() => tellParent(site.embeddedIn, { type: 'closed' })}>
          {say('close')}
        </Button>
      )}
      {/* It comes later than the rest, and so below it. */}
      {payment.action === 'swept' && (
        <a class="button plain" href={`${checkout.clientSecret}/receipt`} download>
          {say('signedReceipt')}
        </a>
      )}
    </>
  )
}
