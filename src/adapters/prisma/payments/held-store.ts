import type { Database } from '#adapters/prisma/engine/engine.ts'
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import { transferFromRow } from '#adapters/prisma/rows.ts'
import { listOf } from '#core/codec.ts'
import { heldMoneyCodec } from '#core/payments/parts.ts'
import type { HeldPayment, HeldStore, Release } from '#ports/held.ts'

const PAYMENT = {
  id: true,
  derivationIndex: true,
  accountId: true,
  network: true,
  address: true,
  status: true,
  held: true,
  updatedAt: true,
} satisfies Prisma.PaymentIntentSelect

const RELEASE = {
  transfer: { include: { legs: true, intent: { select: { derivationIndex: true } } } },
} satisfies Prisma.ReleaseInclude

const heldList = listOf(heldMoneyCodec)

const paymentFromRow = ({
  id,
  derivationIndex,
  held,
  ...row
}: Prisma.PaymentIntentGetPayload<{ select: typeof PAYMENT }>): HeldPayment => ({
  ...row,
  intentId: id,
  intentIndex: derivationIndex,
  held: heldList.read(held, 'held'),
})

function releaseFromRow(row: Prisma.ReleaseGetPayload<{ include: typeof RELEASE }>): Release {
  const transfer = transferFromRow(row.transfer)
  const leg = transfer.legs.find(({ role }) => role === 'release')
  if (leg === undefined || row.transfer.intent === null) {
    throw new Error(`${transfer.key} is not the release of a payment's money`)
  }
  return {
    transferId: transfer.id,
    intentId: transfer.subject.id,
    intentIndex: row.transfer.intent.derivationIndex,
    network: transfer.network,
    asset: transfer.asset,
    round: transfer.round,
    amount: leg.amount,
    to: leg.destination,
    reason: row.reason,
    releasedBy: row.releasedBy,
    releasedAt: row.createdAt,
    status: transfer.status,
    problem: transfer.reason,
    signature: transfer.signature,
  }
}

export function createHeldStore({ prisma }: Pick<Database, 'prisma'>): HeldStore {
  return {
    async payments({ network, accountId, limit }) {
      const rows = await prisma.paymentIntent.findMany({
        where: {
          held: { not: [] },
          ...(network !== null && { network }),
          ...(accountId !== null && { accountId }),
        },
        orderBy: [{ updatedAt: 'desc' }, { derivationIndex: 'desc' }],
        take: limit,
        select: PAYMENT,
      })
      return rows.map(paymentFromRow)
    },

    async find(by) {
      const where = 'id' in by ? { id: by.id } : { derivationIndex: by.index }
      return await prisma.paymentIntent.findUnique({ where, select: { id: true, network: true } })
    },

    async releases({ network, intentId, limit }) {
      const transfer = { ...(network !== undefined && { network }), ...(intentId !== undefined && { intentId }) }
      const rows = await prisma.release.findMany({
        where: { transfer },
        orderBy: [{ createdAt: 'desc' }, { transferId: 'desc' }],
        take: limit,
        include: RELEASE,
      })
      return rows.map(releaseFromRow)
    },
  }
}
