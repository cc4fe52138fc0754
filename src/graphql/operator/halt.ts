// Addresses from which nothing is sent, because their books are not what the chain says.
import type { Fault } from '#core/audit/faults.ts'
import { builder, limitOf, NetworkEnum } from '#graphql/operator/builder.ts'
import type { Halt } from '#ports/halts.ts'

const FaultKindEnum = builder.enumType('FaultKind', {
  description: 'The kind of a difference between ledger and chain.',
  values: {
    other_address: { description: 'The stored address is not the one that the master seed gives.' },
    chain_has_less: { description: 'An account has less than the ledger says.' },
    chain_has_more: { description: 'An account has more than the ledger says.' },
    books_disagree: { description: 'What arrived is not what left and what remains.' },
  } satisfies Record<Fault['kind'], { readonly description: string }>,
})

const FaultType = builder.objectRef<Fault>('Fault').implement({
  description: 'One difference between the ledger and the chain.',
  fields: (t) => ({
    kind: t.expose('kind', { type: FaultKindEnum, description: 'The kind of the difference.' }),
    account: t.exposeString('account', {
      nullable: true,
      description: 'The account that differs. Null where no single account does.',
    }),
    asset: t.expose('asset', {
      type: 'Asset',
      nullable: true,
      description: 'The asset that differs. Null where no single asset does.',
    }),
    amount: t.expose('amount', { type: 'SignedUnits', description: 'Negative where something is missing.' }),
  }),
})

const HaltType = builder.objectRef<Halt>('Halt').implement({
  description: 'An address from which nothing is sent, because ledger and chain differ.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'The id of the halt.' }),
    network: t.expose('network', { type: NetworkEnum, description: 'The network of the address.' }),
    address: t.exposeString('address', {
      description: 'The deposit address, or the wallet of a subscriber from which an unknown pull was taken.',
    }),
    intentIndex: t.exposeInt('intentIndex', {
      nullable: true,
      description: 'The `derivation_index` of its payment; null for the wallet of a subscriber.',
    }),
    reason: t.exposeString('reason', { description: 'What differs, for people.' }),
    faults: t.field({
      description: 'Every difference that was found.',
      type: [FaultType],
      resolve: ({ faults }) => [...faults],
    }),
    haltedAt: t.expose('haltedAt', { type: 'DateTimeISO', description: 'The time at which it was halted.' }),
    clearedAt: t.expose('clearedAt', { type: 'DateTimeISO', nullable: true, description: 'Null while it holds.' }),
    clearedBy: t.exposeString('clearedBy', { nullable: true, description: '`reconciled` or `operator`.' }),
    clearedReason: t.exposeString('clearedReason', {
      nullable: true,
      description: 'Why it was cleared. Null while it holds.',
    }),
  }),
})

builder.queryField('halts', (t) =>
  t.field({
    type: [HaltType],
    description: 'The newest first; those that hold, unless `open` is false.',
    args: {
      network: t.arg({ type: NetworkEnum, description: 'One network; both when left out.' }),
      open: t.arg.boolean({ description: 'False shows cleared halts too.' }),
      limit: t.arg.int({ description: 'The most entries: 20 unless it is given, at most 100.' }),
    },
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
      id: t.arg({ type: 'UUID', required: true, description: 'The id of the halt.' }),
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
