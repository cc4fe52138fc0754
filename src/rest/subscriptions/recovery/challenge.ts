import { body } from '#http/input.ts'
import { RestChallengeWalletDocument } from '#rest/documents.generated.ts'
import { wallet } from '#rest/subscriptions/fields.ts'
import { RECOVERY_PATH, recoveryEndpoint } from '#rest/subscriptions/recovery/recovery-endpoint.ts'

export const challengeWallet = recoveryEndpoint({
  method: 'POST',
  path: `${RECOVERY_PATH}/challenge`,
  document: RestChallengeWalletDocument,
  input: body({ wallet }),
  variables: ({ wallet }) => ({ wallet }),
  reply: ({ challenge }) => ({ body: { challenge } }),
})
