// The refunds that the business has made of a payment, and what can still go back.
import { Card } from '#dashboard/browser/parts/basics.tsx'
import { RefundTable, useLiveRefunds } from '#dashboard/browser/parts/refunds.tsx'
import { useWords } from '#dashboard/browser/say.tsx'
import type { DashboardPaymentDetailQuery } from '#dashboard/documents.generated.ts'

type Payment = NonNullable<DashboardPaymentDetailQuery['payment']>

export function RefundsOfPayment({ payment }: { payment: Payment }) {
  const { say, formats } = useWords()
  const { businessRefunds: refunds, refundableAmount, ticker, mintDecimals: decimals } = payment
  useLiveRefunds(refunds)
  if (refunds.length === 0) return null
  return (
    <Card title={say('refunds')}>
      <RefundTable label={say('refunds')} refunds={refunds} />
      {refundableAmount !== null && ticker !== null && decimals !== null && (
        <p class="hint">{say('canStillGoBack', { amount: formats.amount(refundableAmount, { ticker, decimals }) })}</p>
      )}
    </Card>
  )
}
