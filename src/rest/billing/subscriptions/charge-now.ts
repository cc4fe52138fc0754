import { z } from 'zod'
import { subscriptionEndpoint } from '#rest/billing/subscription-endpoint.ts'
import { RestChargeBillingSubscriptionNowDocument } from '#rest/documents.generated.ts'

export const chargeNow = subscriptionEndpoint({
  method: 'POST',
  path: '/subscriptions/:id/charge-now',
  document: RestChargeBillingSubscriptionNowDocument,
  input: z.object({ id: z.string() }),
  variables: ({ id }, seller) => ({ ...seller, id }),
  reply: ({ subscription }) => ({ status: 202, body: { subscription } }),
})
