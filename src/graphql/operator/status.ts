// What an operator looks at first.

import type { DepositSourceKind } from '#core/chain/source-choice.ts'
import type { Consensus } from '#core/chain/types.ts'
import { HEALTH_STATUS_VALUES } from '#graphql/enum-values.ts'
import { checkFields, checksFields, HEALTH_STATUS, healthFields } from '#graphql/health-fields.ts'
import type { BillingStatus } from '#services/billing/status.ts'
import type { Health, HealthCheck, NetworkStatus, OperatorStatus } from '#services/platform/platform-services.ts'
import { builder, NetworkEnum } from './builder.ts'
import { DelegationStatusEnum, SubscriptionStatusEnum } from './subscription.ts'

// Whether the service can do its work, and why not.

const HealthStatusEnum = builder.enumType('HealthStatus', {
  description: HEALTH_STATUS,
  values: HEALTH_STATUS_VALUES,
})

const HealthCheckType = builder.objectRef<HealthCheck>('HealthCheck').implement({
  description: 'The health of one part of the service.',
  fields: (t) => ({
    ...checkFields(t, HealthStatusEnum),
    detail: t.exposeString('detail', { nullable: true, description: 'Why it is not ok; null when it is.' }),
  }),
})

const HealthChecks = builder.objectRef<Health['checks']>('HealthChecks').implement({
  description: 'The health of each part of the service.',
  fields: (t) => checksFields(t, HealthCheckType),
})

const HealthType = builder.objectRef<Health>('Health').implement({
  description: 'The health of the service.',
  fields: (t) => healthFields(t, { status: HealthStatusEnum, checks: HealthChecks }),
})

builder.queryField('health', (t) =>
  t.field({
    type: HealthType,
    description: 'What `GET /health` answers, with the reasons.',
    resolve: (_root, _args, { services }) => services.platform.health(),
  }),
)

type DepositSource = NonNullable<NetworkStatus['deposits']>

const DepositSourceKindEnum = builder.enumType('DepositSourceKind', {
  description: 'Whether deposits are found by reading every address, or every block.',
  values: {
    polling: { description: 'Every address is read as often as it is due.' },
    blocks: { description: 'Every final block is read.' },
  } satisfies Record<DepositSourceKind, { readonly description: string }>,
})

const DepositSourceType = builder.objectRef<DepositSource>('DepositSource').implement({
  description: 'How deposits on a network are found, and why.',
  fields: (t) => ({
    source: t.expose('source', { type: DepositSourceKindEnum, description: 'How deposits are found.' }),
    reason: t.exposeString('reason', { description: 'Why it was chosen, for people.' }),
    since: t.expose('since', { type: 'DateTimeISO', description: 'The time since which it is used.' }),
    readToSlot: t.field({
      type: 'UInt64',
      nullable: true,
      description:
        'The final block up to which everything was read and taken in; it stands still while addresses are read.',
      resolve: ({ cursor }) => cursor?.slot ?? null,
    }),
    noticeCallsPerMinute: t.exposeInt('noticeCallsPerMinute', {
      description:
        'RPC calls that polling would cost with account notices, as far as they arrive: addresses with notices are read ' +
        'seldom.',
    }),
    pollingCallsPerMinute: t.exposeInt('pollingCallsPerMinute', {
      description: 'RPC calls that reading every address as often as it is due would cost, without account notices.',
    }),
    blockCallsPerMinute: t.exposeInt('blockCallsPerMinute', {
      description: 'RPC calls that reading every block would cost.',
    }),
    noticedAccounts: t.exposeInt('noticedAccounts', {
      description: 'Accounts for which account notices arrive. 0 while blocks are read.',
    }),
    watchedAccounts: t.exposeInt('watchedAccounts', {
      description: 'Accounts for which account notices are wanted. The others are polled.',
    }),
  }),
})

const ConsensusEnum = builder.enumType('Consensus', {
  description: 'How a cluster makes blocks final.',
  values: {
    alpenglow: { description: 'By a certificate of votes, a moment after the block.' },
    tower_bft: { description: 'By votes on 32 later blocks.' },
  } satisfies Record<Consensus, { readonly description: string }>,
})

