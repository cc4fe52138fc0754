// An address for held money: the buyer proposes it, and the business decides.
import { z } from 'zod'
import { type Endpoint, endpoint } from '#http/endpoint.ts'
import { address, body, secretField, text } from '#http/input.ts'
import {
  RestApproveRefundAddressDocument,
  RestDeclineRefundAddressDocument,
  RestProposeRefundAddressDocument,
} from '#rest/documents.generated.ts'
import { paymentBody } from './payment.ts'

const id = z.string()

export const proposalEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'POST',
    path: '/intents/refund-address',
    credential: 'none',
    document: RestProposeRefundAddressDocument,
    input: body({ client_secret: secretField, address }),
    variables: ({ client_secret, address }) => ({ clientSecret: client_secret, address }),
    reply: ({ intent }) => ({ body: paymentBody(intent) }),
  }),
]

export const decisionEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'POST',
    path: '/payments/:id/refund-address/approve',
    credential: 'key',
    document: RestApproveRefundAddressDocument,
    input: body({ id, address }),
    variables: ({ id, address }) => ({ id, address }),
    reply: ({ payment }) => ({ body: paymentBody(payment) }),
  }),
  endpoint({
    method: 'POST',
    path: '/payments/:id/refund-address/decline',
    credential: 'key',
    document: RestDeclineRefundAddressDocument,
    input: body({ id, address, reason: text }),
    variables: ({ id, address, reason }) => ({ id, address, reason }),
    reply: ({ payment }) => ({ body: paymentBody(payment) }),
  }),
]
