// A seller as its marketplace sees it.
import { builder, guardNode, nodeKey } from '#graphql/builder.ts'
import { marketplaceOf } from '#graphql/context.ts'

const SellerStatus = builder.enumType('SellerStatus', {
  description: 'Whether a seller accepts new payments.',
  values: {
    active: { description: 'It accepts new payments.' },
    archived: { description: 'It accepts no new payments. Its history remains.' },
  } as const,
})

guardNode('Seller', (context) => marketplaceOf(context, 'marketplace-view'))

export const SellerNode = builder.prismaNode('Account', {
  name: 'Seller',
  description: 'A seller that the marketplace takes payments for. It has no API key.',
  id: { field: 'id', description: 'The global id of the seller, for `node`.' },
  findUnique: nodeKey,
  // A missing or foreign node is null, not an error.
  nullable: true,
  fields: (t) => ({
    uuid: t.expose('id', { type: 'UUID', description: 'The id of the seller, as REST shows it.' }),
    name: t.exposeString('name', { description: 'The name of the seller.' }),
    externalId: t.exposeString('externalId', { nullable: true, description: 'The id that the marketplace gave it.' }),
    description: t.exposeString('description', { nullable: true, description: 'The description of the seller.' }),
    metadata: t.expose('metadata', { type: 'JSONObject', description: 'Data of the marketplace, as it was given.' }),
    label: t.exposeString('label', {
      nullable: true,
      description: 'The name that buyers see. Null is the name of the seller.',
    }),
    logoUrl: t.string({
      nullable: true,
      description: 'The URL of its logo. Null while it has none.',
      resolve: ({ logoName }, _args, { services }) => services.images.urlOf(logoName),
    }),
    sweepDestination: t.expose('sweepDestination', {
      type: 'SolanaAddress',
      nullable: true,
      description: 'The wallet that receives its settlements. It accepts no payment while there is none.',
    }),
    marketplaceFeeBps: t.exposeInt('marketplaceFeeBps', {
      nullable: true,
      description: 'The rate of the marketplace in basis points. Null is the default rate of the marketplace.',
    }),
    derivationIndex: t.exposeInt('derivationIndex', {
      description: 'Its index in the key tree. It survives archiving.',
    }),
    status: t.field({
      type: SellerStatus,
      description: 'Whether it accepts new payments.',
      resolve: ({ archivedAt }) => (archivedAt === null ? 'active' : 'archived'),
    }),
    archivedAt: t.expose('archivedAt', {
      type: 'DateTimeISO',
      nullable: true,
      description: 'The time at which it was archived. Null while it is active.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTimeISO', description: 'The time of its creation.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTimeISO', description: 'The time of the last change.' }),
  }),
})
