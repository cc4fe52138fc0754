import { z } from 'zod'
import { body } from '#http/input.ts'
import { proofAnswer, proofFields } from '#rest/billing/fields.ts'
import { PORTAL_PATH, portalEndpoint } from '#rest/billing/portal/portal-endpoint.ts'
import { termsBody } from '#rest/billing/portal/terms.ts'
import { RestRenewPortalSubscriptionDocument } from '#rest/documents.generated.ts'

export const renewInPortal = portalEndpoint({
  method: 'POST',
  path: `${PORTAL_PATH}/renew`,
  document: RestRenewPortalSubscriptionDocument,
  input: body({ token: z.string(), ...proofFields }),
  variables: ({ token, ...answer }) => ({ token, ...proofAnswer(answer) }),
  reply: ({ terms }) => ({ body: termsBody(terms) }),
})
