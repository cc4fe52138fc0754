// One subscription: how it stands and what happens next, its charges, its allowance, and what the business can do.
import { useState } from 'preact/hooks'
import { useRoute } from 'preact-iso/router'
import { useChange, useRead } from '#dashboard/browser/data.ts'
import { usePermission } from '#dashboard/browser/me.ts'
import { GiveBack } from '#dashboard/browser/pages/refunds/give-back.tsx'
import { SubscriptionTimeline } from '#dashboard/browser/pages/subscription-timeline.tsx'
import {
  Button,
  Card,
  Copyable,
  Dialog,
  Empty,
  Fact,
  Facts,
  Loading,
  Page,
  Table,
  Time,
} from '#dashboard/browser/parts/basics.tsx'
import {
  amountOf,
  BillingFault,
  discountIn,
  isCharged,
  priceOf,
  SubscriptionStatus,
  tickerOf,
  titleOf,
} from '#dashboard/browser/parts/billing.tsx'
import { Choice, Confirm, Form } from '#dashboard/browser/parts/forms.tsx'
import { LinkDialog } from '#dashboard/browser/parts/link-dialog.tsx'
import { type PageOf, Pager, useList } from '#dashboard/browser/parts/lists.tsx'
import { useLiveRefunds } from '#dashboard/browser/parts/refunds.tsx'
import { SignedReceipt } from '#dashboard/browser/parts/signed-receipt.tsx'
import { productPath, refundPath, SUBSCRIPTIONS, subscriptionPath } from '#dashboard/browser/paths.ts'
import { useWords, type Words } from '#dashboard/browser/say.tsx'
import {
  DashboardCancelSubscriptionDocument,
  DashboardChangeTierDocument,
  type DashboardChargeFragment,
  DashboardChargeNowDocument,
  DashboardOtherTiersDocument,
  DashboardPauseSubscriptionDocument,
  DashboardPortalLinkDocument,
  DashboardResumeSubscriptionDocument,
  DashboardSubscriptionDetailDocument,
  type DashboardSubscriptionDetailQuery,
} from '#dashboard/documents.generated.ts'
import { isNeverPaid } from '#pay/views/trial.ts'

type Subscription = NonNullable<DashboardSubscriptionDetailQuery['subscription']>

export function SubscriptionPage() {
  const { say } = useWords()
  const { id = '' } = useRoute().params
  const { page, show } = useList(subscriptionPath(id), [])
  const { data, fault } = useRead(DashboardSubscriptionDetailDocument, { id, ...page })
  const mayManage = usePermission('subscriptions-manage')
  if (fault !== null)
    return (
      <Page title={say('subscriptions')}>
        <BillingFault fault={fault} />
        <a href={SUBSCRIPTIONS}>{say('allSubscriptions')}</a>
      </Page>
    )
  if (data === null) return <Loading />
  const { subscription, charges } = data
  return (
    <Page key={subscription.uuid} title={titleOf(subscription)}>
      <Summary subscription={subscription} />
      {mayManage && <Actions subscription={subscription} />}
      <Charges subscription={subscription} charges={charges} show={show} />
      <Allowance subscription={subscription} />
      <SubscriptionTimeline subscription={subscription} />
    </Page>
  )
}

/** Returns what the state means, and what happens next and when. */
function meaningOf({ say, time }: Words, subscription: Subscription): string {
  const { status, stoppedBy, cancelAtPeriodEnd, currentPeriodEnd, trialEndsAt, nextChargeAt } = subscription
  const end = currentPeriodEnd === null ? '–' : time(currentPeriodEnd)
  const next = nextChargeAt === null ? '–' : time(nextChargeAt)
  if (cancelAtPeriodEnd && isCharged(subscription)) return say('endingMeans', { end })
  switch (status) {
    case 'paused':
      return say(stoppedBy === null ? 'pausedUnpaidMeans' : `pausedBy_${stoppedBy}`)
    case 'incomplete':
      return say('incompleteMeans')
    case 'trialing':
      return trialEndsAt === currentPeriodEnd ? say('trialingMeans', { end }) : say('trialOverMeans')
    case 'active':
      return say('activeMeans', { next })
    case 'renewal_required':
      return say('renewalRequiredMeans', { end })
    case 'past_due':
      return say('pastDueMeans', { next })
    case 'canceled':
      return say('canceledMeans')
    case 'revoked':
      return say('revokedMeans')
    case 'exhausted':
      return say('exhaustedMeans')
    case 'failed':
      return say('failedMeans')
  }
}

