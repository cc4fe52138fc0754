// API keys: shown once, kept as a hash.
import { type ApiKey, KEY_SCOPES } from '#core/accounts/account.ts'
import { builder } from '#graphql/operator/builder.ts'

/** GraphQL names have no hyphens, so `marketplace-view` is `marketplace_view` here. */
const KeyScopeEnum = builder.enumType('KeyScope', {
  values: Object.fromEntries(KEY_SCOPES.map((scope) => [scope.replaceAll('-', '_'), { value: scope }])),
})

const ApiKeyType = builder.objectRef<ApiKey>('ApiKey').implement({
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID' }),
    accountId: t.expose('accountId', { type: 'UUID' }),
    hint: t.exposeString('hint', { description: 'Its last four characters, to tell keys apart.' }),
    scopes: t.field({ type: [KeyScopeEnum], resolve: (key) => [...key.scopes] }),
    createdAt: t.expose('createdAt', { type: 'DateTimeISO' }),
    revokedAt: t.expose('revokedAt', { type: 'DateTimeISO', nullable: true }),
  }),
})

const CreatedApiKey = builder.objectRef<{ readonly key: ApiKey; readonly apiKey: string }>('CreatedApiKey').implement({
  fields: (t) => ({
    key: t.expose('key', { type: ApiKeyType }),
    apiKey: t.exposeString('apiKey', { description: 'Shown here and never again.' }),
  }),
})

builder.queryField('keys', (t) =>
  t.field({
    type: [ApiKeyType],
    description: 'The API keys of an account, revoked ones too.',
    args: { accountId: t.arg({ type: 'UUID', required: true }) },
    resolve: async (_root, { accountId }, context) => {
      return [...(await context.services.accounts.listKeys(accountId))]
    },
  }),
)

builder.mutationFields((t) => ({
  createApiKey: t.field({
    type: CreatedApiKey,
    args: {
      accountId: t.arg({ type: 'UUID', required: true }),
      scopes: t.arg({ type: [KeyScopeEnum], description: 'All of them when left out.' }),
    },
    resolve: (_root, { accountId, scopes }, context) => {
      return context.services.accounts.createKey(accountId, scopes ?? undefined)
    },
  }),
  revokeApiKey: t.field({
    type: ApiKeyType,
    description: 'The key stops within seconds.',
    args: { id: t.arg({ type: 'UUID', required: true }) },
    resolve: (_root, { id }, context) => {
      return context.services.accounts.revokeKey(id)
    },
  }),
}))
