// The payments of a business: the newest first, in pages, and one by its id.
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import type { Tenant } from '#core/accounts/account.ts'
import { ServiceError } from '#core/errors.ts'
import type { Search } from '#core/marketplace/search.ts'
import { builder, REFUSED } from '#graphql/builder.ts'
import { businessOf } from '#graphql/context.ts'
import { PAGE_SIZES } from '#graphql/page.ts'
import { PaymentIntentNode } from '#graphql/payments/payment-intent.ts'
import {
  ASSET,
  conditionsOf,
  HAS_PROPOSAL,
  havingOf,
  IS_HELD,
  METADATA,
  PaymentIntentConnection,
  PaymentIntentEdge,
  type PaymentSearch,
  REFERENCE,
  readPaymentPage,
  requireMetadata,
  requireRange,
  SEARCH,
  searchOf,
} from '#graphql/payments/payment-page.ts'
import { IntentStatusEnum } from '#graphql/payments/status.ts'
import { isUuid } from '#services/requests.ts'

const PaymentIntentFilter = builder.inputType('PaymentIntentFilter', {
  description: 'Which payments to list: those that match every field that is given.',
  fields: (t) => ({
    status: t.field({ type: [IntentStatusEnum], description: 'Any of these statuses.' }),
    reference: t.field(REFERENCE),
    metadata: t.field(METADATA),
    search: t.field(SEARCH),
    asset: t.field(ASSET),
    isHeld: t.boolean(IS_HELD),
    hasProposal: t.boolean(HAS_PROPOSAL),
    from: t.field({ type: 'DateTimeISO', description: 'Created at this time or later.' }),
    to: t.field({ type: 'DateTimeISO', description: 'Created before this time.' }),
  }),
})

type Filter = typeof PaymentIntentFilter.$inferInput

builder.queryField('paymentIntents', (t) =>
  t.connection(
    {
      type: PaymentIntentNode,
      description: `The payments of the business, and those that it takes for sellers, the newest first. ${PAGE_SIZES}`,
      args: { filter: t.arg({ type: PaymentIntentFilter, description: 'Which payments to list. All when left out.' }) },
      resolve: async (_root, { filter, ...args }, context, info) => {
        const tenant = await businessOf(context, 'payments-view')
        requireRange(filter?.from, filter?.to)
        // A business with a key has made its payments itself, those for its sellers too: a seller has no key. No index has the order
        // of the payments of one account or another.
        const search = searchOf(filter?.search)
        const { where, list } = matching(filter ?? {}, tenant, search)
        return await readPaymentPage(context, info, {
          tenant,
          args,
          name: 'paymentIntents',
          filter: filter ?? null,
          where,
          search: list && { search, list },
        })
      },
    },
    PaymentIntentConnection,
    PaymentIntentEdge,
  ),
)

/** `list` is null for a list that Prisma reads by itself. */
type Listed = { readonly where: Prisma.PaymentIntentWhereInput; readonly list: PaymentSearch['list'] | null }

/** Throws `invalid_request`. */
function matching(
  { status, reference, metadata, from, to, ...others }: Filter,
  { accountId }: Tenant,
  search: Search | null,
): Listed {
  const having = havingOf(others)
  const where = {
    callerAccountId: accountId,
    ...conditionsOf(having),
    ...(status && { status: { in: status } }),
    ...(typeof reference === 'string' && { reference }),
    createdAt: { ...(from && { gte: from }), ...(to && { lt: to }) },
  }
  const entries = requireMetadata(metadata)
  const statuses = status ? [...new Set(status)] : null
  // Prisma reads several statuses, and proposals, by the index of time, however rare they are.
  const isRead = (statuses === null || statuses.length < 2) && !having.hasProposal
  if (entries.length === 0 && search === null && isRead) return { where, list: null }
  const list = {
    ...having,
    isForSellers: false,
    sellerId: null,
    statuses,
    reference: reference ?? null,
    metadata: entries,
    from: from ?? null,
    to: to ?? null,
  }
  return { where, list }
}

builder.queryField('paymentIntentById', (t) =>
  t.prismaField({
    type: PaymentIntentNode,
    nullable: true,
    description: `Finds a payment of the business, or one that it takes for a seller, by its id. ${REFUSED}`,
    // Any string, because a text that is no id gets the answer of an id that no payment has.
    args: { id: t.arg.string({ required: true, description: 'The `uuid` of the payment.' }) },
    resolve: async (query, _root, { id }, context) => {
      const { paymentIntent } = context.reads(await businessOf(context, 'payments-view'))
      if (!isUuid(id)) throw new ServiceError('intent_not_found')
      return await paymentIntent.findUniqueOrThrow({ ...query, where: { id } })
    },
  }),
)
