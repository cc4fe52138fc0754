// What an edge may read with Prisma: the rows of one business. No edge is given the client itself, so a query that
// names no tenant does not compile.
import type { Prisma, PrismaClient } from '#adapters/prisma/generated/client.ts'
import type { Tenant } from '#core/accounts/account.ts'
import { ServiceError } from '#core/errors.ts'

type IntentRow = Prisma.PaymentIntentGetPayload<object>

/** The reads of plugin-prisma, each confined to the tenant. Shaped like a Prisma client, because the plugin wants one. */
export type TenantReads = {
  readonly paymentIntent: {
    findMany(args: Prisma.PaymentIntentFindManyArgs): Promise<IntentRow[]>
    findUnique(args: Prisma.PaymentIntentFindUniqueArgs): Promise<IntentRow | null>
    /** Throws `intent_not_found`. */
    findUniqueOrThrow(args: Prisma.PaymentIntentFindUniqueOrThrowArgs): Promise<IntentRow>
  }
  $connect(): Promise<void>
}

type IntentDelegate = Pick<PrismaClient['paymentIntent'], 'findMany' | 'findUnique'>

export function createTenantReads(prisma: { readonly paymentIntent: IntentDelegate }): (tenant: Tenant) => TenantReads {
  return (tenant) => {
    const visible: Prisma.PaymentIntentWhereInput = {
      network: tenant.network,
      OR: [{ accountId: tenant.accountId }, { callerAccountId: tenant.accountId }],
    }
    const findUnique = ({ where, ...args }: Prisma.PaymentIntentFindUniqueArgs) =>
      prisma.paymentIntent.findUnique({ ...args, where: { ...where, AND: [visible, ...conditions(where.AND)] } })
    return {
      paymentIntent: {
        findMany: ({ where, ...args }) =>
          prisma.paymentIntent.findMany({ ...args, where: { AND: [visible, where ?? {}] } }),
        findUnique,
        async findUniqueOrThrow(args) {
          const row = await findUnique(args)
          if (row === null) throw new ServiceError('intent_not_found')
          return row
        },
      },
      $connect: () => Promise.resolve(),
    }
  }
}

const conditions = (and: Prisma.PaymentIntentWhereUniqueInput['AND']): Prisma.PaymentIntentWhereInput[] =>
  and === undefined ? [] : Array.isArray(and) ? and : [and]
