// What an operator looks at first.
import { DEPOSIT_SOURCES } from '#core/chain/source-choice.ts'
import { builder } from '#graphql/operator/builder.ts'
import type { NetworkStatus, OperatorStatus } from '#services/services.ts'

type DepositSource = NonNullable<NetworkStatus['deposits']>

const DepositSourceKindEnum = builder.enumType('DepositSourceKind', {
  description: 'Whether deposits are found by reading every address, or every block.',
  values: DEPOSIT_SOURCES,
})

const DepositSourceType = builder.objectRef<DepositSource>('DepositSource').implement({
  fields: (t) => ({
    source: t.expose('source', { type: DepositSourceKindEnum }),
    reason: t.exposeString('reason'),
    since: t.expose('since', { type: 'DateTimeISO' }),
    readToSlot: t.field({
      type: 'UInt64',
      nullable: true,
      description:
        'The final block up to which everything was read and taken in; it stands still while addresses are read.',
      resolve: ({ cursor }) => cursor?.slot ?? null,
    }),
    pollingCallsPerMinute: t.exposeInt('pollingCallsPerMinute', {
      description: 'RPC calls that reading every address as often as it is due would cost.',
    }),
    blockCallsPerMinute: t.exposeInt('blockCallsPerMinute'),
  }),
})

const NetworkStatusType = builder.objectRef<NetworkStatus>('NetworkStatus').implement({
  fields: (t) => ({
    genesisHash: t.exposeString('genesisHash'),
    feePayer: t.expose('feePayer', { type: 'SolanaAddress' }),
    feePayerLamports: t.expose('feePayerLamports', { type: 'BaseUnits' }),
    slot: t.expose('slot', { type: 'UInt64' }),
    lagSeconds: t.exposeFloat('lagSeconds', {
      description: 'For how many seconds the newest final block has been so, or its age where that is more.',
    }),
    deposits: t.expose('deposits', { type: DepositSourceType, nullable: true }),
  }),
})

const NetworkStatuses = builder.objectRef<OperatorStatus['networks']>('NetworkStatuses').implement({
  fields: (t) => ({
    live: t.expose('live', { type: NetworkStatusType, nullable: true }),
    test: t.expose('test', { type: NetworkStatusType, nullable: true }),
  }),
})

const WorkerType = builder.objectRef<OperatorStatus['workers'][number]>('Worker').implement({
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID' }),
    role: t.exposeString('role'),
    startedAt: t.expose('startedAt', { type: 'DateTimeISO' }),
    lastSeenAt: t.expose('lastSeenAt', { type: 'DateTimeISO' }),
  }),
})

const OperatorStatusType = builder.objectRef<OperatorStatus>('OperatorStatus').implement({
  fields: (t) => ({
    networks: t.expose('networks', { type: NetworkStatuses }),
    workers: t.field({ type: [WorkerType], resolve: (status) => [...status.workers] }),
    openIntents: t.exposeInt('openIntents'),
    unfinishedTransfers: t.exposeInt('unfinishedTransfers'),
    alerts: t.stringList({
      description: 'What a person should look at, each a sentence that says what to do.',
      resolve: (status) => [...status.alerts],
    }),
  }),
})

builder.queryField('operatorStatus', (t) =>
  t.field({
    type: OperatorStatusType,
    description: 'Networks, workers, unfinished work, and what needs a person.',
    resolve: (_root, _args, context) => {
      return context.services.platform.operatorStatus()
    },
  }),
)
