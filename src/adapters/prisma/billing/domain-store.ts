import type { Database } from '#adapters/prisma/engine/database.ts'
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import type { Tenant } from '#core/accounts/account.ts'
import type { RedirectDomain } from '#core/billing/redirect-domain.ts'
import type { RedirectDomainStore } from '#ports/catalogue.ts'
import { REDIRECT_DOMAINS } from './tables.ts'

export function createRedirectDomainStore({ prisma }: Pick<Database, 'prisma'>): RedirectDomainStore {
  const find = async ({ accountId }: Tenant, by: Prisma.RedirectDomainWhereInput): Promise<RedirectDomain | null> => {
    const row = await prisma.redirectDomain.findFirst({ where: { ...by, accountId } })
    return row === null ? null : REDIRECT_DOMAINS.fromRow(row)
  }
  const set = async ({ accountId }: Tenant, by: Prisma.RedirectDomainWhereInput, active: boolean, updatedAt: Date) =>
    prisma.redirectDomain.updateMany({
      where: { ...by, accountId, active: !active },
      data: { active, updatedAt },
    })
  return {
    find: (tenant, id) => find(tenant, { id }),

    async create(tenant, domain) {
      const { host, createdAt } = domain
      const { count } = await prisma.redirectDomain.createMany({ data: [domain], skipDuplicates: true })
      if (count === 1) return { domain, created: true }
      await set(tenant, { host }, true, createdAt)
      const stored = await find(tenant, { host })
      if (stored === null) throw new Error('an insert that does nothing has met a stored domain')
      return { domain: stored, created: false }
    },

    async archive(tenant, id, at) {
      await set(tenant, { id }, false, at)
      return await find(tenant, { id })
    },

    async active({ accountId }, hosts) {
      const rows = await prisma.redirectDomain.findMany({
        where: { accountId, active: true, host: { in: [...hosts] } },
        select: { host: true },
      })
      return new Set(rows.map(({ host }) => host))
    },
  }
}
