import { z } from 'zod'
import { body } from '#http/input.ts'
import { PORTAL_PATH, portalEndpoint } from '#rest/billing/portal/portal-endpoint.ts'
import { RestCancelPortalSubscriptionDocument } from '#rest/documents.generated.ts'

export const cancelInPortal = portalEndpoint({
  method: 'POST',
  path: `${PORTAL_PATH}/cancel`,
  document: RestCancelPortalSubscriptionDocument,
  input: body({ token: z.string(), at_period_end: z.boolean('must be true or false').default(true) }),
  variables: ({ token, at_period_end }) => ({ token, atPeriodEnd: at_period_end }),
  reply: ({ subscription }) => ({ body: { subscription } }),
})
