// The page on which a wallet subscribes: what it costs, what signing permits, and the first charge as it is made.

import { useEffect, useRef, useState } from 'preact/hooks'
import type { CheckoutStateFragment } from '#pay/documents.generated.ts'
import type { CheckoutState } from '#pay/states.ts'
import type { TextKey } from '#pay/texts/texts.ts'
import { type Page, usePage } from '#pay/views/context.tsx'
import { shortened } from '#pay/views/formats.ts'
import { Press } from '#pay/views/press.tsx'
import { type Subscribing, useSubscribing } from '#pay/views/subscribing.ts'
import { WalletButtons } from '#pay/views/wallet-buttons.tsx'
import { Back, Connection, Notice, Payee, Return, Row, Stage, Status, Support, Transaction } from './parts.tsx'
import { discountIn, type Payments, Price, paymentsOf, rhythmOf } from './terms.tsx'

export function CheckoutView({ state }: { state: CheckoutState }) {
  const subscribing = useSubscribing(state)
  const { checkout, isOffline } = subscribing
  const { merchantName, brand, product, tier } = checkout
  const description = tier.description ?? product.description
  return (
    <>
      <Connection isOffline={isOffline} />
      <header>
        <Payee brand={brand} name={merchantName} />
        <h1 class="name">
          <bdi>{product.name}</bdi>
        </h1>
        <p>
          <bdi>{tier.name}</bdi>
        </p>
        <Price tier={tier} trial={checkout} discounted={checkout.coupon?.priceUsdCents ?? null} />
        {description && (
          <p class="hint">
            <bdi>{description}</bdi>
          </p>
        )}
      </header>
      <Stage name={product.name}>
        <Progress subscribing={subscribing} ticker={state.ticker} />
        <Support brand={brand} />
      </Stage>
    </>
  )
}

function Progress({ subscribing, ticker }: { subscribing: Subscribing; ticker: string }) {
  const { checkout } = subscribing
  switch (checkout.status) {
    case 'open':
      return <Consent subscribing={subscribing} ticker={ticker} />
    case 'completed':
      return <FirstCharge subscribing={subscribing} ticker={ticker} />
    case 'expired':
    case 'canceled':
      return <Over checkout={checkout} />
  }
}

/** Nothing was charged, and nothing can be done here any more. */
function Over({ checkout: { status, merchantName: merchant, cancelUrl } }: { checkout: CheckoutStateFragment }) {
  const { say } = usePage()
  const title = say(status === 'expired' ? 'checkoutExpiredTitle' : 'checkoutOverTitle')
  return (
    <>
      <Status tone="bad" title={title} text={say('checkoutOver')} />
      <Back url={cancelUrl} merchant={merchant} />
    </>
  )
}

/** Shows what the subscriber agrees to, in plain words, and the wallets to agree with. */
function Consent({ subscribing, ticker }: { subscribing: Subscribing; ticker: string }) {
  const page = usePage()
  const { say, formats } = page
  const { checkout, asking } = subscribing
  const { merchantName: merchant, tier, totalAuthorization, walletPinned, subscriberWallet } = checkout
  const payments = paymentsOf(tier, checkout.coupon)
  const price = formats.dollars(payments.first)
  const end = checkout.trialEndsAt === null ? null : formats.date(checkout.trialEndsAt)
  return (
    <>
      <dl class="due">
        <Row label={say('today')}>
          <strong>{end === null ? price : formats.dollars(0)}</strong>
        </Row>
        {end !== null && <Row label={say('onDate', { date: end })}>{price}</Row>}
        <Afterwards payments={payments} tier={tier} />
        <Row label={say('paidIn')}>{ticker}</Row>
      </dl>
      <Code subscribing={subscribing} />
      <h2>{say('whatYouAllow')}</h2>
      <ul class="points">
        <li>
          {say(allowanceKey(payments), {
            merchant,
            total: formats.dollars(totalAuthorization.usdCents),
            payments: formats.number(payments.count),
            first: formats.number(payments.discounted),
            discounted: price,
            rest: formats.number(payments.count - payments.discounted),
            price: isMixed(payments) ? formats.dollars(payments.last) : price,
          })}
        </li>
        {end !== null && <li>{say('trialCancel', { date: end })}</li>}
        <li>{say('custody')}</li>
        <li>{say('revocable')}</li>
        <li>{say('noFee')}</li>
      </ul>
      {walletPinned && subscriberWallet !== null && (
        <p class="hint">{say('onlyWallet', { wallet: shortened(subscriberWallet) })}</p>
      )}
      {tier.trialDays > 0 && end === null && <p class="hint">{say('trialUsed')}</p>}
      <WalletButtons signs="either" label="subscribeWith" asking={asking} isOnlyWay />
      <Back url={checkout.cancelUrl} merchant={merchant} />
    </>
  )
}

/** Some of the payments have the discount, and others have not. */
const isMixed = ({ count, discounted }: Payments): boolean => discounted > 0 && discounted < count

const allowanceKey = (payments: Payments) =>
  payments.count === 1 ? 'allowanceOnce' : isMixed(payments) ? 'allowanceDiscounted' : 'allowance'

/** Shows what the payments after the first one cost. */
function Afterwards({ payments, tier }: { payments: Payments; tier: CheckoutStateFragment['tier'] }) {
  const page = usePage()
  const { say, formats } = page
  const { count, discounted, first, last } = payments
  if (count === 1) return null
  const of = (cents: number) => `${formats.dollars(cents)} ${rhythmOf(page, tier)}`
  if (!isMixed(payments)) return <Row label={say('afterwards')}>{of(first)}</Row>
  return (
    <>
      {discounted > 1 && <Row label={say('afterwards')}>{of(first)}</Row>}
      <Row label={discounted > 1 ? say('fromPayment', { number: formats.number(discounted + 1) }) : say('afterwards')}>
        {of(last)}
      </Row>
    </>
  )
}

