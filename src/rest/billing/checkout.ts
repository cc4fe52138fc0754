// The hosted checkout of a subscription, by the token in the path.
import { z } from 'zod'
import type { Endpoint } from '#http/endpoint.ts'
import { PAY_PATH } from '#http/endpoint.ts'
import { body } from '#http/input.ts'
import { BY_TOKEN, hostedEndpoint } from '#rest/billing/endpoints.ts'
import { proofAnswer, proofFields, transaction, wallet } from '#rest/billing/fields.ts'
import {
  RestActivateSubscriptionCheckoutDocument,
  RestConfirmSubscriptionCheckoutDocument,
  RestEnterSubscriptionCheckoutCouponDocument,
  RestPrepareSubscriptionCheckoutDocument,
  RestReadSubscriptionCheckoutDocument,
  RestRetrySubscriptionCheckoutDocument,
  type SubscriptionCheckoutBodyFragment,
} from '#rest/documents.generated.ts'

export const CHECKOUT_PATH = `${PAY_PATH}/s/:token`

const checkoutEndpoint = hostedEndpoint(RestReadSubscriptionCheckoutDocument, ({ token }) => ({ token: String(token) }))

const bodyOf = ({
  status,
  subscription_id,
  first_charge,
  merchantName: name,
  ...rest
}: SubscriptionCheckoutBodyFragment) => ({ status, subscription_id, first_charge, merchant: { name }, ...rest })

export const subscriptionCheckoutEndpoints: readonly Endpoint[] = [
  checkoutEndpoint({
    method: 'GET',
    path: CHECKOUT_PATH,
    document: RestReadSubscriptionCheckoutDocument,
    ...BY_TOKEN,
    reply: ({ checkout }) => ({ body: bodyOf(checkout) }),
  }),
  checkoutEndpoint({
    method: 'POST',
    path: `${CHECKOUT_PATH}/coupon`,
    document: RestEnterSubscriptionCheckoutCouponDocument,
    input: body({ token: z.string(), code: z.string().nullable() }),
    variables: ({ token, code }) => ({ token, code }),
    reply: ({ checkout }) => ({ body: bodyOf(checkout) }),
  }),
  checkoutEndpoint({
    method: 'POST',
    path: `${CHECKOUT_PATH}/prepare`,
    document: RestPrepareSubscriptionCheckoutDocument,
    input: body({ token: z.string(), wallet }),
    variables: ({ token, wallet }) => ({ token, wallet }),
    reply: ({ prepared: { challenge, ...prepared } }) => {
      const { subscription_id, requires_signature, trial_days, total_authorization } = prepared
      const proof = { subscription_id, requires_signature, trial_days, total_authorization, challenge }
      return { body: requires_signature ? prepared : proof }
    },
  }),
  checkoutEndpoint({
    method: 'POST',
    path: `${CHECKOUT_PATH}/activate`,
    document: RestActivateSubscriptionCheckoutDocument,
    input: body({ token: z.string(), subscription_id: z.string(), transaction }),
    variables: ({ token, subscription_id, transaction }) => ({ token, subscriptionId: subscription_id, transaction }),
    reply: ({ activated }) => ({ status: activated.status === 'completed' ? 200 : 202, body: activated }),
  }),
  checkoutEndpoint({
    method: 'POST',
    path: `${CHECKOUT_PATH}/confirm`,
    document: RestConfirmSubscriptionCheckoutDocument,
    input: body({ token: z.string(), wallet, ...proofFields }),
    variables: ({ token, wallet, ...answer }) => ({ token, wallet, ...proofAnswer(answer) }),
    reply: ({ confirmed }) => ({ body: confirmed }),
  }),
  checkoutEndpoint({
    method: 'POST',
    path: `${CHECKOUT_PATH}/retry`,
    document: RestRetrySubscriptionCheckoutDocument,
    ...BY_TOKEN,
    reply: ({ first_charge }) => ({ status: 202, body: { first_charge } }),
  }),
]
