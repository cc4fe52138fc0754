import { z } from 'zod'
import { CHECKOUT_PATH, checkoutEndpoint } from '#rest/billing/checkout/checkout-endpoint.ts'
import { RestReadSubscriptionCheckoutDocument } from '#rest/documents.generated.ts'

export const readSubscriptionCheckout = checkoutEndpoint({
  method: 'GET',
  path: CHECKOUT_PATH,
  document: RestReadSubscriptionCheckoutDocument,
  input: z.object({ token: z.string() }),
  variables: ({ token }) => ({ token }),
  reply: ({ checkout: { status, subscription_id, first_charge, merchantName: name, ...rest } }) => ({
    body: { status, subscription_id, first_charge, merchant: { name }, ...rest },
  }),
})
