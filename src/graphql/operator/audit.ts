// Every deposit address ever handed out: its books, and what the chain has.
import type { AuditedBalance, AuditedFlow, FeePayerSums } from '#core/audit/audit.ts'
import { ServiceError } from '#core/errors.ts'
import type { AuditPage, AuditScope } from '#services/audit/audit.ts'
import type { StatsAuditPage } from '#services/stats/audit-stats.ts'
import { builder, limitOf, NetworkEnum } from './builder.ts'

const MAX_PAGE = 200

const AuditScopeType = builder.objectRef<AuditScope>('AuditScope').implement({
  description: 'What an audit of a network covers.',
  fields: (t) => ({
    addresses: t.exposeInt('addresses', { description: 'Deposit addresses ever handed out on the network.' }),
    feePayer: t.expose('feePayer', { type: 'SolanaAddress', description: 'The fee payer of the network.' }),
    feePayerLamports: t.expose('feePayerLamports', { type: 'BaseUnits', description: 'Its balance, in lamports.' }),
  }),
})

const AuditedBalanceType = builder.objectRef<AuditedBalance>('AuditedBalance').implement({
  description: 'One account of a deposit address: ledger + inFlight + unbooked + difference = chain.',
  fields: (t) => ({
    account: t.exposeString('account', { description: 'The address itself, or one of its token accounts.' }),
    asset: t.expose('asset', { type: 'Asset', description: 'The asset of the account.' }),
    ledger: t.expose('ledger', { type: 'SignedUnits', description: 'What the ledger has, in base units.' }),
    chain: t.expose('chain', { type: 'SignedUnits', description: 'What the chain has, in base units.' }),
    inFlight: t.expose('inFlight', {
      type: 'SignedUnits',
      description: 'Attempts that landed and are not booked yet.',
    }),
    unbooked: t.expose('unbooked', {
      type: 'SignedUnits',
      description:
        'More than the ledger has, in an account that is not watched. It is no difference: anyone can make the address the ' +
        'owner of such an account.',
    }),
    difference: t.expose('difference', { type: 'SignedUnits', description: 'What nothing accounts for.' }),
  }),
})

const AuditedFlowType = builder.objectRef<AuditedFlow>('AuditedFlow').implement({
  description: 'Where the money of a deposit address went: received = settled + returned + remaining + difference.',
  fields: (t) => ({
    asset: t.expose('asset', { type: 'Asset', description: 'The asset, in whose base units the amounts are.' }),
    received: t.expose('received', { type: 'SignedUnits', description: 'What arrived.' }),
    settled: t.expose('settled', { type: 'SignedUnits', description: 'What went to the business, with all fees.' }),
    returned: t.expose('returned', { type: 'SignedUnits', description: 'What went back, or was released.' }),
    remaining: t.expose('remaining', { type: 'SignedUnits', description: 'What is still at the address.' }),
    difference: t.expose('difference', { type: 'SignedUnits', description: 'What nothing accounts for.' }),
  }),
})

const AuditedAddressType = builder.objectRef<AuditPage['addresses'][number]>('AuditedAddress').implement({
  description: 'A deposit address with its books and what the chain has.',
  fields: (t) => ({
    intentIndex: t.exposeInt('intentIndex', { description: 'The `derivation_index` of its payment.' }),
    address: t.exposeString('address', { description: 'As it stands in the database.' }),
    derivedAddress: t.expose('derivedAddress', {
      type: 'SolanaAddress',
      description: 'As the master seed gives it for the same indexes.',
    }),
    tokenAccountLamports: t.expose('tokenAccountLamports', {
      type: 'BaseUnits',
      description: 'Rent in its token accounts, which goes to the fee payer when they are closed.',
    }),
    balances: t.field({
      description: 'One entry for each account of the address.',
      type: [AuditedBalanceType],
      resolve: ({ balances }) => [...balances],
    }),
    flows: t.field({
      description: 'One entry for each asset that arrived.',
      type: [AuditedFlowType],
      resolve: ({ flows }) => [...flows],
    }),
  }),
})

const FeePayerSumsType = builder.objectRef<FeePayerSums>('FeePayerSums').implement({
  description: 'What transactions took from the fee payer, and paid to it, in lamports.',
  fields: (t) => ({
    spent: t.expose('spent', { type: 'SignedUnits', description: 'Fees, and rent of new accounts.' }),
    repaid: t.expose('repaid', { type: 'SignedUnits', description: 'Network fees of transfers in SOL.' }),
    rent: t.expose('rent', {
      type: 'SignedUnits',
      description: 'Rent of closed token accounts, less the fees of closing them, which are not in `spent`.',
    }),
  }),
})

