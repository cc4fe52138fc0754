import type { PrismaClient } from '#adapters/prisma/generated/client.ts'
import { makeAddress } from '#core/chain/base58.ts'
import type { CustodianStore } from '#ports/directory.ts'

export function createCustodianStore(prisma: PrismaClient): CustodianStore {
  return {
    async save(custodians) {
      await prisma.$transaction(
        custodians.map(({ network, address, label }) =>
          prisma.custodian.upsert({
            where: { network_address: { network, address } },
            create: { network, address, label },
            update: { label },
          }),
        ),
      )
    },

    async remove(network, address) {
      const { count } = await prisma.custodian.deleteMany({ where: { network, address } })
      return count > 0
    },

    async list(network) {
      const rows = await prisma.custodian.findMany({
        where: network === null ? {} : { network },
        orderBy: [{ network: 'asc' }, { label: 'asc' }, { address: 'asc' }],
      })
      return rows.map((row) => ({ network: row.network, address: makeAddress(row.address), label: row.label }))
    },
  }
}
