// What a business does with its intents, by API key.
import { builder } from '#graphql/builder.ts'
import { businessOf } from '#graphql/context.ts'
import { CustomerInput, customerPatchOf } from '#graphql/payments/customer-details.ts'
import { PaymentIntentNode } from '#graphql/payments/payment-intent.ts'
import { type IntentRow, rowOf } from '#graphql/payments/row.ts'
import type { SweepResult } from '#services/services.ts'

const CreatePaymentIntentInput = builder.inputType('CreatePaymentIntentInput', {
  fields: (t) => ({
    amountUsdCents: t.field({ type: 'UsdCents', required: true }),
    acceptedAssets: t.field({
      type: ['Asset'],
      required: true,
      description: 'Not empty; each must be on the allowlist of the account’s network.',
    }),
    reference: t.field({
      type: 'Text',
      description: 'Idempotency key: a repeat answers the stored intent, whatever else it says.',
    }),
    customer: t.field({ type: CustomerInput }),
    applicationFeeBps: t.int({ description: 'Only on a payment for a seller.' }),
    // Any string, because whatever is no seller's id gets the one answer that no seller has it.
    onBehalfOf: t.string({ description: 'The id of the seller that a marketplace takes the payment for.' }),
  }),
})

type Created = { readonly intent: IntentRow; readonly clientSecret: string | null; readonly created: boolean }

const CreatedPaymentIntent = builder.objectRef<Created>('CreatedPaymentIntent').implement({
  fields: (t) => ({
    intent: t.field({ type: PaymentIntentNode, resolve: ({ intent }) => intent }),
    clientSecret: t.exposeString('clientSecret', {
      nullable: true,
      description: 'Shown here and never again; null when the reference was already taken by the same intent.',
    }),
    created: t.exposeBoolean('created', { description: 'false on a repeat of a reference.' }),
  }),
})

builder.mutationField('createPaymentIntent', (t) =>
  t.field({
    type: CreatedPaymentIntent,
    args: { input: t.arg({ type: CreatePaymentIntentInput, required: true }) },
    resolve: async (_root, { input }, context) => {
      const caller = await businessOf(context)
      const { intent, ...rest } = await context.services.intents.create(caller, {
        amountUsdCents: input.amountUsdCents,
        acceptedAssets: input.acceptedAssets,
        reference: input.reference ?? null,
        customer: input.customer ? customerPatchOf(input.customer) : null,
        applicationFeeBps: input.applicationFeeBps ?? null,
        onBehalfOf: input.onBehalfOf ?? null,
      })
      return { intent: rowOf(intent), ...rest }
    },
  }),
)

builder.queryFields((t) => ({
  paymentIntent: t.field({
    type: PaymentIntentNode,
    args: { index: t.arg.int({ required: true }) },
    resolve: async (_root, { index }, context) =>
      rowOf(await context.services.intents.findByIndex(await businessOf(context), index)),
  }),
  paymentIntentByReference: t.field({
    type: PaymentIntentNode,
    args: { reference: t.arg({ type: 'Text', required: true }) },
    resolve: async (_root, { reference }, context) =>
      rowOf(await context.services.intents.findByReference(await businessOf(context), reference)),
  }),
}))

const SweepResultType = builder.objectRef<SweepResult>('SweepResult').implement({
  description: 'A sweep that landed. Amounts are in base units of the intent’s asset.',
  fields: (t) => ({
    signature: t.exposeString('signature'),
    amount: t.expose('amount', { type: 'BaseUnits', description: 'What arrived, net of the platform’s fee.' }),
    platformFee: t.expose('platformFee', { type: 'BaseUnits' }),
    from: t.expose('from', { type: 'SolanaAddress' }),
    to: t.expose('to', { type: 'SolanaAddress' }),
  }),
})

builder.mutationFields((t) => ({
  cancelPaymentIntent: t.field({
    type: PaymentIntentNode,
    description: 'Before payment only: what has arrived goes back. A repeat changes nothing.',
    args: { index: t.arg.int({ required: true }) },
    resolve: async (_root, { index }, context) =>
      rowOf(await context.services.intents.cancelByIndex(await businessOf(context), index)),
  }),
  sweepPaymentIntent: t.field({
    type: SweepResultType,
    description: 'Moves what the intent holds to the business now, and waits for it.',
    args: { index: t.arg.int({ required: true }) },
    resolve: async (_root, { index }, context) =>
      await context.services.intents.sweep(await businessOf(context), index, context.signal),
  }),
}))
