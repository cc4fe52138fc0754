// A business refund: money that a business gives back on purpose, from its own wallet. The service holds none of it: it states what
// is to be paid, finds the transaction by a key that the transaction names, and checks it. The returns that the service makes by
// itself, from deposit addresses, are in core/payments/returns. docs/contract.md, "Refunds by the business".

import type { NewAuditEntry } from '#core/accounts/audit.ts'
import { addressCodec, assetCodec, networkCodec, signatureCodec, slotCodec, unitsCodec } from '#core/chain/codecs.ts'
import { SOL } from '#core/chain/types.ts'
import { type Decoded, flag, integer, listOf, nullable, plain, record, text, time, uuid } from '#core/codec.ts'
import type { EventSubject } from '#core/events/subjects.ts'
import { oneOf } from '#core/json.ts'
import { type BaseUnits, subtractToZero } from '#core/money/amounts.ts'
import { encodedLabel, transferUri } from '#core/payments/payment-uri.ts'

/**
 * `open`: nothing was paid yet. `processing`: less than the amount was paid. `succeeded`: the amount or more was paid. Its time ended
 * with nothing (`expired`) or too little (`failed`) paid. `canceled`: the business withdrew it before the amount was paid.
 */
export const REFUND_STATUSES = ['open', 'processing', 'succeeded', 'failed', 'canceled', 'expired'] as const
export type RefundStatus = (typeof REFUND_STATUSES)[number]

/** The statuses of a refund that waits for money. */
export const WAITING_STATUSES = ['open', 'processing'] as const satisfies readonly RefundStatus[]

/** How long a refund can be paid, in milliseconds. */
export const REFUND_LIFE_MS = 24 * 3_600_000

/** Nothing more is handed out to pay a refund for this time before its end, in milliseconds. */
const LAST_OFFER_MS = 60_000

/**
 * How many slots the chain has to go on after the end of its time, until when a refund still takes what lands and its amount stays
 * counted. A transaction that a wallet has signed before can land in 150 blocks, and not every slot has one: about three minutes, or
 * as long as the chain stands still.
 */
export const CLOSING_SLOTS = 450n

/** Whose wallet pays: that of the business or seller, or the fee wallet of the marketplace for its part. */
export const PARTS = ['payee', 'marketplace'] as const
export type Part = (typeof PARTS)[number]

/** The newest refunds that a payment or a charge shows; the list of refunds has all. */
export const SHOWN_REFUNDS = 20

/** Signatures that are shown. */
export const SHOWN_SIGNATURES = 20

/** How far the history of its key was read. */
const readingCodec = record({
  /** The newest transaction of the readings that ended; null before the first. */
  to: nullable(signatureCodec),
  /** The newest transaction of a reading that goes on, and the last that it judged; null while none goes on. */
  from: nullable(signatureCodec),
  at: nullable(signatureCodec),
  /** Whether the reading began after the end of the refund's time. It reads the whole history again. */
  isLast: flag,
})

export const REFUND_FIELDS = {
  id: uuid,
  network: networkCodec,
  /** The account whose wallet pays. */
  accountId: uuid,
  /** The business whose key reads it: the account, or its marketplace. References are unique within it, and it gets the events. */
  callerAccountId: uuid,
  /** What it gives money back of: one of the two is set. */
  intentId: nullable(uuid),
  chargeId: nullable(uuid),
  /** The subscription of the charge. */
  subscriptionId: nullable(uuid),
  part: plain('text', oneOf(PARTS)),
  /** The refund with which it was created, where it is the marketplace's part of that one. */
  partOf: nullable(uuid),
  /** Whether the marketplace pays its part of what goes back, as a refund of its own. */
  reverseFee: flag,
  asset: assetCodec,
  decimals: integer,
  /** null for SOL. */
  tokenProgram: nullable(addressCodec),
  /** In base units, as every amount of a refund. */
  amount: unitsCodec,
  paidAmount: unitsCodec,
  /** The wallets that paid. */
  paidBy: listOf(addressCodec),
  /** The first transactions that paid, oldest first: those after them paid too much. */
  signatures: listOf(signatureCodec),
  /** The wallet that is to pay. */
  payer: addressCodec,
  recipient: addressCodec,
  /** The key by which its transaction is found. It is random, so there is no private key for it. */
  referenceKey: addressCodec,
  /** The name of the business, as its own wallet shows it. */
  label: text,
  reference: nullable(text),
  /** For people. */
  reason: nullable(text),
  status: plain('text', oneOf(REFUND_STATUSES)),
  /** For people: what is wrong with the newest transaction that did not count, or why the refund failed; null for nothing. */
  problem: nullable(text),
  reading: readingCodec,
  /** When its history is read next; null when it is read no more. */
  nextLookAt: nullable(time),
  /** When its history was last read, or could not be; null before the first time. */
  lookedAt: nullable(time),
  /** How many times in a row its history could not be read. */
  failedLooks: integer,
  /** A final slot before its creation: no transaction is older. null where the chain could not be read. */
  createdSlot: nullable(slotCodec),
  /** From which final slot on nothing can land any more that was signed in its time; null until the chain is past its time. */
  closesAtSlot: nullable(slotCodec),
  /** Grows with every change. */
  version: integer,
  /** When it can no longer be paid: the time of its cancelation where it was canceled. */
  expiresAt: time,
  createdAt: time,
  updatedAt: time,
  /** When it was paid, or the last reading found too little; null while a transaction can still complete it. */
  endedAt: nullable(time),
} as const

