// The payments of a business, the newest first, in pages.
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import { ServiceError } from '#core/errors.ts'
import { builder } from '#graphql/builder.ts'
import { businessOf } from '#graphql/context.ts'
import { PAGE_SIZES } from '#graphql/page.ts'
import { PaymentIntentNode } from '#graphql/payments/payment-intent.ts'
import { PaymentIntentConnection, PaymentIntentEdge, readPaymentPage } from '#graphql/payments/payment-page.ts'
import { IntentStatusEnum } from '#graphql/payments/status.ts'

const PaymentIntentFilter = builder.inputType('PaymentIntentFilter', {
  description: 'Which payments to list: those that match every field that is given.',
  fields: (t) => ({
    status: t.field({ type: [IntentStatusEnum], description: 'Any of these statuses.' }),
    reference: t.field({ type: 'Text', description: 'This reference.' }),
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
        const tenant = await businessOf(context)
        requireKnownYear('from', filter?.from)
        requireKnownYear('to', filter?.to)
        // A business with a key has made its payments itself, those for its sellers too: a seller has no key. No index has the order
        // of the payments of one account or another.
        const where = { callerAccountId: tenant.accountId, ...matching(filter ?? {}) }
        return await readPaymentPage(context, info, {
          tenant,
          args,
          name: 'paymentIntents',
          filter: filter ?? null,
          where,
          search: null,
        })
      },
    },
    PaymentIntentConnection,
    PaymentIntentEdge,
  ),
)

/** PostgreSQL knows no year 0. */
function requireKnownYear(field: 'from' | 'to', date: Date | null | undefined): void {
  if (date && date.getUTCFullYear() < 1) throw new ServiceError('invalid_request', { field, rule: 'is before year 1' })
}

const matching = ({ status, reference, from, to }: Filter): Prisma.PaymentIntentWhereInput => ({
  ...(status && { status: { in: status } }),
  ...(typeof reference === 'string' && { reference }),
  createdAt: { ...(from && { gte: from }), ...(to && { lt: to }) },
})
