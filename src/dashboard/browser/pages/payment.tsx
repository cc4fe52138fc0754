// One payment: how it stands, what has happened, and where its money went.
import { useRoute } from 'preact-iso/router'
import { explorerUrl } from '#core/chain/explorer.ts'
import { useChange, useRead } from '#dashboard/browser/data.ts'
import { useMe, usePermission } from '#dashboard/browser/me.ts'
import {
  Button,
  Card,
  Copyable,
  Fact,
  Facts,
  FaultNotice,
  Loading,
  Page,
  Table,
  Time,
} from '#dashboard/browser/parts/basics.tsx'
import { Confirm } from '#dashboard/browser/parts/forms.tsx'
import { buyerOf, PaymentStatus } from '#dashboard/browser/parts/payments.tsx'
import { PAYMENTS } from '#dashboard/browser/paths.ts'
import { isText, useWords, type Words } from '#dashboard/browser/say.tsx'
import { site } from '#dashboard/browser/site.ts'
import {
  DashboardCancelPaymentDocument,
  DashboardPaymentDetailDocument,
  type DashboardPaymentDetailQuery,
  DashboardSimulateDepositDocument,
} from '#dashboard/documents.generated.ts'

type Payment = NonNullable<DashboardPaymentDetailQuery['payment']>

export function PaymentPage() {
  const { say, formats } = useWords()
  const { id = '' } = useRoute().params
  const { data, fault } = useRead(DashboardPaymentDetailDocument, { id })
  if (fault !== null)
    return (
      <Page title={say('paymentNotFound')}>
        <FaultNotice fault={fault.code === 'intent_not_found' ? null : fault} />
        <a href={PAYMENTS}>{say('allPayments')}</a>
      </Page>
    )
  if (data === null) return <Loading />
  const { payment } = data
  return (
    <Page
      key={payment.uuid}
      title={say('paymentOf', { amount: formats.dollars(payment.priceUsdCents) })}
      actions={<Cancel payment={payment} />}
    >
      <Summary payment={payment} />
      <Simulate payment={payment} />
      <Money payment={payment} />
      <Timeline payment={payment} />
    </Page>
  )
}

/** Only what nothing has arrived for can be canceled. */
function Cancel({ payment: { status, derivationIndex } }: { payment: Payment }) {
  const { say } = useWords()
  const cancel = useChange(DashboardCancelPaymentDocument)
  const mayCancel = usePermission('payments')
  if (!mayCancel || status !== 'pending') return null
  return (
    <Confirm
      label={say('cancelPayment')}
      question={say('cancelPaymentQuestion')}
      isBusy={cancel.isBusy}
      fault={cancel.fault}
      onConfirm={() => cancel.run({ index: derivationIndex })}
    />
  )
}

const WAYS_TO_PAY = ['exact', 'under', 'over', 'wrong_asset'] as const

/** Pays as a buyer would, in a sandbox. */
function Simulate({ payment: { status, derivationIndex } }: { payment: Payment }) {
  const { say } = useWords()
  const pay = useChange(DashboardSimulateDepositDocument)
  const mayPay = usePermission('payments')
  if (!site.isSandbox || !mayPay || (status !== 'pending' && status !== 'underpaid')) return null
  return (
    <Card title={say('payInSandbox')}>
      <div class="actions start">
        {WAYS_TO_PAY.map((kind) => (
          <Button key={kind} isBusy={pay.isBusy} onPress={() => void pay.run({ index: derivationIndex, kind })}>
            {say(`pay_${kind}`)}
          </Button>
        ))}
      </div>
      <FaultNotice fault={pay.fault} />
    </Card>
  )
}

