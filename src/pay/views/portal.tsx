// The portal: how a subscription stands, what was charged, and what its subscriber can change.

import type { Signable } from '#pay/browser/wallets.ts'
import type { PortalStateFragment } from '#pay/documents.generated.ts'
import type { PortalState } from '#pay/states.ts'
import type { TextKey } from '#pay/texts/texts.ts'
import { type Page, usePage } from '#pay/views/context.tsx'
import { shortened } from '#pay/views/formats.ts'
import { type Managing, useManaging, type Wish } from '#pay/views/managing.ts'
import { Confirmed, Press } from '#pay/views/press.tsx'
import { WalletButtons } from '#pay/views/wallet-buttons.tsx'
import { Button, Connection, Payee, Row, Stage, Status, Support, type Tone, Transaction } from './parts.tsx'
import { offOf, Price, rhythmOf } from './terms.tsx'
import { isNeverPaid } from './trial.ts'

type Portal = PortalStateFragment
type Subscription = Portal['subscription']
type Charge = Portal['charges'][number]

export function PortalView({ state }: { state: PortalState }) {
  const managing = useManaging(state)
  const { portal, wish } = managing
  const token = { ticker: state.ticker }
  return (
    <>
      <Connection isOffline={managing.isOffline} />
      <header>
        <Payee brand={portal.brand} name={portal.merchantName} />
        <h1 class="name">
          <bdi>{portal.product.name}</bdi>
        </h1>
        <p>
          <bdi>{portal.tier.name}</bdi>
        </p>
        <Price tier={portal.tier} discounted={nextDiscounted(portal)} />
      </header>
      <Stage name={portal.product.name}>
        <State portal={portal} />
        <Facts portal={portal} {...token} />
        {wish === null ? <Actions managing={managing} /> : <Signing managing={managing} />}
        <Charges portal={portal} {...token} />
        <Support brand={portal.brand} />
      </Stage>
    </>
  )
}

/** Returns what a renewal authorizes, or a change to another tier. */
function offerFor({ offers }: Portal, { uuid }: Pick<Portal['tier'], 'uuid'>): Portal['offers'][number] {
  const found = offers.find(({ tierId }) => tierId === uuid)
  if (found === undefined) throw new Error(`no offer of tier ${uuid}`)
  return found
}

const hasDiscount = ({ discount }: Subscription): boolean => discount !== null && discount.periodsLeft !== 0

/** Returns the price of the next payment in US cents where it has a discount; null where it has none. */
const nextDiscounted = (portal: Portal): number | null =>
  hasDiscount(portal.subscription) ? offerFor(portal, portal.tier).discountedPriceUsdCents : null

type Words = { readonly tone: Tone; readonly title: TextKey; readonly text: TextKey }

const STATES: Readonly<Record<Subscription['status'], Words>> = {
  incomplete: { tone: 'waiting', title: 'firstChargeTitle', text: 'firstChargeText' },
  trialing: { tone: 'good', title: 'trialingTitle', text: 'trialingText' },
  active: { tone: 'good', title: 'activeTitle', text: 'activeText' },
  past_due: { tone: 'attention', title: 'pastDueTitle', text: 'pastDueText' },
  renewal_required: { tone: 'attention', title: 'renewalTitle', text: 'renewalText' },
  paused: { tone: 'attention', title: 'pausedTitle', text: 'pausedText' },
  revoked: { tone: 'bad', title: 'revokedTitle', text: 'revokedText' },
  exhausted: { tone: 'bad', title: 'exhaustedTitle', text: 'exhaustedText' },
  canceled: { tone: 'bad', title: 'canceledTitle', text: 'canceledText' },
  failed: { tone: 'bad', title: 'failedTitle', text: 'failedText' },
}
const ENDING: Words = { tone: 'attention', title: 'endingTitle', text: 'endingText' }
/** A transaction that was sent before the cancellation may still land. */
const ENDING_UNDER_WAY: Words = { ...ENDING, text: 'endingUnderWayText' }

function State({ portal }: { portal: Portal }) {
  const { say, formats } = usePage()
  const { status, nextChargeAt, currentPeriodEnd } = portal.subscription
  const { tone, title, text } = wordsOf(portal)
  // Only an active subscription says when the next payment is; every other text is about the end of the period.
  const date = (status === 'active' && !isEnding(portal.subscription) ? nextChargeAt : null) ?? currentPeriodEnd
  return <Status tone={tone} title={say(title)} text={say(text, { date: date === null ? '…' : formats.date(date) })} />
}

function wordsOf(portal: Portal): Words {
  if (!isEnding(portal.subscription))
    return STATES[isTrialOver(portal.subscription) ? 'incomplete' : portal.subscription.status]
  return portal.charges.some(({ status }) => status === 'submitted') ? ENDING_UNDER_WAY : ENDING
}

