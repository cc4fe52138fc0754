// Payments in lists.
import { Table, Time } from '#dashboard/browser/parts/basics.tsx'
import { paymentPath } from '#dashboard/browser/paths.ts'
import { useWords } from '#dashboard/browser/say.tsx'
import type { DashboardPaymentFragment } from '#dashboard/documents.generated.ts'

type Tone = 'quiet' | 'waiting' | 'good' | 'bad'

const TONES: Readonly<Record<DashboardPaymentFragment['status'], Tone>> = {
  pending: 'quiet',
  underpaid: 'waiting',
  paid: 'waiting',
  overpaid: 'waiting',
  settling: 'waiting',
  swept: 'good',
  refunding: 'waiting',
  refunded: 'quiet',
  cancelled: 'quiet',
  settle_failed: 'bad',
  refund_failed: 'bad',
}

export function PaymentStatus({ status }: Pick<DashboardPaymentFragment, 'status'>) {
  const { say } = useWords()
  return <span class={`badge ${TONES[status]}`}>{say(status)}</span>
}

/** Returns the name of the buyer, or the email; null without both. */
export function buyerOf({ customerDetails }: DashboardPaymentFragment): string | null {
  const { firstName, lastName, email } = customerDetails ?? {}
  return [firstName, lastName].filter(Boolean).join(' ') || (email ?? null)
}

type Listed = DashboardPaymentFragment & { readonly seller?: { readonly name: string } | null }

const cut = (text: string | null | undefined) => text && <bdi class="cut">{text}</bdi>

/** Where some payments are for sellers, it names them. */
export function PaymentTable({ label, payments }: { label: string; payments: readonly Listed[] }) {
  const { say, formats } = useWords()
  const hasSellers = payments.some(({ seller }) => seller)
  return (
    <Table
      label={label}
      rows={payments}
      keyOf={({ uuid }) => uuid}
      columns={[
        {
          label: say('amount'),
          kind: 'number',
          cell: ({ uuid, priceUsdCents }) => <a href={paymentPath(uuid)}>{formats.dollars(priceUsdCents)}</a>,
        },
        { label: say('status'), cell: (payment) => <PaymentStatus {...payment} /> },
        { label: say('reference'), cell: ({ reference }) => cut(reference) },
        { label: say('buyer'), cell: (payment) => cut(buyerOf(payment)) },
        ...(hasSellers ? [{ label: say('paymentSeller'), cell: ({ seller }: Listed) => cut(seller?.name) }] : []),
        { label: say('created'), cell: ({ createdAt }) => <Time iso={createdAt} /> },
      ]}
    />
  )
}
