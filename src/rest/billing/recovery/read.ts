import { z } from 'zod'
import { RECOVERY_PATH, recoveryEndpoint } from '#rest/billing/recovery/recovery-endpoint.ts'
import { RestPortalRecoveryDocument } from '#rest/documents.generated.ts'

export const readRecovery = recoveryEndpoint({
  method: 'GET',
  path: RECOVERY_PATH,
  document: RestPortalRecoveryDocument,
  input: z.object({}),
  variables: () => ({}),
  reply: ({ recovery }) => ({ body: recovery }),
})