type DiscountLeftProps = { readonly discount: NonNullable<Subscription['discount']> } & Pick<Subscription, 'tier'>

/** What the coupon takes off the charges to come, and what one of them is then. */
function DiscountLeft({ discount, tier }: DiscountLeftProps) {
  const words = useWords()
  const { say } = words
  const { code, amount, periodsLeft: periods } = discount
  return (
    <>
      <bdi>{code}</bdi>: {periods === 0 ? say('discountUsedUp') : discountIn(words, { ...discount, periods })}
      {periods !== 0 && <p class="hint">{say('eachCharge', { amount: amountOf(words, amount, tier) })}</p>}
    </>
  )
}

function Summary({ subscription }: { subscription: Subscription }) {
  const words = useWords()
  const { say } = words
  const {
    uuid,
    tier,
    subscriberWallet,
    createdAt,
    currentPeriodStart,
    currentPeriodEnd,
    trialEndsAt,
    endedAt,
    metadata,
    discount,
  } = subscription
  return (
    <Card>
      <p class="standing">
        <SubscriptionStatus {...subscription} />
      </p>
      <p>{meaningOf(words, subscription)}</p>
      <Facts>
        <Fact label={say('product')}>
          <a href={productPath(tier.product.uuid)}>
            <bdi>{tier.product.name}</bdi>
          </a>
        </Fact>
        <Fact label={say('tier')}>
          <bdi>{tier.name}</bdi>: {priceOf(words, tier)}
        </Fact>
        {discount !== null && (
          <Fact label={say('discount')}>
            <DiscountLeft discount={discount} tier={tier} />
          </Fact>
        )}
        <Fact label={say('subscriber')}>
          <Copyable text={subscriberWallet} isLong />
        </Fact>
        {currentPeriodStart !== null && currentPeriodEnd !== null && (
          <Fact label={say('currentPeriod')}>
            <Time iso={currentPeriodStart} /> – <Time iso={currentPeriodEnd} />
          </Fact>
        )}
        <Fact label={say('created')}>
          <Time iso={createdAt} />
        </Fact>
        {trialEndsAt !== null && (
          <Fact label={say('trialEnd')}>
            <Time iso={trialEndsAt} />
          </Fact>
        )}
        {endedAt !== null && (
          <Fact label={say('ended')}>
            <Time iso={endedAt} />
          </Fact>
        )}
        <Fact label="ID">
          <Copyable text={uuid} isLong />
        </Fact>
      </Facts>
      {Object.keys(metadata).length > 0 && (
        <details>
          <summary>{say('metadata')}</summary>
          <pre dir="ltr">{JSON.stringify(metadata, null, 2)}</pre>
        </details>
      )}
    </Card>
  )
}

