// The fields of a marketplace that both schemas show. Each schema has a builder of its own: the function takes what it needs
// of the builder of fields, and gives the fields to either schema.

type Described = { description: string }

type MarketplaceFields<Status, Field> = {
  expose(name: 'status', options: Described & { type: Status }): Field
  expose(name: 'feeWallet', options: Described & { type: 'SolanaAddress'; nullable: true }): Field
  exposeInt(name: 'defaultFeeBps' | 'sellersCount' | 'sellersTotal', options: Described): Field
  exposeInt(name: 'sellerLimit', options: Described & { nullable: true }): Field
}

export const marketplaceFields = <Status, Field>(t: MarketplaceFields<Status, Field>, status: Status) => ({
  status: t.expose('status', { type: status, description: 'Whether it is approved.' }),
  defaultFeeBps: t.exposeInt('defaultFeeBps', {
    description: 'The rate of the marketplace in basis points, for sellers without a rate of their own.',
  }),
  feeWallet: t.expose('feeWallet', {
    type: 'SolanaAddress',
    nullable: true,
    description: 'The wallet that receives the fees. Null is the sweep destination of the business.',
  }),
  sellerLimit: t.exposeInt('sellerLimit', {
    nullable: true,
    description: 'The highest number of sellers, archived ones included. Null is no limit.',
  }),
  sellersCount: t.exposeInt('sellersCount', { description: 'The number of sellers without archived ones.' }),
  sellersTotal: t.exposeInt('sellersTotal', { description: 'The number of sellers with archived ones.' }),
})
