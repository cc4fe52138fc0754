// The API keys of a business.
import { z } from 'zod'
import { type Endpoint, endpoint } from '#http/endpoint.ts'
import { body, line, nameIn } from '#http/input.ts'
import {
  type ApiKeyBodyFragment,
  type KeyScope,
  RestApiKeysDocument,
  RestCreateApiKeyDocument,
  RestRevokeApiKeyDocument,
  RestRollApiKeyDocument,
} from '#rest/documents.generated.ts'
import { BY_ID } from '#rest/endpoints.ts'

/** Scopes by their names in REST. */
const SCOPES = {
  payments: 'payments',
  'payments-view': 'payments_view',
  'marketplace-view': 'marketplace_view',
  'marketplace-manage': 'marketplace_manage',
  'subscriptions-view': 'subscriptions_view',
  'subscriptions-manage': 'subscriptions_manage',
  'webhooks-manage': 'webhooks_manage',
  'audit-view': 'audit_view',
  'keys-manage': 'keys_manage',
  'settings-manage': 'settings_manage',
} as const satisfies Readonly<Record<string, KeyScope>>

const scope = nameIn(Object.entries(SCOPES))

const shown = (key: ApiKeyBodyFragment) => ({ ...key, scopes: key.scopes.map((name) => name.replaceAll('_', '-')) })

export const apiKeyEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'POST',
    path: '/api-keys',
    credential: 'key_or_session',
    document: RestCreateApiKeyDocument,
    input: body({
      name: line.nullish(),
      scopes: z.array(scope, 'must be a list of scopes').nullish(),
    }),
    variables: ({ name = null, scopes = null }) => ({ name, scopes }),
    reply: ({ created: { key, api_key } }) => ({ status: 201, body: { ...shown(key), api_key } }),
  }),
  endpoint({
    method: 'GET',
    path: '/api-keys',
    credential: 'key_or_session',
    document: RestApiKeysDocument,
    input: z.object({}),
    variables: () => ({}),
    reply: ({ keys }) => ({ body: { api_keys: keys.map(shown) } }),
  }),
  endpoint({
    method: 'POST',
    path: '/api-keys/:id/roll',
    credential: 'key_or_session',
    document: RestRollApiKeyDocument,
    input: body({ id: z.string(), overlap_seconds: z.int('must be an integer').default(0) }),
    variables: ({ id, overlap_seconds }) => ({ id, overlapSeconds: overlap_seconds }),
    reply: ({ rolled: { key, api_key, old } }) => ({ status: 201, body: { ...shown(key), api_key, old: shown(old) } }),
  }),
  endpoint({
    method: 'DELETE',
    path: '/api-keys/:id',
    credential: 'key_or_session',
    document: RestRevokeApiKeyDocument,
    ...BY_ID,
    reply: ({ key }) => ({ body: shown(key) }),
  }),
]
