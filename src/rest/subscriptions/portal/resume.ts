import { z } from 'zod'
import { RestResumePortalSubscriptionDocument } from '#rest/documents.generated.ts'
import { PORTAL_PATH, portalEndpoint } from '#rest/subscriptions/portal/portal-endpoint.ts'

export const resumeInPortal = portalEndpoint({
  method: 'POST',
  path: `${PORTAL_PATH}/resume`,
  document: RestResumePortalSubscriptionDocument,
  input: z.object({ token: z.string() }),
  variables: ({ token }) => ({ token }),
  reply: ({ subscription }) => ({ body: { subscription } }),
})
