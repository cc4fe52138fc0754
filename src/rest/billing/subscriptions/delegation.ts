import { z } from 'zod'
import { subscriptionEndpoint } from '#rest/billing/subscription-endpoint.ts'
import { RestSubscriptionDelegationDocument } from '#rest/documents.generated.ts'
import { nodesOf } from '#rest/page.ts'

export const findDelegation = subscriptionEndpoint({
  method: 'GET',
  path: '/subscription-delegations/:wallet',
  document: RestSubscriptionDelegationDocument,
  input: z.object({ wallet: z.string() }),
  variables: ({ wallet }, seller) => ({ ...seller, wallet }),
  reply: ({ delegation: { count, limit, ...delegation }, subscriptions }) => ({
    body: { delegation, subscriptions: nodesOf(subscriptions), count, limit },
  }),
})
