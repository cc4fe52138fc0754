// Addresses from which nothing is sent, because their books are not what the chain says.
import { FAULT_KINDS, type Fault } from '#core/audit/faults.ts'
import { limitOf } from '#graphql/limit-argument.ts'
import { builder } from '#graphql/operator/builder.ts'
import { NetworkEnum } from '#graphql/operator/network.ts'
import type { Halt } from '#services/services.ts'

const FaultKindEnum = builder.enumType('FaultKind', { values: FAULT_KINDS })

const FaultType = builder.objectRef<Fault>('Fault').implement({
  description: 'One difference between the ledger and the chain.',
  fields: (t) => ({
    kind: t.expose('kind', { type: FaultKindEnum }),
    account: t.exposeString('account', { nullable: true }),
    asset: t.expose('asset', { type: 'Asset', nullable: true }),
    amount: t.expose('amount', { type: 'SignedUnits', description: 'Negative where something is missing.' }),
  }),
})

const HaltType = builder.objectRef<Halt>('Halt').implement({
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID' }),
    network: t.expose('network', { type: NetworkEnum }),
    address: t.exposeString('address'),
    intentIndex: t.exposeInt('intentIndex'),
    reason: t.exposeString('reason'),
    faults: t.field({ type: [FaultType], resolve: ({ faults }) => [...faults] }),
    haltedAt: t.expose('haltedAt', { type: 'DateTimeISO' }),
    clearedAt: t.expose('clearedAt', { type: 'DateTimeISO', nullable: true, description: 'Null while it holds.' }),
    clearedBy: t.exposeString('clearedBy', { nullable: true, description: '`reconciled` or `operator`.' }),
    clearedReason: t.exposeString('clearedReason', { nullable: true }),
  }),
})

builder.queryField('halts', (t) =>
  t.field({
    type: [HaltType],
    description: 'The newest first; those that hold, unless `open` is false.',
    args: { network: t.arg({ type: NetworkEnum }), open: t.arg.boolean(), limit: t.arg.int() },
    resolve: async (_root, { network, open, limit }, context) => {
      const filter = { network: network ?? null, open: open ?? true, limit: limitOf(limit) }
      return [...(await context.services.audit.halts(filter))]
    },
  }),
)

builder.mutationField('clearHalt', (t) =>
  t.field({
    type: HaltType,
    description: 'Lets an address send again although the difference stands; the reason is kept.',
    args: {
      id: t.arg({ type: 'UUID', required: true }),
      reason: t.arg({
        type: 'Text',
        required: true,
        description: 'Why that is right, in 1 to 500 characters; it is kept.',
      }),
    },
    resolve: (_root, { id, reason }, context) => {
      return context.services.audit.clearHalt(id, reason)
    },
  }),
)