const AuditPageType = builder.objectRef<AuditPage>('AuditPage').implement({
  description: 'A page of an audit.',
  fields: (t) => ({
    addresses: t.field({
      description: 'The deposit addresses, in the order of their payments.',
      type: [AuditedAddressType],
      resolve: ({ addresses }) => [...addresses],
    }),
    feePayer: t.expose('feePayer', {
      type: FeePayerSumsType,
      description: 'What transactions of these addresses took from the fee payer, and paid to it.',
    }),
    nextIndex: t.exposeInt('nextIndex', {
      nullable: true,
      description: 'The next page’s `afterIndex`; null at the end.',
    }),
  }),
})

const network = { type: NetworkEnum, required: true, description: 'The network to audit.' } as const

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
    args: {
      network: t.arg(network),
      afterIndex: t.arg.int({ required: true, description: 'Shows addresses of later payments; 0 begins.' }),
      limit: t.arg.int({ description: `The page size: 20 unless it is given, at most ${MAX_PAGE}.` }),
    },
    resolve: (_root, { network, afterIndex, limit }, context) => {
      if (afterIndex < 0) throw new ServiceError('invalid_request', { field: 'afterIndex' })
      return context.services.audit.page(network, { afterIndex, limit: limitOf(limit, MAX_PAGE) })
    },
  }),
}))

// Figures, against a recount of payments and charges.

const FigureDifferenceType = builder
  .objectRef<{ readonly figure: string; readonly difference: string }>('FigureDifference')
  .implement({
    description: 'One figure that differs.',
    fields: (t) => ({
      figure: t.exposeString('figure', { description: 'A status, whose payments are counted, or an amount.' }),
      difference: t.field({
        type: 'SignedUnits',
        description: 'The figure less the recount.',
        resolve: ({ difference }) => BigInt(difference),
      }),
    }),
  })

const StatsDifferenceType = builder.objectRef<StatsAuditPage['differences'][number]>('StatsDifference').implement({
  description: 'A day of UTC, or a longer span, whose figures of an account differ from a recount.',
  fields: (t) => ({
    accountId: t.expose('accountId', { type: 'UUID', description: 'The business or the seller.' }),
    scope: t.exposeString('scope', {
      description:
        '`payee`: payments to the account. `marketplace`: payments for its sellers. `charges`: of its subscriptions.',
    }),
    day: t.expose('day', { type: 'DateTimeISO', description: 'The start of the day, or of a longer span.' }),
    span: t.exposeInt('span', { description: 'The span of the rollups, in seconds.' }),
    asset: t.exposeString('asset', { description: 'The asset of the payments. Empty for those that did not settle.' }),
    figures: t.field({
      type: [FigureDifferenceType],
      description: 'The figures that differ.',
      resolve: ({ differences }) => Object.entries(differences).map(([figure, difference]) => ({ figure, difference })),
    }),
  }),
})

const StatsAuditPageType = builder.objectRef<StatsAuditPage>('StatsAuditPage').implement({
  description: 'A page of an audit of figures.',
  fields: (t) => ({
    accounts: t.exposeInt('accounts', { description: 'Businesses and sellers that the page covers.' }),
    differences: t.field({
      type: [StatsDifferenceType],
      description: 'What differs, at most 20 days of an account in a month.',
      resolve: ({ differences }) => [...differences],
    }),
    next: t.expose('next', { type: 'UUID', nullable: true, description: 'The next page’s `after`; null at the end.' }),
  }),
})

builder.queryField('auditStats', (t) =>
  t.field({
    type: StatsAuditPageType,
    description: 'Recounts the figures of a page of businesses and sellers from payments, transfers and charges.',
    args: {
      network: t.arg({ type: NetworkEnum, required: true, description: 'The network of the businesses.' }),
      after: t.arg({ type: 'UUID', description: 'Covers accounts after this id. All when left out.' }),
      limit: t.arg.int({ description: 'The page size: 20 unless it is given, at most 100.' }),
    },
    resolve: (_root, { network, after, limit }, context) =>
      context.services.statsAudit.page(network, { after: after ?? null, limit: limitOf(limit) }),
  }),
)
