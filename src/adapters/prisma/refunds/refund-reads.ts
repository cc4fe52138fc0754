// The refunds that an edge can read with Prisma: those of one business, and those of its sellers.
import type { Prisma, PrismaClient } from '#adapters/prisma/generated/client.ts'
import { found, type Without } from '#adapters/prisma/reading.ts'
import type { Tenant } from '#core/accounts/account.ts'
import type { Refund } from '#core/refunds/refund.ts'
import { REFUNDS } from './refund-store.ts'

export type RefundReads = {
  findMany(args: Without<Prisma.RefundFindManyArgs>): Promise<Refund[]>
  findUnique(args: Without<Prisma.RefundFindUniqueArgs>): Promise<Refund | null>
  /** Throws `refund_not_found`. */
  findUniqueOrThrow(args: Without<Prisma.RefundFindUniqueOrThrowArgs>): Promise<Refund>
}

export function createRefundReads({ refund }: Pick<PrismaClient, 'refund'>, tenant: Tenant): RefundReads {
  const { accountId, network } = tenant
  const visible = { network, OR: [{ accountId }, { callerAccountId: accountId }] }
  const findUnique: RefundReads['findUnique'] = async ({ where }) => {
    const row = await refund.findFirst({ where: { AND: [visible, { id: where.id ?? '' }] } })
    return row === null ? null : REFUNDS.fromRow(row)
  }
  return {
    async findMany({ where, ...args }) {
      return (await refund.findMany({ ...args, where: { AND: [visible, where ?? {}] } })).map(REFUNDS.fromRow)
    },
    findUnique,
    findUniqueOrThrow: async (args) => found(await findUnique(args), 'refund_not_found'),
  }
}
