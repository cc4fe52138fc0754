// Obligations to move money out, of all businesses.
import { TRANSFER_STATUS_VALUES } from '#graphql/enum-values.ts'
import { limitOf } from '#graphql/limit-argument.ts'
import { builder } from '#graphql/operator/builder.ts'
import { NetworkEnum } from '#graphql/operator/network.ts'
import type { TransferSummary } from '#services/services.ts'

export const TransferStatusEnum = builder.enumType('TransferStatus', {
  description: 'How far a transfer is.',
  values: TRANSFER_STATUS_VALUES,
})

const TransferType = builder.objectRef<TransferSummary>('Transfer').implement({
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID' }),
    key: t.exposeString('key', { description: 'What must happen exactly once.' }),
    kind: t.exposeString('kind'),
    status: t.expose('status', { type: TransferStatusEnum }),
    reason: t.exposeString('reason', { nullable: true }),
    network: t.expose('network', { type: NetworkEnum }),
    asset: t.expose('asset', { type: 'Asset' }),
    attempts: t.exposeInt('attempts'),
    signature: t.exposeString('signature', { nullable: true }),
    intentIndex: t.exposeInt('intentIndex', { nullable: true }),
    createdAt: t.expose('createdAt', { type: 'DateTimeISO' }),
    doneAt: t.expose('doneAt', { type: 'DateTimeISO', nullable: true }),
  }),
})

builder.queryField('transfers', (t) =>
  t.field({
    type: [TransferType],
    description: 'The newest first.',
    args: { status: t.arg({ type: TransferStatusEnum }), limit: t.arg.int() },
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
    args: { id: t.arg({ type: 'UUID', required: true }) },
    resolve: (_root, { id }, context) => {
      return context.services.platform.retryTransfer(id)
    },
  }),
)
