// The allowlist as the operator keeps it.
import type { Token } from '#core/tokens/token.ts'
import { builder } from '#graphql/operator/builder.ts'
import { NetworkEnum } from '#graphql/operator/network.ts'

const TokenType = builder.objectRef<Token>('Token').implement({
  fields: (t) => ({
    network: t.expose('network', { type: NetworkEnum }),
    asset: t.expose('asset', { type: 'Asset' }),
    mint: t.expose('mint', { type: 'SolanaAddress', description: 'The mint; for SOL the wrapped-SOL mint.' }),
    isNative: t.exposeBoolean('isNative', { description: 'true for SOL.' }),
    name: t.exposeString('name'),
    ticker: t.exposeString('ticker'),
    decimals: t.exposeInt('decimals'),
    tokenProgram: t.expose('tokenProgram', { type: 'SolanaAddress', nullable: true, description: 'null for SOL.' }),
    extensions: t.stringList({
      description: 'Token-2022 extensions of the mint when it was allowed.',
      resolve: ({ extensions }) => [...extensions],
    }),
    feedKey: t.exposeString('feedKey', { description: 'What the price feeds call it.' }),
    imageUrl: t.exposeString('imageUrl', { nullable: true }),
    enabled: t.exposeBoolean('enabled'),
    priceProblem: t.string({
      nullable: true,
      description: 'Why no price is known for it right now, and what to do; null when one is.',
      resolve: (token, _args, { services }) => services.tokens.priceProblem(token),
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

builder.queryField('tokens', (t) =>
  t.field({
    type: [TokenType],
    description: 'The allowlists of both networks, with the tokens that are disabled.',
    resolve: async (_root, _args, { services }) => [...(await services.tokens.list())],
  }),
)

builder.mutationFields((t) => ({
  allowToken: t.field({
    type: TokenType,
    description: 'Decimals, program and extensions are read from the chain and judged.',
    args: { input: t.arg({ type: AllowTokenInput, required: true }) },
    resolve: (_root, { input }, { services }) =>
      services.tokens.allow({
        network: input.network,
        asset: input.asset,
        name: input.name,
        ticker: input.ticker,
        feedKey: input.feedKey ?? null,
        consent: {
          permanentDelegate: input.allowPermanentDelegate ?? false,
          pausable: input.allowPausable ?? false,
        },
      }),
  }),
  disallowToken: t.field({
    type: TokenType,
    args: {
      network: t.arg({ type: NetworkEnum, required: true }),
      asset: t.arg({ type: 'Asset', required: true }),
    },
    resolve: (_root, { network, asset }, { services }) => services.tokens.disallow(network, asset),
  }),
}))