function Summary({ payment }: { payment: Payment }) {
  const { say, formats } = useWords()
  const { ticker, mintDecimals } = payment
  const token = ticker === null || mintDecimals === null ? null : { ticker, decimals: mintDecimals }
  const buyer = buyerOf(payment)
  return (
    <Card>
      <p class="standing">
        <PaymentStatus {...payment} />
      </p>
      <Facts>
        {token !== null && payment.expectedAmount !== null && (
          <Fact label={say('amount')}>{formats.amount(payment.expectedAmount, token)}</Fact>
        )}
        {token !== null && <Fact label={say('received')}>{formats.amount(payment.receivedAmount, token)}</Fact>}
        {payment.reference !== null && (
          <Fact label={say('reference')}>
            <Copyable text={payment.reference} />
          </Fact>
        )}
        {buyer !== null && (
          <Fact label={say('buyer')}>
            <bdi>{buyer}</bdi>
          </Fact>
        )}
        {payment.description !== null && (
          <Fact label={say('description')}>
            <bdi>{payment.description}</bdi>
          </Fact>
        )}
        <Fact label={say('created')}>
          <Time iso={payment.createdAt} />
        </Fact>
        {payment.status === 'pending' && (
          <Fact label={say('expires')}>
            <Time iso={payment.expiresAt} />
          </Fact>
        )}
        <Fact label={say('address')}>
          <Copyable text={payment.address} isLong />
        </Fact>
        <Fact label="ID">
          <Copyable text={payment.uuid} isLong />
        </Fact>
      </Facts>
      {payment.metadata !== null && (
        <details>
          <summary>{say('metadata')}</summary>
          <pre dir="ltr">{JSON.stringify(payment.metadata, null, 2)}</pre>
        </details>
      )}
    </Card>
  )
}

/** How the money was divided: each leg is as wide as its share. */
function Money({ payment: { settledLegs } }: { payment: Payment }) {
  const { say, formats } = useWords()
  if (settledLegs.length === 0) return null
  const total = settledLegs.reduce((sum, { amount }) => sum + BigInt(amount), 0n)
  const share = (amount: string): number => (total === 0n ? 0 : Number((BigInt(amount) * 1_000n) / total) / 10)
  return (
    <Card title={say('whereItWent')}>
      <svg class="shares" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
        {settledLegs.map(({ role, signature, amount }, at) => {
          const before = settledLegs.slice(0, at).reduce((sum, leg) => sum + share(leg.amount), 0)
          return <rect key={`${role}${signature}`} class={role} x={before} y="0" width={share(amount)} height="4" />
        })}
      </svg>
      <Table
        label={say('whereItWent')}
        rows={settledLegs}
        keyOf={({ role, signature, destination }) => `${role} ${signature} ${destination}`}
        columns={[
          {
            label: say('to'),
            cell: ({ role, destination }) => (
              <span class="leg">
                <svg viewBox="0 0 8 8" class="dot" aria-hidden="true">
                  <circle class={role} cx="4" cy="4" r="4" />
                </svg>
                {say(role)} <Copyable text={destination} isLong />
              </span>
            ),
          },
          { label: say('amount'), kind: 'number', cell: (leg) => formats.amount(leg.amount, leg) },
          { label: say('transaction'), cell: ({ signature }) => <Transaction signature={signature} /> },
        ]}
      />
    </Card>
  )
}

function Transaction({ signature }: { signature: string }) {
  const { business } = useMe()
  return <Copyable text={signature} isLong href={explorerUrl(signature, site.chains[business.mode] ?? '')} />
}

type Moment = { readonly at: string; readonly what: string; readonly signature: string | null }

/** Returns the event in words; an event of a newer service keeps its type. */
function eventIn({ say }: Words, type: string): string {
  const key = type.replace('.', '_')
  return isText(key) ? say(key) : type
}

function Timeline({ payment: { events, latestDeposits, ticker, mintDecimals, asset } }: { payment: Payment }) {
  const words = useWords()
  const { say, formats } = words
  const token = ticker === null || mintDecimals === null ? null : { ticker, decimals: mintDecimals }
  const deposits = latestDeposits.edges.map(({ node: { seenAt, amount, use, signature, asset: own } }): Moment => {
    const figure = token !== null && own === asset ? formats.amount(amount, token) : say('anotherAsset')
    return { at: seenAt, what: `${say('deposit')}: ${figure} · ${say(use)}`, signature }
  })
  const happened = events.edges.map(
    ({ node: { createdAt, type } }): Moment => ({ at: createdAt, what: eventIn(words, type), signature: null }),
  )
  // The newest is first in both; of the same moment, a deposit is before what it has caused.
  const moments = [...deposits.reverse(), ...happened.reverse()].toSorted((a, b) => a.at.localeCompare(b.at))
  return (
    <Card title={say('timeline')}>
      <ol class="timeline">
        {moments.map(({ at, what, signature }) => (
          <li key={`${at}${what}${signature}`}>
            <Time iso={at} isExact />
            <span>{what}</span>
            {signature !== null && <Transaction signature={signature} />}
          </li>
        ))}
      </ol>
    </Card>
  )
}
