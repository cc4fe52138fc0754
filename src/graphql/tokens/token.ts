// The allowlist: which assets a payment may be made in.
import type { Token } from '#core/tokens/token.ts'
import { builder } from '#graphql/builder.ts'
import { type Context, countPublic, requireOperator } from '#graphql/context.ts'
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
    feedKey: t.exposeString('feedKey', { description: 'The name of the asset in the price feeds.' }),
    imageUrl: t.exposeString('imageUrl', {
      nullable: true,
      description: 'The URL of its image. Null when there is none.',
    }),
    enabled: t.exposeBoolean('enabled', { description: 'Whether payments can be made in it.' }),
    priceProblem: t.string({
      nullable: true,
      description: 'Why no price is known for it right now, and what to do; null when one is. Operator only.',
      resolve: (token, _args, context) => {
        requireOperator(context)
        return context.services.tokens.priceProblem(token)
      },
    }),
  }),
})

const AllowTokenInput = builder.inputType('AllowTokenInput', {
  fields: (t) => ({
    network: t.field({ type: NetworkEnum, required: true }),
    asset: t.field({ type: 'Asset', required: true }),
    name: t.field({ type: 'Text', required: true }),
    ticker: t.field({ type: 'Text', required: true }),
    feedKey: t.field({ type: 'Text', description: 'What the price feeds call it; the ticker when left out.' }),
    allowPermanentDelegate: t.boolean({
      defaultValue: false,
      description: 'Consent to a mint whose issuer can take tokens out of any account.',
    }),
    allowPausable: t.boolean({
      defaultValue: false,
      description: 'Consent to a mint whose issuer can stop all transfers.',
    }),
  }),
})

/** A key sees its own network; anybody else the live one. */
const networkOf = ({ principal }: Context) => (principal.kind === 'business' ? principal.tenant.network : 'live')

builder.queryFields((t) => ({
  allowedTokens: t.field({
    type: [TokenType],
    description:
      'The assets that `acceptedAssets` can name, on the network of the API key. Without a key: on the live network.',
    resolve: async (_root, _args, context) => {
      await countPublic(context)
      return [...(await context.services.tokens.allowed(networkOf(context)))]
    },
  }),
  tokens: t.field({
    type: [TokenType],
    description: 'Of both networks, disabled ones too. Operator only.',
    resolve: async (_root, _args, context) => {
      requireOperator(context)
      return [...(await context.services.tokens.list())]
    },
  }),
}))

builder.mutationFields((t) => ({
  allowToken: t.field({
    type: TokenType,
    description: 'Decimals, program and extensions are read from the chain and judged. Operator only.',
    args: { input: t.arg({ type: AllowTokenInput, required: true }) },
    resolve: (_root, { input }, context) => {
      requireOperator(context)
      return context.services.tokens.allow({
        network: input.network,
        asset: input.asset,
        name: input.name,
        ticker: input.ticker,
        feedKey: input.feedKey ?? null,
        consent: {
          permanentDelegate: input.allowPermanentDelegate ?? false,
          pausable: input.allowPausable ?? false,
        },
      })
    },
  }),
  disallowToken: t.field({
    type: TokenType,
    description: 'Operator only.',
    args: {
      network: t.arg({ type: NetworkEnum, required: true }),
      asset: t.arg({ type: 'Asset', required: true }),
    },
    resolve: (_root, { network, asset }, context) => {
      requireOperator(context)
      return context.services.tokens.disallow(network, asset)
    },
  }),
}))
