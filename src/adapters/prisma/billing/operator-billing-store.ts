// The operator's queries of subscriptions and charges, across all businesses.
import type { Database } from '#adapters/prisma/engine/engine.ts'
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import { CHARGE } from '#core/billing/charge-transfer.ts'
import { makeAddress } from '#core/chain/base58.ts'
import type { ListedCharge, OperatorBillingStore } from '#ports/operator-billing.ts'
import { readCostliest } from './business-costs.ts'
import { readOverview } from './overview.ts'
import { CHARGES, SUBSCRIPTIONS } from './tables.ts'

const NEWEST_FIRST = [{ createdAt: 'desc' }, { id: 'desc' }] satisfies Prisma.ChargeOrderByWithRelationInput[]
const WITH_WALLET = { subscription: { select: { subscriberWallet: true } } } satisfies Prisma.ChargeInclude
type ChargeRow = Prisma.ChargeGetPayload<{ include: typeof WITH_WALLET }>

export function createOperatorBillingStore(db: Pick<Database, 'prisma' | 'query'>): OperatorBillingStore {
  const { prisma } = db
  const withReasons = async (rows: readonly ChargeRow[]): Promise<readonly ListedCharge[]> => {
    const subjectId = { in: rows.map(({ id }) => id) }
    const transfers = await prisma.transfer.findMany({
      where: { subjectKind: CHARGE, subjectId },
      select: { subjectId: true, reason: true, budgetWaitCost: true, nextAttemptAt: true },
    })
    const own = new Map(transfers.map((transfer) => [transfer.subjectId, transfer]))
    return rows.map(({ subscription, ...row }) => {
      const { reason = null, budgetWaitCost = null, nextAttemptAt = null } = own.get(row.id) ?? {}
      const isWaiting = row.status === 'pending' && budgetWaitCost !== null
      return {
        ...CHARGES.fromRow(isWaiting ? { ...row, nextAttemptAt } : row),
        wallet: makeAddress(subscription.subscriberWallet),
        reason,
      }
    })
  }
  return {
    async subscriptions({ status, accountId, wallet, limit }) {
      const rows = await prisma.billingSubscription.findMany({
        where: {
          ...(status !== null && { status }),
          ...(accountId !== null && { accountId }),
          ...(wallet !== null && { subscriberWallet: wallet }),
        },
        orderBy: NEWEST_FIRST,
        take: limit,
      })
      return rows.map(SUBSCRIPTIONS.fromRow)
    },

    async subscription(id) {
      const row = await prisma.billingSubscription.findUnique({ where: { id } })
      return row === null ? null : SUBSCRIPTIONS.fromRow(row)
    },

    async charges({ status, subscriptionId, accountId, wallet, limit }) {
      const rows = await prisma.charge.findMany({
        where: {
          ...(status !== null && { status }),
          ...(subscriptionId !== null && { subscriptionId }),
          ...(accountId !== null && { accountId }),
          ...(wallet !== null && { subscription: { subscriberWallet: wallet } }),
        },
        orderBy: NEWEST_FIRST,
        take: limit,
        include: WITH_WALLET,
      })
      return await withReasons(rows)
    },

    async charge(id) {
      const row = await prisma.charge.findUnique({ where: { id }, include: WITH_WALLET })
      const [charge] = row === null ? [] : await withReasons([row])
      return charge ?? null
    },

    overview: (network, at) => readOverview(db, network, at),
    costliest: (network, since) => readCostliest(db, network, since),
  }
}
