// The operator's list of wallets to which nothing is returned automatically.
import type { Custodian } from '#core/payments/obstacle.ts'
import { builder, NetworkEnum } from '#graphql/operator/builder.ts'

const CustodianType = builder.objectRef<Custodian>('Custodian').implement({
  description: 'A wallet of an exchange or another custodian: nothing is returned there automatically.',
  fields: (t) => ({
    network: t.expose('network', { type: NetworkEnum, description: 'The network of the wallet.' }),
    address: t.expose('address', { type: 'SolanaAddress', description: 'The wallet.' }),
    label: t.exposeString('label', { description: 'Whose wallet it is; reasons of held money name it.' }),
  }),
})

const CustodianInput = builder.inputType('CustodianInput', {
  description: 'A wallet to put on the list.',
  fields: (t) => ({
    address: t.field({ type: 'SolanaAddress', required: true, description: 'The wallet.' }),
    label: t.field({ type: 'Text', required: true, description: 'The name of its owner.' }),
  }),
})

builder.queryField('custodians', (t) =>
  t.field({
    type: [CustodianType],
    description: 'The list of one network, or of both.',
    args: { network: t.arg({ type: NetworkEnum, description: 'One network; both when left out.' }) },
    resolve: async (_root, { network }, context) => {
      return [...(await context.services.custodians.list(network ?? null))]
    },
  }),
)

builder.mutationFields((t) => ({
  saveCustodians: t.field({
    type: [CustodianType],
    description: 'Adds wallets, or changes their labels; answers the whole list of the network.',
    args: {
      network: t.arg({ type: NetworkEnum, required: true, description: 'The network of the list.' }),
      custodians: t.arg({ type: [CustodianInput], required: true, description: 'The wallets to add or to rename.' }),
    },
    resolve: async (_root, { network, custodians }, context) => {
      return [...(await context.services.custodians.save(network, custodians))]
    },
  }),
  removeCustodian: t.field({
    type: 'Boolean',
    description: 'Takes a wallet off the list; false when it was not on it.',
    args: {
      network: t.arg({ type: NetworkEnum, required: true, description: 'The network of the list.' }),
      address: t.arg({ type: 'SolanaAddress', required: true, description: 'The wallet.' }),
    },
    resolve: (_root, { network, address }, context) => {
      return context.services.custodians.remove(network, address)
    },
  }),
}))
