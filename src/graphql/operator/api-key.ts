// API keys: shown once, kept as a hash.
import { type ApiKey, KEY_SCOPES, type KeyScope } from '#core/accounts/account.ts'
import { builder } from '#graphql/operator/builder.ts'

const MEANINGS: Readonly<Record<KeyScope, string>> = {
  payments: 'Payments of the business.',
  'marketplace-view': 'Reading the marketplace and its sellers.',
  'marketplace-manage': 'Changing the marketplace and its sellers.',
  'subscriptions-view': 'Reading products, tiers, checkouts and subscriptions.',
  'subscriptions-manage': 'Changing products, tiers, checkouts and subscriptions.',
  'webhooks-manage': 'Webhook endpoints, their secrets and their deliveries.',
}

/** GraphQL names have no hyphens, so `marketplace-view` is `marketplace_view` here. */
const KeyScopeEnum = builder.enumType('KeyScope', {
  description: 'What an API key may be used for.',
  values: Object.fromEntries(
    KEY_SCOPES.map((scope) => [scope.replaceAll('-', '_'), { value: scope, description: MEANINGS[scope] }]),
  ),
})

const ApiKeyType = builder.objectRef<ApiKey>('ApiKey').implement({
  description: 'An API key. Only its hash is stored.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'The id of the key.' }),
    accountId: t.expose('accountId', { type: 'UUID', description: 'The account that it belongs to.' }),
    hint: t.exposeString('hint', { description: 'Its last four characters, to tell keys apart.' }),
    scopes: t.field({
      description: 'What it may be used for.',
      type: [KeyScopeEnum],
      resolve: (key) => [...key.scopes],
    }),
    createdAt: t.expose('createdAt', { type: 'DateTimeISO', description: 'The time of its creation.' }),
    revokedAt: t.expose('revokedAt', {
      type: 'DateTimeISO',
      nullable: true,
      description: 'The time at which it was revoked. Null while it is valid.',
    }),
  }),
})

const CreatedApiKey = builder.objectRef<{ readonly key: ApiKey; readonly apiKey: string }>('CreatedApiKey').implement({
  description: 'An API key after its creation, with its secret.',
  fields: (t) => ({
    key: t.expose('key', { type: ApiKeyType, description: 'The key.' }),
    apiKey: t.exposeString('apiKey', { description: 'Shown here and never again.' }),
  }),
})

builder.queryField('keys', (t) =>
  t.field({
    type: [ApiKeyType],
    description: 'The API keys of an account, revoked ones too.',
    args: { accountId: t.arg({ type: 'UUID', required: true, description: 'The id of the account.' }) },
    resolve: async (_root, { accountId }, context) => {
      return [...(await context.services.accounts.listKeys(accountId))]
    },
  }),
)

builder.mutationFields((t) => ({
  createApiKey: t.field({
    type: CreatedApiKey,
    description: 'Creates another API key of an account.',
    args: {
      accountId: t.arg({ type: 'UUID', required: true, description: 'The id of the account.' }),
      scopes: t.arg({ type: [KeyScopeEnum], description: 'All of them when left out.' }),
    },
    resolve: (_root, { accountId, scopes }, context) => {
      return context.services.accounts.createKey(accountId, scopes ?? undefined)
    },
  }),
  revokeApiKey: t.field({
    type: ApiKeyType,
    description: 'Revokes an API key. It stops within seconds.',
    args: { id: t.arg({ type: 'UUID', required: true, description: 'The id of the key.' }) },
    resolve: (_root, { id }, context) => {
      return context.services.accounts.revokeKey(id)
    },
  }),
}))
