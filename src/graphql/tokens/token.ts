// The allowlist: which assets a payment may be made in.
import type { Token } from '#core/tokens/token.ts'
import { builder } from '#graphql/builder.ts'
import { type Context, countPublic } from '#graphql/context.ts'
import { NetworkEnum } from '#graphql/network.ts'
import { tokenFields } from '#graphql/token-fields.ts'

export const TokenType = builder.objectRef<Token>('Token').implement({
  description: 'An asset of the allowlist.',
  fields: (t) => ({
    ...tokenFields(t, NetworkEnum),
    mint: t.expose('mint', { type: 'Mint', description: 'The mint of the token. SOL has the wrapped-SOL mint.' }),
  }),
})

/** Returns the network of the key; without a key, the live one. */
const networkOf = ({ principal }: Context) => (principal.kind === 'business' ? principal.tenant.network : 'live')

builder.queryField('allowedTokens', (t) =>
  t.field({
    type: [TokenType],
    description:
      'The assets that `acceptedAssets` can name, on the network of the API key. Without a key: on the live network.',
    resolve: async (_root, _args, context) => {
      await countPublic(context)
      return [...(await context.services.tokens.allowed(networkOf(context)))]
    },
  }),
)
