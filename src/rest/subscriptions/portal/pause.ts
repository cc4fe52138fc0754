import { z } from 'zod'
import { RestPausePortalSubscriptionDocument } from '#rest/documents.generated.ts'
import { PORTAL_PATH, portalEndpoint } from '#rest/subscriptions/portal/portal-endpoint.ts'

export const pauseInPortal = portalEndpoint({
  method: 'POST',
  path: `${PORTAL_PATH}/pause`,
  document: RestPausePortalSubscriptionDocument,
  input: z.object({ token: z.string() }),
  variables: ({ token }) => ({ token }),
  reply: ({ subscription }) => ({ body: { subscription } }),
})
