// Refunds that a business makes from its own wallet.
import { z } from 'zod'
import { type Endpoint, endpoint } from '#http/endpoint.ts'
import { address, body, keyText, shownAs, text, timeParameter } from '#http/input.ts'
import {
  type BusinessRefundStatus,
  RestCancelRefundDocument,
  RestCreateRefundDocument,
  RestFindRefundDocument,
  RestRefundReceiptDocument,
  RestRefundsDocument,
} from '#rest/documents.generated.ts'
import { BY_ID, nextCursor, nodesOf, pageParameters } from '#rest/endpoints.ts'

/** Every status: the type refuses one that is forgotten. */
const STATUSES = {
  open: 'open',
  processing: 'processing',
  succeeded: 'succeeded',
  failed: 'failed',
  canceled: 'canceled',
  expired: 'expired',
} as const satisfies { readonly [Status in BusinessRefundStatus]: Status }

const ID = 'must be the id of a payment or a charge'
const AMOUNT = 'must be an integer above 0; above 2^53, its digits as a string'
const CENTS = 'must be an integer above 0'
const FLAG = 'must be true or false'
const STATUS = `must be one of ${Object.keys(STATUSES).join(', ')}`

/** A number above 2^53 is not exact in every JSON reader, so its digits are taken as well. */
const amount = z
  .union([z.int(AMOUNT).positive(AMOUNT).transform(String), z.string().regex(/^[1-9]\d{0,19}$/, AMOUNT)], AMOUNT)
  .meta(shownAs({ type: ['integer', 'string'], minimum: 1, pattern: '^[1-9][0-9]{0,19}$' }))

export const refundEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'POST',
    path: '/refunds',
    credential: 'key',
    document: RestCreateRefundDocument,
    input: body({
      payment: z.string(ID).nullish().describe('The id of a payment that has settled.'),
      charge: z.string(ID).nullish().describe('The id of a charge that has succeeded.'),
      amount: amount
        .nullish()
        .describe('What goes back, in base units. Everything that can still go back when no amount is given.'),
      amount_usd_cents: z.int(CENTS).positive(CENTS).nullish(),
      to: address.nullish().describe('The wallet that gets the money. The wallet that paid when left out.'),
      reason: text.nullish(),
      reference: keyText.nullish(),
      reverse_fee: z.boolean(FLAG).nullish(),
    }),
    variables: (refund) => ({
      input: {
        paymentId: refund.payment,
        chargeId: refund.charge,
        amount: refund.amount,
        amountUsdCents: refund.amount_usd_cents,
        to: refund.to,
        reason: refund.reason,
        reference: refund.reference,
        reverseFee: refund.reverse_fee,
      },
    }),
    reply: ({ result: { refund, transaction, marketplace_part, created } }) => ({
      ...(!created && { headers: { 'Idempotent-Replayed': 'true' } }),
      body: { ...refund, ...transaction, marketplace_part },
    }),
  }),
  endpoint({
    method: 'GET',
    path: '/refunds',
    credential: 'key',
    document: RestRefundsDocument,
    input: z.object({
      ...pageParameters,
      status: z.enum(STATUSES, STATUS).optional(),
      payment: z.string(ID).optional().describe('Those of the payment with this id.'),
      charge: z.string(ID).optional().describe('Those of the charge with this id.'),
      reference: keyText.optional(),
      from: timeParameter.optional(),
      to: timeParameter.optional(),
    }),
    variables: ({ limit, cursor, status, payment, charge, reference, from, to }) => ({
      first: limit,
      after: cursor ?? null,
      filter: {
        status: status === undefined ? null : [status],
        paymentId: payment ?? null,
        chargeId: charge ?? null,
        reference: reference ?? null,
        from: from ?? null,
        to: to ?? null,
      },
    }),
    reply: ({ refunds }) => ({ body: { refunds: nodesOf(refunds), next_cursor: nextCursor(refunds) } }),
  }),
  endpoint({
    method: 'GET',
    path: '/refunds/:id',
    credential: 'key',
    document: RestFindRefundDocument,
    ...BY_ID,
    reply: ({ refund, transaction }) => ({ body: { ...refund, ...transaction } }),
  }),
  endpoint({
    method: 'GET',
    path: '/refunds/:id/receipt',
    credential: 'key',
    document: RestRefundReceiptDocument,
    ...BY_ID,
    reply: ({ refund }) => ({ body: { ...refund.receipt } }),
  }),
  endpoint({
    method: 'POST',
    path: '/refunds/:id/cancel',
    credential: 'key',
    document: RestCancelRefundDocument,
    ...BY_ID,
    reply: ({ refund }) => ({ body: refund }),
  }),
]
