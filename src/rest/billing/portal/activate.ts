import { z } from 'zod'
import { body } from '#http/input.ts'
import { transaction } from '#rest/billing/fields.ts'
import { PORTAL_PATH, portalEndpoint } from '#rest/billing/portal/portal-endpoint.ts'
import { RestActivateSubscriptionTermsDocument } from '#rest/documents.generated.ts'

export const activateInPortal = portalEndpoint({
  method: 'POST',
  path: `${PORTAL_PATH}/activate`,
  document: RestActivateSubscriptionTermsDocument,
  input: body({ token: z.string(), approval_id: z.string('must be a string'), transaction }),
  variables: ({ token, approval_id, transaction }) => ({ token, approvalId: approval_id, transaction }),
  reply: ({ activated: { outcome, subscription } }) =>
    outcome === 'confirmation_pending'
      ? { status: 202, body: { status: outcome } }
      : { body: { outcome, subscription } },
})
