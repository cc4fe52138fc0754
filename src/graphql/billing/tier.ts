// A tier: the price of a product for each period. Spec: "Subscription resources".
import { totalBaseUnits, totalUsdCents } from '#core/billing/new-tier.ts'
import type { Interval, Tier } from '#core/billing/tier.ts'
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
    uuid: t.field({ type: 'UUID', description: 'The id of the tier, as REST shows it.', resolve: ({ id }) => id }),
    productId: t.field({
      type: 'UUID',
      description: 'The `uuid` of the product that it prices.',
      resolve: ({ productId }) => productId,
    }),
    priceUsdCents: t.field({
      type: 'UsdCents',
      description: 'The price of one period.',
      resolve: ({ priceUsdCents }) => priceUsdCents,
    }),
    interval: t.field({
      type: SubscriptionIntervalEnum,
      description: 'The unit of a period.',
      resolve: ({ interval }) => interval,
    }),
    intervalCount: t.int({ description: 'The units of a period.', resolve: ({ intervalCount }) => intervalCount }),
    authorizationPeriods: t.int({
      description: 'The periods that a subscriber authorizes at the beginning.',
      resolve: ({ authorizationPeriods }) => authorizationPeriods,
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
    mint: t.field({
      type: 'Mint',
      description: 'The stablecoin in which it is charged.',
      resolve: ({ mint }) => mint,
    }),
    tokenProgram: t.field({
      type: 'SolanaAddress',
      description: 'The token program of the mint.',
      resolve: ({ tokenProgram }) => tokenProgram,
    }),
    decimals: t.int({ description: 'The decimals of the mint.', resolve: ({ decimals }) => decimals }),
    unitBaseUnits: t.field({
      type: 'BaseUnits',
      description: 'The charge of one period.',
      resolve: ({ unitBaseUnits }) => unitBaseUnits,
    }),
    payoutOwner: t.field({
      type: 'SolanaAddress',
      description: 'The wallet that receives its charges.',
      resolve: ({ payoutOwner }) => payoutOwner,
    }),
    payoutAta: t.field({
      type: 'SolanaAddress',
      description: 'The token account of that wallet.',
      resolve: ({ payoutAta }) => payoutAta,
    }),
    platformFeeBps: t.int({
      description: 'The fee of the platform on its charges, in basis points.',
      resolve: ({ platformFeeBps }) => platformFeeBps,
    }),
    platformWallet: t.field({
      type: 'SolanaAddress',
      nullable: true,
      description: 'The wallet that receives the fee. Null when the platform had none and takes no fee.',
      resolve: ({ platformWallet }) => platformWallet,
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
