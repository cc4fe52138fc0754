// Mistakes in shown data: the money is correct, and the shown amounts are wrong.
import type { Signature } from '#core/chain/types.ts'
import { type BaseUnits, makeBaseUnits } from '#core/money/amounts.ts'
import type { IntentEventType } from '#core/payments/transitions.ts'
import { replaced } from '../ports.ts'
import { type Above, changed, type Plant, read, reported, settlementReported } from './plant.ts'

type Data = Readonly<Record<string, unknown>>

/** Alters the data of webhooks after the event was stored. */
const delivered =
  (alter: (envelope: Data & { readonly data: Data }) => Data): Above =>
  (ports) => ({
    ...ports,
    sender: {
      send: (request) => ports.sender.send({ ...request, body: JSON.stringify(alter(JSON.parse(request.body))) }),
    },
  })

const plus = (amount: bigint, more: bigint) => makeBaseUnits(amount + more)

const halved = <T extends { readonly amount: BaseUnits }>(one: T): T => ({
  ...one,
  amount: makeBaseUnits(one.amount / 2n),
})

/** An event for each payment that is too small to return, and not only for the first of them. */
const dustReported: Above = changed((change) => {
  const isMore = change.deposits.some(({ use }) => use === 'late')
  return change.events.length === 0 && isMore
    ? { ...change, events: [{ type: 'intent.late_payment', intent: change.after }] }
    : change
})

/** Changes without the events of a type. */
const withoutEvent = (type: IntentEventType): Above =>
  changed((change) => ({ ...change, events: change.events.filter((event) => event.type !== type) }))

