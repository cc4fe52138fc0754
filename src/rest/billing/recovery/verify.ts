import { body } from '#http/input.ts'
import { proofAnswer, proofFields, wallet } from '#rest/billing/fields.ts'
import { RECOVERY_PATH, recoveryEndpoint } from '#rest/billing/recovery/recovery-endpoint.ts'
import { RestRecoverPortalLinksDocument } from '#rest/documents.generated.ts'

export const recoverPortalLinks = recoveryEndpoint({
  method: 'POST',
  path: `${RECOVERY_PATH}/verify`,
  document: RestRecoverPortalLinksDocument,
  input: body({ wallet, ...proofFields }),
  variables: ({ wallet, ...answer }) => ({ wallet, ...proofAnswer(answer) }),
  reply: ({ links }) => ({
    body: {
      subscriptions: links.map(({ subscription, merchantName: name, ...rest }) => ({
        subscription,
        merchant: { name },
        ...rest,
      })),
    },
  }),
})
