// The figures of marketplaces, against a recount of their payments.
import { builder, limitOf, NetworkEnum } from '#graphql/operator/builder.ts'
import type { StatsAuditPage } from '#services/marketplace/audit-stats.ts'

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
  description: 'A day of UTC, or a longer span, whose figures of a marketplace or a seller differ from a recount.',
  fields: (t) => ({
    accountId: t.expose('accountId', { type: 'UUID', description: 'The marketplace or the seller.' }),
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
  description: 'A page of an audit of the figures of marketplaces.',
  fields: (t) => ({
    accounts: t.exposeInt('accounts', { description: 'Marketplaces and sellers that the page covers.' }),
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
    description: 'Recounts the figures of a page of marketplaces and sellers from their payments and transfers.',
    args: {
      network: t.arg({ type: NetworkEnum, required: true, description: 'The network of the marketplaces.' }),
      after: t.arg({ type: 'UUID', description: 'Covers accounts after this id. All when left out.' }),
      limit: t.arg.int({ description: 'The page size: 20 unless it is given, at most 100.' }),
    },
    resolve: (_root, { network, after, limit }, context) =>
      context.services.statsAudit.page(network, { after: after ?? null, limit: limitOf(limit) }),
  }),
)