/** The first payment after the trial is being made. */
const isTrialOver = (subscription: Subscription): boolean =>
  subscription.status === 'trialing' && isNeverPaid(subscription)

/** It ends with its period, and has not ended yet. */
const isEnding = ({ cancelAtPeriodEnd, endedAt }: Subscription): boolean => cancelAtPeriodEnd && endedAt === null

function Facts({ portal: { subscription, paymentsLeft }, ticker }: { portal: Portal; ticker: string }) {
  const page = usePage()
  const { say, formats } = page
  const { currentPeriodStart: from, currentPeriodEnd: to, discount } = subscription
  const goesOn = paymentsLeft > 0 && !isEnding(subscription)
  return (
    <dl class="due">
      {from !== null && to !== null && (
        <Row label={say('currentPeriod')}>{`${formats.date(from)} – ${formats.date(to)}`}</Row>
      )}
      {goesOn && <Row label={say('paymentsLeft')}>{formats.number(paymentsLeft)}</Row>}
      {goesOn && discount !== null && hasDiscount(subscription) && (
        <Row label={say('discount')}>{discountLeft(page, discount)}</Row>
      )}
      <Row label={say('paidIn')}>{ticker}</Row>
      <Row label={say('yourWallet')}>
        <code dir="ltr">{shortened(subscription.subscriberWallet)}</code>
      </Row>
    </dl>
  )
}

/** Returns a text such as `50% off the next 2 payments`. */
function discountLeft(page: Page, discount: NonNullable<Subscription['discount']>): string {
  const { say, formats } = page
  const off = offOf(page, discount)
  const { periodsLeft } = discount
  if (periodsLeft === null) return say('offAll', { off })
  return periodsLeft === 1
    ? say('offNext', { off })
    : say('offNextPayments', { off, payments: formats.number(periodsLeft) })
}

const CAN_PAUSE: ReadonlySet<Subscription['status']> = new Set(['trialing', 'active', 'past_due', 'renewal_required'])
const CAN_RENEW: ReadonlySet<Subscription['status']> = new Set([
  'active',
  'past_due',
  'renewal_required',
  'exhausted',
  'revoked',
])
/** The plan does not change while a charge is one of these. */
const UNPAID: ReadonlySet<Charge['status']> = new Set(['pending', 'submitted', 'failed'])
/** Only a renewal lets it go on. */
const NEEDS_RENEWAL: ReadonlySet<Subscription['status']> = new Set(['exhausted', 'revoked'])

function Actions({ managing }: { managing: Managing }) {
  const { say, formats } = usePage()
  const { portal } = managing
  const { subscription, session } = portal
  const { status, cancelAtPeriodEnd } = subscription
  if (!subscription.manageable) return portal.revocable ? <Revocation managing={managing} /> : null
  const isStopped = NEEDS_RENEWAL.has(status)
  const hasPaymentsToAdd = portal.paymentsLeft < portal.tier.authorizationPeriods
  const canRenew = CAN_RENEW.has(status) && hasPaymentsToAdd && (isStopped || !cancelAtPeriodEnd)
  const end = subscription.currentPeriodEnd
  const goesOn = CAN_PAUSE.has(status)
  const endsLater = goesOn && !isNeverPaid(subscription)
  return (
    <div class="actions" aria-live="polite">
      {canRenew && session.mayIncrease && (
        <Press class={`button ${status === 'active' ? 'plain' : 'primary'}`} action={managing.ask({ kind: 'renewal' })}>
          {say('renew', { total: formats.dollars(portal.totalAuthorization.usdCents) })}
        </Press>
      )}
      {(cancelAtPeriodEnd && !isStopped) || status === 'paused' ? (
        <Press action={managing.resume}>{say(cancelAtPeriodEnd ? 'keepSubscription' : 'resume')}</Press>
      ) : (
        goesOn && (
          <Press class="button plain" action={managing.pause}>
            {say('pause')}
          </Press>
        )
      )}
      {!cancelAtPeriodEnd && goesOn && <Tiers managing={managing} />}
      {!cancelAtPeriodEnd && (
        <Confirmed
          question={endsLater && end !== null ? say('cancelAtEnd', { date: formats.date(end) }) : say('cancelNow')}
          yes={say('cancelSubscription')}
          no={say('keep')}
          action={managing.cancel(true)}
        />
      )}
      {(endsLater || cancelAtPeriodEnd) && (
        <Confirmed
          question={say('endNowQuestion')}
          yes={say('endNow')}
          no={say('keep')}
          action={managing.cancel(false)}
        />
      )}
      {!session.mayIncrease && (
        <p class="hint">
          {say('signInForMore')} <a href={portal.recoveryUrl}>{say('signInWithWallet')}</a>
        </p>
      )}
    </div>
  )
}