export const REPORTED_PLANTS: readonly Plant[] = [
  {
    name: 'late-payment-without-event',
    mistake: 'A late payment has no event.',
    above: withoutEvent('intent.late_payment'),
  },
  {
    name: 'settlement-without-event',
    mistake: 'The amounts of a settlement change without an event.',
    above: withoutEvent('intent.settlement_updated'),
  },
  {
    name: 'decimals-of-another-token',
    mistake: 'A settlement has the decimals of SOL, whatever was paid.',
    above: settlementReported((settlement) => ({ ...settlement, decimals: 9 })),
  },
  {
    name: 'refund-without-transaction',
    mistake: 'A late payment is shown as refunded, without the transaction that returned it.',
    above: reported((intent) => ({
      ...intent,
      latePayments: intent.latePayments.map((one) => ({
        ...one,
        refund: one.refund && { ...one.refund, signatures: [] },
      })),
    })),
  },
  {
    name: 'dust-reported',
    mistake: 'Each late payment has an event, however small it is.',
    above: dustReported,
  },
  {
    name: 'settlement-inflated',
    mistake: 'A settlement shows more than arrived.',
    above: settlementReported((settlement) => ({
      ...settlement,
      destinationAmount: plus(settlement.destinationAmount, 1_000n),
    })),
  },
  {
    name: 'pending-inflated',
    mistake: 'A settlement shows a part that follows later, and nothing follows.',
    above: settlementReported((settlement) => ({
      ...settlement,
      pendingAmount: plus(settlement.pendingAmount, 1_000n),
    })),
  },
  {
    name: 'uri-amount-wrong',
    mistake: 'The link to pay in an event asks for ten times the price.',
    above: changed((change) => ({
      ...change,
      events: change.events.map((event) => {
        const { selection } = event.intent
        if (selection === null) return event
        return { ...event, intent: { ...event.intent, selection: { ...selection, decimals: selection.decimals - 1 } } }
      }),
    })),
  },
  {
    name: 'held-count-wrong',
    mistake: 'The number of entries of held money is one too many.',
    above: reported((intent) => {
      const { held, listTotals } = intent
      if (held.length === 0) return intent
      const totals = held.map(({ mint, amount }) => ({ mint, amount, count: 1 }))
      return { ...intent, listTotals: { ...listTotals, held: { count: held.length + 1, totals } } }
    }),
  },
  {
    name: 'sweep-answer-inflated',
    mistake: 'The answer of a sweep on demand shows more than arrived.',
    above: read((facts) => ({
      ...facts,
      transfers: facts.transfers.map((transfer) =>
        transfer.kind === 'sweep' && transfer.status === 'done'
          ? { ...transfer, moved: transfer.moved.map((amount, at) => (at === 0 ? plus(amount ?? 0n, 1_000n) : amount)) }
          : transfer,
      ),
    })),
  },
  {
    name: 'settlement-leg-missing',
    mistake: 'The last leg of a settlement is not shown.',
    above: settlementReported((settlement) => ({ ...settlement, legs: settlement.legs.slice(0, -1) })),
  },
  {
    name: 'settlement-of-another-transaction',
    mistake: 'A settlement names the signature of the payment, and not of the sweep.',
    above: (ports) => {
      const payments = new Map<string, Signature>()
      const alter = settlementReported((settlement, { id }) => {
        const signature = payments.get(id)
        if (signature === undefined) return settlement
        return { ...settlement, signatures: [signature], legs: settlement.legs.map((leg) => ({ ...leg, signature })) }
      })
      const note = changed((change) => {
        for (const { signature, intentId } of change.deposits) payments.set(intentId, signature)
        return change
      })
      return note(alter(ports))
    },
  },
  {
    name: 'excess-reported-as-income',
    mistake: 'The amount that went back to the buyer is shown as a part of the money that the business received.',
    above: settlementReported((settlement) => {
      const wallet = settlement.legs.find(({ role }) => role === 'merchant' || role === 'seller')?.destination
      if (wallet === undefined) return settlement
      const legs = settlement.legs.map((leg) => (leg.role === 'refund' ? { ...leg, destination: wallet } : leg))
      return { ...settlement, legs }
    }),
  },
  {
    name: 'moved-amount-doubled',
    mistake: 'The moved amount of a leg is doubled.',
    above: changed((change) =>
      change.outcome === null
        ? change
        : {
            ...change,
            outcome: { ...change.outcome, moved: change.outcome.moved.map((amount) => plus(amount, amount)) },
          },
    ),
  },
  {
    name: 'held-emptied',
    mistake: 'Held money is not shown.',
    above: reported((intent) => ({ ...intent, held: [] })),
  },
  {
    name: 'held-doubled',
    mistake: 'Held money is shown twice.',
    above: reported((intent) => ({
      ...intent,
      held: intent.held.map((one) => ({ ...one, amount: plus(one.amount, one.amount) })),
    })),
  },
  {
    name: 'late-amount-falsified',
    mistake: 'A late payment is shown with the price, and not with the amount that arrived.',
    above: reported((intent) => ({
      ...intent,
      latePayments: intent.latePayments.map((one) => ({
        ...one,
        amount: plus(intent.selection?.expected ?? 0n, 1n),
      })),
    })),
  },
  {
    name: 'late-payment-unreported',
    mistake: 'A late payment is returned, and not shown.',
    above: reported((intent) => ({ ...intent, latePayments: [] })),
  },
  {
    name: 'late-payment-returned-too-early',
    mistake: 'A late payment is shown as refunded when its return is planned.',
    above: reported((intent) => ({
      ...intent,
      latePayments: intent.latePayments.map((one) =>
        one.status === 'settling' ? { ...one, status: 'refunded' } : one,
      ),
    })),
  },
  {
    name: 'token-returned-too-early',
    mistake: 'A token is shown as refunded when its return is planned.',
    above: reported((intent) => ({
      ...intent,
      tokenRefunds: intent.tokenRefunds.map((one) =>
        one.status === 'settling' ? { ...one, status: 'refunded' } : one,
      ),
    })),
  },
  {
    name: 'token-refund-unreported',
    mistake: 'A token that was sent by mistake is in no list.',
    above: reported((intent) => ({ ...intent, tokenRefunds: [] })),
  },
  {
    name: 'refund-amount-halved',
    mistake: 'Every refund is shown with half of its amount.',
    above: reported((intent) => ({
      ...intent,
      refunds: intent.refunds.map(halved),
      latePayments: intent.latePayments.map((one) => ({ ...one, refund: one.refund && halved(one.refund) })),
      tokenRefunds: intent.tokenRefunds.map((one) => ({ ...one, refund: one.refund && halved(one.refund) })),
    })),
  },
  {
    name: 'token-refund-amount-halved',
    mistake: 'A token that was sent by mistake is shown with half of the amount that arrived.',
    above: reported((intent) => ({ ...intent, tokenRefunds: intent.tokenRefunds.map(halved) })),
  },
  {
    name: 'refund-sender-falsified',
    mistake: 'The deposit address is shown as the wallet that a refund goes to.',
    above: reported((intent) => ({ ...intent, refundSender: intent.refundSender === null ? null : intent.address })),
  },
  {
    name: 'received-counted-twice',
    mistake: 'The newest deposit is counted twice in the received amount.',
    above: reported((intent, { deposits }) => {
      const newest = deposits.at(-1)
      if (newest?.use !== 'applied') return intent
      return { ...intent, received: plus(intent.received, newest.amount) }
    }),
  },
  {
    name: 'price-drifts',
    mistake: 'The expected amount is computed again when the payment arrives.',
    above: reported((intent) => {
      if (intent.selection === null || intent.status === 'pending') return intent
      return { ...intent, selection: { ...intent.selection, expected: plus(intent.received, 0n) } }
    }),
  },
  {
    name: 'event-of-another-payment',
    mistake: 'An event contains the amounts of another payment.',
    above: (ports) => {
      let last: Parameters<typeof ports.work.apply>[0]['after'] | null = null
      const alter = changed((change) => {
        const other = last
        last = change.after
        if (other === null || other.id === change.after.id) return change
        const { received, selection, status, settlement } = other
        return {
          ...change,
          events: change.events.map((event) => ({
            ...event,
            intent: { ...event.intent, received, selection, status, settlement },
          })),
        }
      })
      return alter(ports)
    },
  },
  {
    name: 'shortfall-wrong',
    mistake: 'A webhook shows the whole price as the shortfall.',
    above: delivered((envelope) => ({
      ...envelope,
      data: {
        ...envelope.data,
        ...('shortfall_lamports' in envelope.data && { shortfall_lamports: envelope.data.expected_lamports }),
      },
    })),
  },
  {
    name: 'action-wrong',
    mistake: 'A webhook shows a payment as settled while it settles.',
    above: delivered((envelope) => ({
      ...envelope,
      data: { ...envelope.data, ...(envelope.data.status === 'settling' && { action: 'swept' }) },
    })),
  },
  {
    name: 'answer-out-of-date',
    mistake: 'The API always answers the payment as it was created.',
    below: (ports) => {
      const first = new Map<number, Awaited<ReturnType<typeof ports.intents.findByIndex>>>()
      return {
        ...ports,
        intents: replaced(ports.intents, {
          async create(tenant, draft) {
            const made = await ports.intents.create(tenant, draft)
            first.set(made.intent.derivationIndex, made.intent)
            return made
          },
          findByIndex: async (tenant, index) => first.get(index) ?? (await ports.intents.findByIndex(tenant, index)),
        }),
      }
    },
  },
]
