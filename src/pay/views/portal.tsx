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
import { Price, rhythmOf } from './terms.tsx'

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
        <Price tier={portal.tier} />
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
const isTrialOver = ({ status, trialEndsAt, currentPeriodEnd }: Subscription): boolean =>
  status === 'trialing' && trialEndsAt !== null && trialEndsAt !== currentPeriodEnd

/** It ends with its period, and has not ended yet. */
const isEnding = ({ cancelAtPeriodEnd, endedAt }: Subscription): boolean => cancelAtPeriodEnd && endedAt === null

function Facts({ portal: { subscription, paymentsLeft }, ticker }: { portal: Portal; ticker: string }) {
  const { say, formats } = usePage()
  const { currentPeriodStart: from, currentPeriodEnd: to } = subscription
  const goesOn = paymentsLeft > 0 && !isEnding(subscription)
  return (
    <dl class="due">
      {from !== null && to !== null && (
        <Row label={say('currentPeriod')}>{`${formats.date(from)} – ${formats.date(to)}`}</Row>
      )}
      {goesOn && <Row label={say('paymentsLeft')}>{formats.number(paymentsLeft)}</Row>}
      <Row label={say('paidIn')}>{ticker}</Row>
      <Row label={say('yourWallet')}>
        <code dir="ltr">{shortened(subscription.subscriberWallet)}</code>
      </Row>
    </dl>
  )
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
  const endsLater = CAN_PAUSE.has(status)
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
        endsLater && (
          <Press class="button plain" action={managing.pause}>
            {say('pause')}
          </Press>
        )
      )}
      {!cancelAtPeriodEnd && endsLater && <Tiers managing={managing} />}
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
          const price = formats.dollars(tier.priceUsdCents)
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

/** Another tier keeps the number of payments; a renewal, where `other` is null, allows all of them again. */
function agreement(page: Page, portal: Portal, other: Portal['tier'] | null): string {
  const { say, formats } = page
  const { merchantName: merchant, tier, paymentsLeft } = portal
  const agreed = other ?? tier
  const payments = other === null ? tier.authorizationPeriods : paymentsLeft
  return say('agreement', {
    merchant,
    price: formats.dollars(agreed.priceUsdCents),
    rhythm: rhythmOf(page, agreed),
    payments: formats.number(payments),
    total: formats.dollars(String(BigInt(agreed.priceUsdCents) * BigInt(payments))),
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