/** Shows the coupon of the checkout, or asks for its code where the business has one. */
function Code({ subscribing }: { subscribing: Subscribing }) {
  const page = usePage()
  const { checkout, removeCode } = subscribing
  const { coupon, acceptsCoupons } = checkout
  if (coupon === null) return acceptsCoupons ? <EnterCode subscribing={subscribing} /> : null
  return (
    <div class="coupon">
      <p>
        <bdi class="name">{coupon.code}</bdi> {discountIn(page, coupon)}
      </p>
      <Press class="button plain" action={removeCode}>
        {page.say('removeCode')}
      </Press>
    </div>
  )
}

const IS_CODE_FAULT: ReadonlySet<TextKey | null | undefined> = new Set([
  'codeUnknown',
  'codeEnded',
  'codeElsewhere',
  'codeUsedUp',
])

function EnterCode({ subscribing }: { subscribing: Subscribing }) {
  const { say } = usePage()
  const input = useRef<HTMLInputElement>(null)
  const [isMissing, setMissing] = useState(false)
  const given = () => input.current?.value.trim() ?? ''
  const enter = subscribing.enter(given)
  const fault = isMissing ? 'codeNeeded' : enter.attempt?.fault
  const isWrong = isMissing || IS_CODE_FAULT.has(fault)
  useEffect(() => {
    if (isWrong) input.current?.focus()
  }, [isWrong])
  return (
    <details>
      <summary>{say('haveCode')}</summary>
      <form
        class="coupon"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          setMissing(given() === '')
          if (given() !== '') enter.run()
        }}
      >
        <label>
          {say('code')}
          <input
            ref={input}
            name="code"
            dir="ltr"
            autocomplete="off"
            autocapitalize="characters"
            spellcheck={false}
            maxLength={40}
            aria-required
            aria-invalid={isWrong || undefined}
            aria-describedby={isWrong ? 'code-fault' : undefined}
          />
        </label>
        <Press class="button plain" action={isWrong ? { ...enter, attempt: null } : enter} type="submit">
          {say('applyCode')}
        </Press>
        {isWrong && fault && <Notice id="code-fault">{say(fault)}</Notice>}
      </form>
    </details>
  )
}

/** Shows until when it is free. The portal shows the first charge, which is then made. */
function Trial({ subscribing, end }: { subscribing: Subscribing; end: string }) {
  const { say, formats } = usePage()
  const { tier, coupon } = subscribing.checkout
  const text = say('trialText', {
    date: formats.date(end),
    price: formats.dollars(coupon?.priceUsdCents ?? tier.priceUsdCents),
  })
  return (
    <>
      <Status tone="good" title={say('trialTitle')} text={text} />
      <Subscribed subscribing={subscribing} />
    </>
  )
}

function Subscribed({ subscribing: { checkout, hasSigned } }: { subscribing: Subscribing }) {
  const { say, site } = usePage()
  return (
    <div class="actions">
      <Return url={checkout.successUrl} merchant={checkout.merchantName} goes={hasSigned} />
      <a class="button plain" href={site.manage}>
        {say('manageSubscription')}
      </a>
    </div>
  )
}

/** Shows the charge of the first period, live. */
function FirstCharge({ subscribing, ticker }: { subscribing: Subscribing; ticker: string }) {
  const page = usePage()
  const { say } = page
  const { checkout, asking, retry } = subscribing
  const { firstCharge: charge, merchantName: merchant, trialEndsAt } = checkout
  if (charge === null && trialEndsAt !== null) return <Trial subscribing={subscribing} end={trialEndsAt} />
  if (charge === null || charge.status === 'pending')
    return <Status tone="waiting" title={say('firstChargeTitle')} text={say('firstChargeText')} />
  if (charge.status === 'succeeded') {
    return (
      <>
        <Status tone="good" title={say('subscribedTitle')} text={say('subscribedText', { merchant })} />
        {charge.signature && (
          <dl>
            <Row label={say('transaction')}>
              <Transaction signature={charge.signature} />
            </Row>
          </dl>
        )}
        <Subscribed subscribing={subscribing} />
      </>
    )
  }
  if (charge.isGivenUp) return <Over checkout={checkout} />
  return (
    <>
      <Status
        tone="attention"
        title={say('firstChargeFailedTitle')}
        text={failureText(page, checkout, charge, ticker)}
      />
      {charge.recoveryAction === 'retry' && <Press action={retry}>{say(retry.attempt?.step ?? 'tryAgain')}</Press>}
      {charge.recoveryAction === 'reapprove' && (
        <WalletButtons signs="transaction" label="allowAgainWith" asking={asking} isOnlyWay />
      )}
    </>
  )
}

type Charge = NonNullable<CheckoutStateFragment['firstCharge']>

function failureText(
  { say, formats }: Page,
  { tier, coupon, subscriberWallet, merchantName: merchant }: CheckoutStateFragment,
  { failureCode, recoveryAction }: Charge,
  ticker: string,
): string {
  if (failureCode === 'insufficient_funds') {
    // One token is one dollar.
    const amount = formats.amount(String(coupon?.priceUsdCents ?? tier.priceUsdCents), { ticker, decimals: 2 })
    return say('topUp', { amount, wallet: shortened(subscriberWallet ?? '') })
  }
  if (failureCode === 'account_frozen') return say('accountFrozen')
  if (recoveryAction === 'reapprove') return say('allowanceGone')
  return recoveryAction === 'retry' ? say('chainAway') : say('contactMerchant', { merchant })
}
