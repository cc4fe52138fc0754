// The wallet that receives the money of the business, and a change of it that waits.
import { useState } from 'preact/hooks'
import { useChange } from '#dashboard/browser/data.ts'
import { usePermission } from '#dashboard/browser/me.ts'
import { Button, Card, Copyable, FaultNotice } from '#dashboard/browser/parts/basics.tsx'
import { Field, Form } from '#dashboard/browser/parts/forms.tsx'
import { useWords } from '#dashboard/browser/say.tsx'
import {
  type DashboardBusinessFragment,
  DashboardChangeWalletDocument,
  DashboardKeepWalletDocument,
} from '#dashboard/documents.generated.ts'

type Props = { readonly business: DashboardBusinessFragment }

export function PayoutWallet({ business: { sweepDestination, pendingPayoutChange: pending } }: Props) {
  const { say, time } = useWords()
  const mayChange = usePermission('payout-manage')
  const [isOpen, setOpen] = useState(false)
  const change = useChange(DashboardChangeWalletDocument)
  const keep = useChange(DashboardKeepWalletDocument)
  return (
    <Card id="wallet" title={say('payoutWallet')}>
      <p>{sweepDestination === null ? say('noPayoutWallet') : <Copyable text={sweepDestination} />}</p>
      {pending !== null && (
        <div class="notice quiet">
          <p>
            {say('payoutChangeWaits', {
              wallet: pending.sweepDestination ?? '–',
              time: time(pending.effectiveAt),
              who: pending.requestedBy,
              ip: pending.ip,
            })}
          </p>
          {mayChange && (
            <Button isBusy={keep.isBusy} onPress={() => void keep.run({})}>
              {say('keepOldWallet')}
            </Button>
          )}
          <FaultNotice fault={keep.fault} />
        </div>
      )}
      {mayChange && isOpen && (
        <Form
          submit={say('changeWallet')}
          isBusy={change.isBusy}
          fault={change.fault}
          onSubmit={async ({ text }) => {
            if ((await change.run({ wallet: text('wallet') })) !== null) setOpen(false)
          }}
          onCancel={() => setOpen(false)}
        >
          <Field label={say('newWallet')} name="wallet" isRequired hint={say('walletHint')} />
        </Form>
      )}
      {mayChange && !isOpen && (
        <div class="actions">
          <Button kind={sweepDestination === null ? 'primary' : 'plain'} onPress={() => setOpen(true)}>
            {say(sweepDestination === null ? 'setWallet' : 'changeWallet')}
          </Button>
        </div>
      )}
    </Card>
  )
}
