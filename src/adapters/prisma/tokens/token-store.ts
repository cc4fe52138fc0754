import type { PrismaClient } from '#adapters/prisma/generated/client.ts'
import { TOKENS } from '#adapters/prisma/rows.ts'
import type { TokenStore } from '#ports/directory.ts'

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
