import { z } from 'zod'
import { body } from '#http/input.ts'
import { CHECKOUT_PATH, checkoutEndpoint } from '#rest/billing/checkout/checkout-endpoint.ts'
import { wallet } from '#rest/billing/fields.ts'
import { RestPrepareSubscriptionCheckoutDocument } from '#rest/documents.generated.ts'

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
