import { z } from 'zod'
import { body } from '#http/input.ts'
import { proofAnswer, proofFields } from '#rest/billing/fields.ts'
import { PORTAL_PATH, portalEndpoint } from '#rest/billing/portal/portal-endpoint.ts'
import { termsBody } from '#rest/billing/portal/terms.ts'
import { RestChangePortalTierDocument } from '#rest/documents.generated.ts'

export const changeTierInPortal = portalEndpoint({
  method: 'POST',
  path: `${PORTAL_PATH}/change-tier`,
  document: RestChangePortalTierDocument,
  input: body({ token: z.string(), tier_id: z.string('invalid_tier_id'), ...proofFields }),
  variables: ({ token, tier_id, ...answer }) => ({ token, tierId: tier_id, ...proofAnswer(answer) }),
  reply: ({ terms }) => ({ body: termsBody(terms) }),
})
