// Every deposit address ever handed out: its books, and what the chain has.
import type { AuditedBalance, AuditedFlow } from '#core/audit/audit.ts'
import { ServiceError } from '#core/errors.ts'
import { limitOf } from '#graphql/limit-argument.ts'
import { builder } from '#graphql/operator/builder.ts'
import { NetworkEnum } from '#graphql/operator/network.ts'
import type { AuditPage, AuditScope } from '#services/services.ts'

const MAX_PAGE = 200

const AuditScopeType = builder.objectRef<AuditScope>('AuditScope').implement({
  fields: (t) => ({
    addresses: t.exposeInt('addresses', { description: 'Deposit addresses ever handed out on the network.' }),
    feePayer: t.expose('feePayer', { type: 'SolanaAddress' }),
    feePayerLamports: t.expose('feePayerLamports', { type: 'BaseUnits' }),
  }),
})

const AuditedBalanceType = builder.objectRef<AuditedBalance>('AuditedBalance').implement({
  description: 'One account of a deposit address: ledger + inFlight + difference = chain.',
  fields: (t) => ({
    account: t.exposeString('account'),
    asset: t.expose('asset', { type: 'Asset' }),
    ledger: t.expose('ledger', { type: 'SignedUnits' }),
    chain: t.expose('chain', { type: 'SignedUnits' }),
    inFlight: t.expose('inFlight', {
      type: 'SignedUnits',
      description: 'Deposits that are not final yet, and attempts that landed and are not booked yet.',
    }),
    difference: t.expose('difference', { type: 'SignedUnits', description: 'What nothing accounts for.' }),
  }),
})

const AuditedFlowType = builder.objectRef<AuditedFlow>('AuditedFlow').implement({
  description: 'Where the money of a deposit address went: received = settled + returned + remaining + difference.',
  fields: (t) => ({
    asset: t.expose('asset', { type: 'Asset' }),
    received: t.expose('received', { type: 'SignedUnits' }),
    settled: t.expose('settled', { type: 'SignedUnits' }),
    returned: t.expose('returned', { type: 'SignedUnits' }),
    remaining: t.expose('remaining', { type: 'SignedUnits' }),
    difference: t.expose('difference', { type: 'SignedUnits' }),
  }),
})

const AuditedAddressType = builder.objectRef<AuditPage['addresses'][number]>('AuditedAddress').implement({
  fields: (t) => ({
    intentIndex: t.exposeInt('intentIndex'),
    address: t.exposeString('address', { description: 'As it stands in the database.' }),
    derivedAddress: t.expose('derivedAddress', {
      type: 'SolanaAddress',
      description: 'As the master seed gives it for the same indexes.',
    }),
    tokenAccountLamports: t.expose('tokenAccountLamports', {
      type: 'BaseUnits',
      description: 'Rent in its token accounts, which goes to the fee payer when they are closed.',
    }),
    balances: t.field({ type: [AuditedBalanceType], resolve: ({ balances }) => [...balances] }),
    flows: t.field({ type: [AuditedFlowType], resolve: ({ flows }) => [...flows] }),
  }),
})

const AuditPageType = builder.objectRef<AuditPage>('AuditPage').implement({
  fields: (t) => ({
    addresses: t.field({ type: [AuditedAddressType], resolve: ({ addresses }) => [...addresses] }),
    feePayerSpent: t.expose('feePayerSpent', {
      type: 'BaseUnits',
      description: 'Fees and rent that transactions of these addresses took from the fee payer.',
    }),
    feePayerCollected: t.expose('feePayerCollected', { type: 'BaseUnits' }),
    nextIndex: t.exposeInt('nextIndex', {
      nullable: true,
      description: 'The next page’s `afterIndex`; null at the end.',
    }),
  }),
})

const network = { type: NetworkEnum, required: true } as const

builder.queryFields((t) => ({
  auditScope: t.field({
    type: AuditScopeType,
    nullable: true,
    description: 'What there is to audit; null where this deployment does not serve the network.',
    args: { network: t.arg(network) },
    resolve: (_root, args, context) => {
      return context.services.audit.scope(args.network)
    },
  }),
  audit: t.field({
    type: AuditPageType,
    description: `A page of deposit addresses in the order of their intents, at most ${MAX_PAGE}.`,
    args: { network: t.arg(network), afterIndex: t.arg.int({ required: true }), limit: t.arg.int() },
    resolve: (_root, { network, afterIndex, limit }, context) => {
      if (afterIndex < 0) throw new ServiceError('invalid_request', { field: 'afterIndex' })
      return context.services.audit.page(network, { afterIndex, limit: limitOf(limit, MAX_PAGE) })
    },
  }),
}))
