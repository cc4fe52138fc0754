import { z } from 'zod'
import { RestPortalRecoveryDocument } from '#rest/documents.generated.ts'
import { RECOVERY_PATH, recoveryEndpoint } from '#rest/subscriptions/recovery/recovery-endpoint.ts'

export const readRecovery = recoveryEndpoint({
  method: 'GET',
  path: RECOVERY_PATH,
  document: RestPortalRecoveryDocument,
  input: z.object({}),
  variables: () => ({}),
  reply: ({ recovery }) => ({ body: recovery }),
})
