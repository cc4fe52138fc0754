// The API keys of the business that asks: shown once, kept as a hash.
import type { ApiKey } from '#core/accounts/api-key.ts'
import { KEY_SCOPE_VALUES, keyFields, SCOPES_OF_NEW_KEY, shownKeyFields } from '#graphql/api-key-fields.ts'
import { builder, REFUSED } from '#graphql/builder.ts'
import { businessOf, type Context, provenManagerOf } from '#graphql/context.ts'
import { IDEMPOTENCY_KEY, once } from '#graphql/once.ts'
import type { RolledKey, ShownKey } from '#services/accounts/keys.ts'
import type { Manager } from '#services/accounts/manager.ts'

const KeyScopeEnum = builder.enumType('KeyScope', {
  description: 'What an API key may be used for.',
  values: KEY_SCOPE_VALUES,
})

const ApiKeyType = builder.objectRef<ApiKey>('ApiKey').implement({
  description: 'An API key of the business. Only its hash is stored.',
  fields: (t) => keyFields(t, KeyScopeEnum),
})

const CreatedApiKey = builder.objectRef<ShownKey>('CreatedApiKey').implement({
  description: 'An API key after its creation, with its secret.',
  fields: (t) => shownKeyFields(t, ApiKeyType),
})

const RolledApiKey = builder.objectRef<RolledKey>('RolledApiKey').implement({
  description: 'A new API key in the place of another one, with its secret.',
  fields: (t) => ({
    ...shownKeyFields(t, ApiKeyType),
    old: t.expose('old', {
      type: ApiKeyType,
      description: 'The key that it replaces, with the time at which it stops.',
    }),
  }),
})

/** Returns the caller as a manager of keys, who gives a key no scope that the caller lacks. Throws as `provenManagerOf` does. */
const managerOf = (context: Context): Promise<Manager> => provenManagerOf(context, 'keys-manage')

// Any string, because a text that is no id gets the one answer that no key has it.
const ID = { required: true, description: 'The id of the key.' } as const
const NEEDED = 'Needs the permission `keys-manage`.'
const PROVEN = 'Needs the permission `keys-manage`, and in a session a proof of the last five minutes.'

builder.queryField('apiKeys', (t) =>
  t.field({
    type: [ApiKeyType],
    nullable: true,
    description: `The API keys of the business that work, the newest first, then up to 100 that were revoked last. ${NEEDED} ${REFUSED}`,
    resolve: async (_root, _args, context) => [
      ...(await context.services.keys.list(await businessOf(context, 'keys-manage'))),
    ],
  }),
)

builder.mutationFields((t) => ({
  createApiKey: t.field({
    type: CreatedApiKey,
    nullable: true,
    description: `Creates an API key. It can have the permissions of its creator only. ${PROVEN} ${REFUSED}`,
    args: {
      name: t.arg({ type: 'Line', description: 'What it is for. `API key` when left out.' }),
      scopes: t.arg({
        type: [KeyScopeEnum],
        description: SCOPES_OF_NEW_KEY,
      }),
      idempotencyKey: t.arg.string(IDEMPOTENCY_KEY),
    },
    resolve: async (_root, args, context, info) => {
      const manager = await managerOf(context)
      const { keys } = context.services
      return await once(context, manager.tenant, info, args, {
        create: (id) => keys.create(manager, args, id),
        find: (id) => keys.findCreated(manager, id),
      })
    },
  }),
  rollApiKey: t.field({
    type: RolledApiKey,
    nullable: true,
    description: `Creates a key with the name and the scopes of another one, which works for a while longer. ${PROVEN} ${REFUSED}`,
    args: {
      id: t.arg.string(ID),
      overlapSeconds: t.arg.int({
        defaultValue: 0,
        description: 'How long the old key still works, in seconds: 0 to 604800, which is seven days.',
      }),
      idempotencyKey: t.arg.string(IDEMPOTENCY_KEY),
    },
    resolve: async (_root, args, context, info) => {
      const manager = await managerOf(context)
      const { keys } = context.services
      return await once(context, manager.tenant, info, args, {
        create: (id) => keys.roll(manager, args.id, args.overlapSeconds ?? 0, id),
        find: (id) => keys.findRolled(manager, args.id, id),
      })
    },
  }),
  revokeApiKey: t.field({
    type: ApiKeyType,
    nullable: true,
    description: `Revokes an API key. It stops within seconds. A repeat changes nothing. ${PROVEN} ${REFUSED}`,
    args: { id: t.arg.string(ID) },
    resolve: async (_root, { id }, context) => await context.services.keys.revoke(await managerOf(context), id),
  }),
}))