export type Refund = Decoded<typeof REFUND_FIELDS>

/** A transaction that paid something for a refund. */
export const REFUND_TRANSACTION_FIELDS = {
  refundId: uuid,
  signature: signatureCodec,
  slot: slotCodec,
  /** Its part of what the transaction moved to the recipient, in base units. */
  amount: unitsCodec,
  /** The wallet that paid; null when no balance shows it. */
  paidBy: nullable(addressCodec),
} as const

export type RefundTransaction = Decoded<typeof REFUND_TRANSACTION_FIELDS>

export const isWaiting = ({ status }: Pick<Refund, 'status'>): boolean => WAITING_STATUSES.some((one) => one === status)

/** Returns whether its transaction or link is still handed out. */
export const isOffered = (refund: Pick<Refund, 'status' | 'expiresAt'>, now: Date): boolean =>
  isWaiting(refund) && now.getTime() < refund.expiresAt.getTime() - LAST_OFFER_MS

/**
 * Returns what a refund takes of what was settled: its amount until it has ended and when it succeeded, and otherwise only what was
 * paid. The database computes the same (`refund_counted`).
 */
export const countedOf = ({
  status,
  endedAt,
  amount,
  paidAmount,
}: Pick<Refund, 'status' | 'endedAt' | 'amount' | 'paidAmount'>): BaseUnits =>
  status === 'succeeded' || endedAt === null ? amount : paidAmount

/** Returns what is still to be paid, in base units: zero once it is canceled or has ended. */
export const unpaidOf = (refund: Pick<Refund, 'status' | 'amount' | 'paidAmount'>): BaseUnits =>
  subtractToZero(isWaiting(refund) ? refund.amount : refund.paidAmount, refund.paidAmount)

/** Returns what the wallet of the business opens to pay what is unpaid; null from a minute before the end. */
export function refundUriOf(refund: Refund, now: Date): string | null {
  if (!isOffered(refund, now)) return null
  const { recipient, asset, decimals, referenceKey, label, reference, id } = refund
  const uri = transferUri(recipient, { asset, decimals, amount: unpaidOf(refund) })
  const message = encodedLabel(`Refund ${reference ?? id}`)
  return `${uri}&reference=${referenceKey}&label=${encodedLabel(label)}&message=${message}`
}

/** Returns the entry of the audit log: its amount in base units. */
export const refundCreatedEntry = (refund: Refund): NewAuditEntry => {
  const { id, accountId, callerAccountId, intentId, chargeId, amount, asset, recipient } = refund
  return {
    action: 'refund.created',
    sellerId: accountId === callerAccountId ? null : accountId,
    changes: {
      refund_id: [null, id],
      ...(intentId === null ? { charge_id: [chargeId, chargeId] } : { payment_id: [intentId, intentId] }),
      amount: [null, amount.toString()],
      asset: [null, asset],
      recipient: [null, recipient],
    },
  }
}

export const refundCanceledEntry = ({ id, accountId, callerAccountId, status }: Refund): NewAuditEntry => ({
  action: 'refund.canceled',
  sellerId: accountId === callerAccountId ? null : accountId,
  changes: { refund_id: [id, id], status: [status, 'canceled'] },
})

// Refunds as subjects of events: a snapshot becomes the payload of webhooks.

export const REFUND_SUBJECT = 'refund'

const REFUND_EVENT_TYPES = ['refund.created', 'refund.succeeded', 'refund.failed'] as const
export type RefundEventType = (typeof REFUND_EVENT_TYPES)[number]

const codec = record(REFUND_FIELDS)

export const refundToJson = (refund: Refund) => codec.write(refund)

/** Returns the data of an event: the refund as REST shows it, with its version. */
export function refundEventData(refund: Refund) {
  const json = codec.write(refund)
  return {
    id: json.id,
    payment_id: json.intentId,
    charge_id: json.chargeId,
    subscription_id: json.subscriptionId,
    part: json.part,
    part_of: json.partOf,
    reverse_fee: json.reverseFee,
    status: json.status,
    mint: refund.asset === SOL ? null : refund.asset,
    decimals: json.decimals,
    amount: json.amount,
    paid_amount: json.paidAmount,
    paid_by: json.paidBy,
    signatures: json.signatures,
    payer: json.payer,
    recipient: json.recipient,
    payment_uri: refundUriOf(refund, refund.updatedAt),
    reference_key: json.referenceKey,
    reference: json.reference,
    reason: json.reason,
    problem: json.problem,
    version: json.version,
    expires_at: json.expiresAt,
    created_at: json.createdAt,
    updated_at: json.updatedAt,
    ended_at: json.endedAt,
  }
}

export const REFUND_EVENTS: EventSubject = {
  kind: REFUND_SUBJECT,
  types: REFUND_EVENT_TYPES,
  render: (data) => refundEventData(codec.read(data, 'refund')),
}
