// Creates a refund of a payment or of a charge: how much goes back, to whom, and why.
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { useChange, useIdempotencyKey, useRead } from '#dashboard/browser/data.ts'
import type { Fault } from '#dashboard/browser/fault.ts'
import { usePermission } from '#dashboard/browser/me.ts'
import { Button, Dialog, FaultNotice, Loading } from '#dashboard/browser/parts/basics.tsx'
import { Checks, Choice, Field, Form, TextField } from '#dashboard/browser/parts/forms.tsx'
import { centsOf, unitsOf } from '#dashboard/browser/parts/money.ts'
import { refundPath } from '#dashboard/browser/paths.ts'
import { useWords } from '#dashboard/browser/say.tsx'
import {
  DashboardCreateRefundDocument,
  DashboardRefundTermsDocument,
  type DashboardRefundTermsQuery,
} from '#dashboard/documents.generated.ts'
import { shortened } from '#pay/views/formats.ts'

type Subject = {
  /** The payment or the charge of which money is given back. */
  readonly of: { readonly paymentId: string } | { readonly chargeId: string }
  /** The asset in which it settled. */
  readonly token: { readonly ticker: string; readonly decimals: number }
  /** Whether a marketplace had a part of it. */
  readonly hasMarketplace: boolean
}

type GiveBackProps = Subject & {
  /** What can still go back, in base units; null before it has settled. */
  readonly refundable: string | null
}

/** A button for members who may refund, where something can still go back. */
export function GiveBack({ refundable, ...subject }: GiveBackProps) {
  const { say } = useWords()
  const mayRefund = usePermission('payments')
  const [isOpen, setOpen] = useState(false)
  if (!mayRefund || refundable === null || BigInt(refundable) === 0n) return null
  const close = () => setOpen(false)
  return (
    <>
      <Button onPress={() => setOpen(true)}>{say('giveBack')}</Button>
      {isOpen && (
        <Dialog title={say('giveBackTitle')} onClose={close}>
          <Terms {...subject} onClose={close} />
        </Dialog>
      )}
    </>
  )
}

type Closing = { onClose(): void }

function Terms({ onClose, ...subject }: Subject & Closing) {
  const of = { paymentId: null, chargeId: null, ...subject.of }
  const { data, fault } = useRead(DashboardRefundTermsDocument, of)
  if (fault !== null) return <FaultNotice fault={fault} />
  if (data === null) return <Loading />
  return <RefundForm {...subject} terms={data.terms} onClose={onClose} />
}

/** Refusals of an amount: the field has the name of its unit. */
const OF_AMOUNT: ReadonlySet<string> = new Set(['refund_too_large', 'refund_too_small', 'refund_above_sender'])

const placed = (fault: Fault | null, field: string): Fault | null =>
  fault !== null && OF_AMOUNT.has(fault.code) ? { ...fault, details: { ...fault.details, field } } : fault

type RefundFormProps = Subject & Closing & { readonly terms: NonNullable<DashboardRefundTermsQuery['terms']> }

function RefundForm({ of, token, hasMarketplace, terms, onClose }: RefundFormProps) {
  const { say, formats } = useWords()
  const { route } = useLocation()
  const create = useChange(DashboardCreateRefundDocument)
  const keyOf = useIdempotencyKey()
  const [howMuch, setHowMuch] = useState<string | null>('everything')
  const [toWhom, setToWhom] = useState<string | null>('sender')
  const { recipient, most, refundable, payer } = terms
  // The wallet may have become unknown since it was read. The form then says so where it asks for an address.
  const [hasBecomeUnknown, setBecomeUnknown] = useState(false)
  const isRefused = create.fault?.code === 'refund_recipient_unknown'
  if (isRefused && !hasBecomeUnknown) setBecomeUnknown(true)
  const isUnknown = recipient === null || hasBecomeUnknown
  const isElsewhere = isUnknown || toWhom === 'other'
  const inDollars = howMuch === 'amountUsdCents'
  const everything = formats.amount(isElsewhere ? refundable : most, token)
  const { decimals, ticker } = token
  return (
    <Form
      submit={say('createRefund')}
      isBusy={create.isBusy}
      fault={isRefused ? null : placed(create.fault, inDollars ? 'amountUsdCents' : 'amount')}
      onEntered={({ text }) => {
        setHowMuch(text('howMuch'))
        setToWhom(text('toWhom') ?? 'sender')
      }}
      onSubmit={async ({ text, all }) => {
        const input = {
          ...of,
          amount: unitsOf(text('amount'), decimals),
          amountUsdCents: centsOf(text('amountUsdCents')),
          to: text('to'),
          reason: text('reason'),
          reverseFee: all('reverseFee').length > 0,
        }
        const done = await create.run({ input, idempotencyKey: keyOf(input) })
        if (done !== null) route(refundPath(done.created.refund.uuid))
      }}
      onCancel={onClose}
    >
      <Choice
        label={say('howMuch')}
        name="howMuch"
        options={[
          ['everything', say('everything', { amount: everything })],
          ['amount', say('aPartIn', { asset: ticker })],
          ['amountUsdCents', say('aPartInDollars')],
        ]}
      />
      {howMuch === 'amount' && (
        <Field
          label={say('amountIn', { asset: ticker })}
          name="amount"
          isRequired
          inputMode="decimal"
          pattern={decimals === 0 ? '\\d{1,20}' : `\\d{1,20}([.,]\\d{1,${decimals}})?`}
          hint={say('atMost', { amount: everything })}
        />
      )}
      {inDollars && (
        <Field
          label={say('amountInDollars')}
          name="amountUsdCents"
          isRequired
          inputMode="decimal"
          pattern="\d{1,9}([.,]\d{1,2})?"
          hint={say('dollarsAtRate')}
        />
      )}
      {isUnknown ? (
        <p role={hasBecomeUnknown ? 'alert' : undefined}>{say('senderUnknown')}</p>
      ) : (
        <Choice
          label={say('toWhom')}
          name="toWhom"
          options={[
            ['sender', say('toSender', { wallet: shortened(recipient) })],
            ['other', say('toOther')],
          ]}
        />
      )}
      {!isElsewhere && BigInt(most) < BigInt(refundable) && (
        <p class="hint">{say('severalPaid', { amount: formats.amount(most, token) })}</p>
      )}
      {isElsewhere && <Field label={say('toAddress')} name="to" isRequired hint={say('toAddressHint')} />}
      <TextField label={say('reason')} name="reason" hint={say('refundReasonHint')} />
      {hasMarketplace && (
        <Checks
          label={say('marketplaceFee')}
          name="reverseFee"
          hint={say('reverseFeeHint')}
          options={[{ value: 'yes', label: say('reverseFee'), isChecked: false }]}
        />
      )}
      {payer !== null && (
        <p class="hint">{say(hasMarketplace ? 'sellerPays' : 'youPay', { wallet: shortened(payer) })}</p>
      )}
    </Form>
  )
}
