// The fields of a token that both schemas show. Each schema has a builder of its own: the function takes what it needs of
// the builder of fields, and gives the fields to either schema.
import type { Token } from '#core/tokens/token.ts'
import type { ImageServices } from '#services/images/images.ts'

type Described = { description: string }

/** What both schemas give their resolvers. */
type Shared = { readonly services: { readonly images: Pick<ImageServices, 'urlOf'> } }
type ResolveText = (token: Token, args: object, context: Shared) => string | null

type TokenFields<Network, Field> = {
  expose(name: 'network', options: Described & { type: Network }): Field
  expose(name: 'asset', options: Described & { type: 'Asset' }): Field
  expose(name: 'tokenProgram', options: Described & { type: 'SolanaAddress'; nullable: true }): Field
  exposeBoolean(name: 'isNative', options: Described): Field
  exposeString(name: 'name' | 'ticker', options: Described): Field
  string(options: Described & { nullable: true; resolve: ResolveText }): Field
  exposeInt(name: 'decimals', options: Described): Field
  stringList(options: Described & { resolve: (token: Token) => string[] }): Field
}

export const tokenFields = <Network, Field>(t: TokenFields<Network, Field>, network: Network) => ({
  network: t.expose('network', { type: network, description: 'The network on which it is allowed.' }),
  asset: t.expose('asset', { type: 'Asset', description: 'The asset: `SOL`, or the mint of a token.' }),
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
    resolve: ({ extensions }) => [...extensions],
  }),
  imageUrl: t.string({
    nullable: true,
    description: 'The URL of its image. Null when there is none.',
    resolve: ({ imageName }, _args, { services }) => services.images.urlOf(imageName),
  }),
})
