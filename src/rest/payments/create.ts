import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { body, keyText, lineItems, mint, text } from '#http/input.ts'
import { RestCreateIntentDocument } from '#rest/documents.generated.ts'
import { customerFields, customerInput } from '#rest/payments/customer.ts'
import { paymentBody } from '#rest/payments/present.ts'

const ABOVE_ZERO = 'must be an integer above 0'
const USD_ONLY = 'is not accepted: USD pricing is required, by amount_usd_cents'

const acceptedToken = z.discriminatedUnion(
  'kind',
  [z.object({ kind: z.literal('sol') }), z.object({ kind: z.literal('spl'), mint })],
  "must be {kind: 'sol'} or {kind: 'spl', mint}",
)

/** Judged by the service, exactly as it is. */
const redirect = z.string('must be a string').nullish()

const input = body({
  // Refused whatever they say, null too, and before anything else: who sends them believes in another way of pricing.
  expected_lamports: z.undefined(USD_ONLY).optional(),
  mint: z.undefined(USD_ONLY).optional(),
  amount_usd_cents: z.int(ABOVE_ZERO).positive(ABOVE_ZERO),
  accepted_tokens: z.array(acceptedToken, 'must be a list').min(1, 'must not be empty'),
  reference: keyText.nullish(),
  customer: body(customerFields).nullish(),
  application_fee_bps: z.int('must be an integer').min(0, 'must not be negative').max(10_000, 'is too high').nullish(),
  description: text.nullish(),
  line_items: lineItems.nullish(),
  success_url: redirect,
  cancel_url: redirect,
})

export const createIntent = endpoint({
  method: 'POST',
  path: '/intents',
  credential: 'key',
  document: RestCreateIntentDocument,
  input,
  variables: (intent, request) => ({
    input: {
      amountUsdCents: intent.amount_usd_cents,
      acceptedAssets: intent.accepted_tokens.map((token) => (token.kind === 'sol' ? 'SOL' : token.mint)),
      reference: intent.reference,
      customer: intent.customer && customerInput(intent.customer),
      applicationFeeBps: intent.application_fee_bps,
      description: intent.description,
      lineItems: intent.line_items?.map(({ name, quantity, amount_usd_cents }) => ({
        name,
        quantity,
        amountUsdCents: amount_usd_cents,
      })),
      successUrl: intent.success_url,
      cancelUrl: intent.cancel_url,
      onBehalfOf: request.header('x-platform-on-behalf-of'),
    },
  }),
  reply: ({ result: { intent, client_secret, checkout_url, created } }) => ({
    ...(!created && { headers: { 'Idempotent-Replayed': 'true' } }),
    body: { ...paymentBody(intent), client_secret, ...(checkout_url !== null && { checkout_url }) },
  }),
})
