// The allowlist as the operator keeps it.
import type { Token } from '#core/tokens/token.ts'
import { builder, NetworkEnum } from '#graphql/operator/builder.ts'
import { tokenFields } from '#graphql/token-fields.ts'

const TokenType = builder.objectRef<Token>('Token').implement({
  description: 'A token of the allowlist.',
  fields: (t) => ({
    ...tokenFields(t, NetworkEnum),
    mint: t.expose('mint', { type: 'SolanaAddress', description: 'The mint; for SOL the wrapped-SOL mint.' }),
    feedKey: t.exposeString('feedKey', { description: 'What the price feeds call it.' }),
    enabled: t.exposeBoolean('enabled', { description: 'Whether payments can be made in it.' }),
    priceProblem: t.string({
      nullable: true,
      description: 'Why no price is known for it right now, and what to do; null when one is.',
      resolve: (token, _args, { services }) => services.tokens.priceProblem(token),
    }),
  }),
})

const AllowTokenInput = builder.inputType('AllowTokenInput', {
  description: 'A token to allow.',
  fields: (t) => ({
    network: t.field({ type: NetworkEnum, required: true, description: 'The network of the token.' }),
    asset: t.field({ type: 'Asset', required: true, description: 'The token.' }),
    name: t.field({ type: 'Text', required: true, description: 'The name to show.' }),
    ticker: t.field({ type: 'Text', required: true, description: 'The ticker to show, such as `USDC`.' }),
    feedKey: t.field({ type: 'Text', description: 'What the price feeds call it; the ticker when left out.' }),
    allowPermanentDelegate: t.boolean({
      defaultValue: false,
      description: 'Consent to a mint whose issuer can take tokens out of any account.',
    }),
    allowPausable: t.boolean({
      defaultValue: false,
      description: 'Consent to a mint whose issuer can stop all transfers.',
    }),
    consent: t.field({
      type: ['Text'],
      defaultValue: [],
      description: 'Consent to these extensions of the mint, by the names that `mint_needs_consent` shows.',
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
    args: { input: t.arg({ type: AllowTokenInput, required: true, description: 'The token to allow.' }) },
    resolve: (_root, { input }, { services }) =>
      services.tokens.allow({
        network: input.network,
        asset: input.asset,
        name: input.name,
        ticker: input.ticker,
        feedKey: input.feedKey ?? null,
        consent: [
          ...(input.consent ?? []),
          ...(input.allowPermanentDelegate ? ['permanent-delegate'] : []),
          ...(input.allowPausable ? ['pausable'] : []),
        ],
      }),
  }),
  setTokenImage: t.field({
    type: TokenType,
    description: 'Sets the image that is shown with a token. It is encoded again, without metadata.',
    args: {
      network: t.arg({ type: NetworkEnum, required: true, description: 'The network of the token.' }),
      asset: t.arg({ type: 'Asset', required: true, description: 'The token.' }),
      image: t.arg({ type: 'ImageData', description: 'The image. Null removes it.' }),
    },
    resolve: (_root, { network, asset, image }, { services }) =>
      services.images.setTokenImage(network, asset, image ?? null),
  }),
  disallowToken: t.field({
    type: TokenType,
    description: 'Takes a token off the allowlist: no new payment can be made in it.',
    args: {
      network: t.arg({ type: NetworkEnum, required: true, description: 'The network of the token.' }),
      asset: t.arg({ type: 'Asset', required: true, description: 'The token.' }),
    },
    resolve: (_root, { network, asset }, { services }) => services.tokens.disallow(network, asset),
  }),
}))
