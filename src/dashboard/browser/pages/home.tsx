// The start page: what needs a person, what is missing until the first payment is swept, figures, and the latest payments.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { now } from '#dashboard/browser/clock.ts'
import { type Reading, useRead } from '#dashboard/browser/data.ts'
import { useMe, usePermission } from '#dashboard/browser/me.ts'
import { Figures } from '#dashboard/browser/pages/figures.tsx'
import { Card, Empty, FaultNotice, Loading, Page } from '#dashboard/browser/parts/basics.tsx'
import { PaymentTable } from '#dashboard/browser/parts/payments.tsx'
import { DEVELOPERS, NEW_PAYMENT, PAYMENTS, REFUNDS, SETTINGS, SUBSCRIPTIONS } from '#dashboard/browser/paths.ts'
import { useWords } from '#dashboard/browser/say.tsx'
import {
  DashboardFailedRefundsDocument,
  DashboardLateSubscriptionsDocument,
  DashboardNeedsDocument,
  type DashboardNeedsQuery,
  DashboardPaymentsDocument,
  type DashboardPaymentsQuery,
  DashboardStartDocument,
  DashboardStartOfDeveloperDocument,
  DashboardTroublesDocument,
  type DashboardTroublesQuery,
} from '#dashboard/documents.generated.ts'
import { LATEST_PAYMENTS } from '#dashboard/early.ts'

export function HomePage() {
  const { say } = useWords()
  const { member } = useMe()
  const latest = useRead(DashboardPaymentsDocument, LATEST_PAYMENTS)
  const hasPayments = latest.data && latest.data.payments.edges.length > 0
  return (
    <Page title={say('hello', { name: member.name })}>
      <Needs hasPayments={hasPayments === true} />
      <Checklist />
      {hasPayments !== null && <Figures hasPayments={hasPayments} />}
      <Latest {...latest} />
    </Page>
  )
}

/** Gone when the first payment has been swept. */
function Checklist() {
  const { say } = useWords()
  const seesKeys = usePermission('keys-manage') && usePermission('webhooks-manage')
  const { data } = useRead(DashboardStartDocument, {})
  const developer = useRead(DashboardStartOfDeveloperDocument, {}, { pause: !seesKeys })
  if (data === null || data.swept.edges.length > 0) return null
  return (
    <Card title={say('checklistTitle')}>
      <ol class="checklist">
        <Step isDone={data.business.sweepDestination !== null} title={say('stepWallet')} path={SETTINGS}>
          {say('stepWalletText')}
        </Step>
        {developer.data !== null && (
          <>
            <Step
              isDone={developer.data.apiKeys.some(({ revokedAt }) => revokedAt === null)}
              title={say('stepKey')}
              path={DEVELOPERS}
            >
              {say('stepKeyText')}
            </Step>
            <Step isDone={developer.data.deliveries.edges.length > 0} title={say('stepWebhook')} path={DEVELOPERS}>
              {say('stepWebhookText')}
            </Step>
          </>
        )}
        <Step isDone={false} title={say('stepPayment')} path={NEW_PAYMENT}>
          {say('stepPaymentText')}
        </Step>
      </ol>
    </Card>
  )
}

type StepProps = {
  readonly isDone: boolean
  readonly title: string
  /** Where it is done. */
  readonly path: string
  readonly children: ComponentChildren
}

function Step({ isDone, title, path, children }: StepProps) {
  const { say } = useWords()
  return (
    <li class={isDone ? 'done' : undefined}>
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <circle cx="12" cy="12" r="10" />
        {isDone && <path d="M7.5 12.5l3 3 6-7" />}
      </svg>
      <div>
        {isDone ? <strong>{title}</strong> : <a href={path}>{title}</a>}
        <span class="hidden">{isDone ? say('done') : say('open')}</span>
        <p class="hint">{children}</p>
      </div>
    </li>
  )
}

/** A refund that has failed stays failed, so only those of the last week are news. */
const NEWS_MS = 7 * 24 * 3_600_000

