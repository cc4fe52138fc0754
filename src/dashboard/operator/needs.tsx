// What needs a person, each with the action next to it.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { useChange, useRead } from '#dashboard/browser/data.ts'
import { Button, Card, Dialog, FaultNotice, Loading, Table, Time } from '#dashboard/browser/parts/basics.tsx'
import { Field, Form, TextField } from '#dashboard/browser/parts/forms.tsx'
import {
  type HaltPartsFragment,
  type HeldPaymentPartsFragment,
  OperatorClearHaltDocument,
  OperatorHeldSendersDocument,
  OperatorNeedsDocument,
  type OperatorNeedsQuery,
  OperatorReleaseDocument,
  OperatorRetryTransferDocument,
  type TransferPartsFragment,
} from '#dashboard/operator/documents.generated.ts'
import { Address, NetworkBadge, useAmounts, useKeptFocus } from '#dashboard/operator/parts.tsx'
import { APPLICATIONS, BUSINESSES, businessPath, TOKENS } from '#dashboard/operator/paths.ts'
import { PARTS, type Place, placesIn } from '#dashboard/operator/places.ts'
import { useOwnWords } from '#dashboard/operator/words.ts'

const HREFS: Readonly<Record<Place, string>> = {
  heldMoney: `#${PARTS.heldMoney}`,
  halts: `#${PARTS.halts}`,
  stoppedTransfers: `#${PARTS.stoppedTransfers}`,
  queues: `#${PARTS.queues}`,
  tokens: TOKENS,
  businesses: BUSINESSES,
  applications: APPLICATIONS,
}

export function Needs() {
  const { say } = useOwnWords()
  const { data, fault } = useRead(OperatorNeedsDocument, {})
  const lists =
    data === null
      ? []
      : [
          data.operatorStatus.alerts,
          data.heldPayments.payments,
          data.halts,
          data.failed,
          data.waiting,
          data.marketplaceApplications,
        ]
  useKeptFocus(lists.reduce((count, { length }) => count + length, 0))
  if (data === null)
    return (
      <Card title={say('needsPerson')}>
        {fault === null && <Loading />}
        <FaultNotice fault={fault} />
      </Card>
    )
  const { operatorStatus, heldPayments, halts, failed, waiting, marketplaceApplications } = data
  const stopped = [...failed, ...waiting]
  if (lists.every(({ length }) => length === 0))
    return (
      <Card title={say('needsPerson')}>
        <p class="calm">{say('needsNobody')}</p>
      </Card>
    )
  return (
    <Card title={say('needsPerson')} class="needs">
      {operatorStatus.alerts.length > 0 && (
        <ul class="alerts">
          {operatorStatus.alerts.map((alert) => (
            <li key={alert}>
              <span dir="auto">{alert}</span>{' '}
              {placesIn(alert).map((place) => (
                <a key={place} href={HREFS[place]}>
                  {say('goTo', { place: say(place) })}
                </a>
              ))}
            </li>
          ))}
        </ul>
      )}
      {heldPayments.payments.length > 0 && <Held {...data} />}
      {halts.length > 0 && <Halts halts={halts} />}
      {stopped.length > 0 && <Stopped transfers={stopped} />}
      {marketplaceApplications.length > 0 && <Applications applications={marketplaceApplications} />}
    </Card>
  )
}

type Held = HeldPaymentPartsFragment['held'][number] & { readonly payment: HeldPaymentPartsFragment }