/** Offers what the state permits. What the subscriber has stopped, only the subscriber starts again. */
function Actions({ subscription }: { subscription: Subscription }) {
  const { say, time } = useWords()
  const { uuid: id, status, stoppedBy, cancelAtPeriodEnd, currentPeriodEnd, manageable } = subscription
  const pause = useChange(DashboardPauseSubscriptionDocument)
  const resume = useChange(DashboardResumeSubscriptionDocument)
  const chargeNow = useChange(DashboardChargeNowDocument)
  const cancel = useChange(DashboardCancelSubscriptionDocument)
  const goesOn = isCharged(subscription) && !cancelAtPeriodEnd
  const endsLater = goesOn && !isNeverPaid(subscription)
  const isOurs = stoppedBy !== 'subscriber'
  const mayResume = isOurs && (status === 'paused' || (isCharged(subscription) && cancelAtPeriodEnd))
  const mayCharge = (status === 'paused' && isOurs) || (status === 'past_due' && goesOn)
  if (!manageable) return null
  return (
    <Card title={say('whatYouCanDo')}>
      <div class="actions start">
        {mayResume && (
          <Button kind="primary" isBusy={resume.isBusy} onPress={() => void resume.run({ id })}>
            {say(cancelAtPeriodEnd ? 'keepSubscription' : 'resume')}
          </Button>
        )}
        {mayCharge && (
          <Button isBusy={chargeNow.isBusy} onPress={() => void chargeNow.run({ id })}>
            {say('chargeNow')}
          </Button>
        )}
        {goesOn && (
          <Button isBusy={pause.isBusy} onPress={() => void pause.run({ id })}>
            {say('pause')}
          </Button>
        )}
        {goesOn && <ChangeTier subscription={subscription} />}
        <PortalLink id={id} />
        {endsLater && currentPeriodEnd !== null && (
          <Confirm
            label={say('cancelAtEnd')}
            question={say('cancelAtEndQuestion', { end: time(currentPeriodEnd) })}
            isBusy={cancel.isBusy}
            fault={cancel.fault}
            onConfirm={() => cancel.run({ id, atPeriodEnd: true })}
          />
        )}
        <Confirm
          label={say('cancelNow')}
          question={say('cancelNowQuestion')}
          isBusy={cancel.isBusy}
          fault={cancel.fault}
          onConfirm={() => cancel.run({ id, atPeriodEnd: false })}
        />
      </div>
      {[pause, resume, chargeNow].map(({ fault }) => fault !== null && <BillingFault key={fault.code} fault={fault} />)}
    </Card>
  )
}

function PortalLink({ id }: { id: string }) {
  const { say, time } = useWords()
  const create = useChange(DashboardPortalLinkDocument)
  const [link, setLink] = useState<{ readonly portalUrl: string; readonly expiresAt: string } | null>(null)
  return (
    <>
      <Button
        isBusy={create.isBusy}
        onPress={() => void create.run({ id }).then((done) => done !== null && setLink(done.link))}
      >
        {say('portalLink')}
      </Button>
      <BillingFault fault={create.fault} />
      {link !== null && (
        <LinkDialog
          title={say('portalLink')}
          text={say('portalLinkText', { time: time(link.expiresAt) })}
          link={link.portalUrl}
          onClose={() => setLink(null)}
        />
      )}
    </>
  )
}

/** A business can only lower what is charged. */
function ChangeTier({ subscription: { uuid: id, tier } }: { subscription: Subscription }) {
  const words = useWords()
  const { say } = words
  const [isOpen, setOpen] = useState(false)
  const change = useChange(DashboardChangeTierDocument)
  const { data } = useRead(DashboardOtherTiersDocument, { productId: tier.product.uuid })
  const others = (data?.tiers.edges ?? []).flatMap(({ node }) =>
    node.status === 'active' && node.uuid !== tier.uuid ? [node] : [],
  )
  if (others.length === 0) return null
  return (
    <>
      <Button onPress={() => setOpen(true)}>{say('changeTier')}</Button>
      {isOpen && (
        <Dialog title={say('changeTier')} onClose={() => setOpen(false)}>
          <p>{say('changeTierText')}</p>
          <Form
            submit={say('changeTier')}
            isBusy={change.isBusy}
            fault={change.fault}
            onSubmit={async ({ text }) => {
              if ((await change.run({ id, tierId: text('tier') ?? '' })) !== null) setOpen(false)
            }}
          >
            <Choice
              label={say('tier')}
              name="tier"
              options={others.map((one) => [one.uuid, `${one.name}: ${priceOf(words, one)}`] as const)}
            />
          </Form>
        </Dialog>
      )}
    </>
  )
}

type ChargesProps = {
  readonly subscription: Subscription
  readonly charges: PageOf<DashboardChargeFragment>
  show: Parameters<typeof Pager>[0]['show']
}

