import { z } from 'zod'
import { PORTAL_PATH, portalEndpoint } from '#rest/billing/portal/portal-endpoint.ts'
import { RestPausePortalSubscriptionDocument } from '#rest/documents.generated.ts'

export const pauseInPortal = portalEndpoint({
  method: 'POST',
  path: `${PORTAL_PATH}/pause`,
  document: RestPausePortalSubscriptionDocument,
  input: z.object({ token: z.string() }),
  variables: ({ token }) => ({ token }),
  reply: ({ subscription }) => ({ body: { subscription } }),
})
