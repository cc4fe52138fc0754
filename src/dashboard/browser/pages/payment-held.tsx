// Held money of a payment, and the address to which the buyer asks that it is sent. The business decides.
import { useState } from 'preact/hooks'
import { useChange } from '#dashboard/browser/data.ts'
import { usePermission } from '#dashboard/browser/me.ts'
import type { Token } from '#dashboard/browser/parts/assets.tsx'
import { Button, Card, Dialog, Table } from '#dashboard/browser/parts/basics.tsx'
import { Address } from '#dashboard/browser/parts/chain.tsx'
import { Confirm, Form, TextField } from '#dashboard/browser/parts/forms.tsx'
import { useWords } from '#dashboard/browser/say.tsx'
import {
  DashboardApproveAddressDocument,
  DashboardDeclineAddressDocument,
  type DashboardPaymentDetailQuery,
} from '#dashboard/documents.generated.ts'
import { shortened } from '#pay/views/formats.ts'

type Payment = NonNullable<DashboardPaymentDetailQuery['payment']>
type Proposal = NonNullable<NonNullable<Payment['refundAddress']>['proposal']>

export function Held({ payment, tokens }: { payment: Payment; tokens: readonly Token[] }) {
  const { say, formats } = useWords()
  const { held, refundAddress } = payment
  if (held.length === 0 && refundAddress === null) return null
  const amountOf = ({ mint, amount }: Pick<Payment['held'][number], 'mint' | 'amount'>): string => {
    const token = tokens.find(({ asset }) => asset === (mint ?? 'SOL'))
    return token === undefined
      ? say('unitsOf', { units: formats.number(BigInt(amount)), asset: mint === null ? 'SOL' : shortened(mint) })
      : formats.amount(amount, token)
  }
  const proposal = refundAddress?.proposal ?? null
  return (
    <Card title={say('heldTitle')}>
      {held.length > 0 && (
        <Table
          label={say('heldTitle')}
          rows={held}
          keyOf={({ mint, reason }) => `${mint} ${reason}`}
          columns={[
            { label: say('amount'), cell: (one) => amountOf(one) },
            { label: say('reason'), cell: ({ reason }) => <span dir="auto">{reason}</span> },
          ]}
        />
      )}
      {proposal !== null && (
        // Another address is another question: what was asked about the former one is gone with it.
        <Proposed
          key={`${proposal.address} ${proposal.proposedAt}`}
          id={payment.uuid}
          proposal={proposal}
          amount={totalsOf(payment).map(amountOf).join(' + ')}
        />
      )}
      {refundAddress?.isWanted && proposal?.status !== 'proposed' && <p class="hint">{say('addressWanted')}</p>}
    </Card>
  )
}

/** Returns all that is held, by asset. A list that is shown whole has no totals of its own. */
function totalsOf({ held, heldTotals }: Payment) {
  if (heldTotals !== null) return heldTotals
  return [...Map.groupBy(held, ({ mint }) => mint)].map(([mint, own]) => ({
    mint,
    amount: String(own.reduce((sum, { amount }) => sum + BigInt(amount), 0n)),
  }))
}

type ProposedProps = { readonly id: string; readonly proposal: Proposal; readonly amount: string }

function Proposed({ id, proposal, amount }: ProposedProps) {
  const { say, time } = useWords()
  const mayDecide = usePermission('payments')
  const approve = useChange(DashboardApproveAddressDocument)
  const { address, status, reason, decidedAt } = proposal
  if (status !== 'proposed') {
    const at = { time: decidedAt === null ? '' : time(decidedAt) }
    return (
      <>
        <p dir="auto">
          {status === 'approved' && say('addressApproved', at)}
          {status === 'not_sent' && say('addressNotSent', at)}
          {status === 'declined' && say('addressDeclined', { ...at, reason: reason ?? '' })}
          {status === 'closed' && say('addressClosed')}
        </p>
        <p>
          <Address address={address} isWhole />
        </p>
      </>
    )
  }
  return (
    <section class="proposal">
      <h3>{say('addressTitle')}</h3>
      <p>{say('addressText', { amount })}</p>
      <p>
        <Address address={address} isWhole />
      </p>
      <p class="notice quiet">{say('addressVerify')}</p>
      {mayDecide && (
        <div class="actions start">
          <Confirm
            label={say('approveAddress')}
            question={say('approveAddressQuestion', { amount })}
            isBusy={approve.isBusy}
            fault={approve.fault}
            onConfirm={() => approve.run({ id, address })}
          >
            <p>
              <Address address={address} isWhole />
            </p>
            <p>{say('addressVerify')}</p>
          </Confirm>
          <Decline id={id} address={address} />
        </div>
      )}
    </section>
  )
}

function Decline({ id, address }: { id: string; address: string }) {
  const { say } = useWords()
  const decline = useChange(DashboardDeclineAddressDocument)
  const [isAsked, setAsked] = useState(false)
  return (
    <>
      <Button onPress={() => setAsked(true)}>{say('declineAddress')}</Button>
      {isAsked && (
        <Dialog title={say('declineAddressQuestion')} onClose={() => setAsked(false)}>
          <p>
            <Address address={address} isWhole />
          </p>
          <Form
            submit={say('declineAddress')}
            isBusy={decline.isBusy}
            fault={decline.fault}
            onCancel={() => setAsked(false)}
            onSubmit={async ({ text }) => {
              if ((await decline.run({ id, address, reason: text('reason') ?? '' })) !== null) setAsked(false)
            }}
          >
            <TextField label={say('declineReason')} name="reason" hint={say('declineReasonHint')} isRequired />
          </Form>
        </Dialog>
      )}
    </>
  )
}