/** The index by which people and logs name a payment, and its address. */
const Payment = ({ index, address, network }: { index: number | null; address: string; network: 'live' | 'test' }) => (
  <span class="payment">
    {index !== null && <strong dir="ltr">#{index}</strong>} <Address address={address} network={network} />{' '}
    <NetworkBadge network={network} />
  </span>
)

function Held({ heldPayments, tokens }: OperatorNeedsQuery) {
  const { say, formats } = useOwnWords()
  const amount = useAmounts(tokens)
  const [chosen, setChosen] = useState<Held | null>(null)
  const { payments, nextIndex, dustPayments } = heldPayments
  const rows = payments.flatMap((payment) => payment.held.map((held) => ({ ...held, payment })))
  const amountOf = ({ mint, payment: { network } }: Held, units: string): string =>
    amount(units, { asset: mint ?? null, network })
  return (
    <section class="need" id={PARTS.heldMoney}>
      <h3>{say('heldMoney')}</h3>
      <p class="hint">{say('heldMoneyText')}</p>
      <Table
        label={say('heldMoney')}
        rows={rows}
        keyOf={({ payment, mint }) => `${payment.intentId} ${mint}`}
        columns={[
          {
            label: say('payment'),
            cell: ({ payment }) => (
              <Payment index={payment.intentIndex} address={payment.address} network={payment.network} />
            ),
          },
          {
            label: say('business'),
            cell: ({ payment: { account } }) => (
              <a href={businessPath(account.id)}>
                <bdi>{account.name}</bdi>
              </a>
            ),
          },
          { label: say('amount'), kind: 'number', cell: (held) => amountOf(held, held.amount) },
          {
            label: say('why'),
            cell: ({ reason, payment: { proposedAddress, network } }) => (
              <>
                <span dir="auto">{reason}</span>
                {proposedAddress != null && (
                  <p class="hint">
                    {say('buyerProposes')} <Address address={proposedAddress} network={network} />
                  </p>
                )}
              </>
            ),
          },
          {
            label: say('actions'),
            kind: 'actions',
            cell: (held) => <Button onPress={() => setChosen(held)}>{say('release')}</Button>,
          },
        ]}
      />
      {nextIndex != null && <p class="hint">{say('heldMore', { count: formats.number(payments.length) })}</p>}
      {dustPayments > 0 && <p class="hint">{say('heldDust', { count: formats.number(dustPayments) })}</p>}
      {chosen !== null && (
        <Release held={chosen} amountOf={(units) => amountOf(chosen, units)} onClose={() => setChosen(null)} />
      )}
    </section>
  )
}

type Closing = { onClose(): void }

type ReleaseProps = Closing & { readonly held: Held; amountOf(units: string): string }

/** Lets a person say where held money goes. A sender is never the choice that is made already. */
function Release({ held, amountOf, onClose }: ReleaseProps) {
  const { say } = useOwnWords()
  const release = useChange(OperatorReleaseDocument)
  const { account, intentId, intentIndex, network } = held.payment
  const asset = held.mint ?? 'SOL'
  const own = account.sweepDestination ?? null
  /** A wallet; empty for one that is entered. */
  const [wallet, setWallet] = useState(own ?? '')
  const { data } = useRead(OperatorHeldSendersDocument, { network, after: intentIndex + 1 })
  const senders = (data?.heldPayments.payments ?? [])
    .filter((payment) => payment.intentId === intentId)
    .flatMap((payment) => payment.senders.filter((one) => one.asset === asset && one.wallet !== own))
  const choice = (to: string, label: ComponentChildren) => (
    <label key={to} class="check">
      <input type="radio" name="where" checked={wallet === to} onChange={() => setWallet(to)} />
      <span>
        {label} {to !== '' && <Address address={to} network={network} isWhole />}
      </span>
    </label>
  )
  return (
    <Dialog title={say('releaseTitle', { amount: amountOf(held.amount) })} onClose={onClose}>
      <p class="hint" dir="auto">
        {held.reason}
      </p>
      <Form
        submit={say('sendIt')}
        isBusy={release.isBusy}
        fault={release.fault}
        onCancel={onClose}
        onSubmit={async ({ text }) => {
          const to = wallet === '' ? (text('to') ?? '') : wallet
          const input = { intent: intentId, asset, to, reason: text('reason') ?? '' }
          if ((await release.run({ input })) === null) return
          onClose()
        }}
      >
        <fieldset>
          <legend>{say('to')}</legend>
          {own !== null && choice(own, say('toBusiness', { business: account.name }))}
          {senders.map((one) => choice(one.wallet, say('toSender', { amount: amountOf(one.amount) })))}
          {choice('', say('toOther'))}
        </fieldset>
        {wallet === '' && <Field label={say('otherWallet')} name="to" maxLength={44} isRequired />}
        <TextField label={say('releaseReason')} name="reason" hint={say('reasonKept')} isRequired />
      </Form>
    </Dialog>
  )
}

function Halts({ halts }: { halts: readonly HaltPartsFragment[] }) {
  const { say } = useOwnWords()
  const [chosen, setChosen] = useState<HaltPartsFragment | null>(null)
  return (
    <section class="need" id={PARTS.halts}>
      <h3>{say('halts')}</h3>
      <p class="hint">{say('haltsText')}</p>
      <Table
        label={say('halts')}
        rows={halts}
        keyOf={({ id }) => id}
        columns={[
          {
            label: say('payment'),
            cell: ({ intentIndex, address, network }) => (
              <Payment index={intentIndex ?? null} address={address} network={network} />
            ),
          },
          { label: say('why'), cell: ({ reason }) => <span dir="auto">{reason}</span> },
          { label: say('since'), cell: ({ haltedAt }) => <Time iso={haltedAt} /> },
          {
            label: say('actions'),
            kind: 'actions',
            cell: (halt) => <Button onPress={() => setChosen(halt)}>{say('clearHalt')}</Button>,
          },
        ]}
      />
      {chosen !== null && <ClearHalt halt={chosen} onClose={() => setChosen(null)} />}
    </section>
  )
}

function ClearHalt({ halt, onClose }: Closing & { halt: HaltPartsFragment }) {
  const { say } = useOwnWords()
  const clear = useChange(OperatorClearHaltDocument)
  return (
    <Dialog title={say('clearHaltTitle')} onClose={onClose}>
      <p dir="auto">{halt.reason}</p>
      <p class="hint">{say('clearHaltText')}</p>
      <Form
        submit={say('clearHalt')}
        isBusy={clear.isBusy}
        fault={clear.fault}
        onCancel={onClose}
        onSubmit={async ({ text }) => {
          if ((await clear.run({ id: halt.id, reason: text('reason') ?? '' })) === null) return
          onClose()
        }}
      >
        <TextField label={say('clearHaltReason')} name="reason" hint={say('reasonKept')} isRequired />
      </Form>
    </Dialog>
  )
}

const KINDS = ['sweep', 'refund', 'release', 'rent'] as const

function Stopped({ transfers }: { transfers: readonly TransferPartsFragment[] }) {
  const { say, formats } = useOwnWords()
  const kindOf = (kind: string): string => {
    const known = KINDS.find((one) => one === kind)
    return known === undefined ? kind : say(`transfer_${known}`)
  }
  return (
    <section class="need" id={PARTS.stoppedTransfers}>
      <h3>{say('stoppedTransfers')}</h3>
      <p class="hint">{say('stoppedTransfersText')}</p>
      <Table
        label={say('stoppedTransfers')}
        rows={transfers}
        keyOf={({ id }) => id}
        columns={[
          {
            label: say('transfer'),
            cell: ({ kind, intentIndex, network }) => (
              <>
                {kindOf(kind)} {intentIndex != null && <strong dir="ltr">#{intentIndex}</strong>}{' '}
                <NetworkBadge network={network} />
              </>
            ),
          },
          {
            label: say('status'),
            cell: ({ status }) => <span class="badge bad">{say(`transfer_${status}`)}</span>,
          },
          { label: say('why'), cell: ({ reason }) => <span dir="auto">{reason}</span> },
          { label: say('tries'), kind: 'number', cell: ({ attempts }) => formats.number(attempts) },
          { label: say('since'), cell: ({ createdAt }) => <Time iso={createdAt} /> },
          { label: say('actions'), kind: 'actions', cell: ({ id }) => <Retry key={id} id={id} /> },
        ]}
      />
    </section>
  )
}

function Retry({ id }: { id: string }) {
  const { say } = useOwnWords()
  const retry = useChange(OperatorRetryTransferDocument)
  return (
    <>
      <Button isBusy={retry.isBusy} onPress={() => void retry.run({ id })}>
        {say('retry')}
      </Button>
      <FaultNotice fault={retry.fault} />
    </>
  )
}

function Applications({ applications }: { applications: OperatorNeedsQuery['marketplaceApplications'] }) {
  const { say } = useOwnWords()
  return (
    <section class="need">
      <h3>{say('applications')}</h3>
      <p class="hint">{say('applicationsWait')}</p>
      <Table
        label={say('applications')}
        rows={applications}
        keyOf={({ accountId }) => accountId}
        columns={[
          {
            label: say('business'),
            cell: ({ account }) => (
              <a href={APPLICATIONS}>
                <bdi>{account.name}</bdi>
              </a>
            ),
          },
          { label: say('sells'), cell: ({ sells }) => <span dir="auto">{sells}</span> },
          { label: say('since'), cell: ({ appliedAt }) => <Time iso={appliedAt} /> },
        ]}
      />
    </section>
  )
}