const ProviderType = builder.objectRef<NetworkStatus['providerHealth'][number]>('Provider').implement({
  description: 'An RPC provider of a network, as the process that answers has found it.',
  fields: (t) => ({
    number: t.exposeInt('provider', { description: 'Its place in the setting, from 1.' }),
    latencyMs: t.exposeFloat('latencyMs', {
      nullable: true,
      description: 'How long its answers took lately, in milliseconds. Null before the first.',
    }),
    failures: t.exposeInt('failures', { description: 'The requests that failed since the start.' }),
    isResting: t.exposeBoolean('resting', {
      description: 'Whether it failed a moment ago, so that others are asked first.',
    }),
  }),
})

const NetworkStatusType = builder.objectRef<NetworkStatus>('NetworkStatus').implement({
  description: 'The state of one network.',
  fields: (t) => ({
    genesisHash: t.exposeString('genesisHash', { description: 'The hash that names the chain.' }),
    feePayer: t.expose('feePayer', { type: 'SolanaAddress', description: 'The wallet that pays every transaction.' }),
    feePayerLamports: t.expose('feePayerLamports', { type: 'BaseUnits', description: 'Its balance, in lamports.' }),
    slot: t.expose('slot', { type: 'UInt64', description: 'The newest final slot.' }),
    lagSeconds: t.exposeFloat('lagSeconds', {
      description: 'For how many seconds the newest final block has been so, or its age where that is more.',
    }),
    consensus: t.field({
      type: ConsensusEnum,
      nullable: true,
      description: 'The consensus of the cluster. Null when no provider says which it is, as nodes before Agave 4.3.',
      resolve: ({ pace }) => pace.consensus,
    }),
    slotMs: t.float({
      nullable: true,
      description: 'The measured time from slot to slot, in milliseconds. Null in the first seconds after a start.',
      resolve: ({ pace }) => pace.slotMs,
    }),
    finalAfterSlots: t.int({
      description: 'By how many slots the newest final block is behind the newest block.',
      resolve: ({ pace }) => pace.finalAfterSlots,
    }),
    providers: t.field({
      description: 'Its RPC providers, in the order of the setting.',
      type: [ProviderType],
      resolve: ({ providerHealth }) => [...providerHealth],
    }),
    deposits: t.expose('deposits', {
      type: DepositSourceType,
      nullable: true,
      description: 'How deposits are found. Null in the first minute after a start.',
    }),
  }),
})

const NetworkStatuses = builder.objectRef<OperatorStatus['networks']>('NetworkStatuses').implement({
  description: 'The state of each network. Null for a network that is not served, or does not answer.',
  fields: (t) => ({
    live: t.expose('live', { type: NetworkStatusType, nullable: true, description: 'The network of live accounts.' }),
    test: t.expose('test', { type: NetworkStatusType, nullable: true, description: 'The network of test accounts.' }),
  }),
})

const WorkerType = builder.objectRef<OperatorStatus['workers'][number]>('Worker').implement({
  description: 'A process that moves money.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'The id of the process.' }),
    role: t.exposeString('role', { description: 'Its `ROLE`.' }),
    startedAt: t.expose('startedAt', { type: 'DateTimeISO', description: 'The time of its start.' }),
    lastSeenAt: t.expose('lastSeenAt', { type: 'DateTimeISO', description: 'The time of its last report.' }),
  }),
})

const SubscriptionCountType = builder.objectRef<BillingStatus['subscriptions'][number]>('SubscriptionCount').implement({
  description: 'The number of subscriptions with a status.',
  fields: (t) => ({
    status: t.expose('status', { type: SubscriptionStatusEnum, description: 'The status.' }),
    count: t.exposeInt('count', { description: 'The number of subscriptions.' }),
  }),
})

const DelegationCountType = builder.objectRef<BillingStatus['delegations'][number]>('DelegationCount').implement({
  description: 'The number of allowances with a status.',
  fields: (t) => ({
    status: t.expose('status', { type: DelegationStatusEnum, description: 'The status.' }),
    count: t.exposeInt('count', { description: 'The number of allowances.' }),
  }),
})

