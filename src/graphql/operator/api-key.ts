// API keys: shown once, kept as a hash.
import type { ApiKey } from '#core/accounts/api-key.ts'
import { KEY_SCOPE_VALUES, keyFields, SCOPES_OF_NEW_KEY, shownKeyFields } from '#graphql/api-key-fields.ts'
import { actorOf, builder } from '#graphql/operator/builder.ts'
import type { ShownKey } from '#services/accounts/keys.ts'

const KeyScopeEnum = builder.enumType('KeyScope', {
  description: 'What an API key may be used for.',
  values: KEY_SCOPE_VALUES,
})

const ApiKeyType = builder.objectRef<ApiKey>('ApiKey').implement({
  description: 'An API key. Only its hash is stored.',
  fields: (t) => ({
    accountId: t.expose('accountId', { type: 'UUID', description: 'The account that it belongs to.' }),
    ...keyFields(t, KeyScopeEnum),
  }),
})

const CreatedApiKey = builder.objectRef<ShownKey>('CreatedApiKey').implement({
  description: 'An API key after its creation, with its secret.',
  fields: (t) => shownKeyFields(t, ApiKeyType),
})

const ACCOUNT = { type: 'UUID', required: true, description: 'The id of the account.' } as const

builder.queryField('keys', (t) =>
  t.field({
    type: [ApiKeyType],
    description: 'The API keys of an account that work, the newest first, then up to 100 that were revoked last.',
    args: { accountId: t.arg(ACCOUNT) },
    resolve: async (_root, { accountId }, context) => {
      const { keys } = context.services
      const { tenant } = await keys.operatorOf(accountId, actorOf(context))
      return [...(await keys.list(tenant))]
    },
  }),
)

builder.mutationFields((t) => ({
  createAccountKey: t.field({
    type: CreatedApiKey,
    description: 'Creates another API key of an account.',
    args: {
      accountId: t.arg(ACCOUNT),
      name: t.arg({ type: 'Line', description: 'What it is for. `API key` when left out.' }),
      scopes: t.arg({
        type: [KeyScopeEnum],
        description: SCOPES_OF_NEW_KEY,
      }),
    },
    resolve: async (_root, { accountId, ...input }, context) => {
      const { keys } = context.services
      return await keys.create(await keys.operatorOf(accountId, actorOf(context)), input)
    },
  }),
  revokeAccountKey: t.field({
    type: ApiKeyType,
    description: 'Revokes an API key. It stops within seconds.',
    args: { id: t.arg({ type: 'UUID', required: true, description: 'The id of the key.' }) },
    resolve: async (_root, { id }, context) => {
      const { keys } = context.services
      return await keys.revoke(await keys.operatorOfKey(id, actorOf(context)), id)
    },
  }),
}))
