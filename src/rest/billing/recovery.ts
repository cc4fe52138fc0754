// The hosted page at which a wallet gets links to its subscriptions, by a proof of the wallet.
import { z } from 'zod'
import type { Endpoint } from '#http/endpoint.ts'
import { PAY_PATH } from '#http/endpoint.ts'
import { body } from '#http/input.ts'
import { hostedEndpoint } from '#rest/billing/endpoints.ts'
import { proofAnswer, proofFields, wallet } from '#rest/billing/fields.ts'
import {
  RestChallengeWalletDocument,
  RestPortalRecoveryDocument,
  RestRecoverPortalLinksDocument,
} from '#rest/documents.generated.ts'

export const RECOVERY_PATH = `${PAY_PATH}/manage`

const recoveryEndpoint = hostedEndpoint(RestPortalRecoveryDocument, () => ({}))

export const recoveryEndpoints: readonly Endpoint[] = [
  recoveryEndpoint({
    method: 'GET',
    path: RECOVERY_PATH,
    document: RestPortalRecoveryDocument,
    input: z.object({}),
    variables: () => ({}),
    reply: ({ recovery }) => ({ body: recovery }),
  }),
  recoveryEndpoint({
    method: 'POST',
    path: `${RECOVERY_PATH}/challenge`,
    document: RestChallengeWalletDocument,
    input: body({ wallet }),
    variables: ({ wallet }) => ({ wallet }),
    reply: ({ challenge }) => ({ body: { challenge } }),
  }),
  recoveryEndpoint({
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
  }),
]
