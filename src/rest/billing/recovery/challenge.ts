import { body } from '#http/input.ts'
import { wallet } from '#rest/billing/fields.ts'
import { RECOVERY_PATH, recoveryEndpoint } from '#rest/billing/recovery/recovery-endpoint.ts'
import { RestChallengeWalletDocument } from '#rest/documents.generated.ts'

export const challengeWallet = recoveryEndpoint({
  method: 'POST',
  path: `${RECOVERY_PATH}/challenge`,
  document: RestChallengeWalletDocument,
  input: body({ wallet }),
  variables: ({ wallet }) => ({ wallet }),
  reply: ({ challenge }) => ({ body: { challenge } }),
})
