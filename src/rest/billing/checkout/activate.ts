import { z } from 'zod'
import { body } from '#http/input.ts'
import { CHECKOUT_PATH, checkoutEndpoint } from '#rest/billing/checkout/checkout-endpoint.ts'
import { transaction } from '#rest/billing/fields.ts'
import { RestActivateSubscriptionCheckoutDocument } from '#rest/documents.generated.ts'

export const activateSubscriptionCheckout = checkoutEndpoint({
  method: 'POST',
  path: `${CHECKOUT_PATH}/activate`,
  document: RestActivateSubscriptionCheckoutDocument,
  input: body({ token: z.string(), subscription_id: z.string(), transaction }),
  variables: ({ token, subscription_id, transaction }) => ({ token, subscriptionId: subscription_id, transaction }),
  reply: ({ activated }) => ({ status: activated.status === 'completed' ? 200 : 202, body: activated }),
})
