// A tier: the price of a product for each period. Spec: "Subscription resources".
import { type Interval, type Tier, totalBaseUnits, totalUsdCents } from '#core/billing/tier.ts'
import { catalogueFields } from '#graphql/billing/catalogue.ts'
import { guardBillingNode } from '#graphql/billing/merchant.ts'
import { builder, nodeKey } from '#graphql/builder.ts'

export const SubscriptionIntervalEnum = builder.enumType('SubscriptionInterval', {
  description: 'The unit of a period.',
  values: {
    day: { description: 'A day.' },
    week: { description: 'Seven days.' },
    month: { description: 'A month of the calendar.' },
    year: { description: 'A year of the calendar.' },
  } satisfies Record<Interval, object>,
})

export const CatalogueTier = builder.interfaceRef<Tier>('CatalogueTier').implement({
  description: 'A tier as its business and its subscribers see it.',
  fields: (t) => ({
    uuid: t.expose('id', { type: 'UUID', description: 'The id of the tier, as REST shows it.' }),
    productId: t.expose('productId', { type: 'UUID', description: 'The `uuid` of the product that it prices.' }),
    priceUsdCents: t.expose('priceUsdCents', { type: 'UsdCents', description: 'The price of one period.' }),
    interval: t.expose('interval', { type: SubscriptionIntervalEnum, description: 'The unit of a period.' }),
    intervalCount: t.exposeInt('intervalCount', { description: 'The units of a period.' }),
    authorizationPeriods: t.exposeInt('authorizationPeriods', {
      description: 'The periods that a subscriber authorizes at the beginning.',
    }),
    trialDays: t.exposeInt('trialDays', {
      description:
        'The days before the first charge, for a wallet that has had no trial of the product. 0 without a trial.',
    }),
    totalAuthorizationUsdCents: t.field({
      type: 'UsdCents',
      description: 'The price of all periods that a subscriber authorizes at the beginning.',
      resolve: (tier) => totalUsdCents(tier),
    }),
    totalAuthorizationBaseUnits: t.field({
      type: 'BaseUnits',
      description: 'The same in base units of the mint.',
      resolve: (tier) => totalBaseUnits(tier),
    }),
    mint: t.expose('mint', { type: 'Mint', description: 'The stablecoin in which it is charged.' }),
    ticker: t.string({
      nullable: true,
      description: 'The ticker of the token. Null for a token that was never on the allowlist.',
      // Subscriptions are on the live network.
      resolve: ({ mint }, _args, { services }) => services.tokens.tickerOf('live', mint),
    }),
    tokenProgram: t.expose('tokenProgram', { type: 'SolanaAddress', description: 'The token program of the mint.' }),
    decimals: t.exposeInt('decimals', { description: 'The decimals of the mint.' }),
    unitBaseUnits: t.expose('unitBaseUnits', { type: 'BaseUnits', description: 'The charge of one period.' }),
    payoutOwner: t.expose('payoutOwner', {
      type: 'SolanaAddress',
      description: 'The wallet that receives its charges.',
    }),
    payoutAta: t.expose('payoutAta', { type: 'SolanaAddress', description: 'The token account of that wallet.' }),
    platformFeeBps: t.exposeInt('platformFeeBps', {
      description: 'The fee of the platform on its charges, in basis points.',
    }),
    platformWallet: t.expose('platformWallet', {
      type: 'SolanaAddress',
      nullable: true,
      description: 'The wallet that receives the fee. Null when the platform had none and takes no fee.',
    }),
    ...catalogueFields(t, 'tier', 'Whether it can have new checkouts.'),
  }),
})

guardBillingNode('SubscriptionTier')

export const SubscriptionTierNode = builder.prismaNode('SubscriptionTier', {
  description: 'A price of a product for each period. Its price, its token and its payout never change.',
  interfaces: [CatalogueTier],
  id: { field: 'id', description: 'The global id of the tier, for `node`.' },
  findUnique: nodeKey,
  // A missing or foreign node is null, not an error.
  nullable: true,
  fields: (t) => ({
    product: t.relation('product', { description: 'The product that it prices.' }),
  }),
})