function Charges({ subscription: { tier }, charges: { edges, pageInfo }, show }: ChargesProps) {
  const words = useWords()
  const { say, formats } = words
  const hasPaid = edges.some(({ node }) => node.status === 'succeeded')
  useLiveRefunds(edges.flatMap(({ node }) => node.businessRefunds))
  return (
    <Card title={say('charges')}>
      {edges.length === 0 ? (
        <Empty title={say('noCharges')} />
      ) : (
        <Table
          label={say('charges')}
          rows={edges.map(({ node }) => node)}
          keyOf={({ uuid }) => uuid}
          columns={[
            { label: say('period'), cell: ({ periodIndex }) => formats.number(periodIndex + 1) },
            { label: say('amount'), kind: 'number', cell: ({ amount }) => amountOf(words, amount, tier) },
            { label: say('youReceive'), kind: 'number', cell: ({ netAmount }) => amountOf(words, netAmount, tier) },
            { label: say('result'), cell: (charge) => <Result charge={charge} tier={tier} /> },
            { label: say('time'), cell: ({ settledAt, createdAt }) => <Time iso={settledAt ?? createdAt} /> },
            {
              label: say('transaction'),
              cell: ({ signature, explorerUrl }) =>
                signature !== null && <Copyable text={signature} isLong href={explorerUrl} />,
            },
            ...(hasPaid
              ? [
                  {
                    label: say('actions'),
                    kind: 'actions' as const,
                    cell: ({ uuid, status, refundableAmount }: DashboardChargeFragment) =>
                      status === 'succeeded' && (
                        <div class="actions">
                          <SignedReceipt of="charge" id={uuid} />
                          <GiveBack
                            of={{ chargeId: uuid }}
                            token={{ ticker: tickerOf(tier), decimals: tier.decimals }}
                            hasMarketplace={false}
                            refundable={refundableAmount}
                          />
                        </div>
                      ),
                  },
                ]
              : []),
          ]}
        />
      )}
      <Pager label={say('charges')} info={pageInfo} show={show} />
    </Card>
  )
}

const TONES: Readonly<Record<DashboardChargeFragment['status'], string>> = {
  pending: 'quiet',
  submitted: 'waiting',
  succeeded: 'good',
  failed: 'bad',
  canceled: 'quiet',
}

/** How a charge has ended; after a failure, why it failed and what helps. */
function Result({ charge, tier }: { charge: DashboardChargeFragment } & Pick<Subscription, 'tier'>) {
  const words = useWords()
  const { say, time } = words
  const { status, failureCode, recoveryAction, waiting, businessRefunds } = charge
  const isFailed = status === 'failed' && failureCode !== null
  return (
    <>
      <span class={`badge ${TONES[status]}`}>{say(`charge_${status}`)}</span>
      {isFailed && <p class="hint">{say(failureCode)}</p>}
      {isFailed && recoveryAction !== null && <p class="hint">{say(`recovery_${recoveryAction}`)}</p>}
      {waiting !== null && <p class="hint">{say('chargeWaits', { time: time(waiting.until) })}</p>}
      {businessRefunds.map((refund) => (
        <p key={refund.uuid} class="hint">
          <a href={refundPath(refund.uuid)}>{say('refundOf', { amount: amountOf(words, refund.amount, tier) })}</a>:{' '}
          {say(`refundIs_${refund.status}`)}
        </p>
      ))}
    </>
  )
}

/** What the wallet has allowed, and how many charges of this subscription it still covers. */
function Allowance({ subscription }: { subscription: Subscription }) {
  const words = useWords()
  const { say, formats } = words
  const { tier, authorizedAmount, remainingAmount, remainingPeriods, delegation } = subscription
  return (
    <Card title={say('allowance')}>
      <Facts>
        <Fact label={say('chargesLeft')}>{formats.number(remainingPeriods)}</Fact>
        <Fact label={say('allowanceLeft')}>
          {say('leftOf', {
            left: amountOf(words, remainingAmount, tier),
            all: amountOf(words, authorizedAmount, tier),
          })}
        </Fact>
        {delegation !== null && (
          <>
            <Fact label={say('allowanceOnChain')}>
              {amountOf(words, delegation.chainAllowance, tier)}
              {delegation.chainCheckedAt !== null && (
                <p class="hint">
                  <Time iso={delegation.chainCheckedAt} />
                </p>
              )}
            </Fact>
            <Fact label={say('status')}>{say(`delegation_${delegation.status}`)}</Fact>
            <Fact label={say('tokenAccount')}>
              <Copyable text={delegation.tokenAccount} isLong />
            </Fact>
          </>
        )}
      </Facts>
      {delegation !== null && delegation.liveSubscriptions > 1 && (
        <p class="hint">{say('allowanceIsShared', { count: formats.number(delegation.liveSubscriptions) })}</p>
      )}
    </Card>
  )
}
