import { z } from 'zod'
import { body } from '#http/input.ts'
import { subscriptionEndpoint } from '#rest/billing/subscription-endpoint.ts'
import { RestCancelBillingSubscriptionDocument } from '#rest/documents.generated.ts'

export const cancelSubscription = subscriptionEndpoint({
  method: 'POST',
  path: '/subscriptions/:id/cancel',
  document: RestCancelBillingSubscriptionDocument,
  input: body({ id: z.string(), at_period_end: z.boolean('must be true or false').default(true) }),
  variables: ({ id, at_period_end }, seller) => ({ ...seller, id, atPeriodEnd: at_period_end }),
  reply: ({ subscription }) => ({ body: { subscription } }),
})
