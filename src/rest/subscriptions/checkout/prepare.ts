import { z } from 'zod'
import { body } from '#http/input.ts'
import { RestPrepareSubscriptionCheckoutDocument } from '#rest/documents.generated.ts'
import { CHECKOUT_PATH, checkoutEndpoint } from '#rest/subscriptions/checkout/checkout-endpoint.ts'
import { wallet } from '#rest/subscriptions/fields.ts'

export const prepareSubscriptionCheckout = checkoutEndpoint({
  method: 'POST',
  path: `${CHECKOUT_PATH}/prepare`,
  document: RestPrepareSubscriptionCheckoutDocument,
  input: body({ token: z.string(), wallet }),
  variables: ({ token, wallet }) => ({ token, wallet }),
  reply: ({ prepared: { challenge, ...prepared } }) => {
    const { subscription_id, requires_signature } = prepared
    return { body: requires_signature ? prepared : { subscription_id, requires_signature, challenge } }
  },
})
