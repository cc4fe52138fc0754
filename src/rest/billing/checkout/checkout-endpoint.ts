import type { Definition, Endpoint } from '#http/endpoint.ts'
import { PAY_PATH } from '#http/pay-path.ts'
import { byToken, hostedEndpoint } from '#rest/billing/hosted-endpoint.ts'
import { RestReadSubscriptionCheckoutDocument } from '#rest/documents.generated.ts'

export const CHECKOUT_PATH = `${PAY_PATH}/s/:token`

/** Describes a route of the page of a checkout. */
export const checkoutEndpoint = <Input, Variables, Result>(
  definition: Omit<Definition<Input, Variables, Result>, 'credential'>,
): Endpoint => hostedEndpoint({ read: RestReadSubscriptionCheckoutDocument, variables: byToken }, definition)
