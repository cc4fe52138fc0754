// Payments of a business, by its API key.
import { z } from 'zod'
import { type Endpoint, endpoint } from '#http/endpoint.ts'
import {
  asset,
  body,
  indexField,
  indexParameter,
  jsonObject,
  keyText,
  lineItems,
  mint,
  text,
  timeParameter,
} from '#http/input.ts'
import {
  RestCancelByIndexDocument,
  RestCreateIntentDocument,
  RestFindIntentDocument,
  RestFindPaymentDocument,
  RestPaymentReceiptDocument,
  RestPaymentsDocument,
  RestStatusByIndexDocument,
  RestSweepDocument,
} from '#rest/documents.generated.ts'
import { BY_ID, nextCursor, nodesOf, pageParameters } from '#rest/endpoints.ts'
import { customerFields, customerInput, exact, paymentBody, statuses, withMetadata } from '#rest/payments/payment.ts'

const ABOVE_ZERO = 'must be an integer above 0'
const USD_ONLY = 'is not accepted: USD pricing is required, by amount_usd_cents'

const acceptedToken = z.discriminatedUnion(
  'kind',
  [z.object({ kind: z.literal('sol') }), z.object({ kind: z.literal('spl'), mint })],
  "must be {kind: 'sol'} or {kind: 'spl', mint}",
)

const newIntent = body({
  // Refused whatever they say, null too, and before anything else: who sends them believes in another way of pricing.
  expected_lamports: z.undefined(USD_ONLY).optional(),
  mint: z.undefined(USD_ONLY).optional(),
  amount_usd_cents: z.int(ABOVE_ZERO).positive(ABOVE_ZERO),
  accepted_tokens: z
    .array(acceptedToken, 'must be a list')
    .min(1, 'must not be empty')
    .nullish()
    .describe(
      'The tokens in which the buyer can pay. Each must be among those of `GET /allowed-tokens`. Those of the settings of the business when left out.',
    ),
  reference: keyText.nullish(),
  customer: body(customerFields).nullish(),
  application_fee_bps: z.int('must be an integer').min(0, 'must not be negative').max(10_000, 'is too high').nullish(),
  description: text.nullish(),
  line_items: lineItems.nullish(),
  metadata: jsonObject('must be a JSON object').nullish(),
  success_url: exact,
  cancel_url: exact,
})

export const intentEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'POST',
    path: '/intents',
    credential: 'key',
    document: RestCreateIntentDocument,
    input: newIntent,
    variables: (intent, request) => ({
      input: {
        amountUsdCents: intent.amount_usd_cents,
        acceptedAssets: intent.accepted_tokens?.map((token) => (token.kind === 'sol' ? 'SOL' : token.mint)),
        reference: intent.reference,
        customer: intent.customer && customerInput(intent.customer),
        applicationFeeBps: intent.application_fee_bps,
        description: intent.description,
        lineItems: intent.line_items?.map(({ name, quantity, amount_usd_cents }) => ({
          name,
          quantity,
          amountUsdCents: amount_usd_cents,
        })),
        metadata: intent.metadata,
        successUrl: intent.success_url,
        cancelUrl: intent.cancel_url,
        onBehalfOf: request.header('x-platform-on-behalf-of'),
      },
    }),
    reply: ({ result: { intent, client_secret, checkout_url, created } }) => ({
      ...(!created && { headers: { 'Idempotent-Replayed': 'true' } }),
      body: { ...paymentBody(intent), client_secret, ...(checkout_url !== null && { checkout_url }) },
    }),
  }),
  endpoint({
    method: 'GET',
    path: '/intents',
    credential: 'key',
    document: RestFindIntentDocument,
    input: z.object({ reference: keyText }),
    variables: ({ reference }) => ({ reference }),
    reply: ({ intent }) => ({ body: paymentBody(intent) }),
  }),
  endpoint({
    method: 'GET',
    path: '/status',
    credential: 'key',
    document: RestStatusByIndexDocument,
    input: z.object({ index: indexParameter }),
    variables: ({ index }) => ({ index }),
    reply: ({ intent }) => ({ body: paymentBody(intent) }),
  }),
  endpoint({
    method: 'POST',
    path: '/sweep',
    credential: 'key',
    document: RestSweepDocument,
    input: body({ index: indexField }),
    variables: ({ index }) => ({ index }),
    reply: ({ result }) => ({ body: result }),
  }),
  endpoint({
    method: 'POST',
    path: '/cancel',
    credential: 'key',
    document: RestCancelByIndexDocument,
    input: body({ index: indexField }),
    variables: ({ index }) => ({ index }),
    reply: ({ intent }) => ({ body: paymentBody(intent) }),
  }),
  endpoint({
    method: 'GET',
    path: '/payments',
    credential: 'key',
    document: RestPaymentsDocument,
    input: z
      .looseObject({
        ...pageParameters,
        status: statuses.optional(),
        reference: keyText.optional(),
        search: text.optional(),
        asset: asset.optional(),
        from: timeParameter.optional(),
        to: timeParameter.optional(),
      })
      .transform(withMetadata),
    variables: ({ limit, cursor, status, reference, search, asset, metadata, from, to }) => ({
      first: limit,
      after: cursor ?? null,
      filter: {
        status: status ?? null,
        reference: reference ?? null,
        search: search ?? null,
        asset: asset ?? null,
        metadata,
        from: from ?? null,
        to: to ?? null,
      },
    }),
    reply: ({ payments }) => ({
      body: { payments: nodesOf(payments).map(paymentBody), next_cursor: nextCursor(payments) },
    }),
  }),
  endpoint({
    method: 'GET',
    path: '/payments/:id',
    credential: 'key',
    document: RestFindPaymentDocument,
    ...BY_ID,
    reply: ({ payment }) => ({ body: paymentBody(payment) }),
  }),
  endpoint({
    method: 'GET',
    path: '/payments/:id/receipt',
    credential: 'key',
    document: RestPaymentReceiptDocument,
    ...BY_ID,
    reply: ({ payment }) => ({ body: { ...payment.receipt } }),
  }),
]
