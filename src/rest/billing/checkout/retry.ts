import { z } from 'zod'
import { CHECKOUT_PATH, checkoutEndpoint } from '#rest/billing/checkout/checkout-endpoint.ts'
import { RestRetrySubscriptionCheckoutDocument } from '#rest/documents.generated.ts'

export const retrySubscriptionCheckout = checkoutEndpoint({
  method: 'POST',
  path: `${CHECKOUT_PATH}/retry`,
  document: RestRetrySubscriptionCheckoutDocument,
  input: z.object({ token: z.string() }),
  variables: ({ token }) => ({ token }),
  reply: ({ first_charge }) => ({ status: 202, body: { first_charge } }),
})
