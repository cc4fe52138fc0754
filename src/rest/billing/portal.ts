// The hosted portal of a subscription, by the token in the path.
import { z } from 'zod'
import type { Endpoint } from '#http/endpoint.ts'
import { PAY_PATH } from '#http/endpoint.ts'
import { body } from '#http/input.ts'
import { BY_TOKEN, hostedEndpoint } from '#rest/billing/endpoints.ts'
import { proofAnswer, proofFields, transaction } from '#rest/billing/fields.ts'
import {
  RestActivateSubscriptionTermsDocument,
  RestCancelPortalSubscriptionDocument,
  RestChangePortalTierDocument,
  RestPausePortalSubscriptionDocument,
  RestReadSubscriptionPortalDocument,
  RestRenewPortalSubscriptionDocument,
  RestResumePortalSubscriptionDocument,
  RestRevokePortalAllowanceDocument,
  type SubscriptionTermsBodyFragment,
} from '#rest/documents.generated.ts'

export const PORTAL_PATH = `${PAY_PATH}/m/:token`

const portalEndpoint = hostedEndpoint(RestReadSubscriptionPortalDocument, ({ token }) => ({ token: String(token) }))

/** Returns the body of an outcome: the keys that it has. */
function termsBody({ outcome, subscription, challenge, ...approval }: SubscriptionTermsBodyFragment): object {
  switch (outcome) {
    case 'changed':
    case 'renewed':
      return { outcome, subscription }
    case 'proof_required':
      return { outcome, challenge }
    case 'approval_required':
      return { outcome, ...approval }
  }
}

export const portalEndpoints: readonly Endpoint[] = [
  portalEndpoint({
    method: 'GET',
    path: PORTAL_PATH,
    document: RestReadSubscriptionPortalDocument,
    ...BY_TOKEN,
    reply: ({ portal: { subscription, merchantName: name, ...rest } }) => ({
      body: { subscription, merchant: { name }, ...rest },
    }),
  }),
  portalEndpoint({
    method: 'POST',
    path: `${PORTAL_PATH}/cancel`,
    document: RestCancelPortalSubscriptionDocument,
    input: body({ token: z.string(), at_period_end: z.boolean('must be true or false').default(true) }),
    variables: ({ token, at_period_end }) => ({ token, atPeriodEnd: at_period_end }),
    reply: ({ subscription }) => ({ body: { subscription } }),
  }),
  portalEndpoint({
    method: 'POST',
    path: `${PORTAL_PATH}/pause`,
    document: RestPausePortalSubscriptionDocument,
    ...BY_TOKEN,
    reply: ({ subscription }) => ({ body: { subscription } }),
  }),
  portalEndpoint({
    method: 'POST',
    path: `${PORTAL_PATH}/resume`,
    document: RestResumePortalSubscriptionDocument,
    ...BY_TOKEN,
    reply: ({ subscription }) => ({ body: { subscription } }),
  }),
  portalEndpoint({
    method: 'POST',
    path: `${PORTAL_PATH}/change-tier`,
    document: RestChangePortalTierDocument,
    input: body({ token: z.string(), tier_id: z.string('invalid_tier_id'), ...proofFields }),
    variables: ({ token, tier_id, ...answer }) => ({ token, tierId: tier_id, ...proofAnswer(answer) }),
    reply: ({ terms }) => ({ body: termsBody(terms) }),
  }),
  portalEndpoint({
    method: 'POST',
    path: `${PORTAL_PATH}/renew`,
    document: RestRenewPortalSubscriptionDocument,
    input: body({ token: z.string(), ...proofFields }),
    variables: ({ token, ...answer }) => ({ token, ...proofAnswer(answer) }),
    reply: ({ terms }) => ({ body: termsBody(terms) }),
  }),
  portalEndpoint({
    method: 'POST',
    path: `${PORTAL_PATH}/revoke`,
    document: RestRevokePortalAllowanceDocument,
    ...BY_TOKEN,
    reply: ({ revocation }) => ({ body: { outcome: 'approval_required', ...revocation } }),
  }),
  portalEndpoint({
    method: 'POST',
    path: `${PORTAL_PATH}/activate`,
    document: RestActivateSubscriptionTermsDocument,
    input: body({ token: z.string(), approval_id: z.string('must be a string'), transaction }),
    variables: ({ token, approval_id, transaction }) => ({ token, approvalId: approval_id, transaction }),
    reply: ({ activated: { outcome, subscription } }) =>
      outcome === 'confirmation_pending'
        ? { status: 202, body: { status: outcome } }
        : { body: { outcome, subscription } },
  }),
]
