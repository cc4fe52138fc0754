// Everything that has happened to a payment, the oldest first: its events with their webhooks, what arrived, and what was sent.
import { useRead } from '#dashboard/browser/data.ts'
import { usePermission } from '#dashboard/browser/me.ts'
import type { Token } from '#dashboard/browser/parts/assets.tsx'
import { type Moment, Timeline, webhooksIn } from '#dashboard/browser/parts/timeline.tsx'
import { isText, useWords, type Words } from '#dashboard/browser/say.tsx'
import { DashboardPaymentDeliveriesDocument, type DashboardPaymentDetailQuery } from '#dashboard/documents.generated.ts'
import { shortened } from '#pay/views/formats.ts'

type Payment = NonNullable<DashboardPaymentDetailQuery['payment']>

/** Returns the event in words; an event of a newer service keeps its type. */
function eventIn({ say }: Words, type: string): string {
  const key = type.replace('.', '_')
  return isText(key) ? say(key) : type
}

/** What happens at once, in the order in which one leads to the other. */
const EVENT_PLACES: Readonly<Record<string, number>> = {
  'intent.created': 0,
  'intent.token_selected': 1,
  'intent.underpaid': 3,
  'intent.paid': 3,
  'intent.overpaid': 3,
  'intent.late_payment': 3,
  'intent.settling': 4,
  'intent.refunding': 4,
  'intent.cancelled': 4,
}
const DEPOSIT_PLACE = 2
const TRANSFER_PLACE = 5
const LAST_PLACE = 6

export function PaymentTimeline({ payment, tokens }: { payment: Payment; tokens: readonly Token[] }) {
  const words = useWords()
  const { say, formats } = words
  const seesWebhooks = usePermission('webhooks-manage')
  const { data, fault } = useRead(DashboardPaymentDeliveriesDocument, { id: payment.uuid }, { pause: !seesWebhooks })
  const webhooksOf = webhooksIn(data?.deliveries)
  const { ticker, mintDecimals } = payment
  const token = ticker === null || mintDecimals === null ? null : { ticker, decimals: mintDecimals }
  const figure = (asset: string, units: string): string => {
    const known = asset === payment.asset ? token : (tokens.find((one) => one.asset === asset) ?? null)
    // Nothing but its units is known of an asset that is not allowed.
    return known === null
      ? say('unitsOf', { units: formats.number(BigInt(units)), asset: shortened(asset) })
      : formats.amount(units, known)
  }

  const deposits = payment.latestDeposits.edges.map(
    ({ node: { seenAt, amount, use, signature, asset } }): Moment => ({
      key: `deposit ${signature} ${asset}`,
      at: seenAt,
      place: DEPOSIT_PLACE,
      what: `${say('deposit')}: ${figure(asset, amount)} · ${say(use)}`,
      signature,
      more: null,
    }),
  )
  const sent = payment.transfers.edges.flatMap(({ node: { id, kind, status, legs, asset, ...transfer } }): Moment[] => {
    if (kind === 'rent') return []
    const units = legs.reduce((sum, { amount, movedAmount }) => sum + BigInt(movedAmount ?? amount), 0n)
    return [
      {
        key: id,
        at: transfer.doneAt ?? transfer.createdAt,
        place: TRANSFER_PLACE,
        what: `${say(`transfer_${kind}`)}: ${figure(asset, String(units))} · ${say(`transfer_${status}`)}`,
        signature: transfer.signature,
        more: transfer.reason !== null && <p class="hint">{transfer.reason}</p>,
      },
    ]
  })
  const given = payment.businessRefunds.flatMap((refund): Moment[] => {
    const { uuid, mint, amount, recipient, status, signatures, createdAt, endedAt } = refund
    const begun: Moment = {
      key: `begin of ${uuid}`,
      at: createdAt,
      place: LAST_PLACE,
      what: `${say('refundBegun', { amount: figure(mint ?? 'SOL', amount), wallet: shortened(recipient) })}`,
      signature: null,
      more: null,
    }
    if (endedAt === null) return [begun]
    const [signature = null] = signatures.slice(-1)
    const what = `${say('refundOf', { amount: figure(mint ?? 'SOL', amount) })}: ${say(`refundIs_${status}`)}`
    return [{ key: `end of ${uuid}`, at: endedAt, place: LAST_PLACE, what, signature, more: null }, begun]
  })
  const happened = payment.events.edges.map(({ node: { id, createdAt, type } }): Moment => {
    const rate =
      type === 'intent.token_selected' && token !== null && payment.expectedAmount !== null
        ? `: ${formats.amount(payment.expectedAmount, token)} (${formats.rate(payment.priceUsdCents, payment.expectedAmount, token)})`
        : ''
    return {
      key: id,
      at: createdAt,
      place: EVENT_PLACES[type] ?? LAST_PLACE,
      what: `${eventIn(words, type)}${rate}`,
      signature: null,
      more: webhooksOf(id),
    }
  })
  return (
    <Timeline
      moments={[...deposits.reverse(), ...sent.reverse(), ...happened.reverse(), ...given.reverse()]}
      fault={fault}
    />
  )
}
