import { z } from 'zod'
import { PORTAL_PATH, portalEndpoint } from '#rest/billing/portal/portal-endpoint.ts'
import { RestRevokePortalAllowanceDocument } from '#rest/documents.generated.ts'

export const revokeInPortal = portalEndpoint({
  method: 'POST',
  path: `${PORTAL_PATH}/revoke`,
  document: RestRevokePortalAllowanceDocument,
  input: z.object({ token: z.string() }),
  variables: ({ token }) => ({ token }),
  reply: ({ revocation }) => ({ body: { outcome: 'approval_required', ...revocation } }),
})
