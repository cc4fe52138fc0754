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
    uuid: t.expose('id', { type: 'UUID', description: 'The id of the domain, as REST shows it.' }),
    host: t.exposeString('host', { description: 'The host, in lower case and punycode.' }),
    active: t.exposeBoolean('active', { description: 'Whether new checkouts may redirect there.' }),
    createdAt: t.expose('createdAt', { type: 'DateTimeISO', description: 'The time of its creation.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTimeISO', description: 'The time of the last change.' }),
  }),
})