function Tiers({ managing }: { managing: Managing }) {
  const page = usePage()
  const { say, formats } = page
  const { portal } = managing
  if (portal.options.length === 0 || portal.charges.some(({ status }) => UNPAID.has(status))) return null
  return (
    <details>
      <summary>{say('changeTier')}</summary>
      <ul class="assets">
        {portal.options.map((tier) => {
          const action = managing.ask({ kind: 'tier', tierId: tier.uuid })
          const { discountedPayments, discountedPriceUsdCents } = offerFor(portal, tier)
          const price = formats.dollars(discountedPayments > 0 ? discountedPriceUsdCents : tier.priceUsdCents)
          const rhythm = rhythmOf(page, tier)
          const terms = (
            <>
              <span class="name">
                <bdi>{tier.name}</bdi>
              </span>
              <span class="amount">{`${price} ${rhythm}`}</span>
            </>
          )
          return (
            <li key={tier.uuid}>
              {/* The wallet asks about a higher price. */}
              {BigInt(tier.priceUsdCents) > BigInt(portal.tier.priceUsdCents) ? (
                <Press class="asset" action={action}>
                  {terms}
                </Press>
              ) : (
                <Confirmed
                  class="asset"
                  kind="primary"
                  question={say('changeTierQuestion', { tier: tier.name, price, rhythm })}
                  yes={say('changeTier')}
                  no={say('notNow')}
                  action={action}
                >
                  {terms}
                </Confirmed>
              )}
            </li>
          )
        })}
      </ul>
      <p class="hint">{say('changeTierText')}</p>
    </details>
  )
}

/** Nothing is charged any more. The subscriber can end the permission on the chain as well. */
function Revocation({ managing }: { managing: Managing }) {
  const { say } = usePage()
  return (
    <div class="actions" aria-live="polite">
      <p>{say('revocableText')}</p>
      <Press action={managing.ask({ kind: 'revocation' })}>{say('revoke')}</Press>
    </div>
  )
}

/** A larger allowance needs a transaction; within the allowance a text is enough. */
const SIGNED: Readonly<Record<Wish['kind'], Signable>> = {
  renewal: 'either',
  tier: 'either',
  revocation: 'transaction',
  resumption: 'text',
}

/** Shows a change that the wallet has to agree to. */
function Signing({ managing }: { managing: Managing }) {
  const page = usePage()
  const { wish, portal, asking, forget } = managing
  const other = portal.options.find(({ uuid }) => wish?.kind === 'tier' && uuid === wish.tierId) ?? null
  return (
    <div class="actions">
      <h2>{page.say('signToAgree')}</h2>
      <p>
        {wish?.kind === 'revocation' || wish?.kind === 'resumption'
          ? page.say(wish.kind)
          : agreement(page, portal, other)}
      </p>
      <WalletButtons signs={wish === null ? 'either' : SIGNED[wish.kind]} label="agreeWith" asking={asking} isOnlyWay />
      {!asking.latest?.step && (
        <Button kind="plain" onPress={forget}>
          {page.say('notNow')}
        </Button>
      )}
    </div>
  )
}

/** `other` is null for a renewal. */
function agreement(page: Page, portal: Portal, other: Portal['tier'] | null): string {
  const { say, formats } = page
  const { merchantName: merchant } = portal
  const tier = other ?? portal.tier
  const { payments, discountedPayments, discountedPriceUsdCents, totalUsdCents } = offerFor(portal, tier)
  const [discounted, price] = [formats.dollars(discountedPriceUsdCents), formats.dollars(tier.priceUsdCents)]
  const isMixed = discountedPayments > 0 && discountedPayments < payments
  return say(isMixed ? 'agreementDiscounted' : 'agreement', {
    merchant,
    price: isMixed || discountedPayments === 0 ? price : discounted,
    discounted,
    first: formats.number(discountedPayments),
    rhythm: rhythmOf(page, tier),
    payments: formats.number(payments),
    total: formats.dollars(totalUsdCents),
  })
}

const CHARGE_STATES: Readonly<Record<Charge['status'], TextKey>> = {
  pending: 'chargePlanned',
  submitted: 'chargeUnderWay',
  succeeded: 'chargePaid',
  failed: 'chargeFailed',
  canceled: 'chargeCanceled',
}

function Charges({ portal: { charges, tier }, ticker }: { portal: Portal; ticker: string }) {
  const { say, formats } = usePage()
  if (charges.length === 0) return null
  return (
    <section>
      <h2>{say('payments')}</h2>
      <ul class="charges">
        {charges.map(({ periodIndex, periodStart, amount, status, signature }) => (
          <li key={periodIndex}>
            <span>{formats.date(periodStart)}</span>
            <span>{formats.amount(amount, { ticker, decimals: tier.decimals })}</span>
            <span class={`badge ${status}`}>{say(CHARGE_STATES[status])}</span>
            {signature !== null && <Transaction signature={signature} />}
          </li>
        ))}
      </ul>
    </section>
  )
}
