import { z } from 'zod'
import { PORTAL_PATH, portalEndpoint } from '#rest/billing/portal/portal-endpoint.ts'
import { RestResumePortalSubscriptionDocument } from '#rest/documents.generated.ts'

export const resumeInPortal = portalEndpoint({
  method: 'POST',
  path: `${PORTAL_PATH}/resume`,
  document: RestResumePortalSubscriptionDocument,
  input: z.object({ token: z.string() }),
  variables: ({ token }) => ({ token }),
  reply: ({ subscription }) => ({ body: { subscription } }),
})
