// The operations of a business on its payments, by API key.
import { MAX_METADATA_KEYS } from '#core/metadata.ts'
import { MAX_LINE_ITEMS } from '#core/payments/intent-values.ts'
import { builder, REFUSED } from '#graphql/builder.ts'
import { actorOf, businessOf } from '#graphql/context.ts'
import { IDEMPOTENCY_KEY, once } from '#graphql/once.ts'
import { givenAssets } from '#graphql/payments/given-asset.ts'
import { PaymentIntentNode } from '#graphql/payments/payment-intent.ts'
import type { IntentServices, SweepResult } from '#services/payments/intent-services.ts'
import { CustomerInput, customerPatchOf, LineItemInput, orderDetailsOf } from './details.ts'

const INDEX = { required: true, description: 'The `derivationIndex` of the payment.' } as const

const REDIRECT =
  'An https URL at an active redirect domain of the business or of the seller. That of the settings of the business when left out.'

const CreatePaymentIntentInput = builder.inputType('CreatePaymentIntentInput', {
  description: 'A payment to create.',
  fields: (t) => ({
    amountUsdCents: t.field({ type: 'UsdCents', required: true, description: 'The price in US cents.' }),
    acceptedAssets: t.field({
      type: ['Asset'],
      description:
        'The assets in which the buyer can pay, at least one and at most 100. Each must be among `allowedTokens`. Those of the ' +
        'settings of the business when left out.',
    }),
    reference: t.field({
      type: 'Text',
      description:
        'The idempotency key, typically an order id. A repeat returns the stored payment and ignores the other fields.',
    }),
    customer: t.field({
      type: CustomerInput,
      description: 'The details of the buyer. `email` is required on a payment for a seller.',
    }),
    applicationFeeBps: t.int({
      description: 'The share of the marketplace in basis points. Only on a payment for a seller.',
    }),
    description: t.field({ type: 'FormText', description: 'What the payment is for, as the buyer reads it.' }),
    lineItems: t.field({
      type: [LineItemInput],
      description: `The lines of the order, at most ${MAX_LINE_ITEMS}. They need not add up: the price is charged.`,
    }),
    metadata: t.field({
      type: 'JSONObject',
      description: `Data of the business, which the buyer does not see: an object of at most ${MAX_METADATA_KEYS} keys.`,
    }),
    successUrl: t.string({ description: `Where the buyer goes after paying. ${REDIRECT}` }),
    cancelUrl: t.string({
      description: `Where the buyer goes when the payment has ended without success. ${REDIRECT}`,
    }),
    // Any string, because whatever is no seller's id gets the one answer that no seller has it.
    onBehalfOf: t.string({ description: 'The id of the seller for which a marketplace takes the payment.' }),
  }),
})

type Created = Awaited<ReturnType<IntentServices['create']>>

const CreatedPaymentIntent = builder.objectRef<Created>('CreatedPaymentIntent').implement({
  description: 'A payment after its creation.',
  fields: (t) => ({
    intent: t.expose('intent', { type: PaymentIntentNode, description: 'The payment.' }),
    clientSecret: t.exposeString('clientSecret', {
      nullable: true,
      description:
        'The client secret for the checkout of the buyer. It is shown once: null when the reference existed already.',
    }),
    checkoutUrl: t.string({
      nullable: true,
      description: 'The page on which the buyer pays. It contains the client secret, so it is shown once as well.',
      resolve: ({ clientSecret }, _args, { services }) =>
        clientSecret === null ? null : services.pages.paymentUrl(clientSecret),
    }),
    created: t.exposeBoolean('created', { description: 'False when the reference existed already.' }),
  }),
})

builder.mutationField('createPaymentIntent', (t) =>
  t.field({
    type: CreatedPaymentIntent,
    nullable: true,
    description: `Creates a payment with a deposit address of its own. ${REFUSED}`,
    args: {
      input: t.arg({ type: CreatePaymentIntentInput, required: true, description: 'The payment to create.' }),
      idempotencyKey: t.arg.string(IDEMPOTENCY_KEY),
    },
    resolve: async (_root, args, context, info) => {
      const caller = await businessOf(context, 'payments')
      const { intents } = context.services
      const { input } = args
      const asked = {
        amountUsdCents: input.amountUsdCents,
        acceptedAssets: input.acceptedAssets ? givenAssets(input.acceptedAssets) : null,
        reference: input.reference ?? null,
        customer: input.customer ? customerPatchOf(input.customer) : null,
        applicationFeeBps: input.applicationFeeBps ?? null,
        ...orderDetailsOf(input),
        metadata: input.metadata ?? null,
        onBehalfOf: input.onBehalfOf ?? null,
        createdBy: actorOf(context),
      }
      return await once(context, caller, info, args, {
        create: (id) => intents.create(caller, asked, id),
        find: intents.findCreated,
      })
    },
  }),
)

builder.queryFields((t) => ({
  paymentIntent: t.field({
    type: PaymentIntentNode,
    nullable: true,
    description: `Finds a payment of the business by its index. ${REFUSED}`,
    args: { index: t.arg.int(INDEX) },
    resolve: async (_root, { index }, context) =>
      await context.services.intents.findByIndex(await businessOf(context, 'payments-view'), index),
  }),
  paymentIntentByReference: t.field({
    type: PaymentIntentNode,
    nullable: true,
    description: `Finds a payment of the business by its reference. ${REFUSED}`,
    args: {
      reference: t.arg({ type: 'Text', required: true, description: 'The reference that was given at creation.' }),
    },
    resolve: async (_root, { reference }, context) =>
      await context.services.intents.findByReference(await businessOf(context, 'payments-view'), reference),
  }),
}))

const SweepResultType = builder.objectRef<SweepResult>('SweepResult').implement({
  description: 'A sweep whose transaction is final.',
  fields: (t) => ({
    signature: t.expose('signature', { type: 'Signature', description: 'The transaction of the sweep.' }),
    amount: t.expose('amount', {
      type: 'BaseUnits',
      description:
        'The amount that the business or the seller received, in base units, without fees and a returned excess.',
    }),
    platformFee: t.expose('platformFee', { type: 'BaseUnits', description: 'The fee of the platform, in base units.' }),
    from: t.expose('from', { type: 'SolanaAddress', description: 'The deposit address.' }),
    to: t.expose('to', { type: 'SolanaAddress', description: 'The destination wallet.' }),
  }),
})

builder.mutationFields((t) => ({
  cancelPaymentIntent: t.field({
    type: PaymentIntentNode,
    nullable: true,
    description: `Cancels a payment before it is paid. A part that has arrived goes back. A repeat changes nothing. ${REFUSED}`,
    args: { index: t.arg.int(INDEX) },
    resolve: async (_root, { index }, context) =>
      await context.services.intents.cancelByIndex(await businessOf(context, 'payments'), index),
  }),
  sweepPaymentIntent: t.field({
    type: SweepResultType,
    nullable: true,
    description: `Sweeps the balance of a payment to the business at once, and waits for the transaction. ${REFUSED}`,
    args: { index: t.arg.int(INDEX) },
    resolve: async (_root, { index }, context) =>
      await context.services.intents.sweep(await businessOf(context, 'payments'), index, context.signal),
  }),
}))
