import { z } from 'zod'
import { body } from '#http/input.ts'
import { CHECKOUT_PATH, checkoutEndpoint } from '#rest/billing/checkout/checkout-endpoint.ts'
import { proofAnswer, proofFields, wallet } from '#rest/billing/fields.ts'
import { RestConfirmSubscriptionCheckoutDocument } from '#rest/documents.generated.ts'

export const confirmSubscriptionCheckout = checkoutEndpoint({
  method: 'POST',
  path: `${CHECKOUT_PATH}/confirm`,
  document: RestConfirmSubscriptionCheckoutDocument,
  input: body({ token: z.string(), wallet, ...proofFields }),
  variables: ({ token, wallet, ...answer }) => ({ token, wallet, ...proofAnswer(answer) }),
  reply: ({ confirmed }) => ({ body: confirmed }),
})
