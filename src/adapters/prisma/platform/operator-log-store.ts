import type { PrismaClient } from '#adapters/prisma/generated/client.ts'
import type { OperatorLogStore } from '#ports/operator-log.ts'

export const createOperatorLogStore = (prisma: PrismaClient): OperatorLogStore => ({
  async begin(entry) {
    const { id } = await prisma.operatorLogEntry.create({ data: entry, select: { id: true } })
    return id
  },

  async end(id, outcome, endedAt) {
    await prisma.operatorLogEntry.updateMany({ where: { id, outcome: null }, data: { outcome, endedAt } })
  },

  async list(limit, before) {
    const after = before === null ? null : await prisma.operatorLogEntry.findUnique({ where: { id: before } })
    const where = after === null ? {} : { position: { lt: after.position } }
    return await prisma.operatorLogEntry.findMany({ where, orderBy: { position: 'desc' }, take: limit })
  },
})
