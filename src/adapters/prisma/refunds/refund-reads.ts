// The refunds that an edge can read with Prisma: those of one business, and those of its sellers.
import type { Prisma, PrismaClient } from '#adapters/prisma/generated/client.ts'
import { createReads, type Reads, type Without } from '#adapters/prisma/reading.ts'
import type { Tenant } from '#core/accounts/account.ts'
import type { Refund } from '#core/refunds/refund.ts'
import { REFUNDS } from './refund-store.ts'

export type RefundReads = Reads<Without<Prisma.RefundFindManyArgs>, Without<Prisma.RefundFindUniqueArgs>, Refund>

export const createRefundReads = (
  { refund }: Pick<PrismaClient, 'refund'>,
  { accountId, network }: Tenant,
): RefundReads =>
  createReads({
    listed: { network, OR: [{ accountId }, { callerAccountId: accountId }] },
    notFound: 'refund_not_found',
    rows: (AND, args) => refund.findMany({ ...args, where: { AND } }),
    read: (rows) => rows.map(REFUNDS.fromRow),
  })
