import type { Definition, Endpoint } from '#http/endpoint.ts'
import { PAY_PATH } from '#http/pay-path.ts'
import { byToken, hostedEndpoint } from '#rest/billing/hosted-endpoint.ts'
import { RestReadSubscriptionPortalDocument } from '#rest/documents.generated.ts'

export const PORTAL_PATH = `${PAY_PATH}/m/:token`

/** Describes a route of the portal of a subscription. */
export const portalEndpoint = <Input, Variables, Result>(
  definition: Omit<Definition<Input, Variables, Result>, 'credential'>,
): Endpoint => hostedEndpoint({ read: RestReadSubscriptionPortalDocument, variables: byToken }, definition)
