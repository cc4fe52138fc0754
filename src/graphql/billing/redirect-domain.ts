// A host to which checkouts of a business may redirect. Spec: "Subscription resources".
import { guardBillingNode } from '#graphql/billing/merchant.ts'
import { builder, nodeKey } from '#graphql/builder.ts'

guardBillingNode('RedirectDomain')

export const RedirectDomainNode = builder.prismaNode('RedirectDomain', {
  description: 'A host to which checkouts of the business may redirect.',
  id: { field: 'id', description: 'The global id of the domain, for `node`.' },
  findUnique: nodeKey,
  // A missing or foreign node is null, not an error.
  nullable: true,
  fields: (t) => ({
    uuid: t.field({ type: 'UUID', description: 'The id of the domain, as REST shows it.', resolve: ({ id }) => id }),
    host: t.string({ description: 'The host, in lower case and punycode.', resolve: ({ host }) => host }),
    active: t.boolean({ description: 'Whether new checkouts may redirect there.', resolve: ({ active }) => active }),
    createdAt: t.field({
      type: 'DateTimeISO',
      description: 'The time of its creation.',
      resolve: ({ createdAt }) => createdAt,
    }),
    updatedAt: t.field({
      type: 'DateTimeISO',
      description: 'The time of the last change.',
      resolve: ({ updatedAt }) => updatedAt,
    }),
  }),
})
