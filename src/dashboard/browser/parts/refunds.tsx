// Refunds that the business makes, in lists. docs/giving-money-back.md
import { useEffect } from 'preact/hooks'
import { readAgain } from '#dashboard/browser/client.ts'
import { useTokens } from '#dashboard/browser/parts/assets.tsx'
import { Table, Time } from '#dashboard/browser/parts/basics.tsx'
import { Address } from '#dashboard/browser/parts/chain.tsx'
import { paymentPath, refundPath, subscriptionPath } from '#dashboard/browser/paths.ts'
import { useWords } from '#dashboard/browser/say.tsx'
import type { DashboardRefundFragment } from '#dashboard/documents.generated.ts'
import { shortened } from '#pay/views/formats.ts'

export type RefundStatus = DashboardRefundFragment['status']

const TONES: Readonly<Record<RefundStatus, string>> = {
  open: 'waiting',
  processing: 'waiting',
  succeeded: 'good',
  failed: 'bad',
  canceled: 'quiet',
  expired: 'quiet',
}

export const REFUND_STATUSES: readonly RefundStatus[] = [
  'open',
  'processing',
  'succeeded',
  'failed',
  'canceled',
  'expired',
]

export function RefundStanding({ status }: { status: RefundStatus }) {
  const { say } = useWords()
  return <span class={`badge ${TONES[status]}`}>{say(`refundIs_${status}`)}</span>
}

/** Whether it waits for money. */
export const isWaiting = ({ status }: { readonly status: RefundStatus }): boolean =>
  status === 'open' || status === 'processing'

/** A part that was paid is no event of the business, nor is the end of a canceled refund: a page asks by itself until all have ended. */
const AGAIN_MS = 3_000

export function useLiveRefunds(refunds: readonly Pick<DashboardRefundFragment, 'endedAt'>[]): void {
  const waits = refunds.some(({ endedAt }) => endedAt === null)
  useEffect(() => {
    if (!waits) return
    const timer = setInterval(readAgain, AGAIN_MS)
    return () => clearInterval(timer)
  }, [waits])
}

/** Returns what formats base units of the asset of a refund, such as `0.13 SOL`. */
export function useRefundFigure() {
  const tokens = useTokens()
  const { formats } = useWords()
  return ({ mint, decimals }: Pick<DashboardRefundFragment, 'mint' | 'decimals'>, units: string): string => {
    const known = tokens.find(({ asset }) => asset === (mint ?? 'SOL'))
    const ticker = known?.ticker ?? (mint === null ? 'SOL' : shortened(mint))
    return formats.amount(units, { ticker, decimals })
  }
}

type RefundTableProps = {
  readonly label: string
  readonly refunds: readonly DashboardRefundFragment[]
  /** Whether it says of what they give money back. */
  readonly namesSubject?: boolean
}

export function RefundTable({ label, refunds, namesSubject = false }: RefundTableProps) {
  const { say } = useWords()
  const figure = useRefundFigure()
  return (
    <Table
      label={label}
      rows={refunds}
      keyOf={({ uuid }) => uuid}
      columns={[
        {
          label: say('amount'),
          kind: 'number',
          cell: (refund) => <a href={refundPath(refund.uuid)}>{figure(refund, refund.amount)}</a>,
        },
        {
          label: say('status'),
          cell: ({ status, part }) => (
            <>
              <RefundStanding status={status} />
              {part === 'marketplace' && <p class="hint">{say('refundByMarketplace')}</p>}
            </>
          ),
        },
        { label: say('to'), cell: ({ recipient }) => <Address address={recipient} /> },
        ...(namesSubject
          ? [
              {
                label: say('refundedWhat'),
                cell: ({ paymentId, subscriptionId }: DashboardRefundFragment) =>
                  paymentId !== null ? (
                    <a href={paymentPath(paymentId)}>{say('payment')}</a>
                  ) : (
                    <a href={subscriptionPath(subscriptionId ?? '')}>{say('aCharge')}</a>
                  ),
              },
            ]
          : []),
        { label: say('created'), cell: ({ createdAt }) => <Time iso={createdAt} /> },
      ]}
    />
  )
}
