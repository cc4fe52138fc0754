// Transfers of money out, of all businesses.
import { TRANSFER_STATUS_VALUES } from '#graphql/enum-values.ts'
import { builder, limitOf, NetworkEnum } from '#graphql/operator/builder.ts'
import type { TransferSummary } from '#services/platform/platform-services.ts'

export const TransferStatusEnum = builder.enumType('TransferStatus', {
  description: 'How far a transfer is.',
  values: TRANSFER_STATUS_VALUES,
})

const TransferType = builder.objectRef<TransferSummary>('Transfer').implement({
  description: 'A transfer of money out of a deposit address, made exactly once.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'The id of the transfer.' }),
    key: t.exposeString('key', { description: 'What must happen exactly once.' }),
    kind: t.exposeString('kind', { description: 'What it is for: `sweep`, `refund`, `release` or `rent`.' }),
    status: t.expose('status', { type: TransferStatusEnum, description: 'How far it is.' }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why it failed or is held. Null otherwise.' }),
    network: t.expose('network', { type: NetworkEnum, description: 'The network of the money.' }),
    asset: t.expose('asset', { type: 'Asset', description: 'The asset that it moves.' }),
    attempts: t.exposeInt('attempts', { description: 'The number of transactions that were made for it.' }),
    signature: t.exposeString('signature', {
      nullable: true,
      description: 'Its final transaction. Null until then.',
    }),
    intentIndex: t.exposeInt('intentIndex', {
      nullable: true,
      description: 'The `derivation_index` of its payment. Null where it has none.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTimeISO', description: 'The time at which it was planned.' }),
    doneAt: t.expose('doneAt', {
      type: 'DateTimeISO',
      nullable: true,
      description: 'The time at which it was done. Null until then.',
    }),
  }),
})

builder.queryField('transfers', (t) =>
  t.field({
    type: [TransferType],
    description: 'The newest first.',
    args: {
      status: t.arg({ type: TransferStatusEnum, description: 'Shows transfers with this status only.' }),
      limit: t.arg.int({ description: 'The most entries: 20 unless it is given, at most 100.' }),
    },
    resolve: async (_root, { status, limit }, context) => {
      const transfers = await context.services.platform.transfers({ status: status ?? null, limit: limitOf(limit) })
      return [...transfers]
    },
  }),
)

builder.mutationField('retryTransfer', (t) =>
  t.field({
    type: TransferType,
    description: 'Re-arms a failed or held transfer.',
    args: { id: t.arg({ type: 'UUID', required: true, description: 'The id of the transfer.' }) },
    resolve: (_root, { id }, context) => {
      return context.services.platform.retryTransfer(id)
    },
  }),
)
