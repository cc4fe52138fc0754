// The allowlist: which assets a payment may be made in.
import type { Token } from '#core/tokens/token.ts'
import { builder } from '#graphql/builder.ts'
import { type Context, countPublic } from '#graphql/context.ts'
import { NetworkEnum } from '#graphql/network.ts'

const TokenType = builder.objectRef<Token>('Token').implement({
  description: 'An asset of the allowlist.',
  fields: (t) => ({
    network: t.expose('network', { type: NetworkEnum, description: 'The network on which it is allowed.' }),
    asset: t.expose('asset', { type: 'Asset', description: 'The asset, as `acceptedAssets` takes it.' }),
    mint: t.expose('mint', { type: 'Mint', description: 'The mint of the token. SOL has the wrapped-SOL mint.' }),
    isNative: t.exposeBoolean('isNative', { description: 'True for SOL.' }),
    name: t.exposeString('name', { description: 'The name to show.' }),
    ticker: t.exposeString('ticker', { description: 'The ticker to show, such as `SOL`.' }),
    decimals: t.exposeInt('decimals', { description: 'The number of decimals.' }),
    tokenProgram: t.expose('tokenProgram', {
      type: 'SolanaAddress',
      nullable: true,
      description: 'The program of the mint. Null for SOL.',
    }),
    extensions: t.stringList({
      description: 'The Token-2022 extensions that the mint had when it was allowed.',
      resolve: (token) => [...token.extensions],
    }),
    imageUrl: t.exposeString('imageUrl', {
      nullable: true,
      description: 'The URL of its image. Null when there is none.',
    }),
  }),
})

/** The network of the key; without a key, the live one. */
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
