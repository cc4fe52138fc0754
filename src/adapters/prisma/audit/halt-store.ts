// Halted addresses. A halt first locks the transfers of the address. A worker that stores an attempt takes the same
// locks before it reads halts, so one of the two sees the other.
import type { Database } from '#adapters/prisma/engine/database.ts'
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import { areSameFaults, faultsToJson, readFaults } from '#core/audit/faults.ts'
import type { Halt, HaltOfPayment, HaltStore } from '#ports/halts.ts'

const INCLUDE = { intent: { select: { derivationIndex: true } } } satisfies Prisma.HaltInclude

const haltFromRow = ({ intent, ...row }: Prisma.HaltGetPayload<{ include: typeof INCLUDE }>): Halt => ({
  ...row,
  intentIndex: intent?.derivationIndex ?? null,
  faults: readFaults(row.faults, 'halt.faults'),
})

const isOfPayment = (halt: Halt): halt is HaltOfPayment => halt.intentId !== null

export function createHaltStore(db: Pick<Database, 'prisma'>): HaltStore {
  return {
    halt: ({ reason, faults, ...finding }) =>
      db.prisma.$transaction(async (tx) => {
        const { address } = finding
        await tx.$queryRaw`SELECT id FROM transfers WHERE source = ${address} AND status <> 'done' ORDER BY id FOR UPDATE`
        const last = await tx.halt.findFirst({ where: { address }, orderBy: [{ haltedAt: 'desc' }, { id: 'desc' }] })
        const data = { reason, faults: faultsToJson(faults).map((fault) => ({ ...fault })) }
        if (last?.clearedAt === null) {
          await tx.halt.update({ where: { id: last.id }, data })
          return false
        }
        if (last?.clearedBy === 'operator' && areSameFaults(readFaults(last.faults, 'halt.faults'), faults))
          return false
        await tx.halt.create({ data: { ...finding, ...data } })
        return true
      }),

    async open(network) {
      const where = { network, clearedAt: null, intentId: { not: null } }
      const rows = await db.prisma.halt.findMany({
        where,
        include: INCLUDE,
        orderBy: [{ haltedAt: 'asc' }, { id: 'asc' }],
      })
      return rows.map(haltFromRow).filter(isOfPayment)
    },

    async list({ network, open, limit }) {
      const rows = await db.prisma.halt.findMany({
        where: { ...(network !== null && { network }), ...(open && { clearedAt: null }) },
        include: INCLUDE,
        orderBy: [{ haltedAt: 'desc' }, { id: 'desc' }],
        take: limit,
      })
      return rows.map(haltFromRow)
    },

    async clear(id, { by, reason, at }) {
      const { count } = await db.prisma.halt.updateMany({
        where: { id, clearedAt: null },
        data: { clearedAt: at, clearedBy: by, clearedReason: reason },
      })
      if (count !== 1) return null
      return haltFromRow(await db.prisma.halt.findUniqueOrThrow({ where: { id }, include: INCLUDE }))
    },
  }
}
