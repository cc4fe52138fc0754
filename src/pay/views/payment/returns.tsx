// Money that does not count for the price, or cannot move: what becomes of it.
import { Fragment } from 'preact'
import type { PaymentStateFragment } from '#pay/documents.generated.ts'
import type { TextKey } from '#pay/texts/texts.ts'
import { usePage } from '#pay/views/context.tsx'
import { Row, Status, Transaction } from '#pay/views/parts.tsx'
import { assetOf, useAmounts } from '#pay/views/payment/amounts.ts'

type Payment = PaymentStateFragment
type LatePayment = Payment['latePayments'][number]
type TokenRefund = Payment['tokenRefunds'][number]
type Refund = NonNullable<LatePayment['refund']>

/** Shows each sum that came in another asset, came late, or is held. */
export const Returns = ({ payment }: { payment: Payment }) => (
  <>
    <WrongAssets payment={payment} />
    <Late payment={payment} />
    <Held payment={payment} />
  </>
)

/** Returns whether money did not count for the price. */
export const hasReturns = ({ tokenRefunds, latePayments, held }: Payment): boolean =>
  [tokenRefunds, latePayments, held].some((list) => list.length > 0)

/**
 * Shows what is sent from the address, or was sent: its amount, and its transactions once they are final. It goes back, or
 * where the operator released it: the page does not know which.
 */
export function SentOut({ asset, refund, payment }: { asset: string | null; refund: Refund; payment: Payment }) {
  const { say } = usePage()
  const amountOf = useAmounts(payment)
  return (
    <Row label={say(refund.signatures.length === 0 ? 'onItsWay' : 'sentOut')}>
      <span>{amountOf(refund.amount, asset)}</span>
      {refund.signatures.map((signature) => (
        <Fragment key={signature}>
          {' '}
          <Transaction signature={signature} />
        </Fragment>
      ))}
    </Row>
  )
}

const WRONG_ASSET_TEXTS: Readonly<Record<TokenRefund['status'], TextKey>> = {
  pending: 'wrongAssetText',
  settling: 'wrongAssetMovingText',
  refunded: 'wrongAssetSentText',
  failed: 'wrongAssetHeldText',
}

/** Shows each asset that was sent instead of the selected one, with its state and its refund. */
function WrongAssets({ payment }: { payment: Payment }) {
  const { say } = usePage()
  const amountOf = useAmounts(payment)
  return payment.tokenRefunds.map((entry) => {
    const { mint, amount, status, refund } = entry
    const text = leftAsFee(entry, payment) ? 'wrongAssetTooSmallText' : WRONG_ASSET_TEXTS[status]
    const values = { amount: amountOf(amount, assetOf(mint)), merchant: payment.merchantName }
    return (
      <Fragment key={mint}>
        <Status tone="attention" title={say('wrongAssetTitle')} text={say(text, values)} />
        {refund && (
          <dl>
            <SentOut asset={assetOf(mint)} refund={refund} payment={payment} />
          </dl>
        )}
      </Fragment>
    )
  })
}

const LATE_TEXTS: Readonly<Record<LatePayment['status'], TextKey>> = {
  pending: 'lateText',
  settling: 'lateMovingText',
  refunded: 'lateSentText',
  held: 'lateHeldText',
  failed: 'lateHeldText',
}

/**
 * Returns whether an entry is SOL that could not stay at the address, and left as the network fee of another refund: nothing of
 * it was sent to a wallet, and nothing is held. Without the full list of held money this is not known.
 */
const leftAsFee = ({ mint, status, refund }: LatePayment | TokenRefund, { held, heldCount }: Payment): boolean =>
  status === 'failed' &&
  refund === null &&
  heldCount === null &&
  !held.some((one) => assetOf(one.mint) === assetOf(mint))

/** Shows each late payment with its state, and its refund unless the refunds of the payment contain it. */
function Late({ payment }: { payment: Payment }) {
  const { say } = usePage()
  const amountOf = useAmounts(payment)
  return payment.latePayments.map((entry) => {
    const { mint, amount, status, signature, refund } = entry
    const text = leftAsFee(entry, payment) ? 'lateTooSmallText' : LATE_TEXTS[status]
    const values = { amount: amountOf(amount, assetOf(mint)), merchant: payment.merchantName }
    const isListed = containsLate(payment) && payment.refunds.some((one) => one.mint === mint)
    return (
      <Fragment key={signature}>
        <Status tone="attention" title={say('lateTitle')} text={say(text, values)} />
        <dl>
          <Row label={say('transaction')}>
            <Transaction signature={signature} />
          </Row>
          {refund && !isListed && <SentOut asset={assetOf(mint)} refund={refund} payment={payment} />}
        </dl>
      </Fragment>
    )
  })
}

/**
 * Returns whether the refunds of the payment are also those of late payments. Next to a settlement they are of an excess alone.
 */
const containsLate = ({ status }: Payment): boolean => status !== 'swept'

/** Shows each held sum that no other part of the page explains. */
function Held({ payment }: { payment: Payment }) {
  const { say } = usePage()
  const amountOf = useAmounts(payment)
  return unexplained(payment).map(({ mint, amount }, at) => {
    const values = { amount: amountOf(amount, assetOf(mint)), merchant: payment.merchantName }
    return <Status key={at} tone="attention" title={say('heldTitle')} text={say('heldText', values)} />
  })
}

/** Returns what is held of each asset, unless other parts of the page show at least as much of it as held. */
function unexplained(payment: Payment): Payment['held'] {
  const { status, asset, tokenRefunds, latePayments, held } = payment
  const wrong = tokenRefunds.filter((one) => one.status === 'failed')
  const late = latePayments.filter((one) => one.status === 'held' || one.status === 'failed')
  const sums = sumsByAsset(held.map(({ mint, amount }) => ({ mint, amount: BigInt(amount) })))
  const explained = sumsByAsset([...wrong, ...late].map((one) => ({ mint: one.mint, amount: heldOf(one) })))
  // Money of the price: it belongs to the business, or the outcome says that its refund needs help.
  const ofPrice = status === 'settle_failed' || status === 'refund_failed' ? asset : null
  const isExplained = (one: string): boolean => one === ofPrice || (sums.get(one) ?? 0n) <= (explained.get(one) ?? 0n)
  return held.filter(({ mint }) => !isExplained(assetOf(mint)))
}

/** Returns the most that can be held of an entry, in base units: what arrived, without what was sent out. */
const heldOf = ({ amount, refund }: Pick<LatePayment, 'amount' | 'refund'>): bigint =>
  BigInt(amount) - (refund === null || refund.signatures.length === 0 ? 0n : BigInt(refund.amount))

/** Returns sums in base units. SOL is one asset, with or without the wrapped-SOL mint. */
function sumsByAsset(entries: readonly { mint: string | null; amount: bigint }[]): ReadonlyMap<string, bigint> {
  const sums = new Map<string, bigint>()
  for (const { mint, amount } of entries) sums.set(assetOf(mint), (sums.get(assetOf(mint)) ?? 0n) + amount)
  return sums
}
