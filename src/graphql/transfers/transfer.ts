// Obligations to move money out, as the operator sees them.
import { builder } from '#graphql/builder.ts'
import { requireOperator } from '#graphql/context.ts'
import { limitOf } from '#graphql/limit-argument.ts'
import { NetworkEnum } from '#graphql/network.ts'
import { TransferStatusEnum } from '#graphql/payments/history.ts'
import type { TransferSummary } from '#services/services.ts'

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
    description: 'The newest first. Operator only.',
    args: { status: t.arg({ type: TransferStatusEnum }), limit: t.arg.int() },
    resolve: async (_root, { status, limit }, context) => {
      requireOperator(context)
      const transfers = await context.services.platform.transfers({ status: status ?? null, limit: limitOf(limit) })
      return [...transfers]
    },
  }),
)

builder.mutationField('retryTransfer', (t) =>
  t.field({
    type: TransferType,
    description: 'Re-arms a failed or held transfer. Operator only.',
    args: { id: t.arg({ type: 'UUID', required: true }) },
    resolve: (_root, { id }, context) => {
      requireOperator(context)
      return context.services.platform.retryTransfer(id)
    },
  }),
)
