// The page on which a wallet subscribes: what it costs, what signing permits, and the first charge as it is made.

import type { CheckoutStateFragment } from '#pay/documents.generated.ts'
import type { CheckoutState } from '#pay/states.ts'
import { type Page, usePage } from '#pay/views/context.tsx'
import { shortened } from '#pay/views/formats.ts'
import { Press } from '#pay/views/press.tsx'
import { type Subscribing, useSubscribing } from '#pay/views/subscribing.ts'
import { WalletButtons } from '#pay/views/wallet-buttons.tsx'
import { Back, Connection, Payee, Return, Row, Stage, Status, Support, Transaction } from './parts.tsx'
import { Price, rhythmOf } from './terms.tsx'

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
        <Price tier={tier} trial={checkout} />
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
  const price = formats.dollars(tier.priceUsdCents)
  const end = checkout.trialEndsAt === null ? null : formats.date(checkout.trialEndsAt)
  return (
    <>
      <dl class="due">
        <Row label={say('today')}>
          <strong>{end === null ? price : formats.dollars(0)}</strong>
        </Row>
        {end !== null && <Row label={say('onDate', { date: end })}>{price}</Row>}
        {tier.authorizationPeriods > 1 && <Row label={say('afterwards')}>{`${price} ${rhythmOf(page, tier)}`}</Row>}
        <Row label={say('paidIn')}>{ticker}</Row>
      </dl>
      <h2>{say('whatYouAllow')}</h2>
      <ul class="points">
        <li>
          {say(tier.authorizationPeriods > 1 ? 'allowance' : 'allowanceOnce', {
            merchant,
            total: formats.dollars(totalAuthorization.usdCents),
            payments: formats.number(tier.authorizationPeriods),
            price,
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

/** Shows until when it is free. The portal shows the first charge, which is then made. */
function Trial({ subscribing, end }: { subscribing: Subscribing; end: string }) {
  const { say, formats } = usePage()
  const { tier } = subscribing.checkout
  const text = say('trialText', { date: formats.date(end), price: formats.dollars(tier.priceUsdCents) })
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
  { tier, subscriberWallet, merchantName: merchant }: CheckoutStateFragment,
  { failureCode, recoveryAction }: Charge,
  ticker: string,
): string {
  if (failureCode === 'insufficient_funds') {
    // One token is one dollar.
    const amount = formats.amount(String(tier.priceUsdCents), { ticker, decimals: 2 })
    return say('topUp', { amount, wallet: shortened(subscriberWallet ?? '') })
  }
  if (failureCode === 'account_frozen') return say('accountFrozen')
  if (recoveryAction === 'reapprove') return say('allowanceGone')
  return recoveryAction === 'retry' ? say('chainAway') : say('contactMerchant', { merchant })
}
