import { z } from 'zod'
import { PORTAL_PATH, portalEndpoint } from '#rest/billing/portal/portal-endpoint.ts'
import { RestReadSubscriptionPortalDocument } from '#rest/documents.generated.ts'

export const readPortal = portalEndpoint({
  method: 'GET',
  path: PORTAL_PATH,
  document: RestReadSubscriptionPortalDocument,
  input: z.object({ token: z.string() }),
  variables: ({ token }) => ({ token }),
  reply: ({ portal: { subscription, merchantName: name, ...rest } }) => ({
    body: { subscription, merchant: { name }, ...rest },
  }),
})
