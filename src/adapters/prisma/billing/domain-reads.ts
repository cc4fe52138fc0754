// The redirect domains that an edge can read with Prisma: those of one business. A single domain is also found by the
// marketplace of its seller.
import type { Prisma, PrismaClient } from '#adapters/prisma/generated/client.ts'
import { found, visibleTo, type Without } from '#adapters/prisma/reading.ts'
import type { Tenant } from '#core/accounts/account.ts'
import type { RedirectDomain } from '#core/billing/redirect-domain.ts'
import { REDIRECT_DOMAINS } from './tables.ts'

export type DomainReads = {
  findMany(args: Without<Prisma.RedirectDomainFindManyArgs>): Promise<RedirectDomain[]>
  findUnique(args: Without<Prisma.RedirectDomainFindUniqueArgs>): Promise<RedirectDomain | null>
  /** Throws `domain_not_found`. */
  findUniqueOrThrow(args: Without<Prisma.RedirectDomainFindUniqueOrThrowArgs>): Promise<RedirectDomain>
}

export function createDomainReads(
  { redirectDomain }: Pick<PrismaClient, 'redirectDomain'>,
  tenant: Tenant,
): DomainReads {
  const findUnique: DomainReads['findUnique'] = async ({ where }) => {
    const row = await redirectDomain.findFirst({ where: { AND: [visibleTo(tenant), { id: where.id ?? '' }] } })
    return row === null ? null : REDIRECT_DOMAINS.fromRow(row)
  }
  return {
    async findMany({ where, ...args }) {
      const { accountId } = tenant
      const rows = await redirectDomain.findMany({ ...args, where: { AND: [{ accountId }, where ?? {}] } })
      return rows.map(REDIRECT_DOMAINS.fromRow)
    },
    findUnique,
    findUniqueOrThrow: async (args) => found(await findUnique(args), 'domain_not_found'),
  }
}
