import type { Database } from '#adapters/prisma/engine/engine.ts'
import type { DepositAddressStore } from '#ports/payments.ts'

export const createDepositAddressStore = ({ prisma }: Pick<Database, 'prisma'>): DepositAddressStore => ({
  isIssued: async (address) =>
    (await prisma.paymentIntent.findUnique({ where: { address }, select: { id: true } })) !== null,
})
