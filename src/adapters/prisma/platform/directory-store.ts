import type { PrismaClient } from '#adapters/prisma/generated/client.ts'
import { TOKENS } from '#adapters/prisma/rows.ts'
import { makeAddress } from '#core/chain/base58.ts'
import type { CustodianStore, TokenStore } from '#ports/platform.ts'

export function createTokenStore(prisma: PrismaClient): TokenStore {
  return {
    async save({ imageName, ...token }) {
      const data = { ...token, extensions: [...token.extensions] }
      const row = await prisma.token.upsert({
        where: { network_asset: { network: token.network, asset: token.asset } },
        create: { ...data, imageName },
        update: data,
      })
      return TOKENS.fromRow(row)
    },

    async saveImage(network, asset, imageName) {
      const [row] = await prisma.token.updateManyAndReturn({ where: { network, asset }, data: { imageName } })
      return row === undefined ? null : TOKENS.fromRow(row)
    },

    async list(network) {
      const rows = await prisma.token.findMany({
        where: network === null ? {} : { network },
        orderBy: [{ network: 'asc' }, { isNative: 'desc' }, { createdAt: 'asc' }, { asset: 'asc' }],
      })
      return rows.map(TOKENS.fromRow)
    },

    async find(network, asset) {
      const row = await prisma.token.findUnique({ where: { network_asset: { network, asset } } })
      return row === null ? null : TOKENS.fromRow(row)
    },
  }
}

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
