// API keys as both schemas show them. Each schema has a builder of its own: a function takes what it needs of the builder of
// fields, and gives the fields to either schema.
import type { ApiKey } from '#core/accounts/api-key.ts'
import { KEY_PERMISSIONS, type KeyPermission, usualScopesAs } from '#core/accounts/permissions.ts'
import type { ShownKey } from '#services/accounts/keys.ts'

/** GraphQL names have no hyphens, so `marketplace-view` is `marketplace_view` here. */
export const KEY_SCOPE_VALUES = Object.fromEntries(
  KEY_PERMISSIONS.map(({ name, enumName, meaning }) => [enumName, { value: name, description: meaning }]),
)

export const SCOPES_OF_NEW_KEY = `What it may be used for. When left out, ${usualScopesAs(({ enumName }) => `\`${enumName}\``)}.`

type Described = { description: string }

type KeyFields<Scope, Field> = {
  expose(name: 'id' | 'accountId', options: Described & { type: 'UUID' }): Field
  expose(name: 'createdAt', options: Described & { type: 'DateTimeISO' }): Field
  expose(name: 'lastUsedAt' | 'revokedAt', options: Described & { type: 'DateTimeISO'; nullable: true }): Field
  exposeString(name: 'name' | 'hint', options: Described): Field
  string(options: Described & { resolve: (key: ApiKey) => string }): Field
  field(options: Described & { type: [Scope]; resolve: (key: ApiKey) => KeyPermission[] }): Field
}

export const keyFields = <Scope, Field>(t: KeyFields<Scope, Field>, scope: Scope) => ({
  id: t.expose('id', { type: 'UUID', description: 'The id of the key.' }),
  name: t.exposeString('name', { description: 'What it is for.' }),
  hint: t.exposeString('hint', { description: 'Its last four characters, to tell keys apart.' }),
  scopes: t.field({ description: 'What it may be used for.', type: [scope], resolve: ({ scopes }) => [...scopes] }),
  createdBy: t.string({
    description: 'Who created it: the mode and the last characters of an API key, the name of a member, or `operator`.',
    resolve: ({ createdBy: { kind, credential } }) => credential ?? kind,
  }),
  createdAt: t.expose('createdAt', { type: 'DateTimeISO', description: 'The time of its creation.' }),
  lastUsedAt: t.expose('lastUsedAt', {
    type: 'DateTimeISO',
    nullable: true,
    description: 'The time of its last use, up to a minute old while it is in use. Null before the first.',
  }),
  revokedAt: t.expose('revokedAt', {
    type: 'DateTimeISO',
    nullable: true,
    description: 'The time at which it stops, or stopped. Null for a key that works until it is revoked.',
  }),
})

type ShownFields<Key, Field> = {
  expose(name: 'key', options: Described & { type: Key }): Field
  exposeString(name: keyof Pick<ShownKey, 'apiKey'>, options: Described): Field
}

export const shownKeyFields = <Key, Field>(t: ShownFields<Key, Field>, key: Key) => ({
  key: t.expose('key', { type: key, description: 'The key.' }),
  apiKey: t.exposeString('apiKey', { description: 'Shown here and never again.' }),
})