const BillingStatusType = builder.objectRef<BillingStatus>('BillingStatus').implement({
  description: 'The state of recurring billing.',
  fields: (t) => ({
    mint: t.expose('mint', {
      type: 'SolanaAddress',
      description: 'The stablecoin in which subscriptions are charged.',
    }),
    problems: t.stringList({
      description: 'Settings that prevent the sale of subscriptions, each with what to do.',
      resolve: ({ problems }) => [...problems],
    }),
    delegate: t.expose('delegate', {
      type: 'SolanaAddress',
      description: 'The key of the service that allowances name.',
    }),
    subscriptions: t.field({
      description: 'Subscriptions by status. A status without subscriptions is left out.',
      type: [SubscriptionCountType],
      resolve: ({ subscriptions }) => [...subscriptions],
    }),
    delegations: t.field({
      description: 'Allowances by status. A status without allowances is left out.',
      type: [DelegationCountType],
      resolve: ({ delegations }) => [...delegations],
    }),
    chargesDue: t.exposeInt('due', { description: 'Charges whose time has come, and that are not sent.' }),
    chargesInFlight: t.exposeInt('inFlight', { description: 'Charges with a transaction that may land.' }),
    oldestChargeSince: t.field({
      type: 'DateTimeISO',
      nullable: true,
      description: 'Since when the charge that waits the longest is due. Null when none is due or in flight.',
      resolve: ({ oldest }) => oldest?.since ?? null,
    }),
    sponsorSpent: t.expose('sponsorSpent', {
      type: 'SignedUnits',
      description: 'What approves of the last 24 hours have cost the fee payer, or may still cost it, in lamports.',
    }),
    sponsorBudget: t.expose('sponsorBudget', {
      type: 'BaseUnits',
      description: 'The most that approves of 24 hours may cost the fee payer, in lamports.',
    }),
  }),
})

const QueueType = builder.objectRef<OperatorStatus['queues'][number]>('Queue').implement({
  description: 'Work that waits for workers.',
  fields: (t) => ({
    name: t.exposeString('name', {
      description:
        'A kind of transfer (`sweep`, `refund`, `release`, `rent`, `charge`, `token_release`), `webhook`, or `set_aside`.',
    }),
    waiting: t.exposeInt('waiting', { description: 'How much of it waits.' }),
    oldestSince: t.expose('oldestSince', {
      type: 'DateTimeISO',
      description: 'Since when the oldest of it waits. A charge waits for its time.',
    }),
    retries: t.exposeInt('retries', { description: 'How often what waits was tried again.' }),
  }),
})

const RefundSpendingType = builder.objectRef<OperatorStatus['refunds'][number]>('RefundSpending').implement({
  description: 'What refunds cost the fee payer of a network, and may still cost it, in lamports.',
  fields: (t) => ({
    network: t.expose('network', { type: NetworkEnum, description: 'The network.' }),
    lastHour: t.field({
      type: 'SignedUnits',
      description: 'The cost of the last hour.',
      resolve: ({ spend }) => spend.lastHour,
    }),
    lastDay: t.field({
      type: 'SignedUnits',
      description: 'The cost of the last 24 hours.',
      resolve: ({ spend }) => spend.lastDay,
    }),
    perHour: t.field({
      type: 'BaseUnits',
      description: 'The most that refunds of an hour may cost.',
      resolve: ({ budget }) => budget.perHour,
    }),
    perDay: t.field({
      type: 'BaseUnits',
      description: 'The most that refunds of 24 hours may cost.',
      resolve: ({ budget }) => budget.perDay,
    }),
  }),
})

const OperatorStatusType = builder.objectRef<OperatorStatus>('OperatorStatus').implement({
  description: 'The state of the service, for its operator.',
  fields: (t) => ({
    networks: t.expose('networks', { type: NetworkStatuses, description: 'The networks.' }),
    workers: t.field({
      description: 'The processes that report.',
      type: [WorkerType],
      resolve: (status) => [...status.workers],
    }),
    openIntents: t.exposeInt('openIntents', {
      description: 'The number of payments that are pending, underpaid, paid, overpaid, settling or refunding.',
    }),
    unfinishedTransfers: t.exposeInt('unfinishedTransfers', {
      description: 'The number of transfers that are planned or under way.',
    }),
    queues: t.field({
      description: 'The work that waits, by name. A queue in which nothing waits is left out.',
      type: [QueueType],
      resolve: ({ queues }) => [...queues],
    }),
    refunds: t.field({
      description: 'The budget of refunds on each network that is served.',
      type: [RefundSpendingType],
      resolve: ({ refunds }) => [...refunds],
    }),
    billing: t.expose('billing', {
      type: BillingStatusType,
      nullable: true,
      description: 'Subscriptions and their charges. Null while recurring billing is disabled.',
    }),
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
