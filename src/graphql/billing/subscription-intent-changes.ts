// The operations of a business on its checkouts.
import { EXPIRES_IN } from '#core/billing/subscription-intent.ts'
import { metadataOf } from '#graphql/billing/catalogue.ts'
import { merchantOf, ON_BEHALF_OF } from '#graphql/billing/merchant.ts'
import { SubscriptionIntentNode } from '#graphql/billing/subscription-intent.ts'
import { builder, REFUSED } from '#graphql/builder.ts'
import type { CreatedSubscriptionIntent } from '#services/billing/catalogue-services.ts'

// Any string, because a text that is no checkout's id gets the one answer that no checkout has it.
const ID = { required: true, description: 'The `uuid` of the checkout.' } as const

const REDIRECT = 'An https URL at an active redirect domain of the business.'

const CreateSubscriptionIntentInput = builder.inputType('CreateSubscriptionIntentInput', {
  description: 'A checkout to create.',
  fields: (t) => ({
    tierId: t.string({ required: true, description: 'The `uuid` of the tier to sell.' }),
    subscriberWallet: t.string({ description: 'The only wallet that may complete it. Any wallet when left out.' }),
    successUrl: t.string({ description: `Where the subscriber goes after completing it. ${REDIRECT}` }),
    cancelUrl: t.string({ description: `Where the subscriber goes instead of completing it. ${REDIRECT}` }),
    expiresIn: t.int({
      description: `How long it can be completed, in seconds: ${EXPIRES_IN.min} to ${EXPIRES_IN.max}, and ${EXPIRES_IN.default} when left out.`,
    }),
    metadata: t.field({
      type: 'JSONObject',
      description: 'Data of the business: an object of at most 50 keys. The subscription has it too.',
    }),
  }),
})

const CreatedIntent = builder.objectRef<CreatedSubscriptionIntent>('CreatedSubscriptionIntent').implement({
  description: 'A checkout after its creation, with its token.',
  fields: (t) => ({
    intent: t.expose('intent', { type: SubscriptionIntentNode, description: 'The checkout.' }),
    checkoutUrl: t.exposeString('checkoutUrl', {
      description: 'The page to which the business sends the subscriber. Shown here and never again.',
    }),
    checkoutToken: t.exposeString('checkoutToken', {
      description: 'The token in that URL. Only its hash is stored.',
    }),
  }),
})

builder.queryField('subscriptionIntent', (t) =>
  t.field({
    type: SubscriptionIntentNode,
    nullable: true,
    description: `Finds a checkout of the business by its id. ${REFUSED}`,
    args: { id: t.arg.string(ID), onBehalfOf: t.arg.string(ON_BEHALF_OF) },
    resolve: async (_root, { id, onBehalfOf }, context) => {
      const merchant = await merchantOf(context, 'subscriptions-view', onBehalfOf)
      return await context.services.catalogue.findIntent(merchant, id)
    },
  }),
)

builder.mutationFields((t) => ({
  createSubscriptionIntent: t.field({
    type: CreatedIntent,
    nullable: true,
    description: `Creates a checkout of a tier. ${REFUSED}`,
    args: {
      input: t.arg({ type: CreateSubscriptionIntentInput, required: true, description: 'The checkout to create.' }),
      onBehalfOf: t.arg.string(ON_BEHALF_OF),
    },
    resolve: async (_root, { input, onBehalfOf }, context) => {
      const merchant = await merchantOf(context, 'subscriptions-manage', onBehalfOf)
      return await context.services.catalogue.createIntent(merchant, {
        tierId: input.tierId,
        subscriberWallet: input.subscriberWallet ?? null,
        successUrl: input.successUrl ?? null,
        cancelUrl: input.cancelUrl ?? null,
        expiresIn: input.expiresIn ?? EXPIRES_IN.default,
        metadata: metadataOf(input.metadata),
      })
    },
  }),
  cancelSubscriptionIntent: t.field({
    type: SubscriptionIntentNode,
    nullable: true,
    description: `Cancels an open checkout. A repeat changes nothing. ${REFUSED}`,
    args: { id: t.arg.string(ID), onBehalfOf: t.arg.string(ON_BEHALF_OF) },
    resolve: async (_root, { id, onBehalfOf }, context) => {
      const merchant = await merchantOf(context, 'subscriptions-manage', onBehalfOf)
      return await context.services.catalogue.cancelIntent(merchant, id)
    },
  }),
}))