/** What waits for a person, each with the place where it is done. */
function Needs({ hasPayments }: { hasPayments: boolean }) {
  const { say, time } = useWords()
  const [seesEndpoints, seesSubscriptions] = [usePermission('webhooks-manage'), usePermission('subscriptions-view')]
  const { proposed, failed, held } = useRead(DashboardNeedsDocument, {}).data ?? {}
  const { business, endpoints, deliveries } = useRead(DashboardTroublesDocument, { seesEndpoints }).data ?? {}
  // Refused where there is no recurring billing, which is no reason to leave the rest out.
  const late = useRead(DashboardLateSubscriptionsDocument, {}, { pause: !seesSubscriptions })
  const { pastDue, toRenew } = late.data ?? {}
  const [from] = useState(() => new Date(now().getTime() - NEWS_MS).toISOString())
  const { refunds: failedRefunds } = useRead(DashboardFailedRefundsDocument, { from }).data ?? {}
  const disabled = (endpoints?.edges ?? []).filter(({ node }) => node.disabledReason !== null)
  const failing = (endpoints?.edges ?? []).flatMap(({ node }) => failureOf(node, deliveries?.edges ?? []))
  const payoutChange = business?.pendingPayoutChange ?? null
  const isEmpty = (found: { readonly edges: readonly unknown[] } | null | undefined) => (found?.edges.length ?? 0) === 0
  const troubles = [
    // Before the first payment, it is the first step of the checklist.
    hasPayments && business?.sweepDestination === null && (
      <Trouble key="wallet" text={say('needsWallet')} path={SETTINGS} action={say('setWallet')} />
    ),
    ...(business?.payoutProblems ?? []).map(({ ticker, reason }) => (
      <Trouble
        key={`cannot receive ${ticker}`}
        text={ticker === null ? say('needsOtherWallet', { reason }) : say('needsToReceive', { asset: ticker, reason })}
        path={SETTINGS}
        action={say('toSettings')}
      />
    )),
    payoutChange !== null && (
      <Trouble
        key="payout"
        text={say('needsLook', { time: time(payoutChange.effectiveAt) })}
        path={SETTINGS}
        action={say('toSettings')}
      />
    ),
    ...disabled.map(({ node: { uuid, url, disabledReason } }) => (
      <Trouble
        key={uuid}
        text={say('needsEndpoint', { url, reason: disabledReason ?? '' })}
        path={DEVELOPERS}
        action={say('toEndpoints')}
      />
    )),
    ...failing.map(({ id, url, reason }) => (
      <Trouble
        key={`failing ${id}`}
        text={say('needsDelivery', { url, reason })}
        path={DEVELOPERS}
        action={say('toEndpoints')}
      />
    )),
    !isEmpty(failedRefunds) && (
      <Trouble key="refunds" text={say('needsRefund')} path={`${REFUNDS}?status=failed`} action={say('see')} />
    ),
    !isEmpty(pastDue) && (
      <Trouble
        key="past_due"
        text={say('needsPastDue')}
        path={`${SUBSCRIPTIONS}?status=past_due`}
        action={say('see')}
      />
    ),
    !isEmpty(toRenew) && (
      <Trouble
        key="renewal_required"
        text={say('needsRenewal')}
        path={`${SUBSCRIPTIONS}?status=renewal_required`}
        action={say('see')}
      />
    ),
  ].filter((trouble) => trouble !== false)
  const asking = nodesOf(proposed)
  // What the business can do about a payment goes before what it cannot.
  const others = (payments: Needy | undefined) =>
    nodesOf(payments).filter(({ uuid }) => !asking.some((one) => one.uuid === uuid))
  if (isEmpty(proposed) && isEmpty(failed) && isEmpty(held) && troubles.length === 0) return null
  return (
    <Card title={say('needsYou')} class="needs">
      {troubles.length > 0 && <ul class="todo">{troubles}</ul>}
      <NeedyPayments text={say('needsAddress')} payments={asking} />
      <NeedyPayments text={say('needsFailed')} payments={others(failed)} />
      <NeedyPayments text={say('needsHeld')} payments={others(held)} />
    </Card>
  )
}

type Needy = DashboardNeedsQuery['failed']
type NeedyPayment = Needy['edges'][number]['node']

const nodesOf = (payments: Needy | undefined): readonly NeedyPayment[] => payments?.edges.map(({ node }) => node) ?? []

const NeedyPayments = ({ text, payments }: { text: string; payments: readonly NeedyPayment[] }) =>
  payments.length === 0 ? null : (
    <>
      <p>{text}</p>
      <PaymentTable label={text} payments={payments} />
    </>
  )

type Endpoint = { readonly uuid: string; readonly url: string; readonly enabled: boolean }
type Delivery = NonNullable<DashboardTroublesQuery['deliveries']>['edges'][number]

/** Returns why an enabled endpoint fails: the last webhook that it was sent, among the latest of all, was not answered. */
function failureOf({ uuid: id, url, enabled }: Endpoint, deliveries: readonly Delivery[]) {
  const last = deliveries.find(({ node }) => node.endpointId === id && node.attemptCount > 0)?.node
  if (!enabled || last === undefined || last.status === 'succeeded') return []
  return [{ id, url, reason: last.lastError ?? String(last.lastStatusCode ?? '') }]
}

type TroubleProps = { readonly text: string; readonly path: string; readonly action: string }

const Trouble = ({ text, path, action }: TroubleProps) => (
  <li>
    {text}
    <a href={path}>{action}</a>
  </li>
)

function Latest({ data, fault }: Reading<DashboardPaymentsQuery>) {
  const { say } = useWords()
  return (
    <Card title={say('latestPayments')}>
      {data === null && fault === null && <Loading />}
      <FaultNotice fault={fault} />
      {data?.payments.edges.length === 0 && <Empty title={say('noPayments')}>{say('noPaymentsText')}</Empty>}
      {data !== null && data.payments.edges.length > 0 && (
        <>
          <PaymentTable label={say('latestPayments')} payments={data.payments.edges.map(({ node }) => node)} />
          <p>
            <a href={PAYMENTS}>{say('allPayments')}</a>
          </p>
        </>
      )}
    </Card>
  )
}
