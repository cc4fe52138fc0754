// The start page: what is missing until the first payment is swept, what needs a person, and the latest payments.
import type { ComponentChildren } from 'preact'
import { useRead } from '#dashboard/browser/data.ts'
import { useMe, usePermission } from '#dashboard/browser/me.ts'
import { Card, Empty, FaultNotice, Loading, Page } from '#dashboard/browser/parts/basics.tsx'
import { PaymentTable } from '#dashboard/browser/parts/payments.tsx'
import { DEVELOPERS, NEW_PAYMENT, PAYMENTS, SETTINGS } from '#dashboard/browser/paths.ts'
import { useWords } from '#dashboard/browser/say.tsx'
import {
  DashboardNeedsDocument,
  DashboardPaymentsDocument,
  DashboardStartDocument,
  DashboardStartOfDeveloperDocument,
} from '#dashboard/documents.generated.ts'

export function HomePage() {
  const { say } = useWords()
  const { member } = useMe()
  return (
    <Page title={say('hello', { name: member.name })}>
      <Checklist />
      <Needs />
      <Latest />
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

function Needs() {
  const { say } = useWords()
  const { data } = useRead(DashboardNeedsDocument, {})
  if (data === null || data.failed.edges.length === 0) return null
  return (
    <Card title={say('needsYou')} class="needs">
      <PaymentTable label={say('needsYou')} payments={data.failed.edges.map(({ node }) => node)} />
    </Card>
  )
}

const LATEST = 8

function Latest() {
  const { say } = useWords()
  const none = { after: null, last: null, before: null, filter: null }
  const { data, fault } = useRead(DashboardPaymentsDocument, { ...none, first: LATEST })
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
